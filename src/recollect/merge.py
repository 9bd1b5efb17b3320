"""What a new statement does to what is known: pure decisions, the same for commands, extraction and imports.

The order of matching is id, same text, near-duplicate or contradiction, new. What is said in a narrow circle
changes nothing that a wider one knows: a memo is revised or replaced only by words at least as public as it is.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.audience import includes
from recollect.likeness import Likeness, compare
from recollect.text import digest, normal, squeeze
from recollect.types import Add, Candidate, Change, Memo, Origin, Provenance, Retire, Revise, Skip, Status, Tombstone

COVERAGE = 0.6
"""Share of a memo's text that a match must cover before a model may retire the memo by it."""
_SHORT_HASH = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows that may concern a candidate; all of it about the same subject."""

    by_id: Memo | None = None
    same: Sequence[Memo] = ()
    similar: Sequence[Memo] = ()
    buried: Tombstone | None = None
    taken: Callable[[str], Memo | None] = lambda _: None


def fingerprint(text: str) -> str:
    """What a tombstone keeps of a forgotten text."""
    return digest("memo", normal(text))


def merge(candidate: Candidate, known: Known, now: datetime) -> list[Change]:
    """The changes that a candidate brings about."""
    candidate = replace(candidate, text=squeeze(candidate.text))
    if not candidate.text:
        return [Skip(candidate, "empty")]
    if known.buried is not None and not _lifts(candidate, known.buried):
        return [Skip(candidate, "forgotten by its owner")]
    if known.by_id is not None and _may_touch(candidate, known.by_id):
        return [_revise(candidate, known.by_id, now, "updated by id")]
    return _same_text(candidate, known, now) or _alike(candidate, known, now) or [_add(candidate, known, now)]


def _lifts(candidate: Candidate, tombstone: Tombstone) -> bool:
    """Whether this is the owner stating it again, not old words coming back."""
    if candidate.source.origin is Origin.IMPORT or candidate.at <= tombstone.at:
        return False
    return candidate.source.origin in (Origin.MANUAL, Origin.TOOL) or candidate.source.actor == candidate.subject.id


def _may_touch(candidate: Candidate, memo: Memo) -> bool:
    return includes(candidate.audience, memo.audience)


def _same_text(candidate: Candidate, known: Known, now: datetime) -> list[Change]:
    for memo in sorted(known.same, key=lambda memo: not memo.active):
        if _may_touch(candidate, memo):
            return [_revise(candidate, memo, now, "stated again" if memo.active else "remembered again")]
        if memo.active and includes(memo.audience, candidate.audience):
            return [Skip(candidate, "already known", memo)]
    return []


def _alike(candidate: Candidate, known: Known, now: datetime) -> list[Change]:
    """Revise the memo that says the same in other words; replace those that can't hold any longer."""
    replaced: list[Memo] = []
    for memo in known.similar:
        if not memo.active or not _may_touch(candidate, memo):
            continue
        match compare(candidate.text, memo.text):
            case Likeness.SAME | Likeness.RICHER:
                return [_revise(candidate, memo, now, "other words for the same fact")]
            case Likeness.POORER:
                return [Skip(candidate, "known in more detail", memo)]
            case Likeness.CONTRADICTS:
                replaced.append(memo)
            case Likeness.OTHER:
                pass
    if not replaced:
        return []
    added = _add(candidate, known, now)
    memo = replace(added.memo, supersedes=replaced[0].id)
    return [Add(memo, "takes the place of an older fact"), *(_supersede(old, memo.id, now) for old in replaced)]


def _revise(candidate: Candidate, memo: Memo, now: datetime, reason: str) -> Revise:
    after = replace(
        memo,
        text=candidate.text,
        kind=memo.kind if reason == "stated again" else candidate.kind,
        label=candidate.label or memo.label,
        tags=tuple(dict.fromkeys((*memo.tags, *candidate.tags))),
        source=_merged_source(candidate, memo),
        audience=candidate.audience,
        confidence=max(memo.confidence, candidate.confidence),
        happened=candidate.happened or memo.happened,
        expires=candidate.expires,
        pinned=memo.pinned or candidate.pinned,
        status=Status.ACTIVE,
        superseded_by=None,
        updated=max(now, memo.updated),
    )
    return Revise(memo, after, reason)


def _merged_source(candidate: Candidate, memo: Memo) -> Provenance:
    """The newest words count; what its owner wrote down by hand stays the owner's."""
    if memo.source.origin is Origin.MANUAL and candidate.source.origin is not Origin.MANUAL:
        return memo.source
    return candidate.source


def _add(candidate: Candidate, known: Known, now: datetime) -> Add:
    memo = Memo(
        id=memo_id(candidate.kind.value, candidate.text, known.taken),
        subject=candidate.subject,
        kind=candidate.kind,
        label=candidate.label,
        text=candidate.text,
        tags=tuple(dict.fromkeys(candidate.tags)),
        source=candidate.source,
        audience=candidate.audience,
        confidence=candidate.confidence,
        created=now,
        updated=now,
        happened=candidate.happened,
        expires=candidate.expires,
        pinned=candidate.pinned,
        supersedes=candidate.supersedes,
    )
    return Add(memo)


def memo_id(kind: str, text: str, taken: Callable[[str], Memo | None]) -> str:
    """`durable-<hash>` of kind and text as they are at creation; longer when another memo has that id."""
    full = digest(kind.strip().lower(), normal(text))
    lengths = range(_SHORT_HASH, len(full) + 1, 4)
    free = (name for name in (f"durable-{full[:length]}" for length in lengths) if taken(name) is None)
    return next(free, f"durable-{digest(full, text)}")


def retire(memo: Memo, now: datetime, reason: str, status: Status = Status.DEPRECATED) -> Retire:
    """Take a memo out of use; it stays in history."""
    return Retire(memo, replace(memo, status=status, updated=max(now, memo.updated)), reason)


def _supersede(memo: Memo, successor: str, now: datetime) -> Retire:
    after = replace(memo, status=Status.SUPERSEDED, superseded_by=successor, updated=max(now, memo.updated))
    return Retire(memo, after, "superseded")


def covering(match: str, memos: Collection[Memo], share: float = COVERAGE) -> list[Memo]:
    """Active memos whose text contains `match`, which makes up at least this share of it."""
    wanted = normal(match)
    return [memo for memo in memos if memo.active and wanted and _covers(wanted, normal(memo.text), share)]


def _covers(wanted: str, text: str, share: float) -> bool:
    return wanted in text and len(wanted) >= share * len(text)


def overflow(active: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
    """Which memos give way when a subject has too many: automatic before user-authored, old before new.

    Never one that was just written, never a pinned one.
    """
    if limit is None or len(active) <= limit:
        return []
    free = [memo for memo in active if memo.id not in written and not memo.pinned]
    free.sort(key=lambda memo: (is_authored(memo), memo.updated, memo.key))
    return free[: len(active) - limit]


def surplus(memos: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
    """Which memos are dropped for good over a total cap: retired ones first, then as in `overflow`."""
    if limit is None or len(memos) <= limit:
        return []
    retired = sorted((memo for memo in memos if not memo.active), key=lambda memo: (memo.updated, memo.key))
    excess = len(memos) - limit
    active = [memo for memo in memos if memo.active]
    return retired[:excess] + overflow(active, max(0, len(active) - max(0, excess - len(retired))), written)


def is_authored(memo: Memo) -> bool:
    """Whether its owner wrote it down, rather than a model."""
    return memo.source.origin is Origin.MANUAL
