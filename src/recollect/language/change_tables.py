"""How languages tell changes, from `changes.toml`, and statements taken apart by it into slots."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from recollect.core.text import fold
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.language.spelling import without_accents


@dataclass(frozen=True, slots=True)
class Slot:
    """A statement taken apart."""

    statement: str
    sort: str
    value: str
    topic: str
    start: int
    end: int
    becomes: str
    """How the statement is worded with another value; empty where only the value is replaced."""
    label: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class _Sort:
    name: str
    memo: re.Pattern[str]
    becomes: str


class ChangeLanguage:
    """How a language tells changes."""

    def __init__(self, name: str, table: dict[str, Any]) -> None:
        self.name = name
        self.is_spaced = not table.get("unspaced", False)
        self.words: dict[str, str] = table["words"]
        self._is_accented: bool = table.get("accented", False)
        self.expressions = self._patterns(table["expressions"])
        self.over = self._patterns(table["expressions"] | table["over"])
        self.ends = {sort: self._compile(end) for sort, end in table["ends"].items()}
        self.sorts = [_Sort(row["sort"], self._compile(row["memo"]), row.get("becomes", "")) for row in table["sorts"]]
        self.names_by_capital = self.is_spaced and not table.get("capital_nouns", False)
        self.capital_weekdays: bool = table.get("capital_weekdays", False)
        self.links = {sort: self._compile(link) for sort, link in table.get("links", {}).items()}
        self.numbers = self._compile(table["expressions"]["number"])
        self.frames = {sort: list(map(self._compile, frames)) for sort, frames in table["frames"].items()}
        self.kinds = {name: self._compile(kind) for name, kind in table.get("kinds", {}).items()}
        implied: dict[str, list[tuple[str, str]]] = table.get("implied", {})
        self.implied = {sort: [(self._compile(cue), value) for cue, value in rows] for sort, rows in implied.items()}

    def _patterns(self, table: dict[str, str]) -> Patterns:
        spelled = {name: self._spelled(expression) for name, expression in table.items()}
        return Patterns(re.IGNORECASE, lambda: spelled)

    def _compile(self, expression: str) -> re.Pattern[str]:
        return re.compile(self.expressions.expand(self._spelled(expression)), re.IGNORECASE)

    def _spelled(self, expression: str) -> str:
        """The expression as people type it: in French, Spanish and Portuguese with and without accents."""
        return without_accents(expression, {}) if self._is_accented else expression

    def may_change(self, text: str) -> bool:
        """Whether a text has anything that fills or ends a slot, whatever the slot."""
        return any(cue.search(text) for cue in self._cues())

    def _cues(self) -> Iterator[re.Pattern[str]]:
        own, over = self.expressions, self.over
        yield from (own.changed, own.now, own.contrast, own.counted, over.before, over.after, over.alone)
        yield from self.ends.values()
        yield from (frame for frames in self.frames.values() for frame in frames)
        yield from (cue for rows in self.implied.values() for cue, _ in rows)

    def slots(self, statement: str) -> Iterator[Slot]:
        """The ways to take a statement apart: one by its sort, and one by the weekday that it names."""
        seen = False
        for sort in self.sorts:
            if seen and sort.name != "weekday":
                continue
            if match := sort.memo.fullmatch(statement):
                start, end = match.span("value")
                topic = match.groupdict().get("topic") or ""
                seen = seen or sort.name != "weekday"
                yield Slot(statement, sort.name, match["value"], topic, start, end, sort.becomes, *self._around(match))

    @staticmethod
    def _around(match: re.Match[str]) -> tuple[str, str]:
        """The label before a count and the unit after it: "year 4", "7 Euro"."""
        parts = match.groupdict()
        return fold(parts.get("label") or ""), fold(parts.get("unit") or "")


@cache
def languages() -> tuple[ChangeLanguage, ...]:
    tables = lexicon.read_tables(Path(__file__).with_name("changes.toml"))
    return tuple(ChangeLanguage(name, table) for name, table in tables.items())
