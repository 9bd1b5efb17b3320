"""Decide which jobs a message triggers. Runs in the transaction that stores the message.

Pending messages and turns are counted in the store, so a restart loses nothing.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, time, timedelta
from functools import partial

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event, EventKind
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
from recollect.core.reasons import Reason
from recollect.core.sessions import summary_queue
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Place, Subject, message_ref, person_key
from recollect.learning import batches
from recollect.learning.batches import tenant
from recollect.learning.consent import is_silent
from recollect.policy.viewer import session_name

MOMENT = timedelta(seconds=1)
"""Delay of the daily log, so that messages of the same moment are written at once."""


MAX_LATENESS = timedelta(days=1)
"""A message older than this before the end of a summary is history, not late."""


_DELAYED_TRIGGERS = ("idle", "end_of_day")


_CONSOLIDATION_TOLERANCE = timedelta(minutes=5)
_UNANSWERED = "?"
"""Before the id of a message in the list of turns, which otherwise names replies."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """What triggers learning and summarizing; `off` is never."""

    learn: str = "off"
    """`batch`, `on_ingest`, `per_turn`, `every_n_turns`, `idle`, `end_of_day` or `pre_compaction`."""
    learn_every_turns: int = 10
    summarize: str = "off"
    """`every_n_turns`, `idle` or `end_of_day`."""
    summarize_every_turns: int = 5
    count_unanswered: bool = False
    """Whether messages without a reply count as turns, too."""
    idle_after: timedelta = timedelta(minutes=10)
    min_chars: int = 0
    """Shorter messages are not learned from."""
    max_queued: int | None = None
    per_user_sessions: bool = False
    """Whether each user of a place has a session of their own."""
    guilds_only: bool = False
    """Whether learning is limited to guilds."""
    daily_log: bool = False
    """Whether messages are written into one file per day."""
    consolidate_after: timedelta | None = None
    """Silence of a user after which their memory is consolidated; None is never."""


def schedule_jobs(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """Queue the jobs that a new message triggers.

    Jobs are added before lists are appended to: finishing a job holds its queue, and then reads the list.
    """
    queue_daily_log(tx, message, now, schedule)
    question = None if message.reply_to is None or not message.bot else _read_question(tx, message)
    if message.bot:
        _handle_reply(tx, message, question, now, schedule)
    else:
        _handle_message(tx, message, now, schedule)
    if schedule.summarize != "off":
        _record_if_late(tx, message, (question or message).author if schedule.per_user_sessions else None)


def _read_question(tx: Tx, reply: Message) -> Message | None:
    question = tx.messages.get(reply.place.platform, reply.reply_to or "")
    return None if question is None or question.bot else question


def _record_if_late(tx: Tx, message: Message, user: str | None) -> None:
    """A message from before the end of the last summary would be missed; record it for the next one."""
    session = session_name(message.place, user)
    summary = tx.summaries.get(session)
    if summary is None:
        return
    through = to_ms(summary.through or summary.updated)  # in the store's resolution
    if through - MAX_LATENESS // timedelta(milliseconds=1) <= to_ms(message.at) <= through:
        tx.state.append(StateKind.LATE_MESSAGES, session, message_ref(message), Owner.of_session(session))


def flush(tx: Tx, place: Place, now: datetime) -> int:
    """Make the queued extraction of a session due now; returns how many speakers have one."""
    speakers = tx.state.clear(StateKind.SPEAKERS, place.session)
    for author in speakers:
        tx.jobs.add(batches.batch_job(place, author, now), postpone=True)
        person = person_key(place.platform, author)
        tx.state.remove(StateKind.OPEN_BATCHES, person, [batches.key_of(place, author)])
    return len(speakers)


def flush_all(tx: Tx, now: datetime) -> int:
    """Make the queued extraction of every session due now."""
    places: dict[str, Place] = {}
    for key in tx.state.keys(StateKind.UNLEARNED_MESSAGES):
        references = tx.state.items(StateKind.UNLEARNED_MESSAGES, key)
        for message in batches.existing_messages(tx, references)[:1]:
            places[message.place.session] = message.place
    # Sorted, so that two flushes lock the queues in the same order.
    return sum(flush(tx, places[session], now) for session in sorted(places))


def relearn(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """Queue extraction for the new text of an edited message."""
    if not _is_learnable(tx, message, schedule):
        return
    if schedule.learn == "batch":
        batches.add(tx, message, now, extraction_key(message), closes=True, is_urgent=True)
    else:
        _queue_extraction(tx, [message], now, schedule)


def queue_daily_log(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """Queue an update of the daily log for a new, edited or deleted message of a person."""
    if schedule.daily_log and not message.bot:
        tx.jobs.add(daily_log_job(now + MOMENT))
        item = f"{from_ms(to_ms(message.at)).date()} {message_ref(message)}"
        # Owned by nobody, as it only names the message: after an erasure, it removes the message from the log.
        tx.state.append(StateKind.DAILY_LOG, "", item, Owner.nobody())


def daily_log_job(due: datetime) -> NewJob:
    """The job that updates the daily logs; one at a time across all workers."""
    return NewJob(DAILY_LOG, MIRROR_QUEUE, {}, due, DAILY_LOG, MIRROR_QUEUE)


def consolidation_job(user: str, due: datetime) -> NewJob:
    """Consolidate a user's memory; in its own queue, so that waiting for silence does not hold up learning."""
    return NewJob(CONSOLIDATE, consolidation_queue(user), {"user": user}, due, _consolidation_key(user), CONSOLIDATE)


def _consolidation_key(user: str) -> str:
    return f"{CONSOLIDATE}:{user}"


def _handle_message(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    if schedule.consolidate_after is not None:
        _postpone_consolidation(tx, message.person, now + schedule.consolidate_after)
    if schedule.summarize in _DELAYED_TRIGGERS:
        user = message.author if schedule.per_user_sessions else None
        queue_summary(tx, message, user, _due(schedule.summarize, now, schedule))
    elif schedule.summarize == "every_n_turns" and schedule.count_unanswered:
        _count_unanswered(tx, message, now, schedule)
    if not _is_learnable(tx, message, schedule):
        return
    if schedule.learn == "batch":
        batches.add(tx, message, now, extraction_key(message), closes=_is_addressed(tx, message))
    elif schedule.learn == "on_ingest":
        _queue_extraction(tx, [message], now, schedule)
    elif schedule.learn in (*_DELAYED_TRIGGERS, "pre_compaction"):
        if schedule.learn in _DELAYED_TRIGGERS:
            due = _due(schedule.learn, now, schedule)
            tx.jobs.add(batches.batch_job(message.place, message.author, due), postpone=schedule.learn == "idle")
        batches.put_in_batch(tx, message)


def _is_addressed(tx: Tx, message: Message) -> bool:
    """Whether the assistant is spoken to: in a DM, or by replying to it. A mention shows when the assistant replies."""
    if message.place.dm is not None or message.reply_to is None:
        return message.place.dm is not None
    parent = tx.messages.get(message.place.platform, message.reply_to)
    return parent is not None and parent.bot


def _postpone_consolidation(tx: Tx, user: str, due: datetime) -> None:
    """Each message restarts the wait for silence; a difference of a few minutes is not worth a write."""
    queued_due = tx.jobs.due(_consolidation_key(user))
    if queued_due is None or due - queued_due > _CONSOLIDATION_TOLERANCE:
        tx.jobs.add(consolidation_job(user, due), postpone=True)


def _count_unanswered(tx: Tx, message: Message, now: datetime, schedule: Schedule) -> None:
    """Count a message as a turn until it is answered; a summary waits for the answer to such a message."""
    user = message.author if schedule.per_user_sessions else None
    session = session_name(message.place, user)
    before = tx.state.items(StateKind.TURNS, session)
    is_among_people = bool(before) and before[-1].startswith(_UNANSWERED)
    if is_among_people and len(before) + 1 >= schedule.summarize_every_turns:
        tx.state.clear(StateKind.TURNS, session)
        queue_summary(tx, message, user, now)
    else:
        tx.state.append(StateKind.TURNS, session, f"{_UNANSWERED}{message.id}", Owner.of_session(session))


def _handle_reply(tx: Tx, reply: Message, question: Message | None, now: datetime, schedule: Schedule) -> None:
    """Queue what a completed turn triggers."""
    user = question.author if question is not None and schedule.per_user_sessions else None
    if schedule.summarize == "every_n_turns" and (question is not None or not schedule.per_user_sessions):
        session = session_name(reply.place, user)
        # The message and its reply are one turn, not two.
        tx.state.remove(StateKind.TURNS, session, [f"{_UNANSWERED}{reply.reply_to}"])
        tx.state.append(StateKind.TURNS, session, reply.id, Owner.of_session(session))
        if tx.state.count(StateKind.TURNS, session) >= schedule.summarize_every_turns:
            tx.state.clear(StateKind.TURNS, session)
            queue_summary(tx, reply, user, now)
    if question is None or not _is_learnable(tx, question, schedule):
        return
    if schedule.learn == "batch":
        batches.close_all(tx, question.person, now, here=batches.key_of(question.place, question.author))
    elif schedule.learn == "per_turn":
        _queue_extraction(tx, [question], now, schedule)
    elif schedule.learn == "every_n_turns":
        person = question.person
        tx.state.append(StateKind.UNLEARNED_TURNS, person, message_ref(question), Owner.person(person))
        if tx.state.count(StateKind.UNLEARNED_TURNS, person) >= schedule.learn_every_turns:
            refs = tx.state.clear(StateKind.UNLEARNED_TURNS, person)
            _add_extraction(tx, _extraction_job(person, question.place, refs, now), schedule, now)


def _queue_extraction(tx: Tx, messages: Iterable[Message], now: datetime, schedule: Schedule) -> None:
    for message in messages:
        job = _extraction_job(message.person, message.place, [message_ref(message)], now, extraction_key(message))
        trace = {} if message.source == "text" else {"trace": message.source}  # logged if the job fails
        _add_extraction(tx, replace(job, payload={**job.payload, **trace}), schedule, now)


def _add_extraction(tx: Tx, job: NewJob, schedule: Schedule, now: datetime) -> None:
    # A job that was queued before adds nothing, so nothing need be dropped.
    if tx.jobs.add(job) is None or schedule.max_queued is None:
        return
    for dropped in tx.jobs.discard_oldest(EXTRACT, schedule.max_queued):
        data = {"messages": dropped.payload.get("messages", [])}
        event = partial(Event, EventKind.JOB_DROPPED, now, scope=dropped.queue)
        tx.events.add(event(reason=Reason.TOO_MANY_WAITING, data=data))


def _extraction_job(person: str, place: Place, refs: list[str], due: datetime, key: str | None = None) -> NewJob:
    return NewJob(EXTRACT, Subject(person).scope, {"messages": refs}, due, key, tenant(place))


def queue_summary(tx: Tx, message: Message, user: str | None, due: datetime) -> None:
    """Queue a summary of the message's session, or of a user's share of it; a queued one is postponed."""
    session = session_name(message.place, user)
    payload = {"place": asdict(message.place), "user": user}
    key = summary_key(session)
    tx.jobs.add(NewJob(SUMMARIZE, summary_queue(session), payload, due, key, tenant(message.place)), postpone=True)


def summary_key(session: str) -> str:
    """Dedupe key: one waiting or running job per session."""
    return f"{SUMMARIZE}:{session}"


def _is_learnable(tx: Tx, message: Message, schedule: Schedule) -> bool:
    """Whether a message may be learned from: not a bot's, a short one, or from where learning is paused."""
    if schedule.learn == "off" or message.bot or len(message.text.strip()) < max(1, schedule.min_chars):
        return False
    if schedule.guilds_only and message.place.guild is None:
        return False
    return not is_silent(tx, message)


def _due(trigger: str, now: datetime, schedule: Schedule) -> datetime:
    if trigger == "idle":
        return now + schedule.idle_after
    # The end of the UTC day, wherever people live.
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def extraction_key(message: Message) -> str:
    """Dedupe key: one job per message, however often it is added."""
    return f"{EXTRACT}:{message_ref(message)}"
