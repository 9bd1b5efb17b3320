"""Roll back what rests on an edited or deleted message, in the same transaction.

A memo returns to its newest earlier state that is still supported by a message; one that has none is archived. What it
had replaced, and what the message had retired, is restored. Summaries that covered the message are rebuilt without it.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Change, Revise
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.text import collapse_spaces, fold
from recollect.core.types import Memo, Message, Origin, Status, Subject, message_ref
from recollect.learning.apply import ChangeContext, write
from recollect.learning.schedule import queue_summary, summary_key
from recollect.policy.guard.grounding import overlaps
from recollect.policy.merge import is_authored, retire
from recollect.policy.viewer import session_name
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before

NOT_UNDONE = ""
"""The batch of rollbacks: `undo` must not bring deleted words back."""

_LEARNED_ORIGINS = (Origin.SUMMARY, Origin.DISCORD)
_MAX_EVENTS_PER_MEMO = 200
"""Events of one memo that are scanned for earlier states."""
_EVENTS_PER_PAGE, _MAX_PAGES = 500, 6
"""Events of an author that are scanned for what a message retired; older retirements stay."""

_ARCHIVED_REASONS = {
    (False, True): Reason.SOURCE_DELETED,
    (False, False): Reason.SOURCE_EDITED,
    (True, True): Reason.PINNED_SOURCE_DELETED,
    (True, False): Reason.PINNED_SOURCE_EDITED,
}
"""By whether the memo was pinned, and whether the message was deleted or edited."""
_BEGINNING = -1
"""Before any event."""


@dataclass(frozen=True, slots=True)
class _EarlierState:
    """A state to restore, and the event that had changed it."""

    memo: Memo | None
    event: int


def rollback_message(tx: Tx, message: Message, text: str | None, now: datetime) -> None:
    """Roll back what rests on a message that now has this text, or None if deleted; the store is already updated."""
    context = ChangeContext(message.author, now, NOT_UNDONE, message_ref(message))
    for memo in tx.memos.from_message(message.place.platform, message.id):
        if _is_learned(memo) and not _quotes(memo, text or ""):
            changes = _take_back(tx, memo, now, deleted=text is None)
            write(tx, changes, context)
            if changes:
                withheld.retire(tx, memo, now, name=message.name, source_gone=True)
    for memo in _retired_by(tx, message):
        write(tx, _revive(tx, memo, now, Reason.NO_LONGER_ENDED), context)
    rebuild_summary(tx, message, now, Reason.MESSAGE_DELETED if text is None else Reason.MESSAGE_EDITED)


def rebuild_summary(tx: Tx, message: Message, now: datetime, reason: Reason) -> None:
    """Drop the summaries that cover a message, and queue new ones."""
    for user in (None, message.author):
        session = session_name(message.place, user)
        if not tx.summaries.sequence(session) and tx.jobs.find(summary_key(session)) is None:
            continue  # never summarized, and no summary is queued
        if tx.summaries.rewind(session, message.at, now):
            tx.events.add(Event(EventKind.SUMMARY_RESET, now, message.author, session, reason=reason))
            queue_summary(tx, message, user, now)


def is_supported(tx: Tx, memo: Memo) -> bool:
    """Whether a memo's source message still supports it; what its owner wrote needs no support."""
    if not _is_learned(memo):
        return True
    message = tx.messages.get(memo.source.platform, memo.source.message or "")
    if message is None:
        return False
    return _quotes(memo, message.text) if memo.source.evidence else overlaps(memo.text, message.text)


def _is_learned(memo: Memo) -> bool:
    """Whether its text comes from a message; a manual memo with evidence was reworded by a model."""
    source = memo.source
    return bool(source.message) and (source.origin in _LEARNED_ORIGINS or (is_authored(memo) and bool(source.evidence)))


def _quotes(memo: Memo, text: str) -> bool:
    evidence = fold(collapse_spaces(memo.source.evidence or "").removesuffix("…"))
    return bool(evidence) and evidence in fold(collapse_spaces(text))


def _take_back(tx: Tx, memo: Memo, now: datetime, *, deleted: bool) -> list[Change]:
    if not memo.active and memo.status is not Status.SUPERSEDED:
        return []
    earlier = _find_earlier_state(tx, memo, now)
    if earlier.memo is not None:
        after = replace(earlier.memo, status=memo.status, superseded_by=memo.superseded_by)
        reason = Reason.SOURCE_DELETED if deleted else Reason.SOURCE_EDITED
        return [Revise(memo, after, reason), *_release_replaced(tx, memo, earlier.event, now)]
    if is_authored(memo):  # the owner's own wording is lost; better this one than none
        return []
    reason = _ARCHIVED_REASONS[memo.pinned, deleted]
    return [retire(memo, now, reason, Status.ARCHIVED), *_release_replaced(tx, memo, earlier.event, now)]


def _release_replaced(tx: Tx, memo: Memo, since: int, now: datetime) -> list[Change]:
    """Restore what the memo replaced after this event, or hand it to the memo that superseded it."""
    changes: list[Change] = []
    for replaced in tx.memos.list(memo.subject, [Status.SUPERSEDED]):
        if replaced.superseded_by != memo.id or _retirement_event(tx, replaced).id <= since:
            continue
        if memo.active:  # its support was checked when its own message changed
            changes.append(_reactivate(replaced, replaced, now, Reason.SUCCESSOR_GONE))
        else:
            after = replace(replaced, superseded_by=memo.superseded_by)
            changes.append(Revise(replaced, after, Reason.FIRST_SUCCESSOR_GONE))
    return changes


def _revive(tx: Tx, memo: Memo, now: datetime, reason: Reason) -> list[Change]:
    """Reactivate a retired memo in its newest supported state."""
    restored = memo if is_supported(tx, memo) else _find_earlier_state(tx, memo, now).memo
    return [] if restored is None else [_reactivate(memo, restored, now, reason)]


def _reactivate(memo: Memo, restored: Memo, now: datetime, reason: Reason) -> Revise:
    return Revise(
        memo, replace(restored, status=Status.ACTIVE, superseded_by=None, updated=max(now, memo.updated)), reason
    )


def _find_earlier_state(tx: Tx, memo: Memo, now: datetime) -> _EarlierState:
    """The newest earlier state that is supported, with the owner's later decisions on pin and audience."""
    events = tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_MAX_EVENTS_PER_MEMO)
    undone = {event.data.get("undoes") for event in events if event.kind == EventKind.MEMO_UNDONE}
    shared, later = None, memo
    for event in events:
        if "before" not in event.data or event.data.get("batch") in undone:
            continue
        state = memo_before(tx, event)
        if shared is None and _is_shared(event, state, later):
            shared = later.audience
        if state.active and is_supported(tx, state):
            audience, updated = shared or state.audience, max(now, memo.updated)
            restored = replace(
                state, key=memo.key, hits=memo.hits, pinned=memo.pinned, audience=audience, updated=updated
            )
            return _EarlierState(restored, event.id)
        later = state
    return _EarlierState(None, _BEGINNING)


def _is_shared(event: Event, before: Memo, after: Memo) -> bool:
    """Whether this event changed only the audience of a memo."""
    return "message" not in event.data and before.text == after.text and before.audience != after.audience


def _retired_by(tx: Tx, message: Message) -> list[Memo]:
    """The author's memos that this message retired and that are still retired."""
    subject, reference = Subject(message.author), message_ref(message)
    memos: dict[str, Memo] = {}
    page = [] if message.bot else tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE)
    for _ in range(_MAX_PAGES):
        for event in page:
            if (
                event.kind == EventKind.MEMO_RETIRED
                and event.data.get("message") == reference
                and event.data.get("batch")
            ):
                memo = tx.memos.get(subject, event.memo or "")
                if memo is not None and memo.status is Status.DEPRECATED and _retirement_event(tx, memo).id == event.id:
                    memos[memo.id] = memo
        if len(page) < _EVENTS_PER_PAGE:
            break
        page = tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE, before=page[-1].id)
    return list(memos.values())


def _retirement_event(tx: Tx, memo: Memo) -> Event:
    """The event that retired a memo last."""
    events = tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_MAX_EVENTS_PER_MEMO)
    return next(
        (event for event in events if event.kind == EventKind.MEMO_RETIRED), Event(EventKind.MEMO_RETIRED, memo.updated)
    )
