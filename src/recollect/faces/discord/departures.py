"""Servers that the bot joins and leaves. What was learned on a server that it left is erased after a grace period;
joining again cancels that. An outage or an uncertain answer of Discord does not count as leaving.
"""

import asyncio
import logging
from datetime import timedelta

import discord
from discord.ext import commands, tasks

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner, StateKind
from recollect.faces.discord.context import BotContext
from recollect.privacy.target import ErasureTarget

log = logging.getLogger("recollect.discord")

REVIEW_INTERVAL_SECONDS = 3600.0
"""How often planned erasures are checked against the servers that the bot is in."""


class GuildDepartures(commands.Cog):
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._lock = asyncio.Lock()

    async def cog_load(self) -> None:
        self._review_regularly.start()

    async def cog_unload(self) -> None:
        self._review_regularly.cancel()

    @tasks.loop(seconds=REVIEW_INTERVAL_SECONDS)
    async def _review_regularly(self) -> None:
        if self._review_regularly.current_loop and self._bot.client.is_ready():  # on_ready does the first review
            await self.review()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        await self.review()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.review()
        log.info("joined the server %s", guild.id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        async with self._lock:
            await self._handle_departure(str(guild.id))

    async def review(self) -> None:
        """Compare the servers that the bot was in with those that it is in, now that the gateway has named them."""
        async with self._lock:
            try:
                await self._compare_guilds()
            except RecollectError as error:
                log.warning("cannot read which servers the bot was in: %s", error)

    async def _compare_guilds(self) -> None:
        bot, name = self._bot, state.member_guilds(self._bot.me.id)
        current = {str(guild.id) for guild in bot.client.guilds}  # includes those with an outage
        before = set(await bot.state.items(name))
        for guild in sorted(before - current):
            # Asked of Discord: a server that is merely missing from the list must not be erased.
            if await self._has_left(guild):
                await self._handle_departure(guild)
        for guild in sorted(current - before):
            await bot.state.add(name, guild, Owner.guild(guild))
        await bot.state.name_guilds({str(guild.id): guild.name for guild in bot.client.guilds if guild.name})
        await self._review_planned(current)

    async def _review_planned(self, current: set[str]) -> None:
        """Cancel planned erasures of servers that the bot is in again; confirm the others."""
        privacy, never = self._bot.memory.privacy, self._bot.settings.discord.erase_on_leave is None
        for plan in await privacy.planned():
            guild = plan.target.guild or ""
            # Planned by a person or another bot: not ours to judge.
            if plan.asked_by != str(self._bot.me.id):
                continue
            if never or guild in current:
                log.info("the planned erasure of the server %s is canceled", guild)
                await privacy.cancel(plan.target, asked_by=plan.asked_by)
            elif await self._has_left(guild):
                await privacy.confirm(plan.target)

    async def _handle_departure(self, guild: str) -> None:
        bot = self._bot
        await bot.record_departure(state.departure_event(int(guild), None, bot.clock()))
        grace = bot.settings.discord.erase_on_leave
        if grace is None:
            log.info("left the server %s; its memories are kept, as configured", guild)
        elif await self._has_other_bot(guild):
            log.info("left the server %s; its memories are kept: another bot with this memory is there", guild)
        else:
            due = bot.clock() + timedelta(seconds=grace)
            await bot.memory.privacy.schedule(ErasureTarget(guild=guild), due, asked_by=str(bot.me.id))
            bot.memory.worker.wake()
            log.warning("left the server %s; its memories are erased on %s", guild, f"{due:%Y-%m-%d %H:%M}")
        # Last: if anything above fails, the next review finds the server again.
        await bot.state.remove(state.member_guilds(bot.me.id), guild)

    async def _has_left(self, guild: str) -> bool:
        """Whether Discord itself says so. Servers of another process's shards were not left."""
        client = self._bot.client
        if not self._bot.is_ours(guild):
            return False
        try:
            await client.fetch_guild(int(guild), with_counts=False)
        # Discord answers either for a server that the bot is no member of.
        except (discord.NotFound, discord.Forbidden):
            return True
        except (discord.HTTPException, OSError) as error:
            log.info("cannot tell whether the bot left the server %s: %s", guild, error)
        return False

    async def _has_other_bot(self, guild: str) -> bool:
        """Whether another bot with this memory is in a server."""
        bots = [int(bot) for bot in await self._bot.state.keys(StateKind.BOT_GUILDS)]
        membership_lists = [state.member_guilds(bot) for bot in bots if bot != self._bot.me.id]
        return any([guild in await self._bot.state.items(name) for name in membership_lists])
