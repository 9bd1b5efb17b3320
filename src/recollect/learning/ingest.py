"""Ingest messages: one transaction per message, including the jobs it triggers. Idempotent, no model call."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from recollect.core.clock import to_ms
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.ports.jobs import JobState
from recollect.core.state import StateKind
from recollect.core.text import clip, collapse_spaces, digest
from recollect.core.types import (
    AudienceLevel,
    Exchange,
    Memo,
    Message,
    Place,
    Subject,
    bare_id,
    message_ref,
    with_bare_id,
)
from recollect.learning.recently_removed import RecentlyRemoved, screened
from recollect.learning.schedule import Schedule, schedule_jobs
from recollect.policy.redaction import redact, redact_name, redact_place
from recollect.policy.rendering import BARS, speaker
from recollect.policy.viewer import require_present, valid_user
from recollect.recall.display_names import Names, claim
from recollect.recall.listing import VisibilityCheck, without_hidden_links

log = logging.getLogger("recollect")

MAX_MESSAGE_CHARS = 100_000
"""Characters of a message that are stored."""
_MAX_EVENTS_SCANNED = 200
"""Events of a user that are scanned for those of one message."""
MAX_QUESTION_CHARS, MAX_ANSWER_CHARS = 80, 100
"""Characters of a question and of its answer in a short-term entry."""


NO_JOBS = Schedule()
"""A schedule that never queues anything."""


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """How long exchanges in public channels are kept, and how many per person in a guild."""

    hours: float
    entries: int
    names: Names = field(default_factory=Names)


def transcript_message(
    text: str, author: str, place: Place, at: datetime, *, name: str = "", trace: str = "voice"
) -> Message:
    """A transcript as a message; its id is made of who said what, where and when, so that it counts once.

    `trace` names where it was transcribed, as in `voice` or `voice_realtime`.
    """
    fingerprint = digest(place.session, author, str(to_ms(at)), collapse_spaces(text))
    return Message(f"{trace}-{fingerprint[:16]}", author, place, text, at, name, source=trace)


def sanitize(message: Message) -> Message:
    """The message as it is stored: secrets redacted, length limited, people by their ids on the platform."""
    length = len(message.text)
    if length > MAX_MESSAGE_CHARS:
        log.warning("message %s has %d characters; the first %d are kept", message.id, length, MAX_MESSAGE_CHARS)
    text, name = redact(message.text[:MAX_MESSAGE_CHARS]).text, redact_name(message.name)
    author, place = bare_id(message.place.platform, message.author), redact_place(with_bare_id(message.place))
    source = redact_name(message.source)
    said = message.text, message.name, message.author, message.place, message.source
    is_unchanged = (text, name, author, place, source) == said
    return (
        message if is_unchanged else replace(message, text=text, name=name, author=author, place=place, source=source)
    )


def add_message(
    tx: Tx,
    message: Message,
    now: datetime,
    exchange_limits: ExchangeLimits | None = None,
    schedule: Schedule = NO_JOBS,
    removed: RecentlyRemoved | None = None,
) -> bool:
    """Put a message into the journal, an answer into short-term memory, and what is due into the queue.

    False when the message is there already, was deleted before it came, or is a reply that says nothing but what was
    `removed` while it was under way. Raises BadInput for an author that nobody can be, a bot's too, and for one who
    can't speak in the place.
    """
    valid_user(message.author)
    require_present(message)
    deleted = tx.state.items(StateKind.UNSEEN_DELETION, f"{message.place.platform}/{message.id}")
    reply = screened(tx, message, removed)
    # In one transaction with the write: a deletion either finds the message or leaves its note before.
    if deleted or (message.text and not reply.text) or not tx.messages.add(message := reply):
        return False
    # Only for messages that were stored: a refused one must not take a name.
    claim(tx, message)
    if exchange_limits is not None and message.bot and message.reply_to is not None:
        question = tx.messages.get(message.place.platform, message.reply_to)
        if question is not None and not question.bot:
            _record_exchange(tx, question, message, now, exchange_limits)
    schedule_jobs(tx, message, now, schedule)
    return True


def _record_exchange(tx: Tx, question: Message, answer: Message, now: datetime, limits: ExchangeLimits) -> None:
    """Record an exchange of an ordinary channel: none from DMs, restricted channels, private threads."""
    audience = question.place.audience
    # Also if the channel was closed between question and answer.
    if audience.level != AudienceLevel.GUILD or answer.place.audience != audience:
        return
    place = answer.place
    channel = place.thread or place.channel or ""
    question_text, answer_text = (
        clip(_without_bars(question.text), MAX_QUESTION_CHARS),
        clip(_without_bars(answer.text), MAX_ANSWER_CHARS),
    )
    author_name, bot_name = map(speaker, limits.names.tagged(tx, [question, answer]))
    exchange = Exchange(
        id=f"{question.id}/{answer.id}",
        guild=audience.id,
        channel=channel,
        channel_name=collapse_spaces(place.name or channel),
        author=question.person,
        text=f"{author_name}: {question_text} | {bot_name}: {answer_text}",
        at=answer.at,
        expires=answer.at + timedelta(hours=limits.hours),
        audience=audience,
    )
    tx.exchanges.add(exchange)
    tx.exchanges.prune(audience.id, now, limits.entries, question.person)


def _without_bars(text: str) -> str:
    """The text without the bars that separate speakers, so that it can't imitate another one."""
    return collapse_spaces(text).translate(dict.fromkeys(map(ord, BARS), "¦"))


@dataclass(frozen=True, slots=True)
class LearnedOutcome:
    """What was learned from a message: events of added, revised, retired or refused memos, oldest first."""

    events: tuple[Event, ...]
    memos: Mapping[str, Memo]
    """The current state of the memos in these events."""
    done: bool = True
    """False when the job was dropped, failed, or is not finished."""


def learned_from(tx: Tx, message: Message, is_visible: VisibilityCheck) -> LearnedOutcome:
    """The outcome for a message, from the recent log."""
    reference = message_ref(message)
    events = tx.events.list(scope=Subject(message.person).scope, limit=_MAX_EVENTS_SCANNED)
    message_events = [event for event in events if event.data.get("message") == reference]
    dropped = any(
        event.kind == EventKind.JOB_DROPPED and reference in event.data.get("messages", ()) for event in events
    )
    failed = any(reference in job.payload.get("messages", ()) for job in tx.jobs.list(JobState.FAILED))
    rows = (tx.memos.get(Subject(message.person), event.memo) for event in message_events if event.memo)
    memos = {memo.id: without_hidden_links(tx, memo, is_visible) for memo in rows if memo is not None}
    return LearnedOutcome(tuple(message_events[::-1]), memos, not dropped and not failed)
