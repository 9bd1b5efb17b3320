"""Channels that the bot could not read for a while: it lost a permission, or its place in a private thread, or the
server had an outage. Since when is stored, and once it can read again, what was missed is made up for.

After an outage that is everything, as after being offline. Where the bot was shut out, it is only what was said to it:
nobody there expects it to hear the rest. Those who manage the server are told how much that is.
"""

import asyncio
import logging
from collections.abc import Collection, Coroutine, Iterable
from datetime import datetime

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner, StateKind
from recollect.faces.discord.catch_up import CatchUp
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.localization import translated
from recollect.faces.discord.places import parse_session
from recollect.faces.discord.resync import Channel, Resync, may_read

log = logging.getLogger("recollect.discord")

REGAINED = (
    "I can read {0} again; since {1} I could not. Of what I missed in the last {2} hours, {3} messages to me are "
    "answered and learned from, and {4} others are not."
)
Tracked = Channel | discord.ForumChannel
"""Where people talk, or where the threads are in which they do."""
SERVER = 0
"""Stands for all channels of a server, in an outage."""


class LostChannels(commands.Cog):
    def __init__(self, bot: BotContext, resync: Resync, catch_up: CatchUp) -> None:
        self._bot, self._resync, self._catch_up = bot, resync, catch_up
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()
        self._readable: dict[int, set[int]] = {}
        """The channels of each server that the bot may read: of the others, Discord tells it nothing."""
        self._left_threads: set[int] = set()
        """Private threads that the bot was taken out of; discord.py still lists them."""

    async def cog_unload(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name="recollect-lost-channels")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """A new session: channels may have been lost, or regained, while the bot was offline."""
        await self.cog_unload()
        for guild in self._bot.client.guilds:
            # Noted before the first await, so that a change of permissions from now on is seen as one.
            self._note_readable(guild, guild.channels)
        try:
            await self._review_all()
        except RecollectError as error:
            log.warning("cannot read since when channels could not be read: %s", error)

    async def _review_all(self) -> None:
        stored = await self._bot.state.get(state.last_online(self._bot.settings.discord.shard))
        since = self._bot.clock() if stored is None else datetime.fromisoformat(stored)
        places = [parse_session(session) for session in await self._bot.state.keys(StateKind.LISTENED_CHANNEL)]
        listened = {int(place.channel) for place in places if place is not None and place.channel}
        for guild in self._bot.client.guilds:
            if guild.unavailable:
                await self._note_lost(guild, {SERVER}, since)
                continue
            unreadable = {channel.id for channel in guild.channels} - self._readable.get(guild.id, set())
            await self._note_lost(guild, unreadable & listened, since)
        for guild_id in {int(key.partition(":")[0]) for key in await self._bot.state.keys(StateKind.UNREAD_SINCE)}:
            guild = self._bot.client.get_guild(guild_id)
            if guild is not None and not guild.unavailable:
                self._start(self._make_up(guild))

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        await self._note_lost_safely(guild, {SERVER})

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        await self._review(guild, guild.channels)
        self._start(self._make_up(guild))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """It may have been there before; servers also seem to be joined that become available late."""
        self._readable.pop(guild.id, None)
        await self._review(guild, guild.channels)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self._readable.pop(guild.id, None)
        try:
            for name in await self._stored(guild):
                await self._bot.state.drop(state.unread_since(guild.id, name))
        except RecollectError as error:
            log.warning("cannot forget since when channels could not be read: %s", error)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        try:
            await self._bot.state.drop(state.unread_since(channel.guild.id, channel.id))
        except RecollectError as error:
            log.warning("cannot forget since when %s could not be read: %s", channel.id, error)

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        if before.overwrites != after.overwrites:
            await self._review(after.guild, [after])

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions and after in after.guild.me.roles:
            await self._review(after.guild, after.guild.channels)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        await self._review(role.guild, role.guild.channels)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if after.id == self._bot.me.id and before.roles != after.roles:
            await self._review(after.guild, after.guild.channels)

    @commands.Cog.listener()
    async def on_thread_remove(self, thread: discord.Thread) -> None:
        if thread.is_private():
            self._left_threads.add(thread.id)
            await self._note_lost_safely(thread.guild, {thread.id})

    @commands.Cog.listener()
    async def on_thread_join(self, thread: discord.Thread) -> None:
        self._left_threads.discard(thread.id)
        self._start(self._make_up(thread.guild))

    async def _review(self, guild: discord.Guild, channels: Iterable[discord.abc.GuildChannel]) -> None:
        """Some permissions changed: note what the bot can no longer read, and make up for what it can read again."""
        regained, lost = self._note_readable(guild, channels)
        if lost:
            await self._note_lost_safely(guild, lost)
        if regained:
            # Also where nothing was noted: it may have been unreadable before this process started.
            self._resync.compare(regained)
            self._start(self._make_up(guild))

    def _note_readable(
        self, guild: discord.Guild, channels: Iterable[discord.abc.GuildChannel]
    ) -> tuple[set[int], set[int]]:
        """Note which of these channels the bot may read now; returns those that it could not read before, and those
        that it no longer can.
        """
        known, places = (
            self._readable.setdefault(guild.id, set()),
            [one for one in channels if isinstance(one, Tracked)],
        )
        now = {channel.id: may_read(channel) for channel in places}
        regained = {channel for channel, is_readable in now.items() if is_readable} - known
        lost = {channel for channel, is_readable in now.items() if not is_readable} & known
        self._readable[guild.id] = (known | regained) - lost
        return regained, lost

    async def _note_lost_safely(self, guild: discord.Guild, channels: Collection[int]) -> None:
        try:
            await self._note_lost(guild, channels, self._bot.clock())
        except RecollectError as error:
            log.warning("cannot store since when channels of %s can't be read: %s", guild.id, error)

    async def _note_lost(self, guild: discord.Guild, channels: Collection[int], since: datetime) -> None:
        for channel in sorted(set(channels).difference(await self._stored(guild))):
            name, owner = state.unread_since(guild.id, channel), Owner.guild(str(guild.id))
            await self._bot.state.put(name, since.isoformat(), owner)

    async def _stored(self, guild: discord.Guild) -> dict[int, datetime]:
        """The channels of a server that can't be read, or could not until now, and since when."""
        return await unread_channels(self._bot, guild.id)

    async def _make_up(self, guild: discord.Guild) -> None:
        """Make up for what was missed in channels that can be read again."""
        async with self._lock:  # two changes at once are made up for once
            try:
                for channel_id, since in (await self._stored(guild)).items():
                    if self._can_read(guild, channel_id):
                        await self._make_up_for(guild, channel_id, since)
                        await self._bot.state.drop(state.unread_since(guild.id, channel_id))
            except RecollectError as error:
                log.warning("cannot make up for what was missed on the server %s: %s", guild.id, error)

    def _can_read(self, guild: discord.Guild, channel_id: int) -> bool:
        """Whether the bot can read a channel, or there is no such channel any more."""
        if guild.unavailable or channel_id in self._left_threads:
            return False
        channel = None if channel_id == SERVER else guild.get_channel_or_thread(channel_id)
        return channel is None or may_read(channel)

    async def _make_up_for(self, guild: discord.Guild, channel_id: int, since: datetime) -> None:
        channels = _readable_in(guild, channel_id)
        self._resync.compare({channel.id for channel in channels})
        if channel_id == SERVER:
            await self._catch_up.run_after_outage(guild, since)
            return
        count = await self._catch_up.run_regained(channels, since)
        handled, skipped = count.handled, count.skipped
        log.info("%s can be read again: handled %d missed messages, left %d alone", channel_id, handled, skipped)
        window = self._bot.settings.discord.catch_up
        if window is not None and (handled or skipped):
            text = translated(REGAINED, await self._bot.server_settings.language(guild.id))
            when = discord.utils.format_dt(since, "R")
            report = text.format(f"<#{channel_id}>", when, round(window / 3600), handled, skipped)
            await self._bot.server_settings.report(guild.id, report)


async def unread_channels(bot: BotContext, guild: int) -> dict[int, datetime]:
    """The channels of a server that the bot can't read, and since when; `SERVER` in an outage."""
    stored = await bot.state.values(StateKind.UNREAD_SINCE)
    parts = [(key.partition(":"), since) for key, since in stored.items()]
    return {
        int(channel): datetime.fromisoformat(since) for (server, _, channel), since in parts if server == str(guild)
    }


def _readable_in(guild: discord.Guild, channel_id: int) -> list[Channel]:
    """The channels that can be read: a channel with its active threads, a thread, or all of a server."""
    if channel_id == SERVER:
        candidates = [*guild.channels, *guild.threads]
    else:
        channel = guild.get_channel_or_thread(channel_id)
        candidates = [channel, *getattr(channel, "threads", ())]
    return [one for one in candidates if isinstance(one, Channel) and may_read(one)]
