"""Where settings come from: defaults, a profile, a YAML file, variables, arguments.

Each source yields a layer: dotted name -> (value as written, origin).
"""

from collections.abc import Iterator, Mapping, Set
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any, cast

import yaml

from recollect.core.errors import ConfigError
from recollect.settings import origins
from recollect.settings.catalog import ALIASES, ENTRIES, GROUPS, KEYS, known_variables, nearest

Layer = dict[str, tuple[Any, str]]
PROFILES = {
    "unified": "settings/unified.yaml",
    "discoclaw": "compat/profiles/discoclaw.yaml",
    "dnam": "compat/profiles/dnam.yaml",
    "rolling": "compat/profiles/rolling.yaml",
    "clanker": "compat/profiles/clanker.yaml",
    "devclaw": "compat/profiles/devclaw.yaml",
}
"""The built-in profiles. Other packages register theirs as entry points of `recollect.profiles`: functions that return
what a YAML file would hold.
"""
_ABOUT = "about"
"""Key of a profile's file that is no setting: the document that the profile follows."""


def defaults() -> Layer:
    return {name: (entry.default, origins.DEFAULT) for name, entry in ENTRIES.items()}


def variables(env: Mapping[str, str]) -> tuple[Layer, Layer]:
    """Ordinary variables, and `DEFAULT_…` ones, which yield to the file."""
    ordinary: Layer = {}
    fallback: Layer = {}
    for name, entry in ENTRIES.items():
        present = [variable for variable in entry.variables if env.get(variable, "").strip()]
        for variable in reversed(present):
            layer = fallback if variable.startswith("DEFAULT_") else ordinary
            layer[name] = (_current_value(name, env[variable].strip()), origins.of_variable(variable))
    return ordinary, fallback


def unknown_variables(env: Mapping[str, str]) -> list[str]:
    """Warnings about variables that look like ours but aren't."""
    known = known_variables()
    ours = [name for name in known if name.startswith("RECOLLECT_")]
    return [
        f"{name} is not a setting; did you mean {nearest(name, ours)}?"
        for name in sorted(env)
        if name.startswith("RECOLLECT_") and name not in known
    ]


def renamed(env: Mapping[str, str], data: Mapping[str, Any]) -> list[str]:
    """Warnings about names of the first edition in the environment or in a file's data."""
    variables = (name for name in sorted(env) if env[name].strip())
    names = (name for name in (*variables, *(key for key, _ in _flat(data, ""))) if name in ALIASES.renamed)
    return [f"{name} is now called {ALIASES.renamed[name]}; the old name still works." for name in names]


def _current_value(name: str, value: Any) -> Any:
    """The present name of a renamed choice."""
    return ALIASES.values.get(name, {}).get(value, value) if isinstance(value, str) else value


def arguments(overrides: Mapping[str, Any]) -> Layer:
    """Keywords: `summary={"enabled": False}`, `summary__enabled=False`, "summary.enabled"; None is unset."""
    values = {name.replace("__", "."): value for name, value in overrides.items() if value is not None}
    return _layer(values, origins.ARGUMENT, ENTRIES.keys())


def read_file(path: Path | None) -> dict[str, Any]:
    """What a YAML file says; nothing without a file."""
    return {} if path is None else _mapping(_read(path), path.name)


def config_file(data: dict[str, Any], path: Path) -> Layer:
    return _layer(_with_model_route(data, path.name), origins.of_file(path), KEYS.keys())


def profile(name: str) -> Layer:
    """A profile by name, built-in or registered by another package, or by the path of its file."""
    data = {key: value for key, value in _profile_data(name).items() if key != _ABOUT}
    return _layer(data, origins.of_profile(name), KEYS.keys() - {"profile"})


def document_of(name: str) -> str:
    """The document that a profile follows, and the page that maps its names to ours; empty if it doesn't say."""
    return str(_profile_data(name).get(_ABOUT, ""))


def _profile_data(name: str) -> dict[str, Any]:
    if name in PROFILES:
        return _mapping((resources.files("recollect") / PROFILES[name]).read_text("utf-8"), origins.of_profile(name))
    return read_file(Path(name)) if Path(name).suffix in {".yaml", ".yml"} else _registered(name)


def _registered(name: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow to load, and most profiles are ours

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
    except (OSError, UnicodeDecodeError, RuntimeError) as error:  # RuntimeError: no home directory
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
    others = {key: value for key, value in fields.items() if key != "provider"}
    return data | {"memoryLlm": others | {"model": f"{fields['provider']}:{fields['model']}"}}


def _advice(key: str, known: Set[str]) -> str:
    similar = get_close_matches(key, sorted(known), n=1)
    return f"did you mean {similar[0]!r}?" if similar else "`recollect config` lists them"


def _layer(data: Mapping[str, Any], origin: str, known: Set[str]) -> Layer:
    """Values by setting, with their origin; current names win over older ones in the same source."""
    layer: Layer = {}
    by_current_name = set[str]()
    for key, value in _flat(data, origin):
        if key not in known:
            raise ConfigError(f"{origin}: there is no setting {key!r}; {_advice(key, known)}")
        name = KEYS[key]
        if key == name or name not in by_current_name:
            layer[name] = (_current_value(name, value), origin)
        if key == name:
            by_current_name.add(name)
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
