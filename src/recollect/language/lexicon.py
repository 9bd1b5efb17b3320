"""What is known about words: one file per language in `lexica/`, read on first use. A new language is a new file.

A file has these tables, all optional: `words` (sets of words), `forms` (alternatives of a regular expression),
`people`, `numbers` and `near_days` (words by what they mean), `verbs` (what entails each plain verb of a fact),
`authority` and `orders` (words by what they do in an order) and `instructions` (patterns). English also has `patterns`,
whole expressions. An expression may continue on further lines, and `{name}` in it stands for the forms of that name.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
FOLDER = Path(__file__).parent / "lexica"
_REFERENCE = re.compile(r"\{([a-z_]+)\}")


def read_tables(path: Path) -> dict[str, Any]:
    """A data file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_folder(folder: Path) -> dict[str, dict[str, Any]]:
    """The data files of a folder by language, English first."""
    paths = sorted(folder.glob("*.toml"), key=lambda path: (path.stem != ENGLISH, path.stem))
    return {path.stem: read_tables(path) for path in paths}


def join_lines(expression: str) -> str:
    """An expression without the line breaks of the file."""
    return "".join(map(str.strip, expression.splitlines()))


@cache
def _lexica() -> dict[str, dict[str, Any]]:
    return read_folder(FOLDER)


def foreign_languages() -> tuple[str, ...]:
    return tuple(_lexica())[1:]


def is_spaced(language: str) -> bool:
    """Whether its script separates words by spaces."""
    return _lexica()[language].get("spaced", True)


def top_level(key: str) -> dict[str, str]:
    """A setting of each language that has it."""
    return {language: lexicon[key] for language, lexicon in _lexica().items() if key in lexicon}


def tables(name: str, *languages: str) -> dict[str, dict[str, Any]]:
    """A table of each language that has it."""
    lexica = ((language, _lexica()[language]) for language in languages or _lexica())
    return {language: lexicon[name] for language, lexicon in lexica if name in lexicon}


@cache
def words(name: str, *languages: str) -> frozenset[str]:
    """A set of words, of all languages or of those named."""
    return frozenset(
        word for table in tables("words", *languages).values() for word in table.get(name, "").split()
    ) or _unknown(name)


@cache
def ordered_words(name: str) -> tuple[str, ...]:
    """English words in their order: months, weekdays."""
    return tuple(_lexica()[ENGLISH]["words"][name].split())


@cache
def synonyms(name: str) -> dict[str, str]:
    """English stems that count as one, each with the first of its group."""
    groups = [group.split() for group in _lexica()[ENGLISH]["stems"][name]]
    return {stem: group[0] for group in groups for stem in group}


@cache
def forms(name: str, *languages: str) -> str:
    """The alternatives that languages have for one thing, as a regular expression."""
    entries = [table[name] for table in tables("forms", *languages).values() if name in table]
    return "|".join(map(join_lines, entries)) or _unknown(name)


@cache
def relatives(*languages: str) -> tuple[str, ...]:
    """Words for relatives and acquaintances, the longest first."""
    entries = (entry for table in tables("people", *languages).values() for entry in table.values())
    return tuple(sorted({word for entry in entries for word in entry.split()}, key=lambda word: (-len(word), word)))


def word_pattern(name: str) -> str:
    """An expression that finds a form as a whole word; in scripts without spaces, anywhere."""
    spaced = [language for language, table in tables("forms").items() if name in table and is_spaced(language)]
    unspaced = [language for language, table in tables("forms").items() if name in table and not is_spaced(language)]
    return rf"\b(?:{forms(name, *spaced)})\b" + (f"|{forms(name, *unspaced)}" if unspaced else "")


def _unknown(name: str) -> Any:
    raise KeyError(f"no lexicon has {name!r}")


class Patterns:
    """Regular expressions by name, compiled on first use: those given, those of a table, and those of the lexica."""

    def __init__(self, flags: int = 0, table: Callable[[], Mapping[str, str]] = dict[str, str], **given: str):
        self._flags, self._table, self._given = flags, table, given

    def __getattr__(self, name: str) -> re.Pattern[str]:
        pattern = re.compile(self.source(name), self._flags)
        self.__dict__[name] = pattern  # an ordinary attribute from now on
        return pattern

    def source(self, name: str) -> str:
        """The expression of this name, on one line."""
        try:
            return self.expand(self._own(name) or _lexica()[ENGLISH]["patterns"].get(name) or word_pattern(name))
        except KeyError as error:
            raise AttributeError(f"no lexicon has {name!r}") from error

    def expand(self, expression: str) -> str:
        """An expression on one line, with its references replaced."""
        return _REFERENCE.sub(lambda reference: self._referenced(reference[1]), join_lines(expression))

    def _own(self, name: str) -> str | None:
        return self._given.get(name) or self._table().get(name)

    def _referenced(self, name: str) -> str:
        if name == "relatives":
            return "|".join(relatives())
        if name == "kin":
            return "|".join(relatives(ENGLISH))
        if name == "unspaced_relatives":
            return "|".join(relatives(*(language for language in _lexica() if not is_spaced(language))))
        if name in ("foreign_and", "foreign_my"):
            return forms(name.removeprefix("foreign_"), *foreign_languages())
        return self.expand(self._own(name) or _lexica()[ENGLISH]["patterns"].get(name) or forms(name))
