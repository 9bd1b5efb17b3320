"""Word diffs of texts, and the history of a memo as steps with what each changed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import Any, Literal

from recollect.core.events import Event
from recollect.core.serialization import memo_to_json
from recollect.core.types import Audience, Memo
from recollect.faces.http.pages.format import describe_audience

Sort = Literal["same", "gone", "new"]

_TOKEN = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
_MIN_RUN = 3
MAX_TOKENS = 4_000
"""A longer text is shown as replaced, not compared."""


@dataclass(frozen=True, slots=True)
class Piece:
    sort: Sort
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One event in the history of a memo."""

    event: Event
    text: Sequence[Piece] = ()
    """The diff of its text, if that changed."""
    others: Sequence[tuple[str, str, str]] = ()
    """Other changed fields: name, value before, value after."""
    lost: str | None = None
    """The text before a change that was undone: the text after it is no longer known."""


def pieces(before: str, after: str) -> list[Piece]:
    """The diff of two texts, in reading order."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) > MAX_TOKENS or len(new) > MAX_TOKENS:
        return [Piece("gone", before), Piece("new", after)]
    diff: list[Piece] = []
    old_start = new_start = 0
    for same in _common(old, new):
        removed, added = "".join(old[old_start : same.a]), "".join(new[new_start : same.b])
        common = "".join(new[same.b : same.b + same.size])
        parts = (Piece("gone", removed), Piece("new", added), Piece("same", common))
        diff += [piece for piece in parts if piece.text]
        old_start, new_start = same.a + same.size, same.b + same.size
    return diff


def _common(old: list[str], new: list[str]) -> list[Match]:
    """Matching runs; a word or two that happen to match would only fragment the diff."""
    before, after = ([piece.strip() for piece in text] for text in (old, new))
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    last = blocks[-1]
    return [same for same in blocks if same is last or same.size >= _MIN_RUN or _is_edge(same, old, new)]


def _is_edge(same: Match, old: list[str], new: list[str]) -> bool:
    ends = same.a + same.size == len(old) and same.b + same.size == len(new)
    return same.size > 0 and ((same.a == 0 and same.b == 0) or ends)


def steps(memo: Memo, events: Sequence[Event]) -> list[Step]:
    """The history of a memo, newest first. If an event lacks the state after it, the next event has it before it."""
    after: Mapping[str, Any] | None = memo_to_json(memo)
    history: list[Step] = []
    for event in events:
        before: Mapping[str, Any] | None = event.data.get("before")
        after = event.data.get("after", after)
        if before is None:
            history.append(Step(event))
        elif after is None:
            history.append(Step(event, lost=str(before.get("text", ""))))
        else:
            history.append(Step(event, _text(before, after), _others(before, after)))
        after = before
    return history


def _text(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Piece]:
    old, new = str(before.get("text", "")), str(after.get("text", ""))
    return pieces(old, new) if old != new else []


def _others(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    names = ("kind", "status", "audience", "tags", "pinned", "confidence", "expires", "superseded_by")
    changed = [name for name in names if before.get(name) != after.get(name)]
    return [
        (name.replace("_", " "), _render_value(name, before.get(name)), _render_value(name, after.get(name)))
        for name in changed
    ]


def _render_value(name: str, value: Any) -> str:
    if name == "audience" and value:
        return describe_audience(Audience.parse(str(value)))
    if name == "pinned":
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType] - of any type
    return str(value) if value not in (None, "") else "none"
