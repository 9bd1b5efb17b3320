"""Batches: a speaker's messages in one conversation that wait to be learned from in one model call.

The local extractor acknowledges each message at once. The model reads the batch when it closes: after a few minutes of
silence, when it is old or large, when its speaker addresses the assistant elsewhere, corrects something or asks to
remember it, and when someone waits for it. What is open is persisted, so a restart loses nothing.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports import Tx
from recollect.core.ports.jobs import ACKNOWLEDGE, EXTRACT, Job, NewJob
from recollect.core.sessions import learning_queue, speaker_key
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Metadata, Place, Subject, message_ref, parse_message_ref

WINDOW = timedelta(minutes=5)
"""A batch closes after so much silence of its speaker."""
MAX_AGE = timedelta(minutes=20)
"""It closes so long after its first message in any case."""
MAX_TOKENS = 2_000
"""Tokens of messages that one model call reads; a batch closes when it has so many."""
MAX_MESSAGES = 100
"""The limit for a batch of very short messages."""
MAX_PROPOSALS = 100
"""Proposals of one answer that are checked; how many are taken is limited per message."""
CHARS_PER_TOKEN = 4


def tenant(place: Place) -> str:
    """The unit of fairness and of budgets: a guild, or a DM."""
    return f"{place.platform}:{place.guild or place.dm or ''}"


def batch_job(place: Place, author: str, due: datetime) -> NewJob:
    """Extraction of a speaker's pending messages in a session; in its own queue, as it may wait long."""
    return _job(key_of(place, author), due, tenant(place))


def _job(key: str, due: datetime, tenant: str) -> NewJob:
    queue = learning_queue(key)
    return NewJob(EXTRACT, queue, {"counter": queue, "first_due": to_ms(due)}, due, job_key(key), tenant)


def job_key(key: str) -> str:
    """Dedupe key: one waiting or running job per batch."""
    return f"{EXTRACT}:{learning_queue(key)}"


def key_of(place: Place, author: str) -> str:
    return speaker_key(place.session, author)


def batch_key(job: Job) -> str | None:
    """The key of the messages that a job is to learn from; None when it names them itself."""
    queue = job.payload.get("counter")
    return None if queue is None else str(queue).removeprefix(learning_queue(""))


def put_in_batch(tx: Tx, message: Message) -> None:
    """Add a message to those that wait for the job of its session and speaker."""
    owner = Owner.member(message.person, message.place.guild_key)
    key = key_of(message.place, message.author)
    tx.state.append(StateKind.UNLEARNED_MESSAGES, key, message_ref(message), owner)
    tx.state.append(StateKind.SPEAKERS, message.place.session, message.author, owner)


def add(tx: Tx, message: Message, now: datetime, key: str, *, closes: bool, is_urgent: bool = False) -> None:
    """Have a message acknowledged under this key and, if it may hold anything that lasts, put it into a batch.

    The acknowledgement closes batches, so that the model is shown what the local extractor learned from the message.
    """
    from recollect.policy import gate  # its lexica are large, and only a message that may be learned from needs them

    is_urgent = is_urgent or gate.is_urgent(message.text)
    here, closes = key_of(message.place, message.author), closes or is_urgent
    batch = here if gate.may_contain_facts(message.text) else None
    payload: Metadata = {"messages": [message_ref(message)], "batch": batch, "closes": closes, "trace": message.source}
    payload |= {"here": here, "urgent": is_urgent}
    acknowledgement = NewJob(ACKNOWLEDGE, Subject(message.person).scope, payload, now, key, tenant(message.place))
    is_new = tx.jobs.add(acknowledgement) is not None  # before the batch: so the queues are locked in one order
    if batch is not None:
        tx.jobs.add(batch_job(message.place, message.author, now + WINDOW))
        put_in_batch(tx, message)
        owner = Owner.member(message.person, message.place.guild_key)
        tx.state.append(StateKind.OPEN_BATCHES, message.person, batch, owner)
    if closes and not is_new:  # edited before it was acknowledged
        close_all(tx, message.person, now)


def close_after_acknowledgement(tx: Tx, job: Job, person: str, now: datetime) -> None:
    """The local extractor has read a message: close the batches that the message closes."""
    key = job.payload.get("batch")
    if job.payload.get("closes"):
        close_all(tx, person, now, job.payload.get("here", key), is_urgent=job.payload.get("urgent", False))
    if key is None or key not in tx.state.items(StateKind.OPEN_BATCHES, person):
        return
    if _is_large(tx, tx.state.items(StateKind.UNLEARNED_MESSAGES, key)):
        tx.state.remove(StateKind.OPEN_BATCHES, person, [key])
        close(tx, key, now)
    else:
        _postpone(tx, key, now)


def _postpone(tx: Tx, key: str, now: datetime) -> None:
    """Each message restarts the wait for silence, until the batch is old."""
    job = tx.jobs.find(job_key(key))
    if job is None or "first_due" not in job.payload:
        return
    # Capped: someone who never pauses would otherwise never be learned from.
    due = min(now, from_ms(job.payload["first_due"]) + MAX_AGE - 2 * WINDOW) + WINDOW
    if due > job.due:
        tx.jobs.add(_job(key, due, job.tenant), postpone=True)


def _is_large(tx: Tx, references: Sequence[str]) -> bool:
    return len(references) >= MAX_MESSAGES or tokens(tx, references) >= MAX_TOKENS


def close_all(tx: Tx, person: str, now: datetime, here: str | None = None, *, is_urgent: bool = False) -> int:
    """Close every batch of a person; returns how many.

    That of the conversation with the assistant itself, `here`, stays open: the assistant reads its messages in the
    history. What is urgent closes it too, once in a while.
    """
    keys = tx.state.items(StateKind.OPEN_BATCHES, person)
    keys = sorted(key for key in keys if is_urgent or key != here)  # queues are locked in this order
    tx.state.remove(StateKind.OPEN_BATCHES, person, keys)
    for key in keys:
        request_times = tx.state.items(StateKind.BATCH_ASKED, key) if key == here else []
        close(tx, key, max([now, *(from_ms(int(time)) + MAX_AGE for time in request_times)]))
    return len(keys)


def close(tx: Tx, key: str, due: datetime) -> None:
    """Make the job of a batch due."""
    job = tx.jobs.find(job_key(key))
    if job is None or job.due > due:  # unless it is due earlier
        tx.jobs.add(_job(key, due, "" if job is None else job.tenant), postpone=True)


def close_message(tx: Tx, message: Message, now: datetime) -> str | None:
    """Close the batch that a message is in; returns the key of its job."""
    key = key_of(message.place, message.author)
    if message_ref(message) not in tx.state.items(StateKind.UNLEARNED_MESSAGES, key):
        return None
    tx.state.remove(StateKind.OPEN_BATCHES, message.person, [key])
    close(tx, key, now)
    return job_key(key)


def next_messages(tx: Tx, references: Sequence[str]) -> list[str]:
    """As many of the oldest messages as one model call may read: after a pause, many are waiting."""
    total = 0
    for index, reference in enumerate(references[:MAX_MESSAGES]):
        total += tokens(tx, [reference])
        # At least one message, however long, or the batch would never shrink.
        if index and total > MAX_TOKENS:
            return [*references[:index]]
    return [*references[:MAX_MESSAGES]]


def tokens(tx: Tx, references: Sequence[str]) -> int:
    return sum(len(message.text) // CHARS_PER_TOKEN + 1 for message in existing_messages(tx, references))


def existing_messages(tx: Tx, references: Iterable[str]) -> list[Message]:
    """Those of the messages that still exist."""
    rows = (tx.messages.get(*parse_message_ref(reference)) for reference in references)
    return [message for message in rows if message is not None]


def finish_round(tx: Tx, job: Job, key: str, done: Sequence[str], message: Message | None, now: datetime) -> None:
    """Messages of a job were learned from; what was said meanwhile waits for another round.

    That of a batch, of which a `message` is given, waits until it is closed in its turn.
    """
    # Only what was read: messages of the meantime stay for the next round.
    tx.state.remove(StateKind.UNLEARNED_MESSAGES, key, done)
    remaining = tx.state.items(StateKind.UNLEARNED_MESSAGES, key)
    is_open = False
    if message is not None:
        owner = Owner.member(message.person, message.place.guild_key)
        tx.state.clear(StateKind.BATCH_ASKED, key)
        tx.state.append(StateKind.BATCH_ASKED, key, str(to_ms(now)), owner)
        is_open = key in tx.state.items(StateKind.OPEN_BATCHES, message.person) and not _is_large(tx, remaining)
        if not remaining:
            tx.state.remove(StateKind.OPEN_BATCHES, message.person, [key])
            tx.state.remove(StateKind.SPEAKERS, message.place.session, [message.author])
    # The job that ends now has left its queue before this is called, so its key is free again.
    if remaining:
        tx.jobs.add(_job(key, now + WINDOW if is_open else now, job.tenant))
