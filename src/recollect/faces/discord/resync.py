"""Resync after a time offline, or without the permission to read: finds edits and deletions by comparing the newest
stored messages of recent places with Discord. Runs in the background with one request per place, and never guesses:
what can't be read stays.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Place
from recollect.faces.discord import message_changes
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.payloads import read_message
from recollect.faces.discord.permissions import own_permissions
from recollect.faces.discord.places import PLATFORM, parse_session

if TYPE_CHECKING:  # these modules of discord.py import each other
    from discord.types.message import Message as Payload

log = logging.getLogger("recollect.discord")

DELAY_SECONDS = 1.0
MAX_AGE = timedelta(days=30)
MAX_PLACES = 200
"""The places with the newest messages are compared, within `MAX_AGE`."""
READ_PERMISSIONS = discord.Permissions(view_channel=True, read_message_history=True)

Channel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel
Sleep = Callable[[float], Awaitable[None]]


class Resync(commands.Cog):
    def __init__(self, bot: BotContext, sleep: Sleep = asyncio.sleep) -> None:
        self._bot = bot
        self._sleep = sleep
        self._tasks: set[asyncio.Task[None]] = set()

    async def cog_unload(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        if self._bot.settings.discord.resync_messages:
            task = asyncio.create_task(work, name="recollect-resync")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            work.close()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """A new session; for a resumed one, Discord sends the missed events itself."""
        # A comparison for the former session would work beside this one.
        await self.cog_unload()
        self._start(self.run())

    def compare(self, channels: Collection[int]) -> None:
        """Compare what was said in channels and threads that the bot may read again, in the background."""
        self._start(self._compare_channels(channels))

    async def _compare_channels(self, channels: Collection[int]) -> None:
        try:
            for place, channel in await self._places((), channels):
                await self._resync_place(place, channel)
                await self._sleep(DELAY_SECONDS)
        except RecollectError as error:
            log.warning("cannot look for messages that were edited or deleted meanwhile: %s", error)

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._delete_place(Place(PLATFORM, str(channel.guild.id), str(channel.id)))

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        await self._delete_place(Place(PLATFORM, str(event.guild_id), str(event.parent_id), str(event.thread_id)))

    async def run(self) -> None:
        """Compare all recent places, and report; those that can't be read are counted. If the last resync was
        interrupted, the places that it did not reach come first; more may have changed in the others, too.
        """
        unreadable, total = 0, 0
        progress = state.resynced_places(self._bot.settings.discord.shard)
        try:
            reached = set(await self._bot.state.items(progress))
            if reached:
                log.info("a comparison of places with Discord was interrupted after %d, and goes on", len(reached))
            for place, channel in await self._places(reached):
                unreadable, total = unreadable + (not await self._resync_place(place, channel)), total + 1
                # After each place, so that a restart goes on instead of starting over.
                await self._bot.state.add(progress, place.session, Owner.of_session(place.session))
                await self._sleep(DELAY_SECONDS)
            await self._bot.state.drop(progress)
        except Exception:
            log.exception("cannot look for messages that were edited or deleted meanwhile")
        if total:
            log.info("compared %d places with Discord, for edits and deletions", total - unreadable)
        if unreadable:
            log.info("%d places can't be read, so edits and deletions there are unknown", unreadable)

    async def _resync_place(self, place: Place, channel: int) -> bool:
        """Whether a place could be brought up to date; a failure here does not affect the others."""
        try:
            return await self._resync_channel(place, channel)
        except Exception:
            log.exception("cannot look for messages that were edited or deleted meanwhile in %s", place.session)
            return False

    async def _places(
        self, reached: Collection[str], channels: Collection[int] | None = None
    ) -> list[tuple[Place, int]]:
        """Places with stored messages, in these channels or all, most recent first, channels that were deleted before
        all others; and before these, what an interrupted resync has not reached.
        """
        candidates: list[tuple[bool, datetime, Place, int]] = []
        now, stored = self._bot.clock(), await self._bot.state.values(StateKind.LISTENED_CHANNEL)
        parsed = [(parse_session(session), int(channel)) for session, channel in stored.items()]
        ours = [(place, channel) for place, channel in parsed if place and self._bot.is_ours(place.guild)]
        selected = [
            (place, channel)
            for place, channel in ours
            if channels is None
            or (place.guild and not {int(place.channel or 0), int(place.thread or 0)}.isdisjoint(channels))
        ]
        messages = await self._bot.memory.timeline.last_messages([place for place, _ in selected])
        silent: list[state.Name] = []
        for (place, channel), last in zip(selected, messages, strict=True):
            if last is None:
                continue
            time = now if self._is_missing(place) else last.at
            if now - time < MAX_AGE:
                candidates.append((place.session not in reached, time, place, channel))
            elif place.thread:
                silent.append(state.listened_channel(place.session))
        # Threads come and go: without end they would all be looked up at each start. A new message records it again.
        await self._bot.state.drop_all(silent)
        candidates.sort(key=lambda candidate: candidate[:2], reverse=True)
        return [(place, channel) for _, _, place, channel in candidates[:MAX_PLACES]]

    async def _stored_messages(self, place: Place, limit: int) -> list[Message]:
        return await self._bot.memory.timeline.recent(place, limit)

    def _guild(self, place: Place) -> discord.Guild | None:
        """The server of a place, unless it is unavailable."""
        guild = self._bot.client.get_guild(int(place.guild or 0))
        return None if guild is None or guild.unavailable else guild

    def _is_missing(self, place: Place) -> bool:
        """Whether its server no longer lists a channel; threads are not listed reliably."""
        guild = self._guild(place)
        return guild is not None and place.thread is None and guild.get_channel(int(place.channel or 0)) is None

    async def _resync_channel(self, place: Place, channel_id: int) -> bool:
        """Bring a place up to date; False when it can't be read."""
        client = self._bot.client
        if place.guild is not None and self._guild(place) is None:
            return False
        try:
            channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        except discord.NotFound:
            if place.guild is not None:
                await self._delete_place(place)
            return place.guild is not None
        except (discord.DiscordException, OSError):
            return False
        if not isinstance(channel, Channel) or not may_read(channel):
            return False
        try:
            return await self._compare_messages(place, channel)
        except (discord.DiscordException, OSError) as error:
            log.info("the messages of %s can't be read: %s", channel_id, error)
            return False

    async def _compare_messages(self, place: Place, channel: Channel) -> bool:
        limit = self._bot.settings.discord.resync_messages
        # Other ids are not Discord's: voice transcripts have their own.
        stored_ids = [message.id for message in await self._stored_messages(place, limit) if message.id.isdecimal()]
        payloads = await self._bot.client.http.logs_from(channel.id, limit)
        current = {str(payload["id"]): payload for payload in payloads}
        # Without the permission to read history Discord answers with an empty list, which must not delete everything.
        if not current and stored_ids and not await _was_deleted(channel, stored_ids[-1]):
            return False
        # Older than the oldest that was read is unknown, not deleted.
        oldest = 0 if len(current) < limit else min(map(int, current))
        missing = [message_id for message_id in stored_ids if message_id not in current]
        await message_changes.apply_deletions(
            self._bot, [message_id for message_id in missing if int(message_id) > oldest]
        )
        for message_id in stored_ids:
            if message_id in current:
                await self._apply_edit(place, channel, current[message_id])
        return True

    async def _apply_edit(self, place: Place, channel: Channel, payload: "Payload") -> None:
        """Store a message's current text."""
        try:
            await message_changes.apply_edit(self._bot, read_message(channel, payload))
        except Exception:
            log.exception("message %s in %s can't be read, and is skipped", payload["id"], place.session)

    async def _delete_place(self, place: Place) -> None:
        try:
            count = await message_changes.delete_place(self._bot, place)
        except RecollectError as error:
            log.warning("cannot delete the messages of %s, which is gone: %s", place.session, error)
        else:
            log.info("%s is gone; deleted its %d messages", place.session, count)


def may_read(channel: Channel | discord.abc.GuildChannel) -> bool:
    """Whether the bot may read the messages: without the permission Discord returns an empty list, and no error."""
    allowed = own_permissions(channel)
    if allowed is None:
        return isinstance(channel, discord.DMChannel)
    joins = not isinstance(channel, discord.VoiceChannel | discord.StageChannel) or allowed.connect
    return joins and READ_PERMISSIONS.is_subset(allowed)


async def _was_deleted(channel: Channel, message: str) -> bool:
    """Whether Discord confirms that a message was deleted: an empty list alone is no proof."""
    try:
        await channel.fetch_message(int(message))
    except discord.NotFound:
        return True
    return False
