"""What people tell their memory to do: forget, pin, share. Units of work, each one transaction."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect import withheld
from recollect.errors import BadInput, UnknownMemo
from recollect.learn import Caps, Cause, bury, learn, write
from recollect.merge import covering, retire
from recollect.narrowing import earlier
from recollect.ports import Tx, Vector
from recollect.revisit import summarise_anew
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

NO_JOBS = Cadence()


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
    off: tuple[str, ...] = ()
    """What is switched off, a sentence each: then what is stored may be looked at, and is not used."""


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
    cadence: Cadence = NO_JOBS,
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
        read_again(tx, memo, cause.at, "what a message said was forgotten", cadence)
    return Forgotten(tuple(matches))


def read_again(tx: Tx, memo: Memo, at: datetime, why: str, cadence: Cadence) -> None:
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
    return [event if _may_tell(tx, event, audible) else replace(event, data={}) for event in events]


def _may_tell(tx: Tx, event: Event, audible: Hears) -> bool:
    return event.data.get("before") is None or audible(earlier(tx, event))
