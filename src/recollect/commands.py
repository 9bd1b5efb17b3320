"""What people tell their memory to do: forget, undo, change. Units of work, each one transaction."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect import plain, withheld
from recollect.errors import BadInput, UnknownMemo
from recollect.learn import Caps, Cause, bury, learn, write
from recollect.merge import covering, fingerprint, retire
from recollect.ports import Tx, Vector
from recollect.revisit import NOT_UNDONE, stands, summarise_anew
from recollect.speaking import source_message
from recollect.text import fold, squeeze
from recollect.triggers import Cadence, journalise
from recollect.types import (
    Add,
    Audience,
    Candidate,
    Change,
    Event,
    Kind,
    Memo,
    Retire,
    Revise,
    Skip,
    Status,
    Subject,
    Summary,
)

_NEVER = Cadence()
_LOOK_BACK = 500
"""Events searched for the last change that can be undone."""
_BATCH = 200
"""Events that one change may leave in the log after one of its own."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a statement: the memo that now holds it, and every change it brought about."""

    memo: Memo
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A person's memory as far as it may be shown in a place."""

    memos: tuple[Memo, ...]
    total: int
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """These memos were retired; `undo` brings them back."""

    memos: tuple[Memo, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several memos match; nothing was changed."""

    matches: tuple[Memo, ...]


@dataclass(frozen=True, slots=True)
class NoMatch:
    """No memo matches; nothing was changed."""

    what: str


@dataclass(frozen=True, slots=True)
class Undone:
    """The memos as they are again; one that had been added is gone. What may not be heard here is only counted."""

    restored: tuple[Memo, ...]
    removed: tuple[Memo, ...]
    at: datetime
    """When the change was made that is now undone."""
    hidden: int = 0


Forgetting = Forgotten | Ambiguous | NoMatch
Hears = Callable[[Memo], bool]


def remember(
    tx: Tx, candidate: Candidate, cause: Cause, caps: Caps, vector: tuple[str, Vector] | None, audible: Hears
) -> Remembered:
    """Take a statement into memory; raises BadInput when it is not taken."""
    changes = learn(tx, candidate, cause, caps, vector)
    return Remembered(_outcome(changes), tuple(change for change in changes if _is_told(change, audible)))


def _is_told(change: Change, audible: Hears) -> bool:
    """Whether a change may be told here: one of a private memo that a public statement replaced may not."""
    return isinstance(change, Add | Skip) or audible(change.after)


def _outcome(changes: Collection[Change]) -> Memo:
    """The memo that holds the statement now."""
    match next(iter(changes)):
        case Add(memo=memo):
            return memo
        case Revise(after=memo) | Retire(after=memo):
            return memo
        case Skip(reason=reason, memo=memo):
            if memo is None:
                raise BadInput(f"not remembered: {reason}")
            return memo


def shown(tx: Tx, subject: Subject, audible: Hears, session: str, limit: int | None, offset: int) -> Shown:
    """A page of the subject's active memos, and the summary of a session."""
    found = listed(tx, subject, audible)
    return Shown(tuple(_page(found, limit, offset)), len(found), withheld.summary(tx, session))


def memos(
    tx: Tx,
    subject: Subject,
    audible: Hears,
    statuses: Collection[Status],
    kinds: Collection[Kind],
    limit: int | None,
    offset: int,
) -> Shown:
    """A page of the subject's memos of these statuses and kinds, or of any."""
    found = [memo for memo in tx.memos.list(subject, statuses) if audible(memo) and (not kinds or memo.kind in kinds)]
    return Shown(tuple(_page(found, limit, offset)), len(found), None)


def _page(found: list[Memo], limit: int | None, offset: int) -> list[Memo]:
    return found[offset : None if limit is None else offset + limit]


def listed(tx: Tx, subject: Subject, audible: Hears) -> list[Memo]:
    """A subject's active memos in the order in which they are numbered, as far as they may be heard here."""
    return [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if audible(memo)]


def forget(
    tx: Tx,
    subject: Subject,
    what: str,
    cause: Cause,
    audible: Hears,
    share: float,
    every: bool,
    cadence: Cadence = _NEVER,
) -> Forgetting:
    """Retire the memo with this id, this number in the list, or this text in it, and hide what repeats it.

    `share` is how much of a memo the text has to cover; with `every`, all matches go.
    """
    matches = find(listed(tx, subject, audible), what, share)
    if not matches:
        return NoMatch(what)
    if len(matches) > 1 and not every:
        return Ambiguous(tuple(matches))
    write(tx, [retire(memo, cause.at, f"forgotten by {cause.actor}") for memo in matches], cause)
    for memo in matches:
        bury(tx, memo, cause.at)
        _read_anew(tx, memo, cause.at, "what a message said was forgotten", cadence)
    return Forgotten(tuple(matches))


def _read_anew(tx: Tx, memo: Memo, at: datetime, why: str, cadence: Cadence) -> None:
    """Summaries and the journal's file leave out a message that said what is forgotten, until it counts again."""
    said = source_message(tx, memo)
    if said is not None:
        summarise_anew(tx, said, at, why)
        journalise(tx, said, at, cadence)


def reset(tx: Tx, session: str, cause: Cause) -> bool:
    """Clear the rolling summary of a session; False when there was none."""
    had = tx.summaries.clear(session, cause.at)
    if had:
        tx.events.add(Event("summary.reset", cause.at, cause.actor, session, reason=f"reset by {cause.actor}"))
    return had


def find(memos: Sequence[Memo], what: str, share: float) -> list[Memo]:
    """Which memos are meant: by id, by number in the list, else by a part of their text."""
    wanted = what.strip()
    by_id = [memo for memo in memos if memo.id == wanted]
    if by_id:
        return by_id
    number = wanted.removeprefix("#")
    if number.isdecimal() and len(number) < 10 and 1 <= int(number) <= len(memos):
        return [memos[int(number) - 1]]
    if share > 0:
        return covering(wanted, memos, share)
    part = fold(squeeze(wanted))
    return [memo for memo in memos if part and part in fold(squeeze(memo.text))]


def undo(
    tx: Tx,
    subject: Subject,
    cause: Cause,
    audible: Hears,
    memo_id: str | None = None,
    cadence: Cadence = _NEVER,
) -> Undone | None:
    """Take back the subject's last change that has not been taken back, or what was last learned about one memo;
    None when there is none.
    """
    parts = _last_change(tx, subject) if memo_id is None else _last_lesson(tx, subject, memo_id)
    if not parts:
        return None
    batch = parts[0].data["batch"]
    data = {"undoes": batch} if memo_id is None else {"undoes": batch, "alone": True}
    restored: list[Memo] = []
    removed: list[Memo] = []
    for event in parts:
        now = tx.memos.get(subject, event.memo or "")
        if now is not None and event.kind == "memo.added":
            removed.append(_remove(tx, now, cause))
        elif now is not None:
            restored.append(_restore(tx, now, plain.to_memo(event.data["before"]), event))
            if restored[-1].active and not now.active:
                _read_anew(tx, now, cause.at, "what a message said counts again", cadence)
        reason = f"undid: {event.reason}"
        tx.events.add(Event("memo.undone", cause.at, cause.actor, subject.scope, event.memo, reason, data))
    withheld.lift(tx, [memo for memo in restored if memo.active])
    told = [memo for memo in (*restored, *removed) if audible(replace(memo, status=Status.ACTIVE))]
    return Undone(
        tuple(memo for memo in restored if memo in told),
        tuple(memo for memo in removed if memo in told),
        parts[-1].at,
        len(restored) + len(removed) - len(told),
    )


def _last_change(tx: Tx, subject: Subject) -> list[Event]:
    """The events of the newest change of which something can be taken back, newest first.

    What went with its message is taken back already. Words whose message no longer says so don't come back, nor does
    anything before them.
    """
    events = tx.events.list(scope=subject.scope, limit=_LOOK_BACK)
    undone, alone = _undone(events)
    revisited = [event for event in reversed(events) if event.data.get("batch") == NOT_UNDONE]
    taken = {(event.memo, event.data.get("message")): event.id for event in revisited}
    lost: set[str | None] = set()
    for batch in dict.fromkeys(event.data["batch"] for event in events if _can_undo(event)):
        parts: list[Event] = []
        for event in () if batch in undone else _batch(tx, subject, batch, events):
            if (batch, event.memo) in alone or event.id < taken.get((event.memo, event.data.get("message")), 0):
                continue
            if event.memo in lost or _is_lost(tx, subject, event):
                lost.add(event.memo)
            else:
                parts.append(event)
        if parts:
            return parts
    return []


def _undone(events: Collection[Event]) -> tuple[set[str], set[tuple[str, str | None]]]:
    """The changes that were taken back as a whole, and those of which one memo's part was."""
    undone = [event for event in events if event.kind == "memo.undone"]
    whole = {event.data["undoes"] for event in undone if not event.data.get("alone")}
    return whole, {(event.data["undoes"], event.memo) for event in undone}


def _last_lesson(tx: Tx, subject: Subject, memo_id: str) -> list[Event]:
    """The events by which a memo was last learned, and others gave way to it; nothing when it was changed since."""
    for last in tx.events.list(scope=subject.scope, memo=memo_id, limit=1):
        if _is_lesson(last) and not _is_lost(tx, subject, last):
            page = tx.events.list(scope=subject.scope, limit=_LOOK_BACK, before=last.id + _BATCH)
            parts = _batch(tx, subject, last.data["batch"], page)
            return [event for event in parts if event.id == last.id or _gave_way(tx, subject, event, memo_id)]
    return []


def _is_lesson(event: Event) -> bool:
    """Whether a memo came to be, or got the words of a message; a change without one is its owner's decision."""
    learned = event.kind == "memo.added" or (event.kind == "memo.revised" and "message" in event.data)
    return learned and _can_undo(event)


def _gave_way(tx: Tx, subject: Subject, event: Event, memo_id: str) -> bool:
    memo = tx.memos.get(subject, event.memo or "") if event.kind == "memo.retired" else None
    return memo is not None and memo.status is Status.SUPERSEDED and memo.superseded_by == memo_id


def _is_lost(tx: Tx, subject: Subject, event: Event) -> bool:
    """Whether a memo was before this event what its message no longer says."""
    if "before" not in event.data or tx.memos.get(subject, event.memo or "") is None:
        return False
    before = plain.to_memo(event.data["before"])
    return before.active and not stands(tx, before)


def _batch(tx: Tx, subject: Subject, batch: str, page: list[Event]) -> list[Event]:
    """All events of a change, newest first, however many: they stand together in the log."""
    parts: list[Event] = []
    while page:
        parts += [event for event in page if event.data.get("batch") == batch and _can_undo(event)]
        if parts and page[-1].data.get("batch") != batch:
            break
        page = tx.events.list(scope=subject.scope, limit=_LOOK_BACK, before=page[-1].id)
    return parts


def _remove(tx: Tx, memo: Memo, cause: Cause) -> Memo:
    tx.memos.put(replace(memo, status=Status.DELETED, updated=cause.at))
    return memo


def _restore(tx: Tx, now: Memo, before: Memo, event: Event) -> Memo:
    """As it was before; what was forgotten then is kept forgotten again."""
    memo = replace(before, key=now.key, hits=now.hits)
    tx.memos.put(memo)
    if memo.active:
        tx.memos.unbury(memo.subject.scope, fingerprint(memo.text))
    elif memo.status is Status.DEPRECATED:
        bury(tx, memo, event.at)
    return memo


def _can_undo(event: Event) -> bool:
    return event.kind in ("memo.added", "memo.revised", "memo.retired") and bool(event.data.get("batch"))


def pin(tx: Tx, subject: Subject, memo_id: str, pinned: bool, cause: Cause, audible: Hears) -> Memo:
    """Keep a memo from ever being evicted, or no longer."""
    memo = get(tx, subject, memo_id, audible)
    return _revise(tx, memo, replace(memo, pinned=pinned), cause, "pinned" if pinned else "unpinned")


def share(tx: Tx, subject: Subject, memo_id: str, audience: Audience, cause: Cause, audible: Hears) -> Memo:
    """Let a memo be heard by this audience, wider or narrower than before: its owner's right."""
    memo = get(tx, subject, memo_id, audible)
    return _revise(tx, memo, replace(memo, audience=audience), cause, f"audience {audience}")


def _revise(tx: Tx, before: Memo, after: Memo, cause: Cause, reason: str) -> Memo:
    write(tx, [Revise(before, after, reason)], cause)
    return after


def get(tx: Tx, subject: Subject, memo_id: str, audible: Hears) -> Memo:
    """The memo with this id; one that may not be heard here is as unknown as one that isn't there."""
    memo = tx.memos.get(subject, memo_id)
    if memo is None or not audible(memo):
        raise UnknownMemo(f"there is no memo {memo_id!r}")
    return memo


def history(tx: Tx, subject: Subject, memo_id: str, audible: Hears) -> list[Event]:
    """What happened to a memo, newest first; earlier wordings only where they might be heard themselves."""
    get(tx, subject, memo_id, audible)
    events = tx.events.list(scope=subject.scope, memo=memo_id)
    return [event if _may_tell(event, audible) else replace(event, data={}) for event in events]


def _may_tell(event: Event, audible: Hears) -> bool:
    before = event.data.get("before")
    return before is None or audible(plain.to_memo(before))
