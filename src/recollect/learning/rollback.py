"""A message was edited or deleted: whatever rests on its words is taken back, in the same transaction.

A memo gets back the newest earlier words that are still said somewhere; one that has none is archived. What it had
replaced, and what the message had ended, counts again. Summaries that covered the message are made anew without it.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Change, Revise
from recollect.core.events import Event
from recollect.core.ports import Tx
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
"""The batch of what is done here: words that are gone are not brought back by an undo."""

_LEARNED_ORIGINS = (Origin.SUMMARY, Origin.DISCORD)
_MAX_EVENTS_PER_MEMO = 200
"""Changes of one memo that are searched for its earlier words."""
_EVENTS_PER_PAGE, _MAX_PAGES = 500, 6
"""Events of an author that are searched for what a message ended; what it ended longer ago stays ended."""

_BEGINNING = -1
"""Before any event."""


@dataclass(frozen=True, slots=True)
class _EarlierState:
    """A memo as it shall be again, and the event that had changed that."""

    memo: Memo | None
    event: int


def rollback_message(tx: Tx, message: Message, text: str | None, now: datetime) -> None:
    """Take back what rests on a message that now says this, or is gone; the journal says so already."""
    context = ChangeContext(message.author, now, NOT_UNDONE, message_ref(message))
    reason = "its message was deleted" if text is None else "its message was edited"
    for memo in tx.memos.from_message(message.place.platform, message.id):
        if _is_learned(memo) and not _quotes(memo, text or ""):
            changes = _take_back(tx, memo, now, reason)
            write(tx, changes, context)
            if changes:
                withheld.retire(tx, memo, now, name=message.name, source_gone=True)
    for memo in _retired_by(tx, message):
        write(tx, _revive(tx, memo, now, "what ended it is no longer said"), context)
    rebuild_summary(tx, message, now, reason.replace("its", "a"))


def rebuild_summary(tx: Tx, message: Message, now: datetime, reason: str) -> None:
    """Drop the summaries that cover a message, and have them made again."""
    for user in (None, message.author):
        session = session_name(message.place, user)
        if not tx.summaries.sequence(session) and tx.jobs.find(summary_key(session)) is None:
            continue  # nobody ever summarised it, and nobody is about to
        if tx.summaries.rewind(session, message.at, now):
            tx.events.add(Event("summary.reset", now, message.author, session, reason=reason))
            queue_summary(tx, message, user, now)


def is_supported(tx: Tx, memo: Memo) -> bool:
    """Whether what a memo rests on is still said; what its owner wrote down rests on nothing else."""
    if not _is_learned(memo):
        return True
    message = tx.messages.get(memo.source.platform, memo.source.message or "")
    if message is None:
        return False
    return _quotes(memo, message.text) if memo.source.evidence else overlaps(memo.text, message.text)


def _is_learned(memo: Memo) -> bool:
    """Whether its words come from a message; a quote tells it of what someone wrote down and a model reworded."""
    source = memo.source
    return bool(source.message) and (source.origin in _LEARNED_ORIGINS or (is_authored(memo) and bool(source.evidence)))


def _quotes(memo: Memo, text: str) -> bool:
    evidence = fold(collapse_spaces(memo.source.evidence or "").removesuffix("…"))
    return bool(evidence) and evidence in fold(collapse_spaces(text))


def _take_back(tx: Tx, memo: Memo, now: datetime, reason: str) -> list[Change]:
    if not memo.active and memo.status is not Status.SUPERSEDED:
        return []
    earlier = _find_earlier_state(tx, memo, now)
    if earlier.memo is not None:
        after = replace(earlier.memo, status=memo.status, superseded_by=memo.superseded_by)
        return [Revise(memo, after, reason), *_release_replaced(tx, memo, earlier.event, now)]
    if is_authored(memo):  # nobody knows the owner's own words any more; better these than none
        return []
    text = f"{reason}; it was pinned, but nothing else said so" if memo.pinned else reason
    return [retire(memo, now, text, Status.ARCHIVED), *_release_replaced(tx, memo, earlier.event, now)]


def _release_replaced(tx: Tx, memo: Memo, since: int, now: datetime) -> list[Change]:
    """What the memo replaced after this event counts again; or waits for the memo that took its own place."""
    changes: list[Change] = []
    for replaced in tx.memos.list(memo.subject, [Status.SUPERSEDED]):
        if replaced.superseded_by != memo.id or _retirement_event(tx, replaced).id <= since:
            continue
        if memo.active:  # it stands: had its own message gone, it would have been archived then
            changes.append(_reactivate(replaced, replaced, now, "what took its place is gone"))
        else:
            after = replace(replaced, superseded_by=memo.superseded_by)
            changes.append(Revise(replaced, after, "what took its place first is gone"))
    return changes


def _revive(tx: Tx, memo: Memo, now: datetime, reason: str) -> list[Change]:
    """An ended memo is in use again, in the newest words that are still said."""
    restored = memo if is_supported(tx, memo) else _find_earlier_state(tx, memo, now).memo
    return [] if restored is None else [_reactivate(memo, restored, now, reason)]


def _reactivate(memo: Memo, restored: Memo, now: datetime, reason: str) -> Revise:
    return Revise(
        memo, replace(restored, status=Status.ACTIVE, superseded_by=None, updated=max(now, memo.updated)), reason
    )


def _find_earlier_state(tx: Tx, memo: Memo, now: datetime) -> _EarlierState:
    """The newest earlier words that still stand; pinned and heard as the owner has decided since."""
    events = tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_MAX_EVENTS_PER_MEMO)
    undone = {event.data.get("undoes") for event in events if event.kind == "memo.undone"}
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
    """Whether this was a decision who may hear a memo, and no new words for it."""
    return "message" not in event.data and before.text == after.text and before.audience != after.audience


def _retired_by(tx: Tx, message: Message) -> list[Memo]:
    """What the author's memory lost by this message and has not got back since."""
    subject, reference = Subject(message.author), message_ref(message)
    memos: dict[str, Memo] = {}
    page = [] if message.bot else tx.events.list(scope=subject.scope, limit=_EVENTS_PER_PAGE)
    for _ in range(_MAX_PAGES):
        for event in page:
            if event.kind == "memo.retired" and event.data.get("message") == reference and event.data.get("batch"):
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
    return next((event for event in events if event.kind == "memo.retired"), Event("memo.retired", memo.updated))
