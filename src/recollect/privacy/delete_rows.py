"""Erasing rows of the store, in idempotent units of work, each of which removes its rows completely."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.core.changes import Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.ports.jobs import consolidation_queue
from recollect.core.reasons import Reason
from recollect.core.sessions import learning_queue, speaker_key, summary_queue
from recollect.core.state import StateKind
from recollect.core.types import Memo, Message, Subject, Tombstone, parse_message_ref, split_person
from recollect.learning import derived
from recollect.learning.recently_removed import RecentlyRemoved
from recollect.learning.schedule import Schedule, queue_daily_log, queue_summary
from recollect.policy import repetition
from recollect.policy.viewer import session_name
from recollect.privacy.inventory import (
    ERASED,
    Inventory,
    Rows,
    find_jobs,
    has_content,
    iter_events,
    iter_log,
    lore_stated_by,
    session_names,
)
from recollect.privacy.target import ErasureTarget
from recollect.recall import sent_prompts
from recollect.recall.withheld import release_restored, statement

RETAINED_FIELDS = ("undoes",)
"""Event fields that survive redaction: the log needs the batch that was undone, and its number reveals nothing."""


def save_intent(tx: Tx, target: ErasureTarget, inventory: Inventory) -> None:
    """Save what an interrupted erasure needs in order to resume: ids, no content. Requests as sent go at once."""
    sent_prompts.remove_all(tx)
    for author in inventory.authors:
        tx.state.append(StateKind.RUNNING_ERASURE, str(target), f"author {author}", target.owner)
    for session in inventory.sessions:
        tx.state.append(StateKind.RUNNING_ERASURE, str(target), f"session {session}", target.owner)


def load_intent(tx: Tx, target: ErasureTarget, inventory: Inventory) -> None:
    """Add to the inventory what an interrupted erasure had saved."""
    for item in tx.state.items(StateKind.RUNNING_ERASURE, str(target)):
        kind, _, name = item.partition(" ")
        (inventory.authors if kind == "author" else inventory.sessions).add(name)


def is_interrupted(tx: Tx, target: ErasureTarget) -> bool:
    """Whether an erasure was interrupted, so that traces may remain that an inventory does not find."""
    return bool(tx.state.items(StateKind.RUNNING_ERASURE, str(target)))


def clear_intent(tx: Tx, target: ErasureTarget) -> None:
    """The erasure is complete: there is nothing to resume."""
    tx.state.clear(StateKind.RUNNING_ERASURE, str(target))


def erase_messages(
    tx: Tx, target: ErasureTarget, rows: Rows, now: datetime, schedule: Schedule, removed: RecentlyRemoved
) -> None:
    """Erase messages with their index entries, vectors and exchanges; dependent summaries are rebuilt."""
    messages = [message for _, message in rows]
    for message in messages:
        # Noted before the rows go: a reply that is being written may already have read them.
        removed.note(derived.statements_of(message, (), now), message, erased=True)
    tx.messages.erase([(message.place.platform, message.id) for message in messages], now)
    for message in messages:
        if message.place.guild_key is not None:
            tx.exchanges.remove_quoting(message.place.guild_key, message.id)
        # The log on disk is updated by a job, which needs only the message's name.
        queue_daily_log(tx, message, now, schedule)
    _reset_summaries(tx, target, messages, now)


def _reset_summaries(tx: Tx, target: ErasureTarget, messages: Sequence[Message], now: datetime) -> None:
    first_messages: dict[str, Message] = {}
    for message in messages:
        for session in session_names(message, target):
            if session not in first_messages or message.at < first_messages[session].at:
                first_messages[session] = message
    for session, message in first_messages.items():
        if target.owns_session(session):
            _clear_summary(tx, session, now)
        elif tx.summaries.rewind(session, message.at, now):
            tx.events.add(Event(EventKind.SUMMARY_RESET, now, scope=session, reason=Reason.SOURCE_ERASED))
            is_shared = session_name(message.place, None) == session
            queue_summary(tx, message, None if is_shared else target.user or message.author, now)


def _clear_summary(tx: Tx, session: str, now: datetime) -> int:
    version_count = len(tx.summaries.history(session, 1 << 30))
    if tx.summaries.clear(session, now) or version_count:
        tx.events.add(Event(EventKind.SUMMARY_RESET, now, scope=session, reason=Reason.ERASED))
    return version_count


def erase_memos(tx: Tx, target: ErasureTarget, memos: Sequence[Memo], now: datetime) -> int:
    """Erase memos with everything derived from them; a fingerprint of each text stays, so that it can't come back."""
    for memo in memos:
        tx.memos.remove(memo)
    release_restored(tx, memos)
    events = list(iter_log(tx, target, memos)) if not target.is_whole_user else []
    for memo in memos:
        _add_tombstones(tx, memo.subject, [memo.text], now)
    _redact_events(tx, events, now)
    for scope in sorted({memo.subject.scope for memo in memos} - {target.subject.scope}):
        along = Event(ERASED, now, scope=scope, reason=Reason.ERASED_ALONG, detail=str(target))
        _record_erasure(tx, along)  # mirrored files follow the log
    return len(memos)


def erase_expired(tx: Tx, memos: Sequence[Memo], now: datetime) -> int:
    """Erase expired memos; what they say may be learned again if it is said again."""
    for memo in memos:
        tx.memos.remove(memo)
    release_restored(tx, memos)
    _redact_events(tx, [event for memo in memos for event in iter_events(tx, memo.subject.scope, memo.id)], now)
    for scope in sorted({memo.subject.scope for memo in memos}):
        _record_erasure(tx, Event(ERASED, now, scope=scope, reason=Reason.EXPIRED))
    return len(memos)


def remove_derived(tx: Tx, memos: Sequence[Memo], now: datetime, removed: RecentlyRemoved) -> None:
    """Remove what the assistant said to others, or is about to say, that repeats memos which are to be erased."""
    for subject in {memo.subject for memo in memos}:
        own = [memo for memo in memos if memo.subject == subject]
        items = [statement(tx, memo, now) for memo in own]
        removed.note(items, erased=True)
        derived.remove(tx, subject, items, min(memo.created for memo in own), now)


def remove_repeated(tx: Tx, rows: Rows, now: datetime) -> None:
    """Remove what the assistant said to others that repeats messages of one person, whether or not it was learned."""
    messages = [message for _, message in rows if not message.bot]
    said = (item for message in messages for item in derived.statements_of(message, (), now))
    items = [item for item in said if repetition.distinctive_heads(item.text)]
    if items:
        derived.remove(tx, Subject(messages[0].person), items, min(message.at for message in messages), now)


def _redact_events(tx: Tx, events: Iterable[Event], now: datetime) -> None:
    """Remove the content of events; earlier texts of memos get tombstones too, so that they can't come back."""
    to_redact = {event.id: event for event in events if has_content(event)}
    steps = tx.changes.find(to_redact)
    for step_id, step in steps.items():
        if step.before is not None:
            _add_tombstones(tx, Subject.of_scope(to_redact[step_id].scope), [step.before.text], now)
    tx.changes.redact(steps, ("memo", "message", "before", "after"))
    tx.events.redact(to_redact, RETAINED_FIELDS)


def _add_tombstones(tx: Tx, subject: Subject, texts: Iterable[str], now: datetime) -> None:
    """Add tombstones, except for texts that another memo of the subject, which stays, also has."""
    for text in texts:
        if not tx.memos.same_text(subject, text):
            tx.memos.add_tombstone(Tombstone(subject.scope, tx.fingerprints.of_text(text), now))


def erase_remaining(
    tx: Tx, target: ErasureTarget, inventory: Inventory, now: datetime, asked_by: str
) -> dict[str, int]:
    """Erase exchanges, jobs, log and own summaries, and log that this was done, without details."""
    sent_prompts.remove_all(tx)  # a request may have been sent since the erasure began
    for exchange in tx.exchanges.by_author(target.user, target.guild):
        tx.exchanges.remove(exchange)
    counts = {
        "jobs": tx.jobs.erase([job.id for job in find_jobs(tx, target, inventory.references)]),
        "unsigned": _remove_actor(tx, target, now),
    }
    _erase_log(tx, target, inventory, now)
    for session in tx.summaries.sessions():
        if target.owns_session(session):
            _clear_summary(tx, session, now)
            tx.summaries.remove(session)  # its jobs are gone, so nothing can restore it
    _record_erasure(tx, Event(ERASED, now, asked_by, target.subject.scope, reason=Reason.ERASED))
    return counts


def _record_erasure(tx: Tx, event: Event) -> None:
    """Log an erasure; what came before it can't be undone."""
    event_id = tx.events.add(event)
    tx.changes.add(Step(event_id, event.scope, "", "", event.at, event.actor, reason=event.reason, undoable=False))


def _remove_actor(tx: Tx, target: ErasureTarget, now: datetime) -> int:
    """Remove who stated a guild's lore, and in which message and words; the lore itself belongs to the guild."""
    memos = lore_stated_by(tx, target)
    for memo in memos:
        source = replace(memo.source, actor="", message=None, evidence=None, metadata={})
        tx.memos.put(replace(memo, source=source, version=memo.version + 1))
        _redact_events(tx, list(iter_events(tx, memo.subject.scope, memo.id)), now)
    return len(memos)


def _erase_log(tx: Tx, target: ErasureTarget, inventory: Inventory, now: datetime) -> None:
    """Redact the log: everything in the target's own scopes, and in authors' scopes what quotes erased content."""
    scopes = {target.subject.scope} if target.user is None or target.is_whole_user else set[str]()
    own_sessions = [session for session in inventory.sessions if target.owns_session(session)]
    scopes |= {summary_queue(session) for session in own_sessions} | set(own_sessions)
    scopes |= {queue for queue in _queues(inventory) if target.owns_queue(queue)}
    for scope in sorted(scopes):
        _redact_events(tx, list(iter_events(tx, scope)), now)
    for author in sorted(inventory.authors):
        scope = Subject(author).scope
        if scope not in scopes:
            events = list(iter_events(tx, scope))
            steps = tx.changes.find([event.id for event in events])
            quoting = {step.id for step in steps.values() if step.before is not None and target.owns(step.before)}
            leading = {step.id for step in steps.values() if step.after is not None and target.owns(step.after)}
            _redact_events(tx, [e for e in events if e.id in quoting or _message_is_deleted(tx, e)], now)
            tx.changes.redact(leading - quoting, ("after",))


def _queues(inventory: Inventory) -> Iterable[str]:
    for author in inventory.authors:
        yield from (f"user:{author}", consolidation_queue(author))
        _, author_id = split_person(author)
        yield from (learning_queue(speaker_key(session, author_id)) for session in inventory.sessions)


def _message_is_deleted(tx: Tx, event: Event) -> bool:
    """Whether an event refers to a deleted message, and not to a memo, which may still exist."""
    if event.memo is not None or "message" not in event.data:
        return False
    return tx.messages.get(*parse_message_ref(str(event.data["message"]))) is None
