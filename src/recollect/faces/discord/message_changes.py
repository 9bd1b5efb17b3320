"""Messages that were edited or deleted, alone or with their channel."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import StateKind
from recollect.core.types import Place
from recollect.faces.discord.attachments import read_files
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.messages import full_text, is_from_person
from recollect.faces.discord.places import PLATFORM, place_of
from recollect.policy.redaction import redact

log = logging.getLogger("recollect.discord")

PAGE_MESSAGES = 200
"""Messages that are read at a time when a whole place is deleted."""


async def apply_edit(bot: BotContext, message: discord.Message) -> None:
    """Store a message's new text. Discord also sends an edit for pins and previews, which change no text."""
    if message.edited_at is None or not is_from_person(message) or not shows_text(bot, message):
        return
    if await bot.memory.timeline.message(PLATFORM, str(message.id)) is None:
        return
    place, text = place_of(message.channel, message.author.id), full_text(message, bot.me, await read_files(message))
    change = partial(bot.memory.message_edited, text=text, at=message.edited_at, place=place)
    await _change(bot, str(message.id), change, redact(text).text)


async def apply_deletions(bot: BotContext, messages: Iterable[str]) -> None:
    for message_id in messages:
        await _change(bot, message_id, bot.memory.message_deleted)


async def delete_place(bot: BotContext, place: Place) -> int:
    """Delete the messages of a channel (with its threads) or a thread that is gone; returns their number.

    One transaction per message, so that other writers don't wait. The place stays recorded until this is done, so that
    a resync continues after an interruption.
    """
    count, is_channel = 0, place.thread is None
    while messages := await bot.memory.timeline.recent(place, PAGE_MESSAGES, whole_stream=is_channel):
        removed = [
            await bot.memory.message_deleted(message.place.platform, message.id) for message in reversed(messages)
        ]
        count += sum(removed)
        if not any(removed):
            break
    for session in await bot.state.keys(StateKind.LISTENED_CHANNEL):
        if session == place.session or session.startswith(f"{place.session}:"):
            await bot.state.drop(state.listened_channel(session))
    return count


async def _change(
    bot: BotContext, message_id: str, change: Callable[[str, str], Awaitable[object]], text: str = ""
) -> None:
    """Apply a change to memory and to the conversation, unless the stored text is this one already."""
    try:
        stored = await bot.memory.timeline.message(PLATFORM, message_id)
        if stored is not None and stored.text != text:
            await change(PLATFORM, message_id)
    except RecollectError as error:
        log.warning("the change of message %s could not be stored: %s", message_id, error)


def shows_text(bot: BotContext, message: discord.Message) -> bool:
    """Whether Discord shows the text: without the message content intent, only of messages that address the bot."""
    return bot.client.intents.message_content or message.guild is None or bot.me in message.mentions
