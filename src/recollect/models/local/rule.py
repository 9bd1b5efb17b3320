"""A rule, the finding that it makes of a clause, and what builders of findings share."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import finish_statement, object_phrase

SURE, LIKELY = 0.9, 0.7
_LOWERCASE_WORDS = {"and", "of", "the", "in", "at", "de", "la", "on", "near", "a", "an", "with", "for", "their", "my"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement in the third person."""

    text: str
    kind: Kind
    confidence: float = SURE
    about: str | None = None
    happened: datetime | None = None
    replaces: str | None = None
    """The statement that it replaces, where the speaker named it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause as a rule reads it: `reading["o"]` is the object."""

    match: re.Match[str]
    clause: Clause
    rule: "Rule"

    def __getitem__(self, group: str | int) -> str | Any:
        return self.match[group]

    def verb(self) -> str:
        return self.match["verb"].lower()


Build = Callable[[Reading], Finding | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and how to build the statement that it makes."""

    pattern: re.Pattern[str]
    build: Build
    fact: str
    """The statement, with `{}` for the object."""
    kind: Kind
    confidence: float


def template(reading: Reading) -> Finding | None:
    """The rule's fact with the object in its place; without one if the fact has no place for it."""
    fact = reading.rule.fact
    phrase = object_phrase(reading["o"]) if "{}" in fact else ""
    return None if phrase is None else make_finding(fact.format(phrase), reading.rule.kind, reading.rule.confidence)


def make_finding(text: str, kind: Kind, confidence: float = SURE, about: str | None = None) -> Finding | None:
    """The finding, if its text reads as a statement."""
    statement = finish_statement(text)
    return None if statement is None else Finding(statement, kind, confidence, about)


def capitalize_name(text: str, clause: Clause) -> str:
    """A name with capitals, where the author leaves them out."""
    if not clause.lacks_capitals:
        return text
    return " ".join(word if word in _LOWERCASE_WORDS else word[:1].upper() + word[1:] for word in text.split())
