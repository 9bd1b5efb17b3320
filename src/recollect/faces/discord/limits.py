"""Limits against floods and cost: how often the bot replies, runs commands and listens, per person, channel and server,
and how many replies a server gets per day.
"""

import logging
from collections import deque
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner

if TYPE_CHECKING:  # the context holds the limits
    from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")

WINDOW = timedelta(minutes=1)
MAX_KEYS = 20_000
"""Windows that are kept in memory; when there are more, those that have passed are dropped."""

What = Literal["reply", "command", "learn"]
SHARES: dict[What, tuple[int, int, int]] = {"reply": (1, 3, 10), "command": (2, 6, 20), "learn": (3, 30, 150)}
"""Per person, channel and server and minute, as multiples of the replies that one person gets."""


class Limits:
    def __init__(self) -> None:
        self._times: dict[tuple[str, int], deque[datetime]] = {}

    def admits(self, uses: list[tuple[str, int, int]], now: datetime) -> int | None:
        """Count a use by each of these keys, if none is over its number; else the index of the first that is."""
        for index, (what, key, most) in enumerate(uses):
            if len(self._recent(what, key, now)) >= most:
                return index
        for what, key, _ in uses:
            self._times[what, key].append(now)
        return None

    def is_first(self, what: str, key: int, now: datetime) -> bool:
        """Whether this did not happen within the last minute: people are told once."""
        times = self._recent(what, key, now)
        times.append(now)
        return len(times) == 1

    def _recent(self, what: str, key: int, now: datetime) -> deque[datetime]:
        if len(self._times) > MAX_KEYS:
            self._times = {name: times for name, times in self._times.items() if times and now - times[-1] < WINDOW}
        times = self._times.setdefault((what, key), deque())
        while times and not timedelta() <= now - times[0] < WINDOW:  # also when the clock was set back
            times.popleft()
        return times


async def refusal(
    bot: "BotContext", what: What, user: discord.User | discord.Member, channel: int, guild: discord.Guild | None
) -> str | None:
    """Why someone has to wait, as the key of a notice; None, and counted, if they don't."""
    try:
        rules = await bot.rules.of(None if guild is None else guild.id)
    except RecollectError as error:
        log.warning("cannot read the limits of a server: %s", error)
        return None
    per_person, now = rules.replies_per_minute, bot.clock()
    if per_person:
        keys = (user.id, channel, *(() if guild is None else (guild.id,)))
        names = (f"{what} person", f"{what} channel", f"{what} server")
        uses = [(name, key, share * per_person) for name, key, share in zip(names, keys, SHARES[what], strict=False)]
        over = bot.limits.admits(uses, now)
        if over is not None:
            return "busy" if over else "too_fast"
    if what == "reply" and guild is not None and rules.daily_replies:
        return await _spend(bot, guild.id, rules.daily_replies, now)
    return None


async def replies_today(bot: "BotContext", guild: int) -> int:
    """How many replies a server with a daily limit got since midnight (UTC)."""
    day, _, count = (await bot.state.get(state.daily_replies(guild)) or "").partition(" ")
    return int(count) if day == bot.clock().date().isoformat() else 0


async def _spend(bot: "BotContext", guild: int, most: int, now: datetime) -> str | None:
    try:
        count = await replies_today(bot, guild)
        if count >= most:
            return "spent"
        name, value = state.daily_replies(guild), f"{now.date().isoformat()} {count + 1}"
        await bot.state.put(name, value, Owner.guild(str(guild)))
    except RecollectError as error:
        log.warning("cannot count a reply on the server %s: %s", guild, error)
    return None
