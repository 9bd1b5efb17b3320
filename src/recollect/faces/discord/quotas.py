"""Limits against floods and cost: how often the bot replies, runs commands and listens, per person, channel and server,
and how many replies a server gets per day.
"""

import logging
from datetime import datetime
from typing import Literal

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner
from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")

What = Literal["reply", "command", "learn"]
SHARES: dict[What, tuple[int, int, int]] = {"reply": (1, 3, 10), "command": (2, 6, 20), "learn": (3, 30, 150)}
"""Per person, channel and server and minute, as multiples of the replies that one person gets."""


async def refusal(
    bot: BotContext, what: What, user: discord.User | discord.Member, channel: int, guild: discord.Guild | None
) -> str | None:
    """Why someone has to wait, as the key of a notice; None, and counted, if they don't."""
    try:
        server = await bot.server_settings.of(None if guild is None else guild.id)
    except RecollectError as error:
        log.warning("cannot read the limits of a server: %s", error)
        return None
    per_person, now = server.replies_per_minute, bot.clock()
    if per_person:
        keys = (user.id, channel, *(() if guild is None else (guild.id,)))
        names = (f"{what} person", f"{what} channel", f"{what} server")
        uses = [(name, key, share * per_person) for name, key, share in zip(names, keys, SHARES[what], strict=False)]
        over = bot.limits.admits(uses, now)
        if over is not None:
            return "busy" if over else "too_fast"
    if what == "reply" and guild is not None and server.daily_replies:
        return await _spend(bot, guild.id, server.daily_replies, now)
    return None


async def replies_today(bot: BotContext, guild: int) -> int:
    """How many replies a server with a daily limit got since midnight (UTC)."""
    day, _, count = (await bot.state.get(state.daily_replies(guild)) or "").partition(" ")
    return int(count) if day == bot.clock().date().isoformat() else 0


async def _spend(bot: BotContext, guild: int, most: int, now: datetime) -> str | None:
    try:
        count = await replies_today(bot, guild)
        if count >= most:
            return "spent"
        name, value = state.daily_replies(guild), f"{now.date().isoformat()} {count + 1}"
        await bot.state.put(name, value, Owner.guild(str(guild)))
    except RecollectError as error:
        log.warning("cannot count a reply on the server %s: %s", guild, error)
    return None
