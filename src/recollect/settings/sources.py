"""Where settings come from: defaults, a profile, a YAML file, variables, arguments.

Each source yields a layer: dotted name -> (value as written, origin).
"""

from collections.abc import Iterator, Mapping, Set
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

import yaml

from recollect.core.errors import ConfigError
from recollect.settings.catalog import ALIASES, ENTRIES, GROUPS, KEYS, known_variables, nearest

Layer = dict[str, tuple[Any, str]]
PROFILES = {
    "unified": "settings/unified.yaml",
    "discoclaw": "compat/profiles/discoclaw.yaml",
    "dnam": "compat/profiles/dnam.yaml",
    "clanker": "compat/profiles/clanker.yaml",
    "devclaw": "compat/profiles/devclaw.yaml",
}
"""The built-in profiles. Other packages register theirs as entry points of `recollect.profiles`: functions that return
what a YAML file would hold.
"""


def defaults() -> Layer:
    return {name: (entry.default, "default") for name, entry in ENTRIES.items()}


def variables(env: Mapping[str, str]) -> tuple[Layer, Layer]:
    """Variables proper, and `DEFAULT_…` ones, which only say what to use where a file says nothing."""
    firm: Layer = {}
    weak: Layer = {}
    for name, entry in ENTRIES.items():
        given = [variable for variable in entry.variables if env.get(variable, "").strip()]
        for variable in reversed(given):
            layer = weak if variable.startswith("DEFAULT_") else firm
            layer[name] = (_value(name, env[variable].strip()), f"env {variable}")
    return firm, weak


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    known = known_variables()
    ours = [name for name in known if name.startswith("RECOLLECT_")]
    return [
        f"{name} is not a setting; did you mean {nearest(name, ours)}?"
        for name in sorted(env)
        if name.startswith("RECOLLECT_") and name not in known
    ]


def renamed(env: Mapping[str, str], path: Path | None) -> list[str]:
    """Advice for names of the first edition that are still in use."""
    variables = [name for name in sorted(env) if name in ALIASES.renamed and env[name].strip()]
    keys = [key for key, _ in _flat(_mapping(_read(path), path.name), path.name)] if path else []
    names = [*variables, *(key for key in keys if key in ALIASES.renamed)]
    return [f"{name} is now called {ALIASES.renamed[name]}; the old name still works." for name in names]


def _value(name: str, value: Any) -> Any:
    return ALIASES.values.get(name, {}).get(value, value) if isinstance(value, str) else value


def arguments(overrides: Mapping[str, Any]) -> Layer:
    """Keywords: `summary={"enabled": False}`, `summary__enabled=False`, "summary.enabled"; None is unset."""
    given = {name.replace("__", "."): value for name, value in overrides.items() if value is not None}
    return _layer(given, "argument", ENTRIES.keys())


def config_file(path: Path) -> Layer:
    return _layer(_with_model_route(_mapping(_read(path), path.name), path.name), f"file {path}", KEYS.keys())


def profile(name: str) -> Layer:
    """A profile by name, ours or one that another package registered, or anyone's by path."""
    if name in PROFILES:
        data = _mapping((resources.files("recollect") / PROFILES[name]).read_text("utf-8"), f"profile {name}")
    elif Path(name).suffix in {".yaml", ".yml"}:
        data = _mapping(_read(Path(name)), Path(name).name)
    else:
        data = _registered(name)
    return _layer(data, f"profile {name}", KEYS.keys() - {"profile"})


def _registered(name: str) -> dict[str, Any]:
    others = {entry.name: entry for entry in entry_points(group="recollect.profiles")}
    if name not in others:
        known = [*PROFILES, *sorted(others)]
        raise ConfigError(
            f"No profile {name!r}; did you mean {nearest(name, known)}? "
            f"There are {', '.join(known)}, or give the path of a YAML file."
        )
    return dict(others[name].load()())


def _read(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError, RuntimeError) as error:  # RuntimeError: nobody's home directory
        raise ConfigError(f"{path} cannot be read: {error}") from error


def _mapping(content: str, label: str) -> dict[str, Any]:
    try:
        data: object = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ConfigError(f"{label} is not valid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{label} must hold names and values, such as `profile: unified`.")
    return cast("dict[str, Any]", data)


def _with_model_route(data: dict[str, Any], label: str) -> dict[str, Any]:
    """`memoryLlm: {provider, model}` says in two keys what `extraction.model` says in one."""
    route = data.get("memoryLlm")
    if not isinstance(route, dict) or "provider" not in route:
        return data
    fields = cast("dict[str, Any]", route)
    if not fields.get("model"):
        raise ConfigError(f"{label}: memoryLlm names a provider but no model.")
    rest = {key: value for key, value in fields.items() if key != "provider"}
    return data | {"memoryLlm": rest | {"model": f"{fields['provider']}:{fields['model']}"}}


def _layer(data: Mapping[str, Any], origin: str, known: Set[str]) -> Layer:
    """Flat names with their origin; our own names win over older ones in the same source."""
    layer: Layer = {}
    own = set[str]()
    for key, value in _flat(data, origin):
        if key not in known:
            raise ConfigError(f"{origin}: there is no setting {key!r}; did you mean {nearest(key, known)!r}?")
        name = KEYS[key]
        if key == name or name not in own:
            layer[name] = (_value(name, value), origin)
        if key == name:
            own.add(name)
    return layer


def _flat(data: Mapping[Any, Any], origin: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(cast("Mapping[Any, Any]", value), origin, f"{name}.")
        elif name not in GROUPS:
            yield name, value
        elif value is not None:
            raise ConfigError(f"{origin}: {name} is a group, such as `{name}: {{…}}`, not one value.")
