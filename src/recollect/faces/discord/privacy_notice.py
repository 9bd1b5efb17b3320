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
from recollect.faces.discord.languages import language_of
from recollect.faces.discord.localization import LANGUAGES, notice

log = logging.getLogger("recollect.discord")

NOTICE = notice("notice")
NOT_NOTIFIED = (
    "I can't send you my notice about what I remember, so I keep nothing of what you say. "
    "Please allow direct messages from this server, and try again."
)
SEND_TIMEOUT_SECONDS = 5.0
"""Per attempt: the reply waits for it, and discord.py would retry for half a minute while Discord has trouble."""

STORING_VERBS = ("remember", "edit")
"""Commands that store new words."""

Send = Callable[[str], Awaitable[object]]


def needs_notice(bot: BotContext, text: str) -> bool:
    """Whether answering this text stores something of its author: all but commands that only show or delete."""
    command = parse(text) if bot.settings.chat_commands.enabled else None
    return command is None or command.verb in STORING_VERBS


async def render_notice(bot: BotContext, guild: discord.Guild | None) -> str:
    """The notice in the language of the server, or of the person, with who runs the bot and their privacy policy."""
    options = bot.settings.discord
    try:
        language = await language_of(bot, guild)
    except RecollectError as error:
        log.warning("cannot read the language of a notice: %s", error)
        language = "" if guild is None else LANGUAGES.get(guild.preferred_locale, "")
    parts = [notice("notice", language)]
    parts += [notice("operator", language).format(options.operator)] if options.operator else []
    parts += [notice("policy", language).format(options.privacy_policy)] if options.privacy_policy else []
    return " ".join(parts)


async def ensure_notified(
    bot: BotContext,
    user: discord.User | discord.Member,
    channel: discord.abc.Messageable,
    message: discord.Message | None = None,
) -> bool:
    """Send the notice unless they got it: in the channel, in reply to their message, or by DM, as configured, with the
    other as a fallback.

    False when neither works; then nothing of theirs may be stored, and the next message is another attempt.
    """
    guild = getattr(channel, "guild", None)
    if guild is None:
        return await notify(bot, user.id, [channel.send], await render_notice(bot, None))
    reply = channel.send
    if message is not None:
        reference = message.to_reference(fail_if_not_exists=False)
        reply = partial(channel.send, reference=reference, mention_author=False)
    ways: list[Send] = [reply, user.send]
    is_here = await _gives_notices_in(bot, guild.id)
    return await notify(bot, user.id, ways if is_here else ways[::-1], await render_notice(bot, guild))


async def _gives_notices_in(bot: BotContext, guild: int) -> bool:
    try:
        return (await bot.server_settings.of(guild)).privacy_notice == "reply"
    except RecollectError as error:
        log.warning("cannot read how to send the privacy notice on the server %s: %s", guild, error)
        return bot.settings.discord.privacy_notice == "reply"


async def ensure_notified_privately(bot: BotContext, interaction: discord.Interaction[Any]) -> bool:
    """Send the notice to the user of a command, a menu or a form: as an ephemeral message, with a DM as a fallback."""
    ways: list[Send] = [partial(interaction.followup.send, ephemeral=True), interaction.user.send]
    return await notify(bot, interaction.user.id, ways, await render_notice(bot, interaction.guild))


async def notify(bot: BotContext, user: int, ways: Sequence[Send], text: str, *, again: bool = False) -> bool:
    """Send a notice in the first way that works, unless they got one; `again` sends it anyway."""
    lock = bot.notice_locks.setdefault(user, asyncio.Lock())  # two messages at once get one notice
    async with lock:
        if not again and await _was_notified(bot, user):
            return True
        problems: list[str] = []
        for send in ways:
            try:
                async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
                    await send(text)
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
