"""What people tell their memory to do: forget, pin, share. Units of work, each one transaction."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip
from recollect.core.errors import BadInput
from recollect.core.events import Event
from recollect.core.outcomes import Ambiguous, ForgetOutcome, Forgotten, NotFound, Remembered
from recollect.core.ports import Tx, Vector
from recollect.core.types import Audience, Memo, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, add_tombstone, apply_statement, write
from recollect.learning.rollback import rebuild_summary
from recollect.learning.schedule import Schedule, queue_daily_log
from recollect.policy.merge import retire
from recollect.recall.listing import VisibilityCheck, find, get, listed, source_message

NO_JOBS = Schedule()


def remember(
    tx: Tx,
    candidate: Candidate,
    cause: ChangeContext,
    caps: MemoLimits,
    vector: tuple[str, Vector] | None,
    audible: VisibilityCheck,
) -> Remembered:
    """Take a statement into memory; raises BadInput when it is not taken."""
    changes = apply_statement(tx, candidate, cause, caps, vector)
    return Remembered(_outcome(changes), tuple(change for change in changes if _is_told(change, audible)))


def _is_told(change: Change, audible: VisibilityCheck) -> bool:
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


def forget(
    tx: Tx,
    subject: Subject,
    what: str,
    cause: ChangeContext,
    audible: VisibilityCheck,
    share: float,
    every: bool,
    cadence: Schedule = NO_JOBS,
) -> ForgetOutcome:
    """Retire the memo with this id, this number in the list, or this text in it, and hide what repeats it.

    `share` is how much of a memo the text has to cover; with `every`, all matches go.
    """
    matches = find(listed(tx, subject, audible), what, share)
    if not matches:
        return NotFound(what)
    if len(matches) > 1 and not every:
        return Ambiguous(tuple(matches))
    write(tx, [retire(memo, cause.at, f"forgotten by {cause.actor}") for memo in matches], cause)
    for memo in matches:
        add_tombstone(tx, memo, cause.at)
        rebuild_derived(tx, memo, cause.at, "what a message said was forgotten", cadence)
    return Forgotten(tuple(matches))


def rebuild_derived(tx: Tx, memo: Memo, at: datetime, why: str, cadence: Schedule) -> None:
    """Summaries and the journal's file leave out a message that said what is forgotten, until it counts again."""
    said = source_message(tx, memo)
    if said is not None:
        rebuild_summary(tx, said, at, why)
        queue_daily_log(tx, said, at, cadence)


def reset(tx: Tx, session: str, cause: ChangeContext) -> bool:
    """Clear the rolling summary of a session; False when there was none."""
    had = tx.summaries.clear(session, cause.at)
    if had:
        tx.events.add(Event("summary.reset", cause.at, cause.actor, session, reason=f"reset by {cause.actor}"))
    return had


def pin(tx: Tx, subject: Subject, memo_id: str, pinned: bool, cause: ChangeContext, audible: VisibilityCheck) -> Memo:
    """Keep a memo from ever being evicted, or no longer."""
    memo = get(tx, subject, memo_id, audible)
    return _revise(tx, memo, replace(memo, pinned=pinned), cause, "pinned" if pinned else "unpinned")


def share(
    tx: Tx, subject: Subject, memo_id: str, audience: Audience, cause: ChangeContext, audible: VisibilityCheck
) -> Memo:
    """Let a memo be heard by this audience, wider or narrower than before: its owner's right."""
    memo = get(tx, subject, memo_id, audible)
    return _revise(tx, memo, replace(memo, audience=audience), cause, f"audience {audience}")


def _revise(tx: Tx, before: Memo, after: Memo, cause: ChangeContext, reason: str) -> Memo:
    write(tx, [Revise(before, after, reason)], cause)
    return after
