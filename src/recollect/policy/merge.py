"""What a new statement does to what is known: pure decisions, the same for commands, extraction and imports.

The order of matching is id, same text, near-duplicate or contradiction, new. What is said in a narrow circle
changes nothing that a wider one knows: a memo is revised or replaced only by words at least as public as it is.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip
from recollect.core.text import collapse_spaces, digest, normalize
from recollect.core.types import Audience, Memo, Origin, Provenance, Status, Tombstone
from recollect.policy.similarity import Similarity, compare
from recollect.policy.visibility import includes

COVERAGE = 0.6
"""Share of a memo's text that a match must cover before a model may retire the memo by it."""
CERTAIN_CONFIDENCE = 0.95
"""Confidence of what its owner wrote down, or has said so often that it is beyond doubt."""
_SHORT_HASH = 8
_ONE_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)


@dataclass(frozen=True, slots=True)
class ExistingMemos:
    """What the store knows that may concern a candidate; all of it about the same subject."""

    by_id: Memo | None = None
    same: Sequence[Memo] = ()
    similar: Sequence[Memo] = ()
    buried: Tombstone | None = None
    forgotten: Sequence[Memo] = ()
    """Memos that their owner forgot after the candidate's words were said."""
    taken: Callable[[str], Memo | None] = lambda _: None


def fingerprint(text: str) -> str:
    """What a tombstone keeps of a forgotten text."""
    return digest("memo", normalize(text))


def merge(candidate: Candidate, known: ExistingMemos, now: datetime) -> list[Change]:
    """The changes that a candidate brings about; the first of them says what became of it."""
    candidate = replace(candidate, text=collapse_spaces(candidate.text))
    if not candidate.text:
        return [Skip(candidate, "empty")]
    if _is_forgotten(candidate, known):
        return [Skip(candidate, "forgotten by its owner")]
    similar = [(memo, compare(candidate.text, memo.text)) for memo in known.similar if _is_live(memo, now)]
    named = known.taken(candidate.supersedes.strip()) if candidate.supersedes else None
    against = [memo for memo, likeness in similar if likeness is Similarity.CONTRADICTS]
    rivals = _touchable(candidate, [*filter(None, [named]), *known.same, *against], now)
    newer = next((memo for memo in rivals if _predates(candidate, memo)), None)
    if newer is not None:
        return [Skip(candidate, "older than what is known", newer)]
    match = _by_id(candidate, known, now) or _same_text(candidate, known, now) or _alike(candidate, similar, now)
    if isinstance(match, Skip):
        return [match]
    trust = named.confidence if named is not None and named in rivals else 0.0
    return _replacing(match or _add(candidate, known, now), rivals, trust, now)


def _is_forgotten(candidate: Candidate, known: ExistingMemos) -> bool:
    if known.buried is not None and not _lifts(candidate, known.buried.at):
        return True
    retired = [
        memo for memo in (known.by_id, *known.same) if memo and memo.status in (Status.DEPRECATED, Status.DELETED)
    ]
    active = any(memo.active for memo in known.same)
    if retired and not active and not any(_lifts(candidate, memo.updated) for memo in retired):
        return True
    alike = (memo for memo in known.forgotten if compare(candidate.text, memo.text) in _ONE_FACT)
    return any(not _lifts(candidate, memo.updated) for memo in alike)


def _lifts(candidate: Candidate, buried: datetime) -> bool:
    """Whether this is the owner stating it again, not old words coming back."""
    match candidate.source.origin:
        case Origin.IMPORT:
            return False
        case Origin.MANUAL:  # a command is the newest word, whatever a clock says that was set back
            return True
        case Origin.TOOL:
            return candidate.at > buried
        case _:
            return candidate.at > buried and candidate.source.actor == candidate.subject.id


def _predates(candidate: Candidate, memo: Memo) -> bool:
    """Whether these words are older than what the owner wrote since: work in flight, or an import."""
    if candidate.source.origin is Origin.MANUAL:
        return False
    return candidate.at < memo.updated and (is_authored(memo) or candidate.source.origin is Origin.IMPORT)


def _may_touch(candidate: Candidate, memo: Memo) -> bool:
    return includes(candidate.audience, memo.audience)


def _is_live(memo: Memo, now: datetime) -> bool:
    return memo.active and (memo.expires is None or memo.expires > now)


def _touchable(candidate: Candidate, memos: Sequence[Memo], now: datetime) -> list[Memo]:
    """Those in use whose place the candidate may take, each once."""
    unique = {memo.id: memo for memo in memos if _is_live(memo, now) and _may_touch(candidate, memo)}
    return list(unique.values())


def _by_id(candidate: Candidate, known: ExistingMemos, now: datetime) -> Revise | Skip | None:
    memo = known.by_id
    if memo is None or not memo.active or not _may_touch(candidate, memo):
        return None
    if _predates(candidate, memo):
        return Skip(candidate, "older than what is known", memo)
    return _revise(candidate, memo, now, "updated by id")


def _same_text(candidate: Candidate, known: ExistingMemos, now: datetime) -> Revise | Skip | None:
    for memo in sorted(known.same, key=lambda memo: not memo.active):
        if _may_touch(candidate, memo):
            return _revise(candidate, memo, now, "stated again" if memo.active else "remembered again")
        if _is_live(memo, now) and includes(memo.audience, candidate.audience):
            return Skip(candidate, "already known", memo)
    return None


def _alike(candidate: Candidate, similar: Sequence[tuple[Memo, Similarity]], now: datetime) -> Revise | Skip | None:
    """Revise the memo that says the same in other words, unless it is the one that says more."""
    for memo, likeness in similar:
        if likeness in (Similarity.SAME, Similarity.RICHER) and _may_touch(candidate, memo):
            return _revise(candidate, memo, now, "other words for the same fact")
        if likeness in (Similarity.SAME, Similarity.POORER) and includes(memo.audience, candidate.audience):
            return Skip(candidate, "known in more detail" if likeness is Similarity.POORER else "already known", memo)
    return None


def _replacing(change: Add | Revise, rivals: Sequence[Memo], trust: float, now: datetime) -> list[Change]:
    """The change together with the end of what it replaces, the lineage kept both ways.

    `trust` is the confidence of a memo that the candidate itself names as replaced: it passes on.
    """
    memo = change.memo if isinstance(change, Add) else change.after
    replaced = [rival for rival in rivals if rival.id != memo.id]
    if not replaced:
        return [change]
    memo = replace(memo, supersedes=replaced[0].id, confidence=max(memo.confidence, trust))
    ends = [_supersede(rival, memo.id, now) for rival in replaced]
    if isinstance(change, Revise):
        return [replace(change, after=memo), *ends]
    return [Add(memo, "takes the place of an older fact"), *ends]


def _revise(candidate: Candidate, memo: Memo, now: datetime, reason: str) -> Revise:
    # Of words that a narrower circle heard, only what a wider one hears too goes with the memo.
    widens = candidate.audience != memo.audience
    after = replace(
        memo,
        text=candidate.text,
        kind=memo.kind if reason == "stated again" else candidate.kind,
        label=candidate.label or memo.label,
        tags=tuple(dict.fromkeys((*(() if widens else memo.tags), *candidate.tags))),
        source=_merged_source(candidate, memo, widens),
        audience=candidate.audience,
        confidence=max(memo.confidence, candidate.confidence),
        happened=candidate.happened or (None if widens else memo.happened),
        expires=candidate.expires,
        pinned=memo.pinned or candidate.pinned,
        status=Status.ACTIVE,
        superseded_by=None,
        updated=max(now, memo.updated),
    )
    return Revise(memo, after, reason)


def _merged_source(candidate: Candidate, memo: Memo, widens: bool) -> Provenance:
    """Where the words come from; what its owner wrote down by hand stays the owner's."""
    if not is_authored(memo) or candidate.source.origin is Origin.MANUAL:
        return candidate.source
    if not widens and normalize(candidate.text) == normalize(memo.text):
        return memo.source
    return replace(candidate.source, origin=memo.source.origin)


def _add(candidate: Candidate, known: ExistingMemos, now: datetime) -> Add:
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
    )
    return Add(memo)


def memo_id(kind: str, text: str, taken: Callable[[str], Memo | None]) -> str:
    """`durable-<hash>` of kind and text as they are at creation; longer when another memo has that id."""
    full = digest(kind.strip().lower(), normalize(text))
    lengths = range(_SHORT_HASH, len(full) + 1, 4)
    free = (name for name in (f"durable-{full[:length]}" for length in lengths) if taken(name) is None)
    return next(free, f"durable-{digest(full, text)}")


def retire(memo: Memo, now: datetime, reason: str, status: Status = Status.DEPRECATED) -> Retire:
    """Take a memo out of use; it stays in history."""
    return Retire(memo, replace(memo, status=status, updated=max(now, memo.updated)), reason)


def may_retract(memo: Memo, said: datetime, audience: Audience) -> bool:
    """Whether words said then, to these people, may end a memo: it is in use, no more public, and not written since."""
    outdated = is_authored(memo) and said < memo.updated
    return memo.active and includes(audience, memo.audience) and not outdated


def _supersede(memo: Memo, successor: str, now: datetime) -> Retire:
    before = None if memo.supersedes == successor else memo.supersedes  # what comes back has nothing before it
    after = replace(
        memo, status=Status.SUPERSEDED, supersedes=before, superseded_by=successor, updated=max(now, memo.updated)
    )
    return Retire(memo, after, "superseded")


def covered_by(match: str, memos: Collection[Memo], share: float = COVERAGE) -> list[Memo]:
    """Active memos whose text contains `match`, which makes up at least this share of it."""
    wanted = normalize(match)
    return [memo for memo in memos if memo.active and wanted and _covers(wanted, normalize(memo.text), share)]


def _covers(wanted: str, text: str, share: float) -> bool:
    return wanted in text and len(wanted) >= share * len(text)


def overflow(active: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
    """Which memos give way when a subject has too many: automatic before user-authored, doubtful before certain,
    old before new.

    Never one that was just written, never a pinned one.
    """
    if limit is None or len(active) <= limit:
        return []
    free = [memo for memo in active if memo.id not in written and not memo.pinned]
    free.sort(key=lambda memo: (is_authored(memo), memo.confidence >= CERTAIN_CONFIDENCE, memo.updated, memo.key))
    return free[: len(active) - limit]


def over_limit(memos: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
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
