"""Follows memory's log and shows changes on Discord, whichever process made them: this bot, a CLI or a worker.

Position and pending work are persisted, so a restart continues where the last process stopped.
"""

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import discord
from discord.ext import commands, tasks

from recollect import bot_state as state
from recollect.bot_state import summary_viewers
from recollect.core.errors import RecollectError
from recollect.core.events import Event, EventKind
from recollect.core.state import Owner, StateKind
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.learned_notices import LearnedNotices
from recollect.faces.discord.memory_channel import MemoryChannel
from recollect.faces.discord.memory_panel import MemoryPanel
from recollect.faces.discord.permissions import readers_differ
from recollect.faces.discord.places import PLATFORM, person_of, place_of_session, user_id
from recollect.privacy.inventory import ERASED

log = logging.getLogger("recollect.discord")

POLL_INTERVAL_SECONDS = 2.0
"""Changes within one interval are shown together."""
RETRY_DELAY = timedelta(minutes=1)
"""Time until the memory channel, or a line that is to go, is tried again after a failure."""
TRIM_INTERVAL = timedelta(days=1)
"""How often learned lines are looked for that are beyond the limit, or still there without their memory."""
_EVENTS_PER_POLL = 500
_LINES_PER_POLL = 20
"""Lines that are removed at a time: each takes a request, and new lines wait for them."""


class _Retry:
    """When what Discord refused is tried again: after ever longer delays."""

    def __init__(self) -> None:
        self._refusals = 0
        self._after: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        return self._after is None or now >= self._after

    def note(self, is_done: bool, now: datetime) -> None:
        self._refusals = 0 if is_done else self._refusals + 1
        delay = min(RETRY_DELAY * 2 ** (min(self._refusals, 10) - 1), TRIM_INTERVAL)
        self._after = None if is_done else now + delay


class LogFollower(commands.Cog):
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._memory_channel = MemoryChannel(bot)
        self._notices = LearnedNotices(bot)
        self._panel = MemoryPanel(bot)
        self._has_panel = False
        self._shows_members = bot.settings.discord.memory_channel_style == "members"
        self._shard = bot.settings.discord.shard
        self._failed_at: datetime | None = None
        self._is_swept = self._is_rechecked = False
        self._trimmed_at: datetime | None = None
        self._line_retry, self._panel_retry = _Retry(), _Retry()
        self._has_started = False

    async def cog_load(self) -> None:
        self._poll.start()

    async def cog_unload(self) -> None:
        self._poll.cancel()

    @tasks.loop(seconds=POLL_INTERVAL_SECONDS)
    async def _poll(self) -> None:
        try:
            await self.catch_up()
        except (RecollectError, discord.DiscordException, OSError) as error:
            log.warning("cannot show changes: %s", error)
        except Exception:
            log.exception("cannot show changes")

    @_poll.before_loop
    async def _wait_until_ready(self) -> None:
        await self._bot.client.wait_until_ready()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        self._check_again()

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        del guild
        self._check_again()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """It may have been there before."""
        del guild
        self._check_again()

    def _check_again(self) -> None:
        """Permissions may have changed unseen: the next poll checks all that is shown."""
        self._trimmed_at, self._is_rechecked = None, False

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Delete Discord's own messages about our pins in the memory channel: they are noise there."""
        is_memory_channel = str(message.channel.id) == self._bot.settings.discord.memory_channel
        is_own_pin = message.type is discord.MessageType.pins_add and message.author.id == self._bot.me.id
        if is_memory_channel and is_own_pin:
            with suppress(discord.HTTPException):
                await message.delete()

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._restore_panel(event.guild_id, {event.message_id})

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        await self._restore_panel(event.guild_id, event.message_ids)

    async def _restore_panel(self, guild_id: int | None, deleted: Collection[int]) -> None:
        """Post a panel again that someone deleted, for instance with all messages of its channel."""
        if guild_id is None:
            return
        try:
            _, _, message_id = (await self._bot.state.get(state.panel_message(guild_id)) or "").partition("/")
        except RecollectError as error:
            log.warning("cannot read which message is the panel of the server %s: %s", guild_id, error)
            return
        if message_id and int(message_id) in deleted:
            await self.show_panel(guild_id)

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        if readers_differ(before, after):
            children = after.channels if isinstance(after, discord.CategoryChannel) else []
            await self._recheck([after, *children])

    @commands.Cog.listener()
    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        if before.nsfw_level != after.nsfw_level:  # minors may read it now
            await self._recheck(after.channels)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions:
            await self._recheck(after.guild.channels)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        await self._recheck(role.guild.channels)

    async def _recheck(self, channels: Sequence[discord.abc.GuildChannel]) -> None:
        """The readers of these channels changed: remove what not all of them may see."""
        ids = {channel.id for channel in channels}
        ids |= {thread.id for channel in channels for thread in getattr(channel, "threads", ())}
        try:
            await self._notices.remove_invisible(ids)
            if self._shows_members and await self._memory_channel.is_in(ids):
                await self._update_all_snapshots()
        except (RecollectError, discord.DiscordException, OSError) as error:
            log.warning("cannot remove what not everyone may see any more: %s", error)

    @commands.Cog.listener()
    async def on_opted_out(self, user: int) -> None:
        """Someone opted out of being shown to others: remove what is shown."""
        try:
            await self._notices.remove_of(person_of(user))
            await self._memory_channel.update(str(user))
        except (RecollectError, discord.DiscordException, OSError) as error:
            log.warning("cannot remove what is shown of %s: %s", user, error)

    async def _update_all_snapshots(self) -> None:
        for user in await self._bot.state.keys(StateKind.SNAPSHOT_MESSAGE):
            await self._memory_channel.update(user)

    async def _recheck_snapshots(self) -> None:
        """Note all snapshots to be updated, once per session: more people may be able to read them now."""
        if not self._is_rechecked:
            self._is_rechecked = True
            for user in await self._bot.state.keys(StateKind.SNAPSHOT_MESSAGE):
                await self._bot.state.add(state.PENDING_SNAPSHOTS, user, Owner.person(person_of(user)))

    async def show_panel(self, guild_id: int) -> None:
        """Bring the panel of a server up to date, as its settings changed."""
        guild = self._bot.client.get_guild(guild_id)
        if guild is not None:
            await self._panel.update(guild)

    async def _start_panels(self) -> None:
        """At the start: post the panels, and remove the members' messages of the earlier style."""
        if not self._has_panel:
            self._has_panel = True
            await self._panel.update_all()
            if not self._shows_members and await self._memory_channel.is_ours():
                await self._memory_channel.remove_all()

    async def catch_up(self) -> None:
        """Show what changed since the last poll; the very first poll only records where the log ends."""
        await self._start_panels()
        position = await self._read_position()
        has_channel = self._shows_members and await self._memory_channel.is_ours()
        events = await self._bot.memory.timeline.events_after(position, _EVENTS_PER_POLL)
        if events:
            for event in events:
                await self._notices.follow(event)
                if event.kind == ERASED:
                    self._is_swept = False
                    await self._bot.state.drop(state.swept(self._shard))
            pending = await self._affected_snapshots(events) if has_channel else []
            # After the lines of all events: interrupted, it shows a line again rather than never.
            await self._bot.state.advance(self._shard, events[-1].id, pending)
        if self._failed_at is None or self._bot.clock() >= self._failed_at + RETRY_DELAY:
            self._failed_at = None
            await self._sweep(has_channel)
            await self._trim()
            if has_channel:
                await self._recheck_snapshots()
                await self._update_snapshots()

    async def _read_position(self) -> int:
        """How far we have come. On the first call also considers positions of another division into shards."""
        own_name = state.log_position(self._shard)
        stored = await self._bot.state.get(own_name)
        if stored is not None and self._has_started:
            return int(stored)
        shards = [shard for shard in await self._bot.state.keys(StateKind.BOT_POSITION) if shard != self._shard]
        others = shards if stored is None else [shard for shard in shards if not _has_same_count(shard, self._shard)]
        positions = [stored, *[await self._bot.state.get(state.log_position(shard)) for shard in others]]
        # The furthest of all: with another number of shards, nothing is announced twice.
        furthest = max((int(position) for position in positions if position is not None), default=None)
        start = await self._bot.memory.timeline.last_event_id() if furthest is None else furthest
        if str(start) != stored:
            await self._bot.state.put(own_name, str(start), Owner.nobody())
        self._has_started = True
        return start

    async def _affected_snapshots(self, events: Sequence[Event]) -> list[str]:
        """The snapshots to update, as `user` or `user session` when a conversation's summary changed."""
        pending = dict[str, None]()
        for event in events:
            if event.scope.startswith("user:"):
                person = user_id(event.scope.removeprefix("user:"))
                pending |= {} if person is None else {str(person): None}
            elif event.kind == EventKind.MEMBER_LEFT:
                pending[str(event.data["user"])] = None
            # A summary is shown to those who viewed it before, and to who spoke last.
            elif event.kind.startswith("summary."):
                viewers = await self._bot.state.items(summary_viewers(event.scope))
                speaker = await self._last_speaker(event.scope)
                pending |= {f"{user} {event.scope}": None for user in filter(None, {*viewers, speaker})}
        for session in await self._changed_summaries(events):
            pending |= {f"{user} {session}": None for user in await self._bot.state.items(summary_viewers(session))}
        return list(pending)

    async def _changed_summaries(self, events: Sequence[Event]) -> list[str]:
        """Displayed conversations whose summary repeats something that was forgotten, or restored."""
        sessions = await self._bot.state.keys(StateKind.SUMMARY_VIEWERS)
        return await self._bot.memory.timeline.changed_summaries(events, sessions)

    async def _sweep(self, has_channel: bool) -> None:
        """Remove messages about erased memories: after an erasure, and at the start, in case that was interrupted."""
        if self._is_swept:
            return
        name = state.swept(self._shard)
        try:
            if self._bot.is_ours(None) and await self._bot.state.get(name) is None:
                await self._notices.remove_stale()
                await self._bot.state.put(name, self._bot.clock().isoformat(), Owner.nobody())
            if has_channel:
                await self._memory_channel.remove_stale()
        except (discord.DiscordException, OSError) as error:
            log.warning("erased memories may still be shown: %s", error)
            self._failed_at = self._bot.clock()
        else:
            self._is_swept = True

    async def _trim(self) -> None:
        """Remove learned lines that are to go, and show those that Discord did not take, a few at a time; and the
        panels that it did not take.
        """
        now = self._bot.clock()
        if self._trimmed_at is None or now - self._trimmed_at >= TRIM_INTERVAL:
            self._trimmed_at = now
            await self._notices.collect_obsolete()
        if self._line_retry.is_due(now):
            is_done = await self._notices.remove_obsolete(_LINES_PER_POLL)
            self._line_retry.note(await self._notices.show_missed(_LINES_PER_POLL) and is_done, now)
        if self._panel_retry.is_due(now):
            self._panel_retry.note(await self._panel.update_failed(), now)

    async def _update_snapshots(self) -> None:
        """Bring the pending snapshots up to date; after a failure the others wait for the retry."""
        for item in await self._bot.state.items(state.PENDING_SNAPSHOTS):
            user, _, session = item.partition(" ")
            if not await self._memory_channel.update(user, session or None):
                self._failed_at = self._bot.clock()
                return
            # Only when it is shown; a failure leaves it for the next round.
            await self._bot.state.remove(state.PENDING_SNAPSHOTS, item)

    async def _last_speaker(self, session: str) -> str | None:
        """The person who spoke last in a conversation: they may see its summary."""
        place = place_of_session(self._bot.client, session)
        if place is None:
            return None
        messages = await self._bot.memory.timeline.recent(place, 20)
        authors = [message.author for message in messages if not message.bot and message.place.platform == PLATFORM]
        return authors[-1] if authors else None


def _has_same_count(shard: str, other: str) -> bool:
    """Whether two positions belong to the same division into shards."""
    return shard.rpartition("/")[2] == other.rpartition("/")[2]
