"""A rule, the finding that it makes of a clause, and the small builders that most rules share."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

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


Build = Callable[[re.Match[str], Clause], Finding | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the builder of the statement that it makes."""

    pattern: re.Pattern[str]
    build: Build

    def apply(self, text: str, clause: Clause) -> Finding | None:
        match = self.pattern.match(text)
        return self.build(match, clause) if match else None


def rule(pattern: str, build: Build) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), build)


def first_finding(rules: Sequence[Rule], text: str, clause: Clause) -> Finding | None:
    """The finding of the first rule that has one."""
    for candidate in rules:
        finding = candidate.apply(text, clause)
        if finding is not None:
            return finding
    return None


def make_finding(text: str, kind: Kind, confidence: float = SURE, about: str | None = None) -> Finding | None:
    """The finding, if its text reads as a statement."""
    statement = finish_statement(text)
    return None if statement is None else Finding(statement, kind, confidence, about)


def from_template(template: str, kind: Kind, confidence: float = SURE) -> Build:
    """A builder that puts the object (the group `o`) into a template."""

    def build(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - the words are enough
        phrase = object_phrase(match["o"])
        return None if phrase is None else make_finding(template.format(phrase), kind, confidence)

    return build


def capitalize_name(text: str, clause: Clause) -> str:
    """A name with capitals, where the author leaves them out."""
    if not clause.lacks_capitals:
        return text
    return " ".join(word if word in _LOWERCASE_WORDS else word[:1].upper() + word[1:] for word in text.split())
