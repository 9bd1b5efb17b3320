"""When something is due: which jobs a message causes. Runs in the transaction that stores the message.

What waits for its turn (messages to learn from, turns to summarise) is counted on disk, so a restart loses nothing.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import CONSOLIDATE, DAILY_LOG, EXTRACT, SUMMARIZE, NewJob
from recollect.core.text import escape
from recollect.core.types import Message, Place, message_ref
from recollect.learning.consent import is_paused
from recollect.policy.viewer import session_name

MOMENT = timedelta(seconds=1)
"""What is said meanwhile goes into a file at one go."""


MAX_LATENESS = timedelta(days=1)
"""How long before the end of a summary a message may have been said and still count as late; else it is history."""


_DELAYED_TRIGGERS = ("idle", "end_of_day")


_CONSOLIDATION_TOLERANCE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Schedule:
    """What sets off learning and summarising; `off` is never."""

    learn: str = "off"
    """`on_ingest`, `per_turn`, `every_m`, `idle`, `end_of_day` or `pre_compaction`."""
    learn_every: int = 10
    summarise: str = "off"
    """`every_n`, `idle` or `end_of_day`."""
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


def schedule_jobs(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """Queue what a new message makes due.

    Jobs are queued before lists are written to: who ends a job holds its lane, and then looks at the list.
    """
    queue_daily_log(tx, message, now, schedule)
    question = None if message.reply_to is None or not message.bot else _read_question(tx, message)
    if message.bot:
        _handle_reply(tx, message, question, now, schedule)
    else:
        _handle_message(tx, message, now, schedule)
    if schedule.summarise != "off":
        _record_if_late(tx, message, (question or message).author if schedule.per_user_sessions else None)


def _read_question(tx: Tx, reply: Message) -> Message | None:
    question = tx.messages.get(reply.place.platform, reply.reply_to or "")
    return None if question is None or question.bot else question


def _record_if_late(tx: Tx, message: Message, user: str | None) -> None:
    """A message from before the end of the last summary would be in none; the next one takes it in all the same."""
    session = session_name(message.place, user)
    summary = tx.summaries.get(session)
    if summary is None:
        return
    through = to_ms(summary.through or summary.updated)  # as exactly as the journal knows it
    if through - MAX_LATENESS // timedelta(milliseconds=1) <= to_ms(message.at) <= through:
        tx.state.append(late_messages_key(session), message_ref(message))


def late_messages_key(session: str) -> str:
    """The list of messages that came after the summary of their time."""
    return f"late:{session}"


def flush(tx: Tx, place: Place, now: datetime) -> int:
    """Learn now from all that waits for it in a session, before its words are out of sight; how many rounds."""
    speakers = tx.state.clear(_speakers_key(place))
    for author in speakers:
        tx.jobs.add(_batch_job(place, author, now), postpone=True)
    return len(speakers)


def relearn(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """A message has other words now: learn from those."""
    if _is_learnable(tx, message, schedule):
        _queue_extraction(tx, [message], now, schedule)


def queue_daily_log(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """A person's message is new, has other words or is gone: the file of its own day shall say so in a moment."""
    if schedule.journal and not message.bot:
        tx.jobs.add(daily_log_job(now + MOMENT))
        tx.state.append(DAILY_LOG, f"{from_ms(to_ms(message.at)).date()} {message_ref(message)}")


def daily_log_job(due: datetime) -> NewJob:
    """The job that brings the files of the days up to date, one at a time whoever works."""
    return NewJob(DAILY_LOG, "files", {}, due, DAILY_LOG, "files")


def queue_summary(tx: Tx, message: Message, user: str | None, now: datetime) -> None:
    """Summarise again what a session, or a user's share of it, said around a message that is not what it was."""
    _summarise(tx, message, user, now)


def consolidation_job(user: str, due: datetime) -> NewJob:
    """Tidy a user's memory. A lane of its own: what waits for silence must not hold up learning."""
    return NewJob(CONSOLIDATE, f"dream:{user}", {"user": user}, due, _dream(user), "dreams")


def _dream(user: str) -> str:
    return f"{CONSOLIDATE}:{user}"


def _handle_message(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    if schedule.reflect_after is not None:
        _postpone_consolidation(tx, message.author, now + schedule.reflect_after)
    if schedule.summarise in _DELAYED_TRIGGERS:
        _summarise(
            tx, message, message.author if schedule.per_user_sessions else None, _due(schedule.summarise, now, schedule)
        )
    if not _is_learnable(tx, message, schedule):
        return
    if schedule.learn == "on_ingest":
        _queue_extraction(tx, [message], now, schedule)
    elif schedule.learn in (*_DELAYED_TRIGGERS, "pre_compaction"):
        if schedule.learn in _DELAYED_TRIGGERS:
            due = _due(schedule.learn, now, schedule)
            tx.jobs.add(_batch_job(message.place, message.author, due), postpone=schedule.learn == "idle")
        tx.state.append(_batch_key(message.place, message.author), message_ref(message))
        tx.state.append(_speakers_key(message.place), message.author)


def _postpone_consolidation(tx: Tx, user: str, due: datetime) -> None:
    """Silence begins anew with each message; a few minutes more or less are not worth a write."""
    queued_due = tx.jobs.due(_dream(user))
    if queued_due is None or due - queued_due > _CONSOLIDATION_TOLERANCE:
        tx.jobs.add(consolidation_job(user, due), postpone=True)


def _handle_reply(tx: Tx, reply: Message, question: Message | None, now: datetime, schedule: Schedule) -> None:
    """The assistant has answered: a turn is complete."""
    user = question.author if question is not None and schedule.per_user_sessions else None
    if schedule.summarise == "every_n_turns" and (question is not None or not schedule.per_user_sessions):
        turns = f"turns:{session_name(reply.place, user)}"
        if tx.state.append(turns, reply.id) >= schedule.summarise_every:
            tx.state.clear(turns)
            _summarise(tx, reply, user, now)
    if question is None or not _is_learnable(tx, question, schedule):
        return
    if schedule.learn == "per_turn":
        _queue_extraction(tx, [question], now, schedule)
    elif schedule.learn == "every_n_turns":
        name = f"learn:user:{question.author}"
        if tx.state.append(name, message_ref(question)) >= schedule.learn_every:
            _add_extraction(
                tx, _extraction_job(question.author, question.place, tx.state.clear(name), now), schedule, now
            )


def _queue_extraction(tx: Tx, messages: Iterable[Message], now: datetime, schedule: Schedule) -> None:
    for message in messages:
        job = _extraction_job(message.author, message.place, [message_ref(message)], now, extraction_key(message))
        _add_extraction(tx, job, schedule, now)


def _add_extraction(tx: Tx, job: NewJob, schedule: Schedule, now: datetime) -> None:
    if tx.jobs.add(job) is None or schedule.max_queued is None:
        return
    for dropped in tx.jobs.discard_oldest(EXTRACT, schedule.max_queued):
        data = {"messages": dropped.payload.get("messages", [])}
        tx.events.add(Event("job.dropped", now, scope=dropped.queue, reason="too many were waiting", data=data))


def _extraction_job(author: str, place: Place, refs: list[str], due: datetime, key: str | None = None) -> NewJob:
    return NewJob(EXTRACT, f"user:{author}", {"messages": refs}, due, key, _realm(place))


def _batch_job(place: Place, author: str, due: datetime) -> NewJob:
    """Learn from what a speaker said in a session since the last time; in a lane of its own, as it may wait long."""
    name = _batch_key(place, author)
    return NewJob(EXTRACT, name, {"counter": name}, due, f"{EXTRACT}:{name}", _realm(place))


def _summarise(tx: Tx, message: Message, user: str | None, due: datetime) -> None:
    session = session_name(message.place, user)
    payload = {"place": asdict(message.place), "user": user}
    key = summary_key(session)
    tx.jobs.add(NewJob(SUMMARIZE, f"session:{session}", payload, due, key, _realm(message.place)), postpone=True)


def summary_key(session: str) -> str:
    """One job a session that waits or runs."""
    return f"{SUMMARIZE}:{session}"


def _is_learnable(tx: Tx, message: Message, schedule: Schedule) -> bool:
    """Whether there may be something to learn: not from bots, a mere nod, or someone who asked for a pause."""
    if schedule.learn == "off" or message.bot or len(message.text.strip()) < max(1, schedule.min_chars):
        return False
    return not is_paused(tx, message.author)


def _due(trigger: str, now: datetime, schedule: Schedule) -> datetime:
    if trigger == "idle":
        return now + schedule.idle_after
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def extraction_key(message: Message) -> str:
    """One job a message, however often it is seen."""
    return f"{EXTRACT}:{message_ref(message)}"


def _batch_key(place: Place, author: str) -> str:
    return f"learn:{place.session}:{escape(author, ':')}"


def _speakers_key(place: Place) -> str:
    return f"speakers:{place.session}"


def _realm(place: Place) -> str:
    return f"{place.platform}:{place.guild or place.dm or ''}"
