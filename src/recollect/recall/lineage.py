"""Answers to questions about another time: what a memo replaced, with the time during which it was true.

Retired memos are in no index. They are found through their successors, so the work is bounded by the number of hits,
not by the size of the history.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from recollect.core.ports import Tx
from recollect.core.text import words
from recollect.core.types import Memo, Status
from recollect.language.past import TimeQuestion
from recollect.recall import calibration
from recollect.recall.query import Hit, VisibilityCheck

MAX_STEPS = 8
"""How far back a lineage is followed."""
MAX_LINEAGES = 10
"""Best hits whose lineage is read."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A memo with the time during which it was true, as far as that is known."""

    memo: Memo
    since: datetime
    until: datetime | None


def with_predecessors(tx: Tx, hits: Sequence[Hit], asked: TimeQuestion, is_visible: VisibilityCheck) -> list[Hit]:
    """The hits, each with what it replaced: first the memo that was true at the time asked about."""
    result: dict[tuple[str, str], Hit] = {}
    for place, hit in enumerate(hits):
        memo = hit.memo
        if memo is None:
            continue
        # Only of the first hits: each step reads a memo.
        line = list(_lineage(tx, memo, is_visible)) if place < MAX_LINEAGES else []
        score = max(hit.score, calibration.RELEVANT_SCORE) if _is_named(line, asked) else hit.score
        for held in _answering(line, asked) if len(line) > 1 else ():
            parts = hit.parts | {"as_of": 1.0}
            past = Hit(held.memo, score, parts, hit.relevant or score > hit.score, held.since, held.until)
            result.setdefault((held.memo.subject.scope, held.memo.id), past)
        result.setdefault((memo.subject.scope, memo.id), hit)
    return sorted(result.values(), key=lambda hit: -hit.score)


def _is_named(line: Sequence[_Held], asked: TimeQuestion) -> bool:
    """Whether the question shares a word with a replaced memo, which is in no index any more."""
    return any(not asked.words.isdisjoint(words(held.memo.text)) for held in line[1:])


def _lineage(tx: Tx, memo: Memo, is_visible: VisibilityCheck) -> Iterator[_Held]:
    """A memo and its visible predecessors, newest first."""
    until: datetime | None = None
    seen = {memo.id}
    current: Memo | None = memo
    for _ in range(MAX_STEPS):
        if current is None:
            return
        since = min(current.created, current.happened or current.created)
        if until is not None and until <= since:  # it has been stated again since
            until = max(current.updated, since)
        if is_visible(current):
            yield _Held(current, since, until)
        # Also for invisible ones: the next visible one was not true during their time.
        until = current.created
        earlier = tx.memos.get(current.subject, current.supersedes) if current.supersedes else None
        # One that was forgotten since, or brought back, is no longer a part of it.
        is_past = earlier is not None and earlier.status is Status.SUPERSEDED and earlier.id not in seen
        current = earlier if is_past else None
        seen |= {current.id} if current else set()


def _answering(line: Sequence[_Held], asked: TimeQuestion) -> list[_Held]:
    """The lineage in order of relevance to the question."""
    if asked.periods:
        shares = {held.memo.id: sum(_overlap(held, first, last) for first, last in asked.periods) for held in line}
        if not any(shares.values()):  # before anything was said: the oldest is the nearest
            return list(reversed(line))
        return sorted(line, key=lambda held: -shares[held.memo.id])
    anchor = _anchor(line, asked)
    if asked.is_earlier and not asked.is_later:
        return [*line[anchor + 1 :], *line[: anchor + 1]]
    if asked.is_later and not asked.is_earlier:
        return [*reversed(line[:anchor]), *line[anchor:]]
    return list(line)


def _anchor(line: Sequence[_Held], asked: TimeQuestion) -> int:
    """The place of the memo that the question names: "before Porto"; else the newest, or the oldest."""
    common = set[str].intersection(*(set(words(held.memo.text)) for held in line))
    for place, held in enumerate(line):
        if (set(words(held.memo.text)) - common) & asked.words:
            return place
    return len(line) - 1 if asked.is_later else 0


def _overlap(held: _Held, first: date, last: date) -> int:
    """The number of days of a period during which it was true."""
    start = max(first, held.since.date())
    end = last if held.until is None else min(last, held.until.date())
    return max(0, (end - start).days + 1)
