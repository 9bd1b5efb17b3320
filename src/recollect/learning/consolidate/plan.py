"""What a dream changes, decided without a store: near-duplicates, contradictions, what recurs, what has expired.

A dream writes no sentence of its own. Of memos that say one thing it keeps the one that says most, of two that can't
both hold the newer one. Each keeps its words and its source, so that deleting a message still takes back exactly what
rested on it. Nothing gives way to a memo that fewer people may hear, and no memo is heard by more than before.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recollect.core.changes import Retire, Revise
from recollect.core.text import normalize
from recollect.core.types import Kind, Memo
from recollect.learning.consolidate.draft import Draft
from recollect.policy.merge import is_authored
from recollect.policy.similarity import Similarity, compare, match_cues, slot_of
from recollect.policy.visibility import includes

MERGED, CONTRADICTED, EXPIRED = "another memory says it", "a newer memory says otherwise", "expired"
STATED_OFTEN, USED_OFTEN = "stated again and again", "used often"
STATED, USED, TRUSTED = 3, 50, 0.95
"""What was stated again so often, or used so often, is trusted this much."""
_COMMON = 64
"""A word that more memos have says nothing about which of them are alike."""


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """How far a dream may go: settings, as far as they concern it."""

    enabled: bool = True
    least: int = 5
    """Memos below which there is nothing to tidy."""
    max_loss: float = 0.2
    """Share of the statements that may go; a dream that would lose more changes nothing."""
    interval: timedelta = timedelta(days=1)
    walled: bool = False
    """What is known in one guild counts for nothing in another."""
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """What a dream rests on: all active memos of a subject, and what happened to them."""

    memos: Sequence[Memo]
    stated: Mapping[str, int] = field(default_factory=dict[str, int])
    settled: frozenset[str] = frozenset()
    """Memos of which a change was undone: that decision stands until they are stated anew."""
    last: datetime | None = None
    """When the last dream was."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would change; `abort` says why it must not."""

    changes: tuple[Revise | Retire, ...] = ()
    said: int = 0
    lost: int = 0
    abort: str = ""


def begin(view: ConsolidationInput, now: datetime) -> Draft:
    """A draft in which only that has changed which time alone brings about."""
    return Draft(view.memos, view.stated, now)


def tidy(draft: Draft, settled: frozenset[str], rules: ConsolidationOptions) -> None:
    """Join near-duplicates and end what was contradicted, until there is nothing left to do."""
    gave_way = True
    while gave_way:
        gave_way = False
        for one, other in _pairs(draft, settled):
            gave_way = _settle(draft, one, other, rules) or gave_way


def finish(draft: Draft, settled: frozenset[str], rules: ConsolidationOptions) -> Plan:
    """Trust what recurs, and see whether the whole stays within bounds."""
    for memo in draft.live():
        if memo.id not in settled:
            _promote(draft, memo)
    said, lost = draft.said(), draft.lost()
    abort = ""
    if lost > rules.max_loss * said:
        abort = f"{lost} of {said} memories would go, more than {rules.max_loss:.0%}"
    return Plan(tuple(draft.changes()), said, lost, abort)


def _pairs(draft: Draft, settled: frozenset[str]) -> Iterator[tuple[Memo, Memo]]:
    """Memos that may be alike, as they are when their turn comes."""
    shared: defaultdict[str, list[str]] = defaultdict(list)
    order = {memo.id: place for place, memo in enumerate(draft.live())}
    for memo in draft.live():
        for mark in () if memo.id in settled else _marks(memo):
            shared[mark].append(memo.id)
    met: set[tuple[str, str]] = set()
    for mark, names in shared.items():
        if len(names) <= _COMMON or mark.startswith("="):
            met.update((one, other) for place, one in enumerate(names) for other in names[place + 1 : place + _COMMON])
    for one, other in sorted(met, key=lambda pair: (order[pair[0]], order[pair[1]])):
        first, second = draft.get(one), draft.get(other)
        if first is not None and second is not None:
            yield first, second


def _marks(memo: Memo) -> set[str]:
    """What two memos that are alike have in common: a word, or for certain the whole text or a relation."""
    slot = slot_of(memo.text)
    return {*match_cues(memo.text), f"= {normalize(memo.text)}", *([f"={slot.name}"] if slot else [])}


def _settle(draft: Draft, one: Memo, other: Memo, rules: ConsolidationOptions) -> bool:
    """Whether one of the two has given way."""
    if not comparable(one, other, rules):
        return False
    older, newer = sorted((one, other), key=recency)
    match compare(newer.text, older.text):
        case Similarity.SAME:
            strong, weak = sorted((one, other), key=_strength)
            return _join(draft, strong, weak) or _join(draft, weak, strong)
        case Similarity.RICHER:
            return _join(draft, newer, older)
        case Similarity.POORER:
            return _join(draft, older, newer)
        case Similarity.CONTRADICTS:
            return _contradict(draft, newer, older)
        case Similarity.OTHER:
            return False


def recency(memo: Memo) -> tuple[datetime, datetime, str]:
    """What was said last counts, whenever it was first said."""
    return memo.updated, memo.created, memo.id


def _strength(memo: Memo) -> tuple[bool, bool, datetime, str]:
    return not memo.pinned, not is_authored(memo), memo.created, memo.id


def comparable(one: Memo, other: Memo, rules: ConsolidationOptions) -> bool:
    """Whether two memos speak of the same at all: of the owner or of others, of one event, inside one wall."""
    if rules.walled and one.source.guild != other.source.guild:
        return False
    if (one.kind is Kind.PERSON) != (other.kind is Kind.PERSON):
        return False
    return one.happened is None or other.happened is None or one.happened == other.happened


def may_yield(memo: Memo, to: Memo) -> bool:
    """Whether a memo may give way: never a pinned one, nor what its owner wrote to what was learned,
    nor what is heard more widely or holds for longer.
    """
    outlasted = to.expires is None or (memo.expires is not None and memo.expires <= to.expires)
    owned = is_authored(memo) and not is_authored(to)
    return not memo.pinned and not owned and outlasted and includes(to.audience, memo.audience)


def _join(draft: Draft, keep: Memo, needless: Memo) -> bool:
    if not may_yield(needless, keep):
        return False
    if keep.audience == needless.audience:
        draft.stated[keep.id] = draft.stated.get(keep.id, 0) + draft.stated.get(needless.id, 0) + 1
        draft.improve(
            keep,
            "several said this",
            tags=tuple(dict.fromkeys((*keep.tags, *needless.tags))),
            confidence=max(keep.confidence, needless.confidence),
            updated=max(keep.updated, needless.updated),
            happened=keep.happened or needless.happened,
        )
    draft.supersede(needless, draft.get(keep.id) or keep, MERGED)
    return True


def _contradict(draft: Draft, newer: Memo, older: Memo) -> bool:
    if Kind.PERSON in (newer.kind, older.kind) or not may_yield(older, newer):  # "he" may be two people
        return False
    draft.supersede(older, newer, CONTRADICTED)
    return True


def _promote(draft: Draft, memo: Memo) -> None:
    if memo.confidence >= TRUSTED:
        return
    if draft.stated.get(memo.id, 0) >= STATED:
        draft.improve(memo, STATED_OFTEN, confidence=TRUSTED)
    elif memo.hits >= USED:
        draft.improve(memo, USED_OFTEN, confidence=TRUSTED)


def tally(changes: Iterable[Revise | Retire]) -> dict[str, int]:
    """How many memos were merged, contradicted, expired and are trusted more."""
    names = {MERGED: "merged", CONTRADICTED: "contradicted", EXPIRED: "expired"}
    counts = dict.fromkeys((*names.values(), "trusted"), 0)
    for change in changes:
        for reason in change.reason.split("; "):
            if isinstance(change, Retire) and reason in names:
                counts[names[reason]] += 1
            counts["trusted"] += reason in (STATED_OFTEN, USED_OFTEN)
    return counts
