"""Plan a consolidation without a store: near-duplicates, contradictions, restated and expired memos.

No text is ever written: of memos that say the same the richest is kept, of two that contradict each other the newer
one. Each keeps its words and its source, so that deleting a message still reverts exactly what was learned from it.
No memo yields to one with a narrower audience, and no audience is widened.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from recollect.core.changes import Retire, Revise
from recollect.core.reasons import Reason
from recollect.core.text import normalize
from recollect.core.types import Kind, Memo
from recollect.learning.consolidate.draft import Draft
from recollect.policy.merge import is_authored
from recollect.policy.similarity import Similarity, compare, match_cues, slot_of
from recollect.policy.visibility import includes

MIN_STATEMENTS, MIN_USES, TRUSTED_CONFIDENCE = 3, 50, 0.95
"""A memo that was restated or used this often gets this confidence."""
_TALLY_NAMES = {
    Reason.MERGED: "merged",
    Reason.CONTRADICTED: "contradicted",
    Reason.EXPIRED: "expired",
    Reason.STATED_OFTEN: "trusted",
    Reason.USED_OFTEN: "trusted",
}
_MAX_MEMOS_PER_CUE = 64
"""A cue shared by more memos doesn't tell which of them are alike."""


@dataclass(frozen=True, slots=True)
class ConsolidationOptions:
    """The settings that concern consolidation."""

    enabled: bool = True
    min_memos: int = 5
    """Memos below which nothing is consolidated."""
    max_loss: float = 0.2
    """The share of statements that may be lost; a plan that would lose more is not applied."""
    interval: timedelta = timedelta(days=1)
    per_guild: bool = False
    """Memos of different guilds are never compared."""
    timeout: float = 30.0


@dataclass(frozen=True, slots=True)
class ConsolidationInput:
    """All active memos of a subject, and what happened to them."""

    memos: Sequence[Memo]
    stated: Mapping[str, int] = field(default_factory=dict[str, int])
    protected: frozenset[str] = frozenset()
    """Memos whose last change was undone: they are left alone until they are restated."""
    last_run: datetime | None = None
    """When memory was last consolidated."""
    compared: frozenset[str] = frozenset()
    """Memos that were compared with each other before, and have not changed since."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to make; `abort` says why they must not be made."""

    changes: tuple[Revise | Retire, ...] = ()
    statements: int = 0
    lost: int = 0
    abort: str = ""
    compared: bool = False


def begin(snapshot: ConsolidationInput, now: datetime) -> Draft:
    """A draft in which only expired memos have changed."""
    return Draft(snapshot.memos, snapshot.stated, now)


def tidy(draft: Draft, snapshot: ConsolidationInput, options: ConsolidationOptions) -> None:
    """Merge near-duplicates and retire contradicted memos until nothing changes any more."""
    # To a fixed point: a merged memo may have become like a third one.
    has_changed = True
    while has_changed:
        has_changed = False
        for first, second in _pairs(draft, snapshot.protected, snapshot.compared - draft.changed()):
            has_changed = _resolve(draft, first, second, options) or has_changed


def finish(draft: Draft, protected: frozenset[str], options: ConsolidationOptions) -> Plan:
    """Raise the confidence of recurring memos, and check that not too much is lost."""
    for memo in draft.live():
        if memo.id not in protected:
            _raise_confidence(draft, memo)
    statements, lost = draft.statement_count(), draft.lost_count()
    abort = ""
    if lost > options.max_loss * statements:
        abort = f"{lost} of {statements} memories would go, more than {options.max_loss:.0%}"
    return Plan(tuple(draft.changes()), statements, lost, abort)


def _pairs(draft: Draft, protected: frozenset[str], compared: frozenset[str]) -> Iterator[tuple[Memo, Memo]]:
    """Pairs of memos that may be alike, in their current state, except for those of which both were compared."""
    shared: defaultdict[str, list[str]] = defaultdict(list)
    order = {memo.id: place for place, memo in enumerate(draft.live())}
    for memo in draft.live():
        for cue in () if memo.id in protected else _cues(memo):
            shared[cue].append(memo.id)
    pairs: set[tuple[str, str]] = set()
    for cue, memo_ids in shared.items():
        # Exact texts and relations are always compared, however many share them; each with its neighbors only.
        if len(memo_ids) <= _MAX_MEMOS_PER_CUE or cue.startswith("="):
            pairs.update(
                (one, other)
                for place, one in enumerate(memo_ids)
                for other in memo_ids[place + 1 : place + _MAX_MEMOS_PER_CUE]
                if one not in compared or other not in compared
            )
    for one, other in sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]])):
        # Read anew: an earlier pair of this round may have changed or retired them.
        first, second = draft.get(one), draft.get(other)
        if first is not None and second is not None:
            yield first, second


def _cues(memo: Memo) -> set[str]:
    """Keys that similar memos share: words; prefixed with "=", the whole text or a relation."""
    slot = slot_of(memo.text)
    return {*match_cues(memo.text), f"= {normalize(memo.text)}", *([f"={slot.name}"] if slot else [])}


def _resolve(draft: Draft, first: Memo, second: Memo, options: ConsolidationOptions) -> bool:
    """Merge two memos or let the newer one win; whether one of them has yielded."""
    if not comparable(first, second, options):
        return False
    older, newer = sorted((first, second), key=recency)
    match compare(newer.text, older.text):
        case Similarity.SAME:
            earlier, later = sorted((first, second), key=lambda memo: (memo.created, memo.id))
            # The later one may not yield, such as one with a wider audience; then the other may.
            return _merge(draft, earlier, later) or _merge(draft, later, earlier)
        case Similarity.RICHER:
            return _merge(draft, newer, older)
        case Similarity.POORER:
            return _merge(draft, older, newer)
        case Similarity.CONTRADICTS:
            return _contradict(draft, newer, older)
        case Similarity.OTHER:
            return False


def recency(memo: Memo) -> tuple[datetime, datetime, str]:
    """Sort key: the memo stated last is the newest, whenever it was first stated."""
    return memo.updated, memo.created, memo.id


def comparable(first: Memo, second: Memo, options: ConsolidationOptions) -> bool:
    """Whether two memos can be about the same thing: same kind of subject, same event, same guild where separated."""
    if options.per_guild and first.source.guild != second.source.guild:
        return False
    if (first.kind is Kind.PERSON) != (second.kind is Kind.PERSON):
        return False
    return first.happened is None or second.happened is None or first.happened == second.happened


def may_be_replaced(memo: Memo, to: Memo) -> bool:
    """Whether a memo may yield to another: never a pinned one, one that its owner wrote to a learned one, or one with
    a wider audience or a later expiry.
    """
    is_outlasted = to.expires is None or (memo.expires is not None and memo.expires <= to.expires)
    is_owned = is_authored(memo) and not is_authored(to)
    return not memo.pinned and not is_owned and is_outlasted and includes(to.audience, memo.audience)


def _merge(draft: Draft, keep: Memo, duplicate: Memo) -> bool:
    if not may_be_replaced(duplicate, keep):
        return False
    # From another audience nothing is taken over: tags and dates would tell what those people did not hear.
    if keep.audience == duplicate.audience:
        draft.stated[keep.id] = draft.stated.get(keep.id, 0) + draft.stated.get(duplicate.id, 0) + 1
        draft.improve(
            keep,
            Reason.SEVERAL_SAID_SO,
            tags=tuple(dict.fromkeys((*keep.tags, *duplicate.tags))),
            confidence=max(keep.confidence, duplicate.confidence),
            updated=max(keep.updated, duplicate.updated),
            happened=keep.happened or duplicate.happened,
        )
    draft.supersede(duplicate, draft.get(keep.id) or keep, Reason.MERGED)
    return True


def _contradict(draft: Draft, newer: Memo, older: Memo) -> bool:
    if Kind.PERSON in (newer.kind, older.kind) or not may_be_replaced(older, newer):  # "he" may be two people
        return False
    draft.supersede(older, newer, Reason.CONTRADICTED)
    return True


def _raise_confidence(draft: Draft, memo: Memo) -> None:
    if memo.confidence >= TRUSTED_CONFIDENCE:
        return
    if draft.stated.get(memo.id, 0) >= MIN_STATEMENTS:
        draft.improve(memo, Reason.STATED_OFTEN, confidence=TRUSTED_CONFIDENCE)
    elif memo.hits >= MIN_USES:
        draft.improve(memo, Reason.USED_OFTEN, confidence=TRUSTED_CONFIDENCE)


def tally(changes: Iterable[Revise | Retire]) -> dict[str, int]:
    """Count the memos that were merged, contradicted, expired or got more confidence."""
    counts = dict.fromkeys(_TALLY_NAMES.values(), 0)
    for change in changes:
        if change.reason in _TALLY_NAMES:
            counts[_TALLY_NAMES[change.reason]] += 1
    return counts
