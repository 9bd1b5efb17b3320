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
from recollect.faces.discord.consent import consent_status, member_of
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.messages import full_text, is_addressed, is_from_person
from recollect.faces.discord.permissions import is_shut_out
from recollect.faces.discord.places import PLATFORM, place_of
from recollect.faces.discord.quotas import refusal
from recollect.policy.redaction import redact

log = logging.getLogger("recollect.discord")

PAGE_MESSAGES = 200
"""Messages that are read at a time when a whole place is deleted."""


async def apply_edit(bot: BotContext, message: discord.Message) -> None:
    """Store a message's new text. Discord also sends an edit for pins and previews, which change no text."""
    if message.edited_at is None or not is_from_person(message) or not shows_text(bot, message):
        return
    if is_shut_out(message.channel):  # it is compared once the bot may read it again
        return
    stored = await bot.memory.timeline.message(PLATFORM, str(message.id))
    if stored is None:
        return
    place, text = place_of(message.channel, message.author.id), full_text(message, bot.me, await read_files(message))
    if stored.text == redact(text).text:
        return
    if await _may_be_kept(bot, message):
        change = partial(bot.memory.message_edited, text=text, at=message.edited_at, place=place)
        await _change(bot, str(message.id), change)
    else:  # what was learned from the old words is reverted, and the new ones may not be stored
        await apply_deletions(bot, [str(message.id)])


async def apply_meanwhile(bot: BotContext, message: discord.Message) -> None:
    """Apply to a message that was just stored what happened to it before."""
    edited = bot.changed.get(message.id, message)
    if edited is None or _is_channel_gone(bot, message):
        await apply_deletions(bot, [str(message.id)])
    elif edited is not message:
        await apply_edit(bot, edited)


def _is_channel_gone(bot: BotContext, message: discord.Message) -> bool:
    """Whether the channel was deleted from a server that the bot is still in; threads also vanish when archived."""
    guild = None if message.guild is None else bot.client.get_guild(message.guild.id)
    is_channel = isinstance(message.channel, discord.abc.GuildChannel)
    return is_channel and guild is not None and not guild.unavailable and guild.get_channel(message.channel.id) is None


async def _may_be_kept(bot: BotContext, message: discord.Message) -> bool:
    """Whether new words of an author may be stored: by their consent as it is now, and within the limits."""
    guild, author = message.guild, message.author
    try:
        author = author if guild is None else await member_of(guild, author)
    except discord.NotFound:
        return False  # they left
    except (discord.HTTPException, OSError) as error:
        log.info("the roles of %s can't be read: %s", author.id, error)
    try:
        guild_id = None if guild is None else guild.id
        status = await consent_status(bot, author, guild_id)
        is_said_to_bot = is_addressed(message, bot.me, (await bot.server_settings.of(guild_id)).channels)
    except RecollectError as error:
        log.warning("cannot read whether %s may be remembered: %s", author.id, error)
        return True  # nothing can be stored now anyway
    is_allowed_by_author = status.may_be_kept if is_said_to_bot else status.may_store_unaddressed
    if not is_allowed_by_author or await bot.is_paused(author, message.channel):
        return False
    return await refusal(bot, "learn", author, message.channel.id, guild) is None


async def apply_deletions(bot: BotContext, messages: Iterable[str]) -> None:
    for message_id in messages:
        await _change(bot, message_id, bot.memory.message_deleted)


async def delete_place(bot: BotContext, place: Place) -> int:
    """Delete the messages of a channel (with its threads) or a thread that is gone; returns their number.

    One transaction per message, so that other writers don't wait. The place stays recorded until this is done, so that
    a resync continues after an interruption.
    """
    count, is_channel = 0, place.thread is None
    # Always the newest page, as each round removes it.
    while messages := await bot.memory.timeline.recent(place, PAGE_MESSAGES, whole_stream=is_channel):
        removed = [
            await bot.memory.message_deleted(message.place.platform, message.id) for message in reversed(messages)
        ]
        count += sum(removed)
        # Otherwise a page that can't be removed would be read for ever.
        if not any(removed):
            break
    for session in await bot.state.keys(StateKind.LISTENED_CHANNEL):
        if session == place.session or session.startswith(f"{place.session}:"):
            await bot.state.drop(state.listened_channel(session))
    return count


async def _change(bot: BotContext, message_id: str, change: Callable[[str, str], Awaitable[object]]) -> None:
    """Apply a change to a message that is stored."""
    try:
        # Many edits and deletions are of messages that were never stored; reading is cheaper than a write.
        if await bot.memory.timeline.message(PLATFORM, message_id) is not None:
            await change(PLATFORM, message_id)
    except RecollectError as error:
        log.warning("the change of message %s could not be stored: %s", message_id, error)


def shows_text(bot: BotContext, message: discord.Message) -> bool:
    """Whether Discord shows the text: without the message content intent, only of messages that address the bot."""
    return bot.client.intents.message_content or message.guild is None or bot.me in message.mentions
