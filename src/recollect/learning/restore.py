"""Restore: bring back a memo that was forgotten, replaced, archived, expired or undone, whatever happened since."""

from dataclasses import replace

from recollect.core.changes import Change, Revise
from recollect.core.outcomes import AlreadyActive, Ambiguous, CannotRestore, NotFound, Restored, RestoreOutcome
from recollect.core.ports import Tx
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, archive_surplus, similar_memos, write
from recollect.learning.changes import NO_JOBS, rebuild_derived
from recollect.learning.rollback import is_supported
from recollect.learning.schedule import Schedule
from recollect.policy.merge import fingerprint, is_live, supersede
from recollect.policy.similarity import Similarity, compare
from recollect.policy.visibility import includes
from recollect.recall import withheld
from recollect.recall.listing import VisibilityCheck, find

RETIRED = tuple(status for status in Status if status is not Status.ACTIVE)


def restore(
    tx: Tx,
    subject: Subject,
    reference: str,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    schedule: Schedule = NO_JOBS,
    limits: MemoLimits | None = None,
) -> RestoreOutcome:
    """Reactivate the memo with this id, this number in the list of retired memos, or this text in it.

    Active memos that contradict it are superseded in turn. `is_visible` has to let expired memos pass.
    """
    memos = [memo for memo in tx.memos.list(subject) if is_visible(memo)]
    matches = find([memo for memo in memos if not is_live(memo, context.at)], reference, 0.0)
    if not matches:
        live = [memo for memo in memos if is_live(memo, context.at)]
        is_number = reference.strip().removeprefix("#").isdecimal()
        active = [] if is_number else find(live, reference, 0.0)
        return AlreadyActive(active[0]) if active else NotFound(reference)
    if len(matches) > 1:
        return Ambiguous(tuple(matches))
    return _restore(tx, matches[0], context, is_visible, schedule, limits or MemoLimits())


def _restore(
    tx: Tx, memo: Memo, context: ChangeContext, is_visible: VisibilityCheck, schedule: Schedule, limits: MemoLimits
) -> RestoreOutcome:
    if not is_supported(tx, memo):
        return CannotRestore(memo)
    rivals = _rivals(tx, memo, context)
    restored = _reactivated(memo, rivals, context)
    changes: list[Change] = [Revise(memo, restored, f"restored by {context.actor}")]
    changes += [supersede(rival, memo.id, context.at) for rival in rivals]
    changes += _mend_links(tx, memo, rivals)
    write(tx, changes, context)
    tx.memos.remove_tombstone(memo.subject.scope, fingerprint(memo.text))
    withheld.lift(tx, [restored])
    rebuild_derived(tx, restored, context.at, "what a message said counts again", schedule)
    archived = archive_surplus(tx, restored, limits, {memo.id}, context)
    return Restored(
        restored,
        replaced=tuple(rival for rival in rivals if is_visible(rival)),
        archived=tuple(change.before for change in archived if is_visible(change.before)),
    )


def _reactivated(memo: Memo, rivals: list[Memo], context: ChangeContext) -> Memo:
    has_expired = memo.expires is not None and memo.expires <= context.at
    return replace(
        memo,
        status=Status.ACTIVE,
        superseded_by=None,
        supersedes=rivals[0].id if rivals else memo.supersedes,
        expires=None if has_expired else memo.expires,
        updated=max(context.at, memo.updated),
    )


def _rivals(tx: Tx, memo: Memo, context: ChangeContext) -> list[Memo]:
    """Live memos that can't hold beside this one; as in a merge, only those with no wider audience."""
    same = tx.memos.same_text(memo.subject, memo.text)
    successor = tx.memos.get(memo.subject, memo.superseded_by) if memo.superseded_by else None
    similar = [*similar_memos(tx, memo.subject, memo.text), *filter(None, [successor])]
    contradicting = [other for other in similar if compare(memo.text, other.text) is Similarity.CONTRADICTS]
    unique = {other.id: other for other in (*same, *contradicting) if other.id != memo.id}
    return [
        other for other in unique.values() if is_live(other, context.at) and includes(memo.audience, other.audience)
    ]


def _mend_links(tx: Tx, memo: Memo, rivals: list[Memo]) -> list[Change]:
    """The memo that had replaced this one, and stays beside it, replaces it no longer."""
    successor = tx.memos.get(memo.subject, memo.superseded_by) if memo.superseded_by else None
    if successor is None or successor.supersedes != memo.id or successor.id in {rival.id for rival in rivals}:
        return []
    return [Revise(successor, replace(successor, supersedes=None), "what it replaced was restored")]
