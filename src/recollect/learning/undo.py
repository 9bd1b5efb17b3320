"""Undo: name a change and take it back; redo takes the last undo back.

Without a name it is the subject's last change. One that can't be undone (its message was deleted, something was erased)
is never skipped: an older change would be undone in its place.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.core.changes import Step
from recollect.core.events import Event, EventKind
from recollect.core.outcomes import CannotUndo, Redone, RedoOutcome, Reversal, Undoable, Undone, UndoOffer, UndoOutcome
from recollect.core.ports import Tx
from recollect.core.reasons import Reason, encode_reason
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, add_tombstone
from recollect.learning.changes import NO_JOBS, rebuild_derived
from recollect.learning.rollback import is_supported
from recollect.learning.schedule import Schedule
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before
from recollect.recall.listing import VisibilityCheck, without_hidden_links

_ERASURES = (Reason.ERASED, Reason.ERASED_ALONG)


def undoable(tx: Tx, subject: Subject, is_visible: VisibilityCheck, change: int | None = None) -> UndoOffer:
    """What `undo` would take back now: the last change, or the one with this id."""
    steps = _last_change(tx, subject) if change is None else _named_change(tx, subject, change)
    if isinstance(steps, CannotUndo):
        return steps
    return _describe(tx, subject, steps, is_visible) if steps else None


def undo(
    tx: Tx,
    subject: Subject,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    memo_id: str | None = None,
    expected: int | None = None,
    schedule: Schedule = NO_JOBS,
    change: int | None = None,
) -> UndoOutcome:
    """Take back the subject's last change that has not been taken back; or the `change` with this id, if the memos that
    it touched were not changed since; or what was last learned about one memo. None when there is none.

    With `expected`, only if the change has this id.
    """
    if change is not None:
        steps = _named_change(tx, subject, change)
    else:
        steps = _last_change(tx, subject) if memo_id is None else _last_learned_change(tx, subject, memo_id)
    if isinstance(steps, CannotUndo):
        return steps
    # The client saw this id in an offer; if another change came since, it must not be undone unseen.
    newest = next((step.id for step in steps if memo_id in (None, step.memo)), None)
    if expected is not None and expected != newest:
        return CannotUndo(Reason.CHANGED_SINCE)
    if not steps:
        return None
    offer = _describe(tx, subject, steps, is_visible)
    for step in steps:
        _take_back(tx, subject, step, context, schedule)
    tx.changes.mark_undone([step.id for step in steps])
    return Undone(offer.change, offer.actor, offer.at, offer.reversals, offer.hidden)


def redo(
    tx: Tx, subject: Subject, context: ChangeContext, is_visible: VisibilityCheck, schedule: Schedule = NO_JOBS
) -> RedoOutcome:
    """Take the last undo back, unless something was changed since; None when there is nothing to redo."""
    last = tx.changes.last_undo(subject.scope)
    if last is None or last.batch is None or last.undoes is None:
        return None
    steps = [step for step in tx.changes.of_batch(subject.scope, last.batch) if not step.undone]
    # All or nothing: half a redo would leave memos that contradict each other.
    if any(not step.undoable or _has_lost_support(tx, subject, step) for step in steps):
        return CannotUndo(Reason.UNSUPPORTED)
    offer = _describe(tx, subject, steps, is_visible)
    for step in steps:
        _take_back(tx, subject, step, context, schedule)
    tx.changes.mark_undone([step.id for step in steps])
    # Only of those memos: the others were left out of the undo because their message was gone.
    memos = {step.memo for step in steps}
    redone = [step.id for step in tx.changes.of_batch(subject.scope, last.undoes) if step.memo in memos]
    tx.changes.mark_undone(redone, undone=False)
    return Redone(offer.change, offer.actor, offer.at, offer.reversals, offer.hidden)


def _take_back(tx: Tx, subject: Subject, step: Step, context: ChangeContext, schedule: Schedule) -> None:
    """Bring a memo back to its state before a step. What was new is marked as deleted, so that it can be redone."""
    memo = tx.memos.get(subject, step.memo)
    if memo is None:
        return
    before = memo_before(tx, step)
    if before is None:
        after = replace(memo, status=Status.DELETED, updated=context.at, version=memo.version + 1)
        tx.memos.put(after)
        if memo.status is Status.DEPRECATED:  # it hides a message
            tx.memos.remove_tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text))
            withheld.release_restored(tx, [memo])
            rebuild_derived(tx, memo, context.at, Reason.SAID_COUNTS_AGAIN, schedule)
    else:
        after = _restore(tx, memo, before, step)
        if after.active != memo.active or after.status is Status.DEPRECATED:
            reason = Reason.SAID_COUNTS_AGAIN if after.active else Reason.SAID_WAS_FORGOTTEN
            rebuild_derived(tx, memo, context.at, reason, schedule)
        if after.active:
            withheld.release_restored(tx, [after])
    _record(tx, step, memo, after, context)


def _record(tx: Tx, step: Step, before: Memo, after: Memo, context: ChangeContext) -> None:
    """An undo is a change of its own, which only a redo takes back; a redo is never taken back itself: what it brought
    back can be undone again.
    """
    reason, detail = Reason.UNDID, encode_reason(step.reason, step.detail)
    if step.undoes is not None:
        reason, detail = Reason.REDID, step.detail  # which is the cause of what was undone
    event = Event(
        EventKind.MEMO_UNDONE if reason is Reason.UNDID else EventKind.MEMO_REDONE,
        context.at,
        context.actor,
        before.subject.scope,
        before.id,
        reason,
        {"batch": context.batch, "undoes": step.batch},
        detail=detail,
    )
    tx.changes.add(
        Step(
            tx.events.add(event),
            event.scope,
            before.id,
            context.batch,
            context.at,
            context.actor,
            before,
            after,
            reason,
            detail,
            undoes=step.batch,
            undoable=step.undoes is None,
        )
    )


def _describe(tx: Tx, subject: Subject, steps: Sequence[Step], is_visible: VisibilityCheck) -> Undoable:
    """What taking these steps back would do to each memo that still exists."""
    reversals: dict[str, Reversal] = {}
    for step in steps:  # newest first: the oldest step holds the state to restore
        memo = tx.memos.get(subject, step.memo)
        if memo is not None:
            before = memo_before(tx, step)
            reversals[memo.id] = Reversal(memo, before and _as_next_version(memo, before))
    visible = [
        _without_hidden_links(tx, reversal, is_visible)
        for reversal in reversals.values()
        if all(is_visible(replace(memo, status=Status.ACTIVE)) for memo in (reversal.before, reversal.after) if memo)
    ]
    return Undoable(steps[0].id, steps[0].actor, steps[-1].at, tuple(visible), len(reversals) - len(visible))


def _without_hidden_links(tx: Tx, reversal: Reversal, is_visible: VisibilityCheck) -> Reversal:
    after = None if reversal.after is None else without_hidden_links(tx, reversal.after, is_visible)
    return Reversal(without_hidden_links(tx, reversal.before, is_visible), after)


def _last_change(tx: Tx, subject: Subject) -> list[Step] | CannotUndo:
    """The steps of the newest change that has not been taken back, newest first."""
    last = tx.changes.last(subject.scope)
    return [] if last is None else _undoable_steps(tx, subject, last)


def _named_change(tx: Tx, subject: Subject, change: int) -> list[Step] | CannotUndo:
    """The steps of a change, if they are still the last ones of their memos."""
    named = tx.changes.find([change]).get(change)
    if named is None or named.scope != subject.scope or named.undone or named.undoes is not None:
        return CannotUndo(Reason.NO_SUCH_CHANGE)
    steps = _undoable_steps(tx, subject, named)
    if isinstance(steps, CannotUndo):
        return steps
    for memo in {step.memo for step in steps}:
        last = tx.changes.last_of_memo(subject.scope, memo)
        if last is None or last.batch != named.batch:
            return CannotUndo(Reason.CHANGED_SINCE)
    return steps


def _undoable_steps(tx: Tx, subject: Subject, step: Step) -> list[Step] | CannotUndo:
    """The steps of a change that can still be undone. States that their message no longer supports don't come back,
    nor do states before them.
    """
    if not step.undoable or not step.batch:
        return CannotUndo(Reason.WAS_ERASURE if step.reason in _ERASURES else Reason.MESSAGE_GONE)
    lost: set[str] = set()
    remaining: list[Step] = []
    for part in tx.changes.of_batch(subject.scope, step.batch):
        if part.undone:
            continue
        if part.memo in lost or not part.undoable or _has_lost_support(tx, subject, part):
            lost.add(part.memo)
        else:
            remaining.append(part)
    return remaining or CannotUndo(Reason.UNSUPPORTED)


def _last_learned_change(tx: Tx, subject: Subject, memo_id: str) -> list[Step]:
    """The steps by which a memo was last learned and others were superseded by it; empty if it was changed since."""
    last = next(iter(tx.changes.of_memo(subject.scope, memo_id)), None)
    if last is None or not last.batch or last.undone or not _is_learned(last) or _has_lost_support(tx, subject, last):
        return []
    steps = (step for step in tx.changes.of_batch(subject.scope, last.batch) if not step.undone)
    return [step for step in steps if step.id == last.id or _was_replaced(tx, subject, step, memo_id)]


def _is_learned(step: Step) -> bool:
    """Whether a memo was added, or revised by a message; other changes are its owner's decisions."""
    if not step.undoable or step.undoes is not None:
        return False
    return step.is_addition or (step.message is not None and step.after is not None and step.after.active)


def _was_replaced(tx: Tx, subject: Subject, step: Step, memo_id: str) -> bool:
    memo = tx.memos.get(subject, step.memo)
    return memo is not None and memo.status is Status.SUPERSEDED and memo.superseded_by == memo_id


def _has_lost_support(tx: Tx, subject: Subject, step: Step) -> bool:
    """Whether the state before this step is no longer supported by its message."""
    if step.before is None or tx.memos.get(subject, step.memo) is None:
        return False
    return step.before.active and not is_supported(tx, step.before)


def _as_next_version(current: Memo, before: Memo) -> Memo:
    """An earlier state as the next one."""
    return replace(before, key=current.key, hits=current.hits, version=current.version + 1)


def _restore(tx: Tx, current: Memo, before: Memo, step: Step) -> Memo:
    """Restore the earlier state; a memo that was forgotten then gets its tombstone back."""
    memo = _as_next_version(current, before)
    tx.memos.put(memo)
    if memo.active:
        tx.memos.remove_tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text))
    elif memo.status is Status.DEPRECATED:
        add_tombstone(tx, memo, step.at)
    return memo
