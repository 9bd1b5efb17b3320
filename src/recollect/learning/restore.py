"""Restore: bring back a memo that was forgotten, replaced, archived, expired or undone, whatever happened since."""

from dataclasses import replace
from datetime import datetime
from functools import partial

from recollect.core.changes import Revise
from recollect.core.outcomes import AlreadyActive, Ambiguous, CannotRestore, Listing, NotFound, Restored, RestoreOutcome
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, archive_surplus, similar_memos, write
from recollect.learning.changes import NO_JOBS, rebuild_derived
from recollect.learning.rollback import is_supported
from recollect.learning.schedule import Schedule
from recollect.policy.merge import is_live, supersede
from recollect.policy.similarity import Similarity, compare
from recollect.policy.visibility import includes
from recollect.recall import withheld
from recollect.recall.listing import (
    VisibilityCheck,
    active_memos,
    check_version,
    find,
    visible_page,
    without_hidden_links,
    without_pending,
)


def restore(
    tx: Tx,
    subject: Subject,
    reference: str,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    schedule: Schedule = NO_JOBS,
    limits: MemoLimits | None = None,
    version: int | None = None,
) -> RestoreOutcome:
    """Reactivate the memo with this id, this number among what can be restored, or this text in it.

    Active memos that contradict it are superseded in turn. `is_visible` has to let expired memos pass.
    """
    # An id may name any state; numbers and texts only what the list of restorable memos shows.
    by_id = tx.memos.get(subject, reference.strip())
    if by_id is not None and is_visible(by_id) and without_pending([by_id]) and not _is_stale_message_record(tx, by_id):
        matches = [by_id]
    else:
        matches = find(restorable(tx, subject, is_visible, context.at), reference, 0.0)
    if not matches:
        return _not_restorable(tx, subject, reference, context, is_visible)
    shown = [without_hidden_links(tx, memo, is_visible) for memo in matches]
    if len(matches) > 1:
        return Ambiguous(tuple(shown))
    check_version(matches[0], version)
    if is_live(matches[0], context.at):
        return AlreadyActive(shown[0])
    # What was deleted on the platform must not come back by way of memory.
    if not is_supported(tx, matches[0]):
        return CannotRestore(shown[0])
    return _restore(tx, matches[0], context, is_visible, schedule, limits or MemoLimits())


def restorable(tx: Tx, subject: Subject, is_visible: VisibilityCheck, now: datetime) -> list[Memo]:
    """What can be restored, in the order of its numbers: not what a deleted or edited message said."""
    return [memo for memo in _retired(tx, subject, is_visible, now) if is_supported(tx, memo)]


def restorable_page(
    tx: Tx, subject: Subject, is_visible: VisibilityCheck, now: datetime, limit: int | None, offset: int
) -> Listing:
    """A page of what can be restored."""
    memos = restorable(tx, subject, is_visible, now)
    return Listing(visible_page(tx, memos, is_visible, limit, offset), len(memos), None)


def _retired(tx: Tx, subject: Subject, is_visible: VisibilityCheck, now: datetime) -> list[Memo]:
    memos = without_pending(tx.memos.list(subject))
    return [
        memo for memo in memos if not is_live(memo, now) and is_visible(memo) and not _is_stale_message_record(tx, memo)
    ]


def _is_stale_message_record(tx: Tx, memo: Memo) -> bool:
    """Whether it is the record of a hidden message that is no longer hidden: it never was a memory of its own."""
    if memo.status is not Status.DELETED:
        return False
    last = next(iter(tx.changes.of_memo(memo.subject.scope, memo.id)), None)
    return last is not None and last.before is not None and last.before.status is Status.DEPRECATED


def _not_restorable(
    tx: Tx, subject: Subject, reference: str, context: ChangeContext, is_visible: VisibilityCheck
) -> RestoreOutcome:
    """Why a reference names nothing to restore; a number names nothing else."""
    if reference.strip().removeprefix("#").isdecimal():
        # A number that is not in the list must not be taken as a part of a text.
        return NotFound(reference)
    active = find(active_memos(tx, subject, is_visible), reference, 0.0)
    if active:
        return AlreadyActive(without_hidden_links(tx, active[0], is_visible))
    unsupported = find(_retired(tx, subject, is_visible, context.at), reference, 0.0)
    return CannotRestore(without_hidden_links(tx, unsupported[0], is_visible)) if unsupported else NotFound(reference)


def _restore(
    tx: Tx, memo: Memo, context: ChangeContext, is_visible: VisibilityCheck, schedule: Schedule, limits: MemoLimits
) -> Restored:
    rivals = _rivals(tx, memo, context)
    change = Revise(memo, _reactivated(memo, rivals, context), Reason.RESTORED, context.actor)
    restored = write(tx, [change], context)[0].after
    write(
        tx, [*(supersede(rival, memo.id, context.at) for rival in rivals), *_unlink_rivals(tx, memo, rivals)], context
    )
    tx.memos.remove_tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text))
    withheld.release_restored(tx, [restored])
    rebuild_derived(tx, restored, context.at, Reason.SAID_COUNTS_AGAIN, schedule)
    # The restored memo counts toward the limit, but is not itself archived.
    archived = archive_surplus(tx, restored, limits, {memo.id}, context)
    shown = partial(without_hidden_links, tx, is_visible=is_visible)
    return Restored(
        shown(restored),
        replaced=tuple(shown(rival) for rival in rivals if is_visible(rival)),
        archived=tuple(shown(change.before) for change in archived if is_visible(change.before)),
    )


def _reactivated(memo: Memo, rivals: list[Memo], context: ChangeContext) -> Memo:
    has_expired = memo.expires is not None and memo.expires <= context.at
    return replace(
        memo,
        status=Status.ACTIVE,
        superseded_by=None,
        supersedes=rivals[0].id if rivals else memo.supersedes,
        # It would be gone again at once.
        expires=None if has_expired else memo.expires,
        updated=max(context.at, memo.updated),
    )


def _rivals(tx: Tx, memo: Memo, context: ChangeContext) -> list[Memo]:
    """Active memos that contradict this one; as in a merge, only those with no wider audience."""
    same = tx.memos.same_text(memo.subject, memo.text)
    successor = tx.memos.get(memo.subject, memo.superseded_by) if memo.superseded_by else None
    similar = [*similar_memos(tx, memo.subject, memo.text), *filter(None, [successor])]
    contradicting = [other for other in similar if compare(memo.text, other.text) is Similarity.CONTRADICTS]
    unique = {other.id: other for other in (*same, *contradicting) if other.id != memo.id}
    return [
        other for other in unique.values() if is_live(other, context.at) and includes(memo.audience, other.audience)
    ]


def _unlink_rivals(tx: Tx, memo: Memo, rivals: list[Memo]) -> list[Revise]:
    """Unlink the memo that had replaced this one and stays beside it."""
    successor = tx.memos.get(memo.subject, memo.superseded_by) if memo.superseded_by else None
    if successor is None or successor.supersedes != memo.id or successor.id in {rival.id for rival in rivals}:
        return []
    return [Revise(successor, replace(successor, supersedes=None), Reason.REPLACED_WAS_RESTORED)]
