"""The list of all settings with their names, read off the model; and finding the nearest name to a typo."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from recollect.settings.model import Group, Settings

CONFIG_VARIABLE = "RECOLLECT_CONFIG"
SECRETS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DISCORD_TOKEN", "RECOLLECT_WEB_TOKEN")


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting: `summary.max_chars`, its variable `RECOLLECT_SUMMARY_MAX_CHARS` and its old names."""

    name: str
    env: str
    aliases: tuple[str, ...]
    default: Any
    description: str
    choices: tuple[str, ...] = ()

    @property
    def variables(self) -> list[str]:
        return [self.env, *(alias for alias in self.aliases if alias.isupper())]

    @property
    def keys(self) -> list[str]:
        return [self.name, *(alias for alias in self.aliases if not alias.isupper())]


def _entry(name: str, field: FieldInfo) -> Entry:
    extra = cast("dict[str, Any]", field.json_schema_extra)
    env = "RECOLLECT_" + name.replace(".", "_").upper()
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return Entry(name, env, tuple(extra["aliases"]), field.default, field.description or "", choices)


def _entries(group: type[Group], prefix: str = "") -> Iterable[Entry]:
    for name, field in group.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            yield from _entries(kind, f"{prefix}{name}.")
        elif field.json_schema_extra:
            yield _entry(prefix + name, field)


ENTRIES = {entry.name: entry for entry in _entries(Settings)}
VARIABLES = {variable: entry.name for entry in ENTRIES.values() for variable in entry.variables}
KEYS = {key: entry.name for entry in ENTRIES.values() for key in entry.keys}
GROUPS = frozenset(key.partition(".")[0] for key in KEYS if "." in key)


def known_variables() -> frozenset[str]:
    return frozenset({*VARIABLES, *SECRETS, CONFIG_VARIABLE})


def nearest(name: str, known: Iterable[str]) -> str:
    return get_close_matches(name, sorted(known), n=1, cutoff=0.0)[0]
