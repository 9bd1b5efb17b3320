"""Limits against floods and cost: how often the bot replies, runs commands and listens, per person, channel and server,
and how many replies a server, and tokens a server or DM, gets per day.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
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
RESERVED_TOKENS = 10_000
"""What a reply may take, as far as that can be told before."""


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


@asynccontextmanager
async def within_budget(bot: BotContext, guild_or_person: str | int) -> AsyncGenerator[bool]:
    """Whether there are tokens for a reply, which is made meanwhile. Near the limit it waits for the replies that are
    being made: what they take is known once they end.
    """
    whose = tenant(guild_or_person)
    while True:
        left, running = await _tokens_left(bot, guild_or_person), bot.running.count(whose)
        if left is None or not running or left >= RESERVED_TOKENS * (running + 1):
            break
        await bot.running.wait_for_end(whose)
    if left is not None and left <= 0:
        yield False
    else:
        with bot.running.one_more(whose):
            yield True


async def _has_spent_tokens(bot: BotContext, guild_or_person: str) -> bool:
    left = await _tokens_left(bot, guild_or_person)
    return left is not None and left <= 0


async def _tokens_left(bot: BotContext, guild_or_person: str | int) -> int | None:
    """Today's tokens that are left for replies; None without a model or a limit."""
    if not bot.has_model:
        return None
    try:
        return (await bot.memory.engine.reply_budget.use(tenant(guild_or_person))).left
    except RecollectError as error:
        log.warning("cannot read the budget of %s: %s", guild_or_person, error)
        return None


async def replies_today(bot: BotContext, guild: int) -> int:
    """How many replies a server with a daily limit got since midnight (UTC)."""
    return _count_on(bot.clock(), await bot.state.get(state.daily_replies(guild)))


def _count_on(now: datetime, stored: str | None) -> int:
    day, _, count = (stored or "").partition(" ")
    return int(count) if day == now.date().isoformat() else 0


async def _spend(bot: BotContext, guild: int, most: int, now: datetime) -> str | None:
    def count_one_more(stored: str | None) -> str | None:
        count = _count_on(now, stored)
        return None if count >= most else f"{now.date().isoformat()} {count + 1}"

    try:
        # In one transaction: replies to many people at once must not count as one.
        is_counted = await bot.state.change(state.daily_replies(guild), count_one_more, Owner.guild(str(guild)))
    except RecollectError as error:
        log.warning("cannot count a reply on the server %s: %s", guild, error)
        return None
    return None if is_counted else "spent"
