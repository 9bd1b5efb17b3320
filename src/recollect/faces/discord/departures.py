"""Servers that the bot is let into and leaves. What was learned on one that it left is erased after a time of grace;
being let in again calls that off. An outage is no leave, and what nobody is sure of is no leave either.
"""

import asyncio
import logging
from datetime import timedelta

import discord
from discord.ext import commands, tasks

from recollect.core.errors import RecollectError
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.privacy.target import ErasureTarget

log = logging.getLogger("recollect.discord")

EVERY = 3600.0
"""Seconds between two looks at what waits to be erased: whether the bot is still out."""


class GuildDepartures(commands.Cog):
    def __init__(self, house: BotContext) -> None:
        self._house = house
        self._turn = asyncio.Lock()

    async def cog_load(self) -> None:
        self._again.start()

    async def cog_unload(self) -> None:
        self._again.cancel()

    @tasks.loop(seconds=EVERY)
    async def _again(self) -> None:
        if self._again.current_loop and self._house.client.is_ready():  # the first look is due when the gateway is
            await self.look()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        await self.look()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.look()
        log.info("let into the server %s", guild.id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        async with self._turn:
            await self._left(str(guild.id))

    async def look(self) -> None:
        """Compare the servers that the bot was in with those that it is in; the gateway has named them all."""
        async with self._turn:
            try:
                await self._look()
            except RecollectError as error:
                log.warning("which servers were left can't be looked up: %s", error)

    async def _look(self) -> None:
        house, inside = self._house, state.inside(self._house.me.id)
        here = {str(guild.id) for guild in house.client.guilds}  # those with an outage are among them
        before = set(await house.notes.items(inside))
        for guild in sorted(before - here):
            if await self._is_out(guild):
                await self._left(guild)
        for guild in sorted(here - before):
            await house.notes.add(inside, guild)
        await self._review(here)

    async def _review(self, here: set[str]) -> None:
        """What waits to be erased: it is called off, or still wanted."""
        privacy, never = self._house.memory.privacy, self._house.settings.discord.erase_on_leave is None
        for plan in await privacy.planned():
            guild = plan.target.guild or ""
            if plan.asked_by != str(self._house.me.id):
                continue
            if never or guild in here:
                log.info("what was learned on the server %s is not erased after all", guild)
                await privacy.call_off(plan.target, asked_by=plan.asked_by)
            elif await self._is_out(guild):
                await privacy.confirm(plan.target)

    async def _left(self, guild: str) -> None:
        house = self._house
        await house.parted(state.left(int(guild), None, house.clock()))
        grace = house.settings.discord.erase_on_leave
        if grace is None:
            log.info("what was learned on the server %s is kept, as is set", guild)
        elif await self._is_shared(guild):
            log.info("what was learned on the server %s is kept: another bot over this memory is there", guild)
        else:
            due = house.clock() + timedelta(seconds=grace)
            await house.memory.privacy.erase_later(ErasureTarget(guild=guild), due, asked_by=str(house.me.id))
            house.memory.worker.wake()
            log.warning(
                "the server %s was left: what was learned there is erased on %s", guild, f"{due:%Y-%m-%d %H:%M}"
            )
        await house.notes.remove(state.inside(house.me.id), guild)

    async def _is_out(self, guild: str) -> bool:
        """Whether Discord itself says so: a server of another process's shards is none that was left."""
        client = self._house.client
        if not self._house.is_ours(guild):
            return False
        try:
            await client.fetch_guild(int(guild), with_counts=False)
        except (discord.NotFound, discord.Forbidden):
            return True
        except (discord.HTTPException, OSError) as error:
            log.info("whether the server %s was left is not known: %s", guild, error)
        return False

    async def _is_shared(self, guild: str) -> bool:
        """Whether another bot with this memory is in a server."""
        own, names = state.inside(self._house.me.id), await self._house.notes.names(state.INSIDE)
        return any([guild in await self._house.notes.items(name) for name in names if name != own])
