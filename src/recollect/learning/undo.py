"""Undo: name a subject's last change, and take it back if it is still the last one.

A change that can't be undone (its message was deleted, something was erased) is never skipped.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.outcomes import CannotUndo, Reversal, Undoable, Undone, UndoOffer, UndoOutcome
from recollect.core.ports import Tx
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, add_tombstone
from recollect.learning.changes import NO_JOBS, rebuild_derived
from recollect.learning.rollback import NOT_UNDONE, is_supported
from recollect.learning.schedule import Schedule
from recollect.policy.merge import fingerprint
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before
from recollect.recall.listing import VisibilityCheck

_EVENTS_PER_PAGE = 500
"""Events read at a time while looking for the last change."""


_MAX_EVENTS_AFTER = 200
"""Events of the same change that may follow one of its events in the log."""


_UNDOABLE_KINDS = ("memo.added", "memo.revised", "memo.retired")


_ERASED_KIND = "memo.erased"


_CHANGE_KINDS = (*_UNDOABLE_KINDS, "memo.undone", _ERASED_KIND)


_ERASURE_TEXT = "the last change can't be undone: it was an erasure"


_MESSAGE_GONE_TEXT = "the last change can't be undone: it came with a message that was deleted or edited"


_UNSUPPORTED_TEXT = "the last change can't be undone: what it changed rests on a message that no longer says so"


_CHANGED_SINCE_TEXT = "something else was changed in the meantime, so nothing was undone"


def undoable(tx: Tx, subject: Subject, is_visible: VisibilityCheck) -> UndoOffer:
    """What `undo` would take back now."""
    parts = _last_change(tx, subject)
    if isinstance(parts, CannotUndo):
        return parts
    return _describe(tx, subject, parts, is_visible) if parts else None


def undo(
    tx: Tx,
    subject: Subject,
    context: ChangeContext,
    is_visible: VisibilityCheck,
    memo_id: str | None = None,
    expected: int | None = None,
    schedule: Schedule = NO_JOBS,
) -> UndoOutcome:
    """Take back the subject's last change that has not been taken back, or what was last learned about one memo;
    None when there is none. With `expected`, only if that is still the change with this event.
    """
    parts = _last_change(tx, subject) if memo_id is None else _last_learned_change(tx, subject, memo_id)
    if isinstance(parts, CannotUndo):
        return parts
    newest = next((event.id for event in parts if memo_id in (None, event.memo)), None)
    if expected is not None and expected != newest:
        return CannotUndo(_CHANGED_SINCE_TEXT)
    if not parts:
        return None
    change = _describe(tx, subject, parts, is_visible)
    batch = parts[0].data["batch"]
    data = {"undoes": batch} if memo_id is None else {"undoes": batch, "alone": True}
    for event in parts:
        _take_back(tx, subject, event, context, schedule)
        reason = f"undid: {event.reason}"
        tx.events.add(Event("memo.undone", context.at, context.actor, subject.scope, event.memo, reason, data))
    shown_again = [tx.memos.get(subject, event.memo or "") for event in parts if event.kind != "memo.added"]
    withheld.lift(tx, [memo for memo in shown_again if memo is not None and memo.active])
    return Undone(change.change, change.actor, change.at, change.reversals, change.hidden)


def _take_back(tx: Tx, subject: Subject, event: Event, context: ChangeContext, schedule: Schedule) -> None:
    memo = tx.memos.get(subject, event.memo or "")
    if memo is None:
        return
    if event.kind == "memo.added":
        tx.memos.put(replace(memo, status=Status.DELETED, updated=context.at))
    elif (restored := _restore(tx, memo, memo_before(tx, event), event)).active != memo.active:
        reason = "what a message said counts again" if restored.active else "what a message said was forgotten again"
        rebuild_derived(tx, memo, context.at, reason, schedule)


def _describe(tx: Tx, subject: Subject, parts: Sequence[Event], is_visible: VisibilityCheck) -> Undoable:
    """What undoing these events would do to each memo that still exists."""
    reversals: dict[str, Reversal] = {}
    for event in parts:  # newest first: the oldest event holds the state to restore
        memo = tx.memos.get(subject, event.memo or "")
        if memo is not None:
            before = None if event.kind == "memo.added" else memo_before(tx, event)
            reversals[memo.id] = Reversal(memo, before and replace(before, key=memo.key, hits=memo.hits))
    visible = [
        reversal for reversal in reversals.values() if is_visible(replace(reversal.current, status=Status.ACTIVE))
    ]
    return Undoable(parts[0].id, parts[0].actor, parts[-1].at, tuple(visible), len(reversals) - len(visible))


def _last_change(tx: Tx, subject: Subject) -> list[Event] | CannotUndo:
    """The events of the newest change that has not been taken back, newest first.

    A change that can't be undone is returned as such: skipping it would undo an older change instead.
    """
    undone: set[tuple[str, str | None]] = set()
    page = tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE, kinds=_CHANGE_KINDS)
    while page:
        for event in page:
            batch = event.data.get("batch")
            if event.kind == _ERASED_KIND:
                return CannotUndo(_ERASURE_TEXT)
            if event.kind == "memo.undone":
                undone.add((event.data["undoes"], event.memo if event.data.get("alone") else None))
            elif batch == NOT_UNDONE:
                return CannotUndo(_MESSAGE_GONE_TEXT)
            elif batch and undone.isdisjoint({(batch, None), (batch, event.memo)}):
                return _undoable_parts(tx, subject, _batch(tx, subject, batch, page), undone)
        page = tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE, before=page[-1].id, kinds=_CHANGE_KINDS)
    return []


def _undoable_parts(
    tx: Tx, subject: Subject, parts: Sequence[Event], undone: Collection[tuple[str, str | None]]
) -> list[Event] | CannotUndo:
    """The events of a change that can still be undone. States that their message no longer supports don't come back,
    nor do states before them.
    """
    lost: set[str | None] = set()
    remaining: list[Event] = []
    for event in parts:
        if (event.data["batch"], event.memo) in undone:
            continue
        if event.memo in lost or _is_lost(tx, subject, event):
            lost.add(event.memo)
        else:
            remaining.append(event)
    return remaining or CannotUndo(_UNSUPPORTED_TEXT)


def _last_learned_change(tx: Tx, subject: Subject, memo_id: str) -> list[Event]:
    """The events by which a memo was last learned and others were superseded by it; empty if it was changed since."""
    for last in tx.events.list(scope=subject.scope, memo=memo_id, limit=1):
        if _is_learned(last) and not _is_lost(tx, subject, last):
            page = tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE, before=last.id + _MAX_EVENTS_AFTER)
            parts = _batch(tx, subject, last.data["batch"], page)
            return [event for event in parts if event.id == last.id or _was_replaced(tx, subject, event, memo_id)]
    return []


def _is_learned(event: Event) -> bool:
    """Whether a memo was added, or revised by a message; other changes are its owner's decisions."""
    learned = event.kind == "memo.added" or (event.kind == "memo.revised" and "message" in event.data)
    return learned and _can_undo(event)


def _was_replaced(tx: Tx, subject: Subject, event: Event, memo_id: str) -> bool:
    memo = tx.memos.get(subject, event.memo or "") if event.kind == "memo.retired" else None
    return memo is not None and memo.status is Status.SUPERSEDED and memo.superseded_by == memo_id


def _is_lost(tx: Tx, subject: Subject, event: Event) -> bool:
    """Whether the state before this event is no longer supported by its message."""
    if "before" not in event.data or tx.memos.get(subject, event.memo or "") is None:
        return False
    before = serialization.memo_from_json(event.data["before"])
    return before.active and not is_supported(tx, before)


def _batch(tx: Tx, subject: Subject, batch: str, page: list[Event]) -> list[Event]:
    """All events of a change, newest first; they are adjacent in the log."""
    parts: list[Event] = []
    while page:
        parts += [event for event in page if event.data.get("batch") == batch and _can_undo(event)]
        if parts and page[-1].data.get("batch") != batch:
            break
        page = tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE, before=page[-1].id)
    return parts


def _restore(tx: Tx, current: Memo, before: Memo, event: Event) -> Memo:
    """Restore the earlier state; a memo that was forgotten then gets its tombstone back."""
    memo = replace(before, key=current.key, hits=current.hits)
    tx.memos.put(memo)
    if memo.active:
        tx.memos.remove_tombstone(memo.subject.scope, fingerprint(memo.text))
    elif memo.status is Status.DEPRECATED:
        add_tombstone(tx, memo, event.at)
    return memo


def _can_undo(event: Event) -> bool:
    return event.kind in _UNDOABLE_KINDS and bool(event.data.get("batch"))
