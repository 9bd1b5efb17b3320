"""When something is due: which jobs a message causes. Runs in the transaction that stores the message.

What waits for its turn (messages to learn from, turns to summarise) is counted on disk, so a restart loses nothing.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import (
    CONSOLIDATE,
    DAILY_LOG,
    EXTRACT,
    MIRROR_QUEUE,
    SUMMARIZE,
    NewJob,
    consolidation_queue,
)
from recollect.core.text import escape
from recollect.core.types import Message, Place, message_ref
from recollect.learning.consent import is_paused
from recollect.policy.viewer import session_name

MOMENT = timedelta(seconds=1)
"""What is said meanwhile goes into a file at one go."""


LATEST = timedelta(days=1)
"""How long before the end of a summary a message may have been said and still count as late; else it is history."""


_WAITS = ("idle", "end_of_day")


_PRECISE = timedelta(minutes=5)

DAILY_LOG_LIST = "journal"
"""The state list of messages that the daily log has yet to take in."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """What sets off learning and summarising; `off` is never."""

    learn: str = "off"
    """`on_ingest`, `per_turn`, `every_n_turns`, `idle`, `end_of_day` or `pre_compaction`."""
    learn_every: int = 10
    summarise: str = "off"
    """`every_n_turns`, `idle` or `end_of_day`."""
    summarise_every: int = 5
    idle_after: timedelta = timedelta(minutes=10)
    min_chars: int = 0
    """Characters below which a message is not learned from."""
    max_queued: int | None = None
    per_user_sessions: bool = False
    """A session is a user in a place, rather than the place."""
    journal: bool = False
    """What people say goes into a file a day."""
    reflect_after: timedelta | None = None
    """Silence of a user after which their memory is tidied; None is never."""


def schedule_jobs(tx: Tx, message: Message, now: datetime, cadence: Schedule) -> None:
    """Queue what a new message makes due.

    Jobs are queued before lists are written to: who ends a job holds its queue, and then looks at the list.
    """
    queue_daily_log(tx, message, now, cadence)
    asked = None if message.reply_to is None or not message.bot else _question(tx, message)
    if message.bot:
        _turn(tx, message, asked, now, cadence)
    else:
        _heard(tx, message, now, cadence)
    if cadence.summarise != "off":
        _note_late(tx, message, (asked or message).author if cadence.per_user_sessions else None)


def _question(tx: Tx, reply: Message) -> Message | None:
    asked = tx.messages.get(reply.place.platform, reply.reply_to or "")
    return None if asked is None or asked.bot else asked


def _note_late(tx: Tx, message: Message, user: str | None) -> None:
    """A message from before the end of the last summary would be in none; the next one takes it in all the same."""
    session = session_name(message.place, user)
    last = tx.summaries.get(session)
    if last is None:
        return
    through = to_ms(last.through or last.updated)  # as exactly as the journal knows it
    if through - LATEST // timedelta(milliseconds=1) <= to_ms(message.at) <= through:
        tx.state.append(late_messages_key(session), message_ref(message))


def late_messages_key(session: str) -> str:
    """The list of messages that came after the summary of their time."""
    return f"late:{session}"


def flush(tx: Tx, place: Place, now: datetime) -> int:
    """Learn now from all that waits for it in a session, before its words are out of sight; how many rounds."""
    speakers = tx.state.clear(_speakers(place))
    for author in speakers:
        tx.jobs.add(_round(place, author, now), postpone=True)
    return len(speakers)


def relearn(tx: Tx, message: Message, now: datetime, cadence: Schedule) -> None:
    """A message has other words now: learn from those."""
    if _tells(tx, message, cadence):
        _learn(tx, [message], now, cadence)


def queue_daily_log(tx: Tx, message: Message, now: datetime, cadence: Schedule) -> None:
    """A person's message is new, has other words or is gone: the file of its own day shall say so in a moment."""
    if cadence.journal and not message.bot:
        tx.jobs.add(daily_log_job(now + MOMENT))
        tx.state.append(DAILY_LOG_LIST, f"{from_ms(to_ms(message.at)).date()} {message_ref(message)}")


def daily_log_job(due: datetime) -> NewJob:
    """The job that brings the files of the days up to date, one at a time whoever works."""
    return NewJob(DAILY_LOG, MIRROR_QUEUE, {}, due, DAILY_LOG, MIRROR_QUEUE)


def queue_summary(tx: Tx, message: Message, user: str | None, now: datetime) -> None:
    """Summarise again what a session, or a user's share of it, said around a message that is not what it was."""
    _summarise(tx, message, user, now)


def consolidation_job(user: str, due: datetime) -> NewJob:
    """Tidy a user's memory."""
    return NewJob(CONSOLIDATE, consolidation_queue(user), {"user": user}, due, _consolidation_key(user), CONSOLIDATE)


def _consolidation_key(user: str) -> str:
    return f"{CONSOLIDATE}:{user}"


def _heard(tx: Tx, message: Message, now: datetime, cadence: Schedule) -> None:
    if cadence.reflect_after is not None:
        _reflect_later(tx, message.author, now + cadence.reflect_after)
    if cadence.summarise in _WAITS:
        _summarise(
            tx, message, message.author if cadence.per_user_sessions else None, _due(cadence.summarise, now, cadence)
        )
    if not _tells(tx, message, cadence):
        return
    if cadence.learn == "on_ingest":
        _learn(tx, [message], now, cadence)
    elif cadence.learn in (*_WAITS, "pre_compaction"):
        if cadence.learn in _WAITS:
            due = _due(cadence.learn, now, cadence)
            tx.jobs.add(_round(message.place, message.author, due), postpone=cadence.learn == "idle")
        tx.state.append(_heard_from(message.place, message.author), message_ref(message))
        tx.state.append(_speakers(message.place), message.author)


def _reflect_later(tx: Tx, user: str, due: datetime) -> None:
    """Silence begins anew with each message; a few minutes more or less are not worth a write."""
    waiting = tx.jobs.due(_consolidation_key(user))
    if waiting is None or due - waiting > _PRECISE:
        tx.jobs.add(consolidation_job(user, due), postpone=True)


def _turn(tx: Tx, reply: Message, asked: Message | None, now: datetime, cadence: Schedule) -> None:
    """The assistant has answered: a turn is complete."""
    user = asked.author if asked is not None and cadence.per_user_sessions else None
    if cadence.summarise == "every_n_turns" and (asked is not None or not cadence.per_user_sessions):
        turns = f"turns:{session_name(reply.place, user)}"
        if tx.state.append(turns, reply.id) >= cadence.summarise_every:
            tx.state.clear(turns)
            _summarise(tx, reply, user, now)
    if asked is None or not _tells(tx, asked, cadence):
        return
    if cadence.learn == "per_turn":
        _learn(tx, [asked], now, cadence)
    elif cadence.learn == "every_n_turns":
        name = f"learn:user:{asked.author}"
        if tx.state.append(name, message_ref(asked)) >= cadence.learn_every:
            _queue(tx, _extraction(asked.author, asked.place, tx.state.clear(name), now), cadence, now)


def _learn(tx: Tx, messages: Iterable[Message], now: datetime, cadence: Schedule) -> None:
    for message in messages:
        job = _extraction(message.author, message.place, [message_ref(message)], now, extraction_key(message))
        _queue(tx, job, cadence, now)


def _queue(tx: Tx, job: NewJob, cadence: Schedule, now: datetime) -> None:
    if tx.jobs.add(job) is None or cadence.max_queued is None:
        return
    for dropped in tx.jobs.discard_oldest(EXTRACT, cadence.max_queued):
        data = {"messages": dropped.payload.get("messages", [])}
        tx.events.add(Event("job.dropped", now, scope=dropped.queue, reason="too many were waiting", data=data))


def _extraction(author: str, place: Place, refs: list[str], due: datetime, key: str | None = None) -> NewJob:
    return NewJob(EXTRACT, f"user:{author}", {"messages": refs}, due, key, _tenant(place))


def _round(place: Place, author: str, due: datetime) -> NewJob:
    """Learn from what a speaker said in a session since the last time; in a queue of its own, as it may wait long."""
    name = _heard_from(place, author)
    return NewJob(EXTRACT, name, {"counter": name}, due, f"{EXTRACT}:{name}", _tenant(place))


def _summarise(tx: Tx, message: Message, user: str | None, due: datetime) -> None:
    session = session_name(message.place, user)
    payload = {"place": asdict(message.place), "user": user}
    key = summary_key(session)
    tx.jobs.add(NewJob(SUMMARIZE, f"session:{session}", payload, due, key, _tenant(message.place)), postpone=True)


def summary_key(session: str) -> str:
    """One job a session that waits or runs."""
    return f"{SUMMARIZE}:{session}"


def _tells(tx: Tx, message: Message, cadence: Schedule) -> bool:
    """Whether there may be something to learn: not from bots, a mere nod, or someone who asked for a pause."""
    if cadence.learn == "off" or message.bot or len(message.text.strip()) < max(1, cadence.min_chars):
        return False
    return not is_paused(tx, message.author)


def _due(trigger: str, now: datetime, cadence: Schedule) -> datetime:
    if trigger == "idle":
        return now + cadence.idle_after
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def extraction_key(message: Message) -> str:
    """One job a message, however often it is seen."""
    return f"{EXTRACT}:{message_ref(message)}"


def _heard_from(place: Place, author: str) -> str:
    return f"learn:{place.session}:{escape(author, ':')}"


def _speakers(place: Place) -> str:
    return f"speakers:{place.session}"


def _tenant(place: Place) -> str:
    return f"{place.platform}:{place.guild or place.dm or ''}"
