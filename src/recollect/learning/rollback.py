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
from recollect.recall.audience_migration import earlier

NOT_UNDONE = ""
"""The batch of what is done here: words that are gone are not brought back by an undo."""

_LEARNED = (Origin.SUMMARY, Origin.DISCORD)
_OF_A_MEMO = 200
"""Changes of one memo that are searched for its earlier words."""
_PAGE, _PAGES = 500, 6
"""Events of an author that are searched for what a message ended; what it ended longer ago stays ended."""

_BEGINNING = -1
"""Before any event."""


@dataclass(frozen=True, slots=True)
class _Earlier:
    """A memo as it shall be again, and the event that had changed that."""

    memo: Memo | None
    event: int


def rollback_message(tx: Tx, message: Message, text: str | None, at: datetime) -> None:
    """Take back what rests on a message that now says this, or is gone; the journal says so already."""
    cause = ChangeContext(message.author, at, NOT_UNDONE, message_ref(message))
    why = "its message was deleted" if text is None else "its message was edited"
    for memo in tx.memos.from_message(message.place.platform, message.id):
        if _is_learned(memo) and not _quotes(memo, text or ""):
            taken_back = _taken_back(tx, memo, at, why)
            write(tx, taken_back, cause)
            if taken_back:
                withheld.retire(tx, memo, at, name=message.name, gone=True)
    for memo in _ended_by(tx, message):
        write(tx, _revived(tx, memo, at, "what ended it is no longer said"), cause)
    rebuild_summary(tx, message, at, why.replace("its", "a"))


def rebuild_summary(tx: Tx, message: Message, at: datetime, why: str) -> None:
    """Drop the summaries that cover a message, and have them made again."""
    for user in (None, message.author):
        session = session_name(message.place, user)
        if not tx.summaries.sequence(session) and tx.jobs.find(summary_key(session)) is None:
            continue  # nobody ever summarised it, and nobody is about to
        if tx.summaries.rewind(session, message.at, at):
            tx.events.add(Event("summary.reset", at, message.author, session, reason=why))
            queue_summary(tx, message, user, at)


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
    return bool(source.message) and (source.origin in _LEARNED or (is_authored(memo) and bool(source.evidence)))


def _quotes(memo: Memo, text: str) -> bool:
    evidence = fold(collapse_spaces(memo.source.evidence or "").removesuffix("…"))
    return bool(evidence) and evidence in fold(collapse_spaces(text))


def _taken_back(tx: Tx, memo: Memo, at: datetime, why: str) -> list[Change]:
    if not memo.active and memo.status is not Status.SUPERSEDED:
        return []
    earlier = _earlier(tx, memo, at)
    if earlier.memo is not None:
        after = replace(earlier.memo, status=memo.status, superseded_by=memo.superseded_by)
        return [Revise(memo, after, why), *_released(tx, memo, earlier.event, at)]
    if is_authored(memo):  # nobody knows the owner's own words any more; better these than none
        return []
    reason = f"{why}; it was pinned, but nothing else said so" if memo.pinned else why
    return [retire(memo, at, reason, Status.ARCHIVED), *_released(tx, memo, earlier.event, at)]


def _released(tx: Tx, memo: Memo, since: int, at: datetime) -> list[Change]:
    """What the memo replaced after this event counts again; or waits for the memo that took its own place."""
    changes: list[Change] = []
    for replaced in tx.memos.list(memo.subject, [Status.SUPERSEDED]):
        if replaced.superseded_by != memo.id or _end(tx, replaced).id <= since:
            continue
        if memo.active:  # it stands: had its own message gone, it would have been archived then
            changes.append(_in_use(replaced, replaced, at, "what took its place is gone"))
        else:
            after = replace(replaced, superseded_by=memo.superseded_by)
            changes.append(Revise(replaced, after, "what took its place first is gone"))
    return changes


def _revived(tx: Tx, memo: Memo, at: datetime, why: str) -> list[Change]:
    """An ended memo is in use again, in the newest words that are still said."""
    words = memo if is_supported(tx, memo) else _earlier(tx, memo, at).memo
    return [] if words is None else [_in_use(memo, words, at, why)]


def _in_use(memo: Memo, words: Memo, at: datetime, why: str) -> Revise:
    return Revise(memo, replace(words, status=Status.ACTIVE, superseded_by=None, updated=max(at, memo.updated)), why)


def _earlier(tx: Tx, memo: Memo, at: datetime) -> _Earlier:
    """The newest earlier words that still stand; pinned and heard as the owner has decided since."""
    events = tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_OF_A_MEMO)
    undone = {event.data.get("undoes") for event in events if event.kind == "memo.undone"}
    shared, later = None, memo
    for event in events:
        if "before" not in event.data or event.data.get("batch") in undone:
            continue
        state = earlier(tx, event)
        if shared is None and _is_shared(event, state, later):
            shared = later.audience
        if state.active and is_supported(tx, state):
            heard, updated = shared or state.audience, max(at, memo.updated)
            kept = replace(state, key=memo.key, hits=memo.hits, pinned=memo.pinned, audience=heard, updated=updated)
            return _Earlier(kept, event.id)
        later = state
    return _Earlier(None, _BEGINNING)


def _is_shared(event: Event, before: Memo, after: Memo) -> bool:
    """Whether this was a decision who may hear a memo, and no new words for it."""
    return "message" not in event.data and before.text == after.text and before.audience != after.audience


def _ended_by(tx: Tx, message: Message) -> list[Memo]:
    """What the author's memory lost by this message and has not got back since."""
    subject, mark = Subject(message.author), message_ref(message)
    found: dict[str, Memo] = {}
    page = [] if message.bot else tx.events.list(scope=subject.scope, limit=_PAGE)
    for _ in range(_PAGES):
        for event in page:
            if event.kind == "memo.retired" and event.data.get("message") == mark and event.data.get("batch"):
                memo = tx.memos.get(subject, event.memo or "")
                if memo is not None and memo.status is Status.DEPRECATED and _end(tx, memo).id == event.id:
                    found[memo.id] = memo
        if len(page) < _PAGE:
            break
        page = tx.events.list(scope=subject.scope, limit=_PAGE, before=page[-1].id)
    return list(found.values())


def _end(tx: Tx, memo: Memo) -> Event:
    """The event that retired a memo last."""
    events = tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_OF_A_MEMO)
    return next((event for event in events if event.kind == "memo.retired"), Event("memo.retired", memo.updated))
