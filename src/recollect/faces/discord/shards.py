"""A bot in several processes, each with its share of the servers. Direct messages come to the one with shard 0, which
has to know who is let in by a server of another's: a server that is named, or one with a role that is.
"""

import logging

import discord
from discord.ext import commands

from recollect.core.errors import RecollectError
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")


class Shards(commands.Cog):
    """Notes for the other processes which of our servers has a role that lets people in."""

    def __init__(self, house: BotContext) -> None:
        self._house = house

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        try:
            for guild in self._house.client.guilds:
                for role in self._house.door.roles & {str(role.id) for role in guild.roles}:
                    await self._house.notes.put(state.home(role), str(guild.id))
        except RecollectError as error:
            log.warning("which servers let people in can't be noted: %s", error)


async def admits(house: BotContext, who: discord.User | discord.Member) -> bool:
    """Whether the bot has to do with someone at all."""
    if await house.door.allows(who, house.client.guilds):
        return True
    if isinstance(who, discord.Member) or not house.settings.discord.shard:
        return False
    try:
        return await house.door.allows(who, await _elsewhere(house))
    except RecollectError as error:
        log.warning("who is let in elsewhere can't be looked up: %s", error)
        return False


async def has_channel(house: BotContext, channel_id: int) -> bool:
    """Whether a channel is ours to write in; one that can't be found is left to the process with shard 0."""
    if not house.settings.discord.shard:
        return True
    found = house.client.get_channel(channel_id)
    if found is None and channel_id not in house.homes:
        try:
            found = await house.client.fetch_channel(channel_id)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            house.homes[channel_id] = None
    if found is not None:
        house.homes[channel_id] = getattr(getattr(found, "guild", None), "id", None)
    return house.is_ours(house.homes[channel_id])


async def _elsewhere(house: BotContext) -> list[discord.Guild]:
    """The servers of other processes that may let someone in."""
    homes = [await house.notes.get(state.home(role)) for role in sorted(house.door.roles)]
    wanted = dict.fromkeys(guild for guild in (*sorted(house.door.guilds), *homes) if guild and guild.isdecimal())
    found = [await _guild(house, guild) for guild in wanted if not house.is_ours(guild)]
    return [guild for guild in found if guild is not None]


async def _guild(house: BotContext, guild: str) -> discord.Guild | None:
    try:
        if guild not in house.visited:
            house.visited[guild] = await house.client.fetch_guild(int(guild), with_counts=False)
    except (discord.HTTPException, OSError) as error:
        log.info("whom the server %s lets in is not known: %s", guild, error)
    return house.visited.get(guild)
