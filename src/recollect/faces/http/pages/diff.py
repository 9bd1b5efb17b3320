"""How one text became another, word by word; and how one state of a memo became the next."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import Any, Literal

from recollect.core.events import Event
from recollect.core.serialization import memo_to_json
from recollect.core.types import Audience, Memo
from recollect.faces.http.pages.format import heard

Sort = Literal["same", "gone", "new"]

_PIECE = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_RUN = 3
_MOST = 4_000
"""Pieces of a text that are compared; longer ones are shown as replaced."""


@dataclass(frozen=True, slots=True)
class Piece:
    sort: Sort
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened to a memo."""

    event: Event
    text: Sequence[Piece] = ()
    """Its words, if they changed."""
    others: Sequence[tuple[str, str, str]] = ()
    """What else changed: its name, what it was before and what after."""
    lost: str | None = None
    """Its words before a change that was taken back: what they were after it is not known any more."""


def pieces(before: str, after: str) -> list[Piece]:
    """What both have, what is gone and what is new, in the order of reading."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if len(old) > _MOST or len(new) > _MOST:
        return [Piece("gone", before), Piece("new", after)]
    found: list[Piece] = []
    start = begin = 0
    for same in _common(old, new):
        gone, come = "".join(old[start : same.a]), "".join(new[begin : same.b])
        kept = "".join(new[same.b : same.b + same.size])
        parts = (Piece("gone", gone), Piece("new", come), Piece("same", kept))
        found += [piece for piece in parts if piece.text]
        start, begin = same.a + same.size, same.b + same.size
    return found


def _common(old: list[str], new: list[str]) -> list[Match]:
    """Runs that both have; a word or two that happen to stand in both would only break up what changed."""
    before, after = ([piece.strip() for piece in text] for text in (old, new))
    found = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    last = found[-1]
    return [same for same in found if same is last or same.size >= _RUN or _is_edge(same, old, new)]


def _is_edge(same: Match, old: list[str], new: list[str]) -> bool:
    ends = same.a + same.size == len(old) and same.b + same.size == len(new)
    return same.size > 0 and ((same.a == 0 and same.b == 0) or ends)


def steps(memo: Memo, events: Sequence[Event]) -> list[Step]:
    """The life of a memo, newest first. An event tells the state before it; the one after is that of the next event."""
    after: Mapping[str, Any] | None = memo_to_json(memo)
    found: list[Step] = []
    for event in events:
        before: Mapping[str, Any] | None = event.data.get("before")
        if before is None:
            found.append(Step(event))
        elif after is None:
            found.append(Step(event, lost=str(before.get("text", ""))))
        else:
            found.append(Step(event, _text(before, after), _others(before, after)))
        after = before
    return found


def _text(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Piece]:
    old, new = str(before.get("text", "")), str(after.get("text", ""))
    return pieces(old, new) if old != new else []


def _others(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    names = ("kind", "status", "audience", "tags", "pinned", "confidence", "expires", "superseded_by")
    changed = [name for name in names if before.get(name) != after.get(name)]
    return [(name.replace("_", " "), _told(name, before.get(name)), _told(name, after.get(name))) for name in changed]


def _told(name: str, value: Any) -> str:
    if name == "audience" and value:
        return heard(Audience.parse(str(value)))
    if name == "pinned":
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType] - of whatever
    return str(value) if value not in (None, "") else "none"
