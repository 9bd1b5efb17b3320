"""Kinds of memos, and their mapping to and from the three vocabularies of the documents.

A memo keeps its original label, so that a round trip is lossless.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice

from recollect.core.errors import BadInput
from recollect.core.text import clean, collapse_spaces
from recollect.core.types import Kind, Memo
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import required_literals

MAX_TAGS, _MAX_TAG_CHARS, _MAX_LABEL_CHARS = 20, 50, 40
"""Limits of a proposal's tags and kind."""


def tags(proposed: Iterable[str]) -> tuple[str, ...]:
    """Proposed tags within limits: at most twenty, each once, and short."""
    short = (label(tag, _MAX_TAG_CHARS) for tag in islice(proposed, MAX_TAGS))
    return tuple(dict.fromkeys(tag for tag in short if tag))


def label(text: str, max_chars: int = _MAX_LABEL_CHARS) -> str:
    """A kind or tag as one short line."""
    return collapse_spaces(clean(text[: 4 * max_chars]))[:max_chars].rstrip()


SEVEN = ("fact", "preference", "project", "constraint", "person", "tool", "workflow")
TYPES = ("preference", "profile", "relationship", "project", "other", "lore")
CATEGORIES = ("fact", "preference", "event", "summary")


_FROM_TYPE = {
    "preference": Kind.PREFERENCE,
    "profile": Kind.FACT,
    "relationship": Kind.PERSON,
    "project": Kind.PROJECT,
    "other": Kind.FACT,
    "lore": Kind.LORE,
}
_TO_TYPE = {
    Kind.FACT: "profile",
    Kind.PREFERENCE: "preference",
    Kind.PROJECT: "project",
    Kind.PERSON: "relationship",
    Kind.LORE: "lore",
}


def from_kind(label: str) -> tuple[Kind, str | None]:
    """The kind of this name; raises BadInput."""
    try:
        return Kind(label.strip().lower()), None
    except ValueError:
        raise BadInput(f"unknown kind {label!r}; the kinds are {', '.join(Kind)}") from None


def to_kind(kind: Kind) -> str:
    """The nearest of the `SEVEN`."""
    return kind.value if kind.value in SEVEN else "fact"


def from_type(label: str) -> tuple[Kind, str]:
    """The kind for a fact type, and the type; an unknown one counts as `other`."""
    name = label.strip().lower()
    fact_type = name if name in _FROM_TYPE else "other"
    return _FROM_TYPE[fact_type], fact_type


def to_type(kind: Kind, label: str | None = None) -> str:
    """The fact type of a kind: the memo's own label where it fits, else the nearest."""
    if label in _FROM_TYPE and _FROM_TYPE[label] is kind:
        return label
    return _TO_TYPE.get(kind, "other")


def embedding_text(memo: Memo) -> str:
    """The text that document D embeds for a fact: its type, the fact, and its evidence."""
    evidence = (memo.source.evidence or "")[:180]
    return f"{to_type(memo.kind, memo.label)}: {memo.text[:220]}" + (f"\n{evidence}" if evidence else "")


def from_category(label: str) -> tuple[Kind, str]:
    """The kind for one of the four categories, and the category; raises BadInput for anything else."""
    if label not in CATEGORIES:
        raise BadInput(f"unknown category {label!r}; use {', '.join(CATEGORIES)}")
    return Kind(label), label


def to_category(kind: Kind) -> str:
    """The nearest of the four `CATEGORIES`."""
    return kind.value if kind.value in CATEGORIES else "fact"


_PATTERNS = Patterns(
    re.IGNORECASE,
    constraint=r"^(?:please )?(?:never|don't|do not|always|must)\b|\ballergic\b|\bcan(?:no|')t (?:eat|use|have)\b",
    preference=r"\b(?:i|user) (?:really )?(?:prefers?|likes?|loves?|hates?|dislikes?|enjoys?)\b|^prefers?\b"
    r"|\bfavou?rite\b",
    project=r"\b(?:working on|building|(?:my|our)(?: \w+)? project|side project|migrating)\b|^(?:\w+ )?project:",
    person=r"\bmy (?:{kin})\b",
    tool=r"^(?:i|we|user) uses? \w",
)
_INFERRED = (Kind.CONSTRAINT, Kind.PREFERENCE, Kind.PROJECT, Kind.PERSON, Kind.TOOL)


def infer(text: str) -> Kind:
    """The kind that a statement's wording implies; a fact if it implies none."""
    # Beyond ASCII, letters may differ by more than the case that the patterns ignore.
    lower = text.lower() if text.isascii() else ""
    for kind, pattern, literals in _inferred():
        if (not lower or any(map(lower.__contains__, literals))) and pattern.search(text):
            return kind
    return Kind.FACT


@cache
def _inferred() -> list[tuple[Kind, re.Pattern[str], tuple[str, ...]]]:
    """The pattern of each kind, with the literals without which it can't match."""
    patterns = ((kind, getattr(_PATTERNS, kind.value)) for kind in _INFERRED)
    return [(kind, pattern, required_literals(pattern.pattern)) for kind, pattern in patterns]


def stated_kind(kind: Kind | str | None, text: str, *, lore: bool = False) -> Kind:
    """The kind of a statement: the one that its author names, or the one that its wording implies."""
    if lore:
        return Kind.LORE
    return from_kind(kind)[0] if kind is not None else infer(text)
