"""Find a plug-in by name: a file of this package, or an entry point of another one.

`load("stores", "sqlite:///memory.db")` calls `create` of `recollect.stores.sqlite`: the name before the first
colon is the registration. Other packages register theirs under the entry point group `recollect.stores`.
"""

from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from recollect.core.errors import ConfigError

_PACKAGES = {"layers": "prompting.layers", "formats": "transfer.formats"}
"""Where the built-in plug-ins of a kind live, unless in the folder of that name."""


def load(kind: str, spec: str, *details: Any) -> Any:
    """What the plug-in's `create` makes of this specification."""
    found = find(kind, spec)
    return (found.create if isinstance(found, ModuleType) else found)(spec, *details)


def find(kind: str, spec: str) -> Any:
    """The module of this package, or the function that another package registered."""
    name = spec.partition(":")[0].strip().replace("-", "_")
    package = f"recollect.{_PACKAGES.get(kind, kind)}"
    if name.isidentifier() and find_spec(f"{package}.{name}"):
        return import_module(f"{package}.{name}")
    for entry in entry_points(group=f"recollect.{kind}", name=name):
        return entry.load()
    raise ConfigError(f"there is no {name!r} among the {kind}; known here: {', '.join(names(kind))}")


def names(kind: str) -> list[str]:
    """All plug-ins of a kind that can be named."""
    package = import_module(f"recollect.{_PACKAGES.get(kind, kind)}")
    own = {path.stem for root in package.__path__ for path in _modules(root)}
    return sorted(own | {entry.name for entry in entry_points(group=f"recollect.{kind}")})


def _modules(root: str) -> list[Path]:
    found = [*Path(root).glob("*.py"), *(path.parent for path in Path(root).glob("*/__init__.py"))]
    return [path for path in found if not path.name.startswith("_")]
