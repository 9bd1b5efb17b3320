"""Find a plug-in by name: a module of this package, or an entry point of another one.

`load("stores", "sqlite:///memory.db")` calls `create` of `recollect.stores.sqlite`: the name is the part before the
first colon. Other packages register theirs in the entry point group `recollect.stores`.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from recollect.core.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

PACKAGES = {
    "stores": ("stores",),
    "embedders": ("embedders",),
    "models": ("models",),
    "rerankers": ("rerankers",),
    "layers": ("prompting.layers",),
    "layouts": ("prompting.layouts", "compat.layouts"),
    "rankers": ("recall.rankers", "compat.rankers"),
    "formats": ("transfer.formats", "compat.formats"),
    "routes": ("compat.routes",),
}
"""The kinds of plug-in, and where the built-in ones of each live."""


def load(kind: str, spec: str, *options: Any) -> Any:
    """What the plug-in's `create` returns for this specification."""
    plugin = find(kind, spec)
    return (plugin.create if isinstance(plugin, ModuleType) else plugin)(spec, *options)


def load_all(kind: str) -> list[Any]:
    """Every plug-in of a kind, created from its bare name, sorted by name."""
    return [load(kind, name) for name in names(kind)]


def find(kind: str, spec: str) -> Any:
    """The module of this package, or the function that another package registered; raises ConfigError."""
    plugin = find_or_none(kind, spec)
    if plugin is None:
        raise ConfigError(f"there is no {_name(spec)!r} among the {kind}; known here: {', '.join(names(kind))}")
    return plugin


def find_or_none(kind: str, spec: str) -> Any:
    """Like `find`, but None when there is no such plug-in."""
    name = _name(spec)
    # Built-in modules first: reading the entry points of all installed packages takes tens of milliseconds.
    for package in _packages(kind) if name.isidentifier() else ():
        if find_spec(f"{package}.{name}"):
            return import_module(f"{package}.{name}")
    return next((entry.load() for entry in _registered(kind) if entry.name == name), None)


def names(kind: str) -> list[str]:
    """The names of all plug-ins of a kind."""
    roots = (root for package in _packages(kind) for root in import_module(package).__path__)
    built_in = {path.stem for root in roots for path in _modules(root)}
    return sorted(built_in | {entry.name for entry in _registered(kind)})


def _registered(kind: str) -> "EntryPoints":
    """What other packages register; the library that reads it takes longer to load than a command should."""
    from importlib.metadata import entry_points

    return entry_points(group=f"recollect.{kind}")


def _name(spec: str) -> str:
    return spec.partition(":")[0].strip().replace("-", "_")


def _packages(kind: str) -> Iterator[str]:
    return (f"recollect.{package}" for package in PACKAGES[kind])


def _modules(root: str) -> list[Path]:
    modules = [*Path(root).glob("*.py"), *(path.parent for path in Path(root).glob("*/__init__.py"))]
    return [path for path in modules if not path.name.startswith("_")]
