"""What was said is not what it was: a message was edited or deleted, or the whole place where it stood is gone."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

import discord

from recollect.core.errors import RecollectError
from recollect.core.types import Place
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.messages import is_heard, spoken
from recollect.faces.discord.places import PLATFORM, place_of
from recollect.policy.redaction import redact

log = logging.getLogger("recollect.discord")

PAGE = 200
"""Messages of a place that are looked up at a time."""


async def edited(house: BotContext, message: discord.Message) -> None:
    """Take over the words that a message has now. Discord also tells of pins and previews, which change none."""
    if message.edited_at is None or not is_heard(message) or not shows_text(house, message):
        return
    place, text = place_of(message.channel, message.author.id), spoken(message, house.me)
    change = partial(house.memory.message_edited, text=text, at=message.edited_at, place=place)
    await _change(house, str(message.id), change, redact(text).text)


async def deleted(house: BotContext, messages: Iterable[str]) -> None:
    for message in messages:
        await _change(house, message, house.memory.message_deleted)


async def vacated(house: BotContext, place: Place) -> int:
    """A channel, with all its threads, or a thread is gone: what was said there is deleted, a message at a time, so
    that nobody has to wait for it. Until that is done it stays noted as a place that was listened to.
    """
    count, whole = 0, place.thread is None
    while said := await house.memory.store.read(lambda tx: tx.messages.recent(place, PAGE, whole_stream=whole)):
        gone = [await house.memory.message_deleted(message.place.platform, message.id) for message in reversed(said)]
        for message in said:
            house.assistant.changed(message.place)
        count += sum(gone)
        if not any(gone):
            break
    for session in await house.notes.names(state.heard(place.session)):
        if session == state.heard(place.session) or session.startswith(f"{state.heard(place.session)}:"):
            await house.notes.drop(session)
    return count


async def _change(
    house: BotContext, message: str, change: Callable[[str, str], Awaitable[object]], text: str = ""
) -> None:
    """Memory and the conversation hear of it, if these are other words than those that are known."""
    try:
        known = await house.memory.store.read(lambda tx: tx.messages.get(PLATFORM, message))
        if known is not None and known.text != text:
            await change(PLATFORM, message)
            house.assistant.changed(known.place)
    except RecollectError as error:
        log.warning("the change of message %s is not known to memory: %s", message, error)


def shows_text(house: BotContext, message: discord.Message) -> bool:
    """Without the intent for it, Discord shows the text only of what is meant for the bot."""
    return house.client.intents.message_content or message.guild is None or house.me in message.mentions
