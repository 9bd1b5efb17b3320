"""Limits against floods and cost: how often the bot replies, runs commands and listens, per person, channel and server,
and how many replies a server, and tokens a server or DM, gets per day.
"""

import logging
from datetime import datetime
from typing import Literal

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.ports import Usage
from recollect.core.state import Owner
from recollect.core.types import Place
from recollect.faces.assistant.model_turn import TurnUsage
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.limits import WINDOW
from recollect.faces.discord.places import PLATFORM

log = logging.getLogger("recollect.discord")

What = Literal["reply", "command", "learn", "tell"]
SHARES: dict[What, tuple[int, int, int]] = {
    "reply": (1, 3, 10),
    "command": (2, 6, 20),
    "learn": (3, 30, 150),
    "tell": (1, 1, 3),
}
"""Per person, channel and server and minute, as multiples of the replies that one person gets. Strangers are told, or
asked, one by one: many at once, as in a raid, must not make the bot flood a channel.
"""


async def refusal(
    bot: BotContext,
    what: What,
    user: discord.User | discord.Member,
    channel: int,
    guild: discord.Guild | None,
    at: datetime | None = None,
) -> str | None:
    """Why someone has to wait, as the key of a notice; None, and counted, if they don't. `at` is when they spoke."""
    try:
        server = await bot.server_settings.of(None if guild is None else guild.id)
    except RecollectError as error:
        log.warning("cannot read the limits of a server: %s", error)
        return None
    per_person, now = server.replies_per_minute, at or bot.clock()
    if per_person:
        keys = (user.id, channel, *(() if guild is None else (guild.id,)))
        late = "late " if bot.clock() - now >= WINDOW else ""  # what was missed must not end a minute of now
        names = (f"{late}{what} person", f"{late}{what} channel", f"{late}{what} server")
        uses = [(name, key, share * per_person) for name, key, share in zip(names, keys, SHARES[what], strict=False)]
        over = bot.limits.admits(uses, now)
        if over is not None:
            return "busy" if over else "too_fast"
    # After the rate limits, which need no read of the store.
    if what == "reply" and await _has_spent_tokens(bot, str(user.id if guild is None else guild.id)):
        return "spent"
    if what == "reply" and guild is not None and server.daily_replies:
        return await _spend(bot, guild.id, server.daily_replies, bot.clock())
    return None


def tenant(guild_or_person: str | int) -> str:
    """The tenant whose budget is used: a server, or someone's direct messages."""
    return f"{PLATFORM}:{guild_or_person}"


async def count_tokens(bot: BotContext, place: Place, usage: TurnUsage | None) -> None:
    """Count the tokens of a reply."""
    if usage is not None:
        whose = tenant(place.guild or place.dm or "")
        try:
            await bot.memory.engine.reply_budget.spend(whose, Usage(usage.requests, usage.input, usage.output))
        except RecollectError as error:
            log.warning("cannot count the tokens of a reply for %s: %s", whose, error)


async def _has_spent_tokens(bot: BotContext, guild_or_person: str) -> bool:
    try:
        return bot.has_model and (await bot.memory.engine.reply_budget.use(tenant(guild_or_person))).is_spent
    except RecollectError as error:
        log.warning("cannot read the budget of %s: %s", guild_or_person, error)
        return False


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
