"""What was said enters here: one transaction a message, idempotent, no model call."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.lines import named
from recollect.ports import Tx
from recollect.text import clip, squeeze
from recollect.types import Event, Exchange, Message

LONGEST = 100_000
"""Characters of a message that are kept."""
ASKED, ANSWERED = 80, 100
"""Characters of a question and of its answer in a short-term entry."""


@dataclass(frozen=True, slots=True)
class ShortTerm:
    """How long exchanges in public channels are kept, and how many of a guild."""

    hours: float
    entries: int


def observe(tx: Tx, message: Message, now: datetime, shortterm: ShortTerm | None = None) -> bool:
    """Put a message into the journal, and an answer into short-term memory; False when it is there already."""
    added = tx.journal.add(message)
    if added and shortterm is not None and message.bot and message.reply_to is not None:
        question = tx.journal.get(message.place.platform, message.reply_to)
        if question is not None and not question.bot:
            _record(tx, question, message, now, shortterm)
    return added


def _record(tx: Tx, question: Message, answer: Message, now: datetime, kept: ShortTerm) -> None:
    """Note an exchange that everyone in the guild could read: nothing from DMs, closed channels, private threads."""
    heard = question.place.audience
    if heard.level != "guild" or answer.place.audience != heard:
        return
    place = answer.place
    channel = place.thread or place.channel or ""
    asked, answered = clip(squeeze(question.text), ASKED), clip(squeeze(answer.text), ANSWERED)
    who, bot = named(question.name or question.author), named(answer.name or answer.author)
    exchange = Exchange(
        id=f"{question.id}/{answer.id}",
        guild=heard.id,
        channel=channel,
        channel_name=squeeze(place.name or channel),
        author=question.author,
        text=f"{who}: {asked} | {bot}: {answered}",
        at=answer.at,
        expires=answer.at + timedelta(hours=kept.hours),
    )
    tx.exchanges.add(exchange)
    tx.exchanges.sweep(heard.id, now, kept.entries)


def edit(tx: Tx, platform: str, message_id: str, text: str, at: datetime) -> bool:
    """A message was edited: readers see the new text, the log says that it changed."""
    changed = tx.journal.edit(platform, message_id, text, at)
    if changed:
        _unquote(tx, platform, message_id)
        tx.events.add(Event("message.edited", at, data={"platform": platform, "message": message_id}))
    return changed


def delete(tx: Tx, platform: str, message_id: str, at: datetime) -> bool:
    """A message was deleted: its text is gone, the log says that there was one."""
    _unquote(tx, platform, message_id)
    changed = tx.journal.delete(platform, message_id, at)
    if changed:
        tx.events.add(Event("message.deleted", at, data={"platform": platform, "message": message_id}))
    return changed


def _unquote(tx: Tx, platform: str, message_id: str) -> None:
    """Short-term memory quotes messages; what it quotes of this one no longer stands."""
    message = tx.journal.get(platform, message_id)
    if message is not None and message.place.guild is not None:
        tx.exchanges.drop(message.place.guild, message_id)
