"""Where a value comes from, as people read it: `default`, `profile calm`, `file recollect.yaml`, `env RECOLLECT_MODEL`
or `argument`. Code that depends on an origin asks here instead of parsing these words.
"""

from pathlib import Path

DEFAULT = "default"
ARGUMENT = "argument"
_PROFILE, _FILE, _VARIABLE = "profile ", "file ", "env "


def of_profile(name: str) -> str:
    return f"{_PROFILE}{name}"


def of_file(path: Path) -> str:
    return f"{_FILE}{path}"


def of_variable(name: str) -> str:
    return f"{_VARIABLE}{name}"


def is_from_profile(origin: str) -> bool:
    return origin.startswith(_PROFILE)


def is_chosen(origin: str) -> bool:
    """Whether someone set the value here, rather than the program or a profile."""
    return origin != DEFAULT and not is_from_profile(origin)


def locate(origin: str, setting: str) -> str:
    """Where to correct a setting: the variable, or the file, profile or argument with the setting's name."""
    return origin.removeprefix(_VARIABLE) if origin.startswith(_VARIABLE) else f"{origin}: {setting}"
