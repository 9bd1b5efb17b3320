"""Erasing in the store: units of work that may be repeated, each leaving nothing of what it took half removed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import consolidation_queue
from recollect.core.text import escape
from recollect.core.types import Memo, Message, Subject, Tombstone, parse_message_ref
from recollect.learning.schedule import Schedule, queue_daily_log, queue_summary
from recollect.policy.merge import fingerprint
from recollect.policy.viewer import session_name
from recollect.privacy.inventory import (
    ERASED,
    Inventory,
    Rows,
    events_of,
    is_wordy,
    jobs_of,
    log_of,
    sessions_of,
    texts_in,
    unsigned,
)
from recollect.privacy.target import ErasureTarget
from recollect.recall.display_names import release

KEPT = ("undoes",)
"""What the log needs to hang together: a batch that was undone, by a number that says nothing."""


def begin(tx: Tx, target: ErasureTarget, found: Inventory) -> None:
    """Write down what an interrupted erasure has to know when it goes on: ids, no content."""
    for item in (*(f"author {one}" for one in found.authors), *(f"session {one}" for one in found.sessions)):
        tx.state.append(_intent(target), item)


def resume(tx: Tx, target: ErasureTarget, found: Inventory) -> None:
    """What an erasure that was interrupted had written down."""
    for item in tx.state.items(_intent(target)):
        kind, _, name = item.partition(" ")
        (found.authors if kind == "author" else found.sessions).add(name)


def is_begun(tx: Tx, target: ErasureTarget) -> bool:
    """Whether an erasure was interrupted, so that there may be something left that nobody sees."""
    return bool(tx.state.items(_intent(target)))


def end(tx: Tx, target: ErasureTarget) -> None:
    tx.state.clear(_intent(target))


def _intent(target: ErasureTarget) -> str:
    return f"erasing:{target}"


def erase_messages(tx: Tx, target: ErasureTarget, rows: Rows, at: datetime, cadence: Schedule) -> int:
    """Messages with their index, vectors and short-term entries; summaries that rest on them are made anew."""
    messages = [message for _, message in rows]
    erased = tx.messages.erase([(message.place.platform, message.id) for message in messages], at)
    for message in messages:
        release(tx, message)
        if message.place.guild_key is not None:
            tx.exchanges.remove_quoting(message.place.guild_key, message.id)
        queue_daily_log(tx, message, at, cadence)
    _rewind(tx, target, messages, at)
    return erased


def _rewind(tx: Tx, target: ErasureTarget, messages: Sequence[Message], at: datetime) -> None:
    first: dict[str, Message] = {}
    for message in messages:
        for session in sessions_of(message, target):
            if session not in first or message.at < first[session].at:
                first[session] = message
    for session, message in first.items():
        if target.alone_in(session):
            _clear(tx, session, at)
        elif tx.summaries.rewind(session, message.at, at):
            tx.events.add(Event("summary.reset", at, scope=session, reason="what it rests on was erased"))
            shared = session_name(message.place, None) == session
            queue_summary(tx, message, None if shared else target.user or message.author, at)


def _clear(tx: Tx, session: str, at: datetime) -> int:
    kept = len(tx.summaries.history(session, 1 << 30))
    if tx.summaries.clear(session, at) or kept:
        tx.events.add(Event("summary.reset", at, scope=session, reason="erased"))
    return kept


def erase_memos(tx: Tx, target: ErasureTarget, memos: Sequence[Memo], at: datetime) -> int:
    """Memos with all that is derived from them; of each wording a fingerprint stays, so that it can't come back."""
    for memo in memos:
        tx.memos.remove(memo)
    events = list(log_of(tx, target, memos)) if not target.whole_user else []
    for memo in memos:
        _bury(tx, memo.subject, [memo.text], at)
    _scrub(tx, events, at)
    for scope in sorted({memo.subject.scope for memo in memos} - {target.subject.scope}):
        tx.events.add(Event(ERASED, at, scope=scope, reason=f"erased with {target}"))  # their files follow the log
    return len(memos)


def _scrub(tx: Tx, events: Iterable[Event], at: datetime) -> None:
    """Take the words out of events; earlier wordings of memos are kept from coming back as well."""
    wordy = [event for event in events if is_wordy(event)]
    for event in wordy:
        if event.scope.startswith(("user:", "lore:")) and "before" in event.data:
            _bury(tx, Subject.of_scope(event.scope), texts_in(event.data), at)
    tx.events.redact([event.id for event in wordy], KEPT)


def _bury(tx: Tx, subject: Subject, texts: Iterable[str], at: datetime) -> None:
    """Unless another memo of theirs, which stays, says the same."""
    for text in texts:
        if not tx.memos.same_text(subject, text):
            tx.memos.add_tombstone(Tombstone(subject.scope, fingerprint(text), at))


def finish(tx: Tx, target: ErasureTarget, found: Inventory, at: datetime, asked_by: str) -> dict[str, int]:
    """Everything else, and a line in the log that says only that this was done."""
    for exchange in tx.exchanges.asked_by(target.user, target.guild):
        tx.exchanges.remove(exchange)
    done = {
        "jobs": tx.jobs.erase([job.id for job in jobs_of(tx, target, found.references)]),
        "counters": _erase_counters(tx, target),
        "unsigned": _remove_actor(tx, target, at),
    }
    _erase_log(tx, target, found, at)
    for session in tx.summaries.sessions():
        if target.alone_in(session):
            _clear(tx, session, at)
            tx.summaries.remove(session)  # its jobs are gone: nobody can bring it back
    tx.events.add(Event(ERASED, at, asked_by, target.subject.scope, reason="erased"))
    return done


def _erase_counters(tx: Tx, target: ErasureTarget) -> int:
    names = [name for name in tx.state.names() if target.counts_in(name)]
    for name in names:
        tx.state.clear(name)
    for name in tx.state.names():
        _remove_items(tx, name, {item for item in tx.state.items(name) if target.stands_in(name, item)})
    return len(names)


def _remove_items(tx: Tx, name: str, items: set[str]) -> None:
    """Take items out of a list."""
    before = tx.state.items(name)
    if items.isdisjoint(before):
        return
    tx.state.clear(name)
    for item in before:
        if item not in items:
            tx.state.append(name, item)


def _remove_actor(tx: Tx, target: ErasureTarget, at: datetime) -> int:
    """A guild's lore stays the guild's; who stated it, in which message and words, goes."""
    memos = unsigned(tx, target)
    for memo in memos:
        tx.memos.put(replace(memo, source=replace(memo.source, actor="", message=None, evidence=None, metadata={})))
        _scrub(tx, list(events_of(tx, memo.subject.scope, memo.id)), at)
    return len(memos)


def _erase_log(tx: Tx, target: ErasureTarget, found: Inventory, at: datetime) -> None:
    """The words in the log: all of them under a person's or a guild's name, and what was refused of their messages."""
    scopes = {target.subject.scope} if target.user is None or target.whole_user else set[str]()
    alone = [session for session in found.sessions if target.alone_in(session)]
    scopes |= {f"session:{session}" for session in alone} | set(alone)
    scopes |= {queue for queue in _queues(found) if target.works_in(queue)}
    for scope in sorted(scopes):
        _scrub(tx, list(events_of(tx, scope)), at)
    for author in sorted(found.authors):
        scope = Subject(author).scope
        if scope not in scopes:
            gone = [event for event in events_of(tx, scope) if _is_gone(tx, event) or _was_theirs(event, target)]
            _scrub(tx, gone, at)


def _queues(found: Inventory) -> Iterable[str]:
    for author in found.authors:
        yield from (f"user:{author}", consolidation_queue(author))
        yield from (f"learn:{session}:{escape(author, ':')}" for session in found.sessions)


def _is_gone(tx: Tx, event: Event) -> bool:
    """Whether an event speaks of a message that is no longer there, and not of a memo, which may be."""
    if event.memo is not None or "message" not in event.data:
        return False
    return tx.messages.get(*parse_message_ref(str(event.data["message"]))) is None


def _was_theirs(event: Event, target: ErasureTarget) -> bool:
    """Whether an event keeps an earlier wording that was theirs, of a memo that has moved on."""
    before = event.data.get("before")
    return before is not None and target.owns(serialization.memo_from_json(before))
