"""One set of kinds, and maps to and from the three vocabularies of the designs this unites.

A memo keeps the label that it came with, so that going back yields what came in.
"""

import re
from collections.abc import Iterable
from itertools import islice

from recollect.core.errors import BadInput
from recollect.core.text import clean, collapse_spaces
from recollect.core.types import Kind, Memo

MAX_TAGS, _TAG, _LABEL = 20, 50, 40
"""Tags of a proposal, and characters of one and of a kind."""


def tags(given: Iterable[str]) -> tuple[str, ...]:
    """Tags that can be kept, whoever proposes them: twenty at the most, and short ones."""
    short = (label(tag, _TAG) for tag in islice(given, MAX_TAGS))
    return tuple(dict.fromkeys(tag for tag in short if tag))


def label(text: str, most: int = _LABEL) -> str:
    """A kind or tag as one short line."""
    return collapse_spaces(clean(text[: 4 * most]))[:most].rstrip()


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
    """Our kind for one of the seven, or for any kind of ours; raises BadInput."""
    try:
        return Kind(label.strip().lower()), None
    except ValueError:
        raise BadInput(f"unknown kind {label!r}; the kinds are {', '.join(Kind)}") from None


def to_kind(kind: Kind) -> str:
    """One of the seven."""
    return kind.value if kind.value in SEVEN else "fact"


def from_type(label: str) -> tuple[Kind, str]:
    """Our kind for a fact type; `general` and whatever is unknown count as `other`."""
    known = label.strip().lower()
    known = known if known in _FROM_TYPE else "other"
    return _FROM_TYPE[known], known


def to_type(kind: Kind, label: str | None = None) -> str:
    """One of the five fact types, or `lore`."""
    if label in _FROM_TYPE and _FROM_TYPE[label] is kind:
        return label
    return _TO_TYPE.get(kind, "other")


def embedded(memo: Memo) -> str:
    """What document D embeds of a fact: its type, the fact, and the words it came from."""
    evidence = (memo.source.evidence or "")[:180]
    return f"{to_type(memo.kind, memo.label)}: {memo.text[:220]}" + (f"\n{evidence}" if evidence else "")


def from_category(label: str) -> tuple[Kind, str]:
    """Our kind for one of the four categories; raises BadInput for anything else."""
    if label not in CATEGORIES:
        raise BadInput(f"unknown category {label!r}; use {', '.join(CATEGORIES)}")
    return Kind(label), label


def to_category(kind: Kind) -> str:
    """One of the four categories."""
    return kind.value if kind.value in CATEGORIES else "fact"


_RELATIVES = (
    "wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|father|mom|dad|sister|brother|boss|friend|colleague"
)


_SIGNS: list[tuple[Kind, re.Pattern[str]]] = [
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Kind.CONSTRAINT, r"^(?:please )?(?:never|don't|do not|always|must)\b|\ballergic\b"),
        (Kind.CONSTRAINT, r"\bcan(?:no|')t (?:eat|use|have)\b"),
        (
            Kind.PREFERENCE,
            r"\b(?:i|user) (?:really )?(?:prefers?|likes?|loves?|hates?|dislikes?|enjoys?)\b|^prefers?\b",
        ),
        (Kind.PREFERENCE, r"\bfavou?rite\b"),
        (Kind.PROJECT, r"\b(?:working on|building|my project|our project|side project|migrating)\b|^project:"),
        (Kind.PERSON, rf"\bmy (?:{_RELATIVES})\b"),
        (Kind.TOOL, r"^(?:i|we|user) uses? \w"),
    )
]


def infer(text: str) -> Kind:
    """The kind that a statement's wording shows plainly; a fact otherwise."""
    return next((kind for kind, sign in _SIGNS if sign.search(text)), Kind.FACT)


def stated(kind: Kind | str | None, text: str, *, lore: bool = False) -> Kind:
    """The kind of what someone states: the one they name, or what the words suggest."""
    if lore:
        return Kind.LORE
    return from_kind(kind)[0] if kind is not None else infer(text)
