"""How a new statement changes existing memos: the same rules for commands, extraction and imports.

The order of matching is id, same text, near-duplicate or contradiction, new. A memo is revised or replaced only by a
statement whose audience includes its own: a private remark never changes what a wider audience knows. Where a person
has one memory for all places (`user_global`), what they say anywhere may change all of it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip
from recollect.core.fingerprints import Fingerprints
from recollect.core.reasons import Reason
from recollect.core.text import collapse_spaces, normalize
from recollect.core.types import Audience, Memo, Origin, Provenance, Status, Tombstone
from recollect.policy.similarity import Similarity, compare
from recollect.policy.visibility import includes

COVERAGE = 0.6
"""Minimum share of a memo's text that a match must cover for a model to retire the memo by it."""
CERTAIN_CONFIDENCE = 0.95
"""Confidence from which a memo counts as certain: its owner wrote it down, or has stated it often."""
_SAME_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)


@dataclass(frozen=True, slots=True)
class ExistingMemos:
    """Stored memos that may be affected by a candidate, all about the same subject."""

    fingerprints: Fingerprints
    """Those of the store, for the ids of new memos."""
    by_id: Memo | None = None
    same: Sequence[Memo] = ()
    similar: Sequence[Memo] = ()
    tombstone: Tombstone | None = None
    forgotten: Sequence[Memo] = ()
    """Memos that their owner forgot after the candidate was said."""
    find_by_id: Callable[[str], Memo | None] = lambda _: None


def merge(candidate: Candidate, existing: ExistingMemos, now: datetime) -> list[Change]:
    """The changes that a candidate causes; the first one says what became of the candidate."""
    if (text := collapse_spaces(candidate.text)) != candidate.text:
        candidate = replace(candidate, text=text)
    if not candidate.text:
        return [Skip(candidate, Reason.EMPTY)]
    # Before anything else: what was forgotten must not even revise a similar memo.
    if _is_forgotten(candidate, existing):
        return [Skip(candidate, Reason.FORGOTTEN_BY_OWNER)]
    # Rivals are only sought among live memos: an expired one contradicts nothing.
    similar = [(memo, compare(candidate.text, memo.text)) for memo in existing.similar if is_live(memo, now)]
    superseded = existing.find_by_id(candidate.supersedes.strip()) if candidate.supersedes else None
    contradicted = [memo for memo, similarity in similar if similarity is Similarity.CONTRADICTS]
    rivals = _replaceable(candidate, [*filter(None, [superseded]), *existing.same, *contradicted], now)
    # One newer rival outweighs the candidate as a whole.
    newer = next((memo for memo in rivals if _predates(candidate, memo, contradicts=memo in contradicted)), None)
    if newer is not None:
        return [Skip(candidate, Reason.OUTDATED, newer)]
    match = (
        _match_by_id(candidate, existing, now)
        or _match_same_text(candidate, existing, now)
        or _match_similar(candidate, similar, now)
    )
    if isinstance(match, Skip):
        return [match]
    confidence = superseded.confidence if superseded is not None and superseded in rivals else 0.0
    return _replace_rivals(match or _add(candidate, existing, now), rivals, confidence, now)


def _is_forgotten(candidate: Candidate, existing: ExistingMemos) -> bool:
    if existing.tombstone is not None and not _restates(candidate, existing.tombstone.at):
        return True
    retired = [
        memo for memo in (existing.by_id, *existing.same) if memo and memo.status in (Status.DEPRECATED, Status.DELETED)
    ]
    has_active = any(memo.active for memo in existing.same)
    if retired and not has_active and not any(_restates(candidate, memo.updated) for memo in retired):
        return True
    # By likeness, as learning may find other words for what was forgotten.
    similar = (memo for memo in existing.forgotten if compare(candidate.text, memo.text) in _SAME_FACT)
    return any(not _restates(candidate, memo.updated) for memo in similar)


def _restates(candidate: Candidate, forgotten_at: datetime) -> bool:
    """Whether the owner states it again after forgetting it; old words coming back don't count."""
    match candidate.source.origin:
        case Origin.IMPORT:
            return False
        case Origin.MANUAL:  # a command is the newest statement, even if the clock was set back
            return True
        case Origin.TOOL:
            return candidate.at > forgotten_at
        case _:
            return candidate.at > forgotten_at and candidate.source.actor == candidate.subject.id


def _predates(candidate: Candidate, memo: Memo, *, contradicts: bool = False) -> bool:
    """Whether the candidate is older than what the owner wrote or said since: work in flight, or an import."""
    if candidate.source.origin is Origin.MANUAL:
        return False
    # An older repetition of what was learned still counts: it changes no meaning.
    is_newer = contradicts or is_authored(memo) or candidate.source.origin is Origin.IMPORT
    return candidate.at < memo.updated and is_newer


def _may_change(candidate: Candidate, memo: Memo) -> bool:
    """Whether all who hear the memo heard the candidate; the assistant's own lore changes nothing that people wrote."""
    has_power = includes(candidate.power or candidate.audience, memo.audience)
    return has_power and not (is_automatic_lore(candidate) and is_authored(memo))


def _may_repeat(candidate: Candidate, memo: Memo) -> bool:
    """Whether it may replace a memo that says the same: that must not narrow the audience."""
    return _may_change(candidate, memo) and includes(candidate.audience, memo.audience)


def _is_repeated(candidate: Candidate, memo: Memo) -> bool:
    """Whether everyone who hears the candidate hears the memo already."""
    is_one_memory = candidate.power not in (None, candidate.audience)
    return includes(memo.audience, candidate.audience) or (is_one_memory and _may_change(candidate, memo))


def is_live(memo: Memo, now: datetime) -> bool:
    """Whether a memo is active and has not expired."""
    return memo.active and (memo.expires is None or memo.expires > now)


def _replaceable(candidate: Candidate, memos: Sequence[Memo], now: datetime) -> list[Memo]:
    """The live memos that the candidate may replace, each once."""
    unique = {memo.id: memo for memo in memos if is_live(memo, now) and _may_change(candidate, memo)}
    return list(unique.values())


def _match_by_id(candidate: Candidate, existing: ExistingMemos, now: datetime) -> Revise | Skip | None:
    memo = existing.by_id
    if memo is None or not memo.active or not _may_change(candidate, memo):
        return None
    if _predates(candidate, memo):
        return Skip(candidate, Reason.OUTDATED, memo)
    return _revise(candidate, memo, now, Reason.UPDATED_BY_ID)


def _match_same_text(candidate: Candidate, existing: ExistingMemos, now: datetime) -> Revise | Skip | None:
    # An active memo first: otherwise a retired twin would be revived beside it.
    for memo in sorted(existing.same, key=lambda memo: not memo.active):
        if _may_repeat(candidate, memo):
            return _revise(candidate, memo, now, Reason.STATED_AGAIN if memo.active else Reason.REMEMBERED_AGAIN)
        if is_live(memo, now) and _is_repeated(candidate, memo):
            return Skip(candidate, Reason.ALREADY_KNOWN, memo)
    return None


def _match_similar(
    candidate: Candidate, similar: Sequence[tuple[Memo, Similarity]], now: datetime
) -> Revise | Skip | None:
    """Revise the memo that says the same in other words, unless it already says more."""
    for memo, similarity in similar:
        says_more = similarity is Similarity.RICHER and _may_change(candidate, memo)
        if says_more or (similarity is Similarity.SAME and _may_repeat(candidate, memo)):
            return _revise(candidate, memo, now, Reason.REWORDED)
        if similarity in (Similarity.SAME, Similarity.POORER) and _is_repeated(candidate, memo):
            known = Reason.KNOWN_IN_DETAIL if similarity is Similarity.POORER else Reason.ALREADY_KNOWN
            return Skip(candidate, known, memo)
    return None


def _replace_rivals(change: Add | Revise, rivals: Sequence[Memo], confidence: float, now: datetime) -> list[Change]:
    """The change, followed by the end of the memos that it replaces, linked in both directions.

    `confidence` is that of the memo that the candidate names as replaced; the new memo inherits it.
    """
    memo = change.memo if isinstance(change, Add) else change.after
    # Revising a memo into the candidate's words may make it its own rival.
    replaced = [rival for rival in rivals if rival.id != memo.id]
    if not replaced:
        return [change]
    memo = replace(memo, supersedes=replaced[0].id, confidence=max(memo.confidence, confidence))
    ends = [supersede(rival, memo.id, now) for rival in replaced]
    if isinstance(change, Revise):
        return [replace(change, after=memo), *ends]
    return [Add(memo, Reason.TAKES_PLACE), *ends]


def _revise(candidate: Candidate, memo: Memo, now: datetime, reason: Reason) -> Revise:
    # A memo that gains an audience loses the details that only its former audience heard.
    widens = candidate.audience != memo.audience
    after = replace(
        memo,
        text=candidate.text,
        kind=memo.kind if reason is Reason.STATED_AGAIN else candidate.kind,
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
        # Never backwards: an old statement that is read late makes no memo older.
        updated=max(_said_at(candidate, now), memo.updated),
    )
    return Revise(memo, after, reason)


def _said_at(candidate: Candidate, now: datetime) -> datetime:
    """When it was said, not when it was learned: what was said a year ago is a year old, however late it was read."""
    return min(candidate.at, now)


def _merged_source(candidate: Candidate, memo: Memo, widens: bool) -> Provenance:
    """The provenance of the revised text; a memo that its owner wrote stays manual."""
    if not is_authored(memo) or candidate.source.origin is Origin.MANUAL:
        return candidate.source
    if not widens and normalize(candidate.text) == normalize(memo.text):
        return memo.source
    return replace(candidate.source, origin=memo.source.origin)


def _add(candidate: Candidate, existing: ExistingMemos, now: datetime) -> Add:
    memo = Memo(
        id=existing.fingerprints.memo_id(candidate.kind.value, candidate.text, existing.find_by_id),
        subject=candidate.subject,
        kind=candidate.kind,
        label=candidate.label,
        text=candidate.text,
        tags=tuple(dict.fromkeys(candidate.tags)),
        source=candidate.source,
        audience=candidate.audience,
        confidence=candidate.confidence,
        created=_said_at(candidate, now),
        updated=_said_at(candidate, now),
        happened=candidate.happened,
        expires=candidate.expires,
        pinned=candidate.pinned,
    )
    return Add(memo)


def retire(memo: Memo, now: datetime, reason: Reason, status: Status = Status.DEPRECATED, detail: str = "") -> Retire:
    """Retire a memo; it stays in the history."""
    return Retire(memo, replace(memo, status=status, updated=max(now, memo.updated)), reason, detail)


def may_retract(memo: Memo, said_at: datetime, audience: Audience) -> bool:
    """Whether a statement may retire a memo: the memo is active, not more public, and not written by hand since."""
    is_outdated = is_authored(memo) and said_at < memo.updated
    return memo.active and includes(audience, memo.audience) and not is_outdated


def supersede(memo: Memo, successor: str, now: datetime) -> Retire:
    """Retire a memo in favor of its successor."""
    before = None if memo.supersedes == successor else memo.supersedes  # a restored memo supersedes nothing
    after = replace(
        memo, status=Status.SUPERSEDED, supersedes=before, superseded_by=successor, updated=max(now, memo.updated)
    )
    return Retire(memo, after, Reason.SUPERSEDED)


def covered_by(match: str, memos: Collection[Memo], share: float = COVERAGE) -> list[Memo]:
    """Active memos whose text contains `match` and consists of it to at least this share."""
    query = normalize(match)
    return [memo for memo in memos if memo.active and query and _covers(query, normalize(memo.text), share)]


def _covers(query: str, text: str, share: float) -> bool:
    return query in text and len(query) >= share * len(text)


def overflow(active: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
    """The memos to archive when a subject has too many: learned before user-authored, doubtful before certain, old
    before new; never one that was just written or is pinned.
    """
    if limit is None or len(active) <= limit:
        return []
    # May be fewer than needed: then the limit is exceeded rather than a pinned memo lost.
    removable = [memo for memo in active if memo.id not in written and not memo.pinned]
    removable.sort(key=lambda memo: (is_authored(memo), memo.confidence >= CERTAIN_CONFIDENCE, memo.updated, memo.key))
    return removable[: len(active) - limit]


def over_limit(memos: Collection[Memo], limit: int | None, written: Collection[str]) -> list[Memo]:
    """The memos to delete over a total limit: retired ones first, then as in `overflow`."""
    if limit is None or len(memos) <= limit:
        return []
    retired = sorted((memo for memo in memos if not memo.active), key=lambda memo: (memo.updated, memo.key))
    excess = len(memos) - limit
    active = [memo for memo in memos if memo.active]
    return retired[:excess] + overflow(active, max(0, len(active) - max(0, excess - len(retired))), written)


def is_authored(memo: Memo) -> bool:
    """Whether its owner wrote it down, rather than a model."""
    return memo.source.origin is Origin.MANUAL


def is_automatic_lore(statement: Candidate | Memo) -> bool:
    """Whether it is lore that the assistant noted by itself."""
    return statement.subject.is_lore and statement.source.origin is Origin.TOOL
