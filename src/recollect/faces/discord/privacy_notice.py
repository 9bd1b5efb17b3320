"""The privacy notice: tells people, once, that they are remembered, and how to see, stop and delete that.

Nothing of a person is learned, stored or published until the notice has reached them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import aiohttp
import discord

from recollect.core.errors import RecollectError
from recollect.faces.commands.parse import parse
from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")

NOTICE = (
    "I remember what people tell me, so that I can use it later: `!memory show` lists what I know about you, "
    "`!memory pause` stops me learning, `!memory forget …` and `!memory erase` delete."
)
NOT_NOTIFIED = (
    "I can't send you my notice about what I remember, so I keep nothing of what you say. "
    "Please allow direct messages from this server, and try again."
)
SEND_TIMEOUT_SECONDS = 5.0
"""Per attempt: the reply waits for it, and discord.py would retry for half a minute while Discord has trouble."""

Send = Callable[[str], Awaitable[object]]


def needs_notice(bot: BotContext, text: str) -> bool:
    """Whether answering this text stores something of its author: all but commands that only show or delete."""
    command = parse(text) if bot.settings.chat_commands.enabled else None
    return command is None or command.verb == "remember"


async def ensure_notified(
    bot: BotContext, user: discord.User | discord.Member, channel: discord.abc.Messageable
) -> bool:
    """Send the notice unless they got it: by DM or in the channel, as configured, with the other as a fallback.

    False when neither works; then nothing of theirs may be stored, and the next message is another attempt.
    """
    if isinstance(channel, discord.DMChannel):
        return await _notify(bot, user.id, [channel.send])
    ways: list[Send] = [channel.send, user.send]
    return await _notify(bot, user.id, ways if bot.settings.discord.privacy_notice == "reply" else ways[::-1])


async def ensure_notified_privately(bot: BotContext, interaction: discord.Interaction[Any]) -> bool:
    """The same for the user of a command, a menu or a form: an ephemeral message, with a DM as a fallback."""
    ways: list[Send] = [partial(interaction.followup.send, ephemeral=True), interaction.user.send]
    return await _notify(bot, interaction.user.id, ways)


async def _notify(bot: BotContext, user: int, ways: Sequence[Send]) -> bool:
    lock = bot.notice_locks.setdefault(user, asyncio.Lock())  # two messages at once get one notice
    async with lock:
        if await _was_notified(bot, user):
            return True
        problems: list[str] = []
        for send in ways:
            try:
                async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
                    await send(NOTICE)
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                problems.append(str(error) or type(error).__name__)
            else:
                await _mark_notified(bot, user)
                return True
        if user not in bot.unreached:
            bot.unreached.add(user)
            log.warning(
                "cannot send the privacy notice to %s, so they are not remembered: %s", user, "; ".join(problems)
            )
        return False


async def _was_notified(bot: BotContext, user: int) -> bool:
    try:
        return await bot.was_notified(user)
    except RecollectError as error:  # a second notice does no harm, and the reply must not depend on the store
        log.warning("cannot read whether %s got the privacy notice: %s", user, error)
        return False


async def _mark_notified(bot: BotContext, user: int) -> None:
    bot.unreached.discard(user)
    try:
        await bot.mark_notified(user)
    except RecollectError as error:
        bot.notified.add(user)
        log.warning("cannot store that %s got the privacy notice: %s", user, error)
