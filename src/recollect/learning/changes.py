"""Explicit changes by a person: remember, forget, pin, share. Units of work, each one transaction."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip
from recollect.core.events import Event, EventKind
from recollect.core.outcomes import (
    AlreadyKnown,
    Ambiguous,
    ForgetOutcome,
    Forgotten,
    NotFound,
    Refused,
    Remembered,
    RememberOutcome,
)
from recollect.core.ports import Tx, Vector
from recollect.core.reasons import Reason
from recollect.core.types import Audience, Memo, Place, Subject
from recollect.learning import derived
from recollect.learning.apply import ChangeContext, MemoLimits, add_tombstone, apply_statement, write
from recollect.learning.rollback import rebuild_summary
from recollect.learning.schedule import Schedule, queue_daily_log
from recollect.policy.merge import retire
from recollect.recall.listing import VisibilityCheck, active_memos, find, get, source_message, without_hidden_links
from recollect.recall.summaries import latest_for

NO_JOBS = Schedule()


def remember_all(
    tx: Tx,
    candidates: Sequence[Candidate | Refused],
    context: ChangeContext,
    limits: MemoLimits,
    vectors: Sequence[tuple[str, Vector] | None],
    is_visible: VisibilityCheck,
) -> list[RememberOutcome]:
    """Apply statements one after the other; `vectors` belong to those that were not refused."""
    remaining = iter(vectors)
    return [
        candidate
        if isinstance(candidate, Refused)
        else remember(tx, candidate, context, limits, next(remaining), is_visible)
        for candidate in candidates
    ]


def remember(
    tx: Tx,
    candidate: Candidate,
    context: ChangeContext,
    limits: MemoLimits,
    vector: tuple[str, Vector] | None,
    is_visible: VisibilityCheck,
) -> RememberOutcome:
    """Apply an explicit statement."""
    changes = apply_statement(tx, candidate, context, limits, vector)
    memo = _resulting_memo(changes)
    if isinstance(memo, Refused):
        return memo
    visible = [_as_seen(change, is_visible) for change in changes if _is_change_visible(change, is_visible)]
    outcome = AlreadyKnown if isinstance(changes[0], Skip) else Remembered
    shown = tuple(_without_hidden_links(tx, change, is_visible) for change in visible)
    return outcome(without_hidden_links(tx, memo, is_visible), shown)


def _without_hidden_links(tx: Tx, change: Change, is_visible: VisibilityCheck) -> Change:
    match change:
        case Add(memo=memo):
            shown = without_hidden_links(tx, memo, is_visible)
            return change if shown is memo else replace(change, memo=shown)
        case Revise(before, after) | Retire(before, after):
            before, after = (without_hidden_links(tx, memo, is_visible) for memo in (before, after))
            return replace(change, before=before, after=after)
        case Skip():
            return change


def _as_seen(change: Change, is_visible: VisibilityCheck) -> Change:
    """The change as it looks here: what takes the place of a memo that may not be told here is new."""
    if isinstance(change, Revise) and not is_visible(change.before):
        return Add(change.after, Reason.NEW)
    return change


def _is_change_visible(change: Change, is_visible: VisibilityCheck) -> bool:
    """Whether a change may be reported here; not if a public statement replaced a private memo."""
    return isinstance(change, Add | Skip) or is_visible(change.after)


def _resulting_memo(changes: Collection[Change]) -> Memo | Refused:
    """The memo that holds the statement now, or why none does."""
    match next(iter(changes)):
        case Add(memo=memo):
            return memo
        case Revise(after=memo) | Retire(after=memo):
            return memo
        case Skip(reason=reason, memo=memo):
            return Refused(reason) if memo is None else memo


def forget(
    tx: Tx,
    subject: Subject,
    reference: str,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    share: float,
    every: bool,
    schedule: Schedule = NO_JOBS,
    version: int | None = None,
    *,
    literal: bool = False,
) -> ForgetOutcome:
    """Retire the memo with this id, this number in the list, or this text in it, and hide what repeats it.

    `share` is how much of a memo the text has to cover; with `every`, all matches go. A `version` is that of the memo
    with this id. With `literal`, the memo contains the text verbatim.
    """
    if version is not None:
        # Checked on its own: `find` would fall back to text, and forget another memo.
        get(tx, subject, reference.strip(), is_visible, version)
    matches = find(active_memos(tx, subject, is_visible), reference, share, literal=literal)
    if not matches:
        return NotFound(reference)
    if len(matches) > 1 and not every:
        return Ambiguous(tuple(without_hidden_links(tx, memo, is_visible) for memo in matches))
    return _forget(tx, subject, matches, context, is_visible, schedule)


def forget_all(
    tx: Tx,
    subject: Subject,
    memos: Sequence[Memo],
    context: ChangeContext,
    is_visible: VisibilityCheck,
    schedule: Schedule = NO_JOBS,
) -> Forgotten | NotFound:
    """Retire these memos as one change, if all of them are still as the caller has seen them."""
    current = [get(tx, subject, memo.id, is_visible, memo.version) for memo in memos]
    active = [memo for memo in current if memo.active]
    return _forget(tx, subject, active, context, is_visible, schedule) if active else NotFound("")


def _forget(
    tx: Tx,
    subject: Subject,
    memos: Sequence[Memo],
    context: ChangeContext,
    is_visible: VisibilityCheck,
    schedule: Schedule,
) -> Forgotten:
    write(tx, [retire(memo, context.at, Reason.FORGOTTEN, detail=context.actor) for memo in memos], context)
    items = [add_tombstone(tx, memo, context.at) for memo in memos]
    repeated = derived.count(tx, subject, items, min(memo.created for memo in memos))
    for memo in memos:
        rebuild_derived(tx, memo, context.at, Reason.SAID_WAS_FORGOTTEN, schedule)
    shown = tuple(without_hidden_links(tx, memo, is_visible) for memo in memos)
    return Forgotten(shown, len(repeated.messages), repeated.summary_lines)


def rebuild_derived(tx: Tx, memo: Memo, now: datetime, reason: Reason, schedule: Schedule) -> None:
    """Rebuild summary and daily log without (or, after a restore, with) what the memo's owner said."""
    message = source_message(tx, memo)
    if message is not None:
        rebuild_summary(tx, message, now, reason)
        queue_daily_log(tx, message, now, schedule)
    for repetition in derived.messages_repeating(tx, memo, now) if schedule.daily_log else ():
        queue_daily_log(tx, repetition, now, schedule)


def reset(tx: Tx, session: str, context: ChangeContext, place: Place | None = None) -> bool:
    """Clear the rolling summary of a session; False when there was none, nor one to be shown in the place."""
    was_shown = place is not None and latest_for(tx, session, place) is not None
    existed = tx.summaries.clear(session, context.at) or was_shown
    if existed:
        by = context.actor
        tx.events.add(Event(EventKind.SUMMARY_RESET, context.at, by, session, reason=Reason.RESET, detail=by))
    return existed


def pin(
    tx: Tx,
    subject: Subject,
    memo_id: str,
    pinned: bool,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    version: int | None = None,
) -> Memo:
    """Protect a memo from eviction, or no longer."""
    memo = get(tx, subject, memo_id, is_visible, version)
    after = _revise(tx, memo, replace(memo, pinned=pinned), context, Reason.PINNED if pinned else Reason.UNPINNED)
    return without_hidden_links(tx, after, is_visible)


def share(
    tx: Tx,
    subject: Subject,
    memo_id: str,
    audience: Audience,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    version: int | None = None,
) -> Memo:
    """Set the audience of a memo, wider or narrower than before."""
    memo = get(tx, subject, memo_id, is_visible, version)
    after = _revise(tx, memo, replace(memo, audience=audience), context, Reason.AUDIENCE_SET, str(audience))
    return without_hidden_links(tx, after, is_visible)


def _revise(tx: Tx, before: Memo, after: Memo, context: ChangeContext, reason: Reason, detail: str = "") -> Memo:
    return write(tx, [Revise(before, after, reason, detail)], context)[0].after
