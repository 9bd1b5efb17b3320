"""All settings with their names, derived from the model; and the nearest name to a typo."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

import yaml

from recollect.settings.model import Settings
from recollect.settings.tree import Field, Group, choices_of, is_group, kind_of, members_of

CONFIG_VARIABLE = "RECOLLECT_CONFIG"
SECRETS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DISCORD_TOKEN", "RECOLLECT_HTTP_TOKEN")


@dataclass(frozen=True, slots=True)
class Aliases:
    """Other names of settings and of their values; see `compat/aliases.yaml`."""

    documents: Mapping[str, tuple[str, ...]]
    """The names in the five documents, by setting."""
    renamed: Mapping[str, str]
    """Maps each key or variable of the first edition to the one that replaced it."""
    values: Mapping[str, Mapping[str, str]]
    secrets: Mapping[str, tuple[str, ...]]


def _read_aliases() -> Aliases:
    content = (resources.files("recollect") / "compat" / "aliases.yaml").read_text("utf-8")
    # The C loader is ten times as fast, and every start reads this file; some builds of PyYAML lack it.
    data = yaml.load(content, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both loaders are safe
    keys: dict[str, str] = data["first_edition"]
    variables = {variable(old): variable(new) for old, new in keys.items() if variable(old) != variable(new)}
    documents = {name: tuple(names) for name, names in data["documents"].items()}
    secrets = {name: tuple(names) for name, names in data["secrets"].items()}
    return Aliases(documents, keys | variables, data["values"], secrets)


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting: `summary.max_chars`, its variable `RECOLLECT_SUMMARY_MAX_CHARS` and its other names."""

    name: str
    env: str
    aliases: tuple[str, ...]
    """Names that the documents use."""
    default: Any
    description: str
    choices: tuple[str, ...] = ()
    advanced: bool = False
    """Listed in the appendix: for profiles and rare cases."""
    former: tuple[str, ...] = ()
    """Names of the first edition."""

    @property
    def variables(self) -> list[str]:
        """Its variables, the preferred one first."""
        return [self.env, *(alias for alias in (*self.aliases, *self.former) if alias.isupper())]

    @property
    def keys(self) -> list[str]:
        """Its keys in a file, the preferred one first."""
        return [self.name, *(alias for alias in (*self.aliases, *self.former) if not alias.isupper())]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return "RECOLLECT_" + name.replace(".", "_").upper()


def _entry(name: str, field: Field, choices: tuple[str, ...], aliases: Aliases) -> Entry:
    names = {name, variable(name)}
    former = tuple(old for old, new in aliases.renamed.items() if new in names)
    documents = aliases.documents.get(name, ())
    return Entry(name, variable(name), documents, field.default, field.description, choices, field.advanced, former)


def _entries(group: type[Group], aliases: Aliases, prefix: str = "") -> Iterable[Entry]:
    for name, annotation, field in members_of(group):
        if is_group(annotation):
            yield from _entries(annotation, aliases, f"{prefix}{name}.")
        elif field is not None:
            yield _entry(prefix + name, field, choices_of(kind_of(annotation)), aliases)


ALIASES = _read_aliases()
ENTRIES = {entry.name: entry for entry in _entries(Settings, ALIASES)}
VARIABLES = {variable: entry.name for entry in ENTRIES.values() for variable in entry.variables}
KEYS = {key: entry.name for entry in ENTRIES.values() for key in entry.keys}
GROUPS = frozenset(key.partition(".")[0] for key in KEYS if "." in key)


@cache
def known_variables() -> frozenset[str]:
    """Every environment variable that is read."""
    former_secrets = (name for names in ALIASES.secrets.values() for name in names)
    return frozenset({*VARIABLES, *SECRETS, *former_secrets, CONFIG_VARIABLE})


def nearest(name: str, candidates: Iterable[str]) -> str:
    """The most similar of the candidates."""
    return get_close_matches(name, sorted(candidates), n=1, cutoff=0.0)[0]
