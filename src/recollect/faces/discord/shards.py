"""A bot in several processes, each with its share of the servers. Direct messages come to the process with shard 0,
which has to know whom the servers of the others allow: an allowed server, or one with an allowed role.
"""

import logging
from datetime import timedelta

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner
from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")

ALLOWED_FOR, REFUSED_FOR = timedelta(minutes=10), timedelta(seconds=10)
"""How long it is cached that someone is allowed in direct messages, or not: a look-up takes a request per server."""
MAX_LOOKUPS = 10_000


class Shards(commands.Cog):
    """Stores, for the other processes, which of our servers has an allowed role."""

    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        try:
            for guild in self._bot.client.guilds:
                for role in self._bot.access.roles & {str(role.id) for role in guild.roles}:
                    await self._bot.state.put(state.role_guild(role), str(guild.id), Owner.guild(str(guild.id)))
        except RecollectError as error:
            log.warning("cannot store which servers have an allowed role: %s", error)


async def is_allowed(bot: BotContext, user: discord.User | discord.Member) -> bool:
    """Whether the bot deals with someone at all; in direct messages, the answer is cached for a while."""
    if isinstance(user, discord.Member):
        return await bot.access.allows(user, bot.client.guilds)
    now, (answer, looked_up) = bot.clock(), bot.allowed.get(user.id, (False, None))
    if looked_up is None or not timedelta() <= now - looked_up < (ALLOWED_FOR if answer else REFUSED_FOR):
        answer = await _is_allowed_somewhere(bot, user)
        # Cleared as a whole: a bounded cache of answers that expire within minutes needs no order.
        if len(bot.allowed) >= MAX_LOOKUPS:
            bot.allowed.clear()
        bot.allowed[user.id] = answer, now
    return answer


async def _is_allowed_somewhere(bot: BotContext, user: discord.User) -> bool:
    if await bot.access.allows(user, bot.client.guilds):
        return True
    if not bot.settings.discord.shard:
        return False
    try:
        return await bot.access.allows(user, await _foreign_guilds(bot))
    except RecollectError as error:
        log.warning("cannot read whom other shards' servers allow: %s", error)
        return False


async def has_channel(bot: BotContext, channel_id: int) -> bool:
    """Whether a channel belongs to this process; one that can't be found is left to the process with shard 0."""
    if not bot.settings.discord.shard:
        return True
    channel = bot.client.get_channel(channel_id)
    if channel is None and channel_id not in bot.channel_guilds:
        try:
            channel = await bot.client.fetch_channel(channel_id)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            bot.channel_guilds[channel_id] = None
    if channel is not None:
        bot.channel_guilds[channel_id] = getattr(getattr(channel, "guild", None), "id", None)
    return bot.is_ours(bot.channel_guilds[channel_id])


async def _foreign_guilds(bot: BotContext) -> list[discord.Guild]:
    """The servers of other processes that may allow someone."""
    role_guilds = [await bot.state.get(state.role_guild(role)) for role in sorted(bot.access.roles)]
    guild_ids = dict.fromkeys(
        guild for guild in (*sorted(bot.access.guilds), *role_guilds) if guild and guild.isdecimal()
    )
    guilds = [await _fetch_guild(bot, guild) for guild in guild_ids if not bot.is_ours(guild)]
    return [guild for guild in guilds if guild is not None]


async def _fetch_guild(bot: BotContext, guild: str) -> discord.Guild | None:
    try:
        if guild not in bot.other_guilds:
            bot.other_guilds[guild] = await bot.client.fetch_guild(int(guild), with_counts=False)
    except (discord.HTTPException, OSError) as error:
        log.info("cannot tell whom the server %s allows: %s", guild, error)
    return bot.other_guilds.get(guild)
