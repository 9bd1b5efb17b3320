"""What was said enters here: one transaction a message and the jobs it causes, idempotent, no model call."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from recollect.core.clock import to_ms
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import JobState
from recollect.core.text import clip, collapse_spaces, digest
from recollect.core.types import Exchange, Memo, Message, Place, Subject, message_ref
from recollect.learning.rollback import rollback_message
from recollect.learning.schedule import Schedule, queue_daily_log, relearn, schedule_jobs
from recollect.policy.redaction import redact, redact_name
from recollect.policy.rendering import speaker
from recollect.policy.repetition import shares
from recollect.policy.viewer import valid_user
from recollect.policy.visibility import includes
from recollect.recall.display_names import Names, claim

log = logging.getLogger("recollect")

LONGEST = 100_000
"""Characters of a message that are kept."""
_LOOK_BACK = 200
"""Events of a user that are searched for those of one message."""
MOST_GONE = 1_000
"""Deleted messages nobody had seen that are remembered at the most, by id; then the older half is let go."""
_GONE = "gone"
MOMENT = timedelta(milliseconds=1)
ANSWERS = 20
"""Messages after a deleted one that are searched for answers to it."""
ASKED, ANSWERED = 80, 100
"""Characters of a question and of its answer in a short-term entry."""


NO_JOBS = Schedule()
"""Nothing is ever due."""


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """How long exchanges in public channels are kept, and how many of a guild."""

    hours: float
    entries: int
    names: Names = field(default_factory=Names)


def spoken(text: str, author: str, place: Place, at: datetime, *, name: str = "", trace: str = "voice") -> Message:
    """A transcript as a message; its id is made of who said what, where and when, so that it counts once.

    `trace` names where it was transcribed, as in `voice` or `voice_realtime`.
    """
    mark = digest(place.session, author, str(to_ms(at)), collapse_spaces(text))
    return Message(f"{trace}-{mark[:16]}", author, place, text, at, name, source=trace)


def sanitize(message: Message) -> Message:
    """As it is stored: no secret in it, and not endless."""
    length = len(message.text)
    if length > LONGEST:
        log.warning("message %s has %d characters; the first %d are kept", message.id, length, LONGEST)
    text, name = redact(message.text[:LONGEST]).text, redact_name(message.name)
    same = (text, name) == (message.text, message.name)
    return message if same else replace(message, text=text, name=name)


def add_message(
    tx: Tx, message: Message, now: datetime, shortterm: ExchangeLimits | None = None, cadence: Schedule = NO_JOBS
) -> bool:
    """Put a message into the journal, an answer into short-term memory, and what is due into the queue.

    False when the message is there already, or was deleted before it came. Raises BadInput for an author that
    nobody can be, a bot's too.
    """
    valid_user(message.author)
    deleted = tx.state.items(_gone(message.place.platform, message.id))
    if deleted or not tx.messages.add(message):
        return False
    claim(tx, message)
    if shortterm is not None and message.bot and message.reply_to is not None:
        question = tx.messages.get(message.place.platform, message.reply_to)
        if question is not None and not question.bot:
            _record(tx, question, message, now, shortterm)
    schedule_jobs(tx, message, now, cadence)
    return True


def _record(tx: Tx, question: Message, answer: Message, now: datetime, kept: ExchangeLimits) -> None:
    """Note an exchange that everyone in the guild could read: nothing from DMs, closed channels, private threads."""
    heard = question.place.audience
    if heard.level != "guild" or answer.place.audience != heard:
        return
    place = answer.place
    channel = place.thread or place.channel or ""
    asked, answered = clip(collapse_spaces(question.text), ASKED), clip(collapse_spaces(answer.text), ANSWERED)
    who, bot = map(speaker, kept.names.tagged(tx, [question, answer]))
    exchange = Exchange(
        id=f"{question.id}/{answer.id}",
        guild=heard.id,
        channel=channel,
        channel_name=collapse_spaces(place.name or channel),
        author=question.author,
        text=f"{who}: {asked} | {bot}: {answered}",
        at=answer.at,
        expires=answer.at + timedelta(hours=kept.hours),
    )
    tx.exchanges.add(exchange)
    tx.exchanges.prune(heard.id, now, kept.entries)


def edit(
    tx: Tx,
    platform: str,
    message_id: str,
    text: str,
    at: datetime,
    cadence: Schedule = NO_JOBS,
    place: Place | None = None,
) -> bool:
    """A message was edited: what rested on its old words is taken back, and the new ones are learned from; unless
    it stands in a narrower place by now, as nobody says how far words go that were changed behind a closed door.

    False when it is not known. An edit that comes before its message is lost: whoever hands that in later hands in
    the words that it has by then.
    """
    changed = tx.messages.edit(platform, message_id, text, at)
    message = tx.messages.get(platform, message_id)
    if changed and message is not None:
        _unquote(tx, message)
        rollback_message(tx, message, text, at)
        if place is None or includes(place.audience, message.place.audience):
            relearn(tx, message, at, cadence)
        queue_daily_log(tx, message, at, cadence)
        tx.events.add(Event("message.edited", at, data={"platform": platform, "message": message_id}))
    return changed


def delete(tx: Tx, platform: str, message_id: str, at: datetime, cadence: Schedule = NO_JOBS) -> bool:
    """A message was deleted: its text and what rests on it are gone, the log says that there was one."""
    message = tx.messages.get(platform, message_id)
    if message is None:
        _expect_not(tx, platform, message_id, at)
        return False
    _unquote(tx, message)
    tx.messages.delete(platform, message_id, at)
    _unsay(tx, message, at)
    rollback_message(tx, message, None, at)
    queue_daily_log(tx, message, at, cadence)
    tx.events.add(Event("message.deleted", at, data={"platform": platform, "message": message_id}))
    return True


def _unsay(tx: Tx, message: Message, at: datetime) -> None:
    """The answer to a deleted message goes with it if it takes up its words; "I see." may stay."""
    for answer in [] if message.bot else tx.messages.after(message.place, message.at - MOMENT, ANSWERS):
        if answer.bot and answer.reply_to == message.id and shares(answer.text, message.text):
            tx.messages.delete(answer.place.platform, answer.id, at)


def _expect_not(tx: Tx, platform: str, message_id: str, at: datetime) -> None:
    """A message that was deleted before it came must not be taken in when it does; the last so many are known."""
    name = _gone(platform, message_id)
    tx.state.append(name, at.isoformat())
    if tx.state.append(_GONE, name) > MOST_GONE:
        names = tx.state.clear(_GONE)
        for old in names[: MOST_GONE // 2]:
            tx.state.clear(old)
        for kept in names[MOST_GONE // 2 :]:
            tx.state.append(_GONE, kept)


def _gone(platform: str, message_id: str) -> str:
    return f"{_GONE}:{platform}/{message_id}"


def _unquote(tx: Tx, message: Message) -> None:
    """Short-term memory quotes messages; what it quotes of this one no longer stands."""
    if message.place.guild_key is not None:
        tx.exchanges.remove_quoting(message.place.guild_key, message.id)


@dataclass(frozen=True, slots=True)
class LearnedOutcome:
    """What came of a message: the events of what was learned from it, revised, retired or refused, oldest first."""

    events: tuple[Event, ...]
    memos: Mapping[str, Memo]
    """The memos that these events speak of, as they are now."""
    done: bool = True
    """False when it was given up, put aside, or is not over yet."""


def learned_from(tx: Tx, message: Message) -> LearnedOutcome:
    """What the log says about a message, as far back as it is likely to stand."""
    mark = message_ref(message)
    events = tx.events.list(scope=Subject(message.author).scope, limit=_LOOK_BACK)
    own = [event for event in events if event.data.get("message") == mark]
    dropped = any(event.kind == "job.dropped" and mark in event.data.get("messages", ()) for event in events)
    failed = any(mark in job.payload.get("messages", ()) for job in tx.jobs.list(JobState.FAILED))
    found = (tx.memos.get(Subject(message.author), event.memo) for event in own if event.memo)
    memos = {memo.id: memo for memo in found if memo is not None}
    return LearnedOutcome(tuple(own[::-1]), memos, not dropped and not failed)
