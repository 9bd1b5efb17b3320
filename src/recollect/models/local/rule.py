"""What a rule makes of a clause, and the small builders that most rules share."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import sentence, thing

SURE, LIKELY = 0.9, 0.7


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement in the third person."""

    text: str
    kind: Kind
    confidence: float = SURE
    about: str | None = None
    happened: datetime | None = None
    instead: str | None = None
    """The statement whose place it takes, where the speaker named it."""


Build = Callable[[re.Match[str], Clause], Finding | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of words, and what it says."""

    pattern: re.Pattern[str]
    build: Build

    def apply(self, text: str, clause: Clause) -> Finding | None:
        match = self.pattern.match(text)
        return self.build(match, clause) if match else None


def rule(pattern: str, build: Build) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), build)


def first(rules: Sequence[Rule], text: str, clause: Clause) -> Finding | None:
    """What the first rule says that has anything to say."""
    for each in rules:
        found = each.apply(text, clause)
        if found is not None:
            return found
    return None


def stated(text: str, kind: Kind, confidence: float = SURE, about: str | None = None) -> Finding | None:
    """The finding, if its text reads well."""
    fine = sentence(text)
    return None if fine is None else Finding(fine, kind, confidence, about)


def says(template: str, kind: Kind, confidence: float = SURE) -> Build:
    """A builder that puts the group `o`, made fit, into a template."""

    def build(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - the words are enough
        found = thing(match["o"])
        return None if found is None else stated(template.format(found), kind, confidence)

    return build


def named(text: str, clause: Clause) -> str:
    """A name with its capitals, where the author leaves them out."""
    if not clause.plain:
        return text
    small = {"and", "of", "the", "in", "at", "de", "la", "on", "near", "a", "an", "with", "for", "their", "my"}
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in text.split())
