"""After a while offline: what was edited or deleted meanwhile, found by comparing the newest messages of recent places
with what Discord shows now. In the background, one request a place, and never by a guess: what can't be read stays.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from recollect.core.errors import RecollectError
from recollect.core.types import Message, Place
from recollect.faces.discord import edits
from recollect.faces.discord import state as notes
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.places import PLATFORM, named_place

if TYPE_CHECKING:  # these modules of discord.py import each other
    from discord.types.message import Message as Payload

log = logging.getLogger("recollect.discord")

PAUSE = 1.0
"""Seconds between two places."""
RECENT = timedelta(days=30)
MOST = 200
"""Places that are looked at: those where something was said last, and lately."""
READING = discord.Permissions(view_channel=True, read_message_history=True)

Channel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel
Pause = Callable[[float], Awaitable[None]]


class Resync(commands.Cog):
    def __init__(self, house: BotContext, pause: Pause = asyncio.sleep) -> None:
        self._house = house
        self._pause = pause
        self._looking: asyncio.Task[None] | None = None

    async def cog_unload(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """A new session: a connection that was resumed is told by Discord what it missed."""
        await self.cog_unload()
        if self._house.settings.discord.resync_messages:
            self._looking = asyncio.create_task(self.look(), name="recollect-recheck")

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self._vacate(Place(PLATFORM, str(channel.guild.id), str(channel.id)))

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        await self._vacate(Place(PLATFORM, str(event.guild_id), str(event.parent_id), str(event.thread_id)))

    async def look(self) -> None:
        """Go through the places; those that may not be read are counted, and that is said once."""
        unread = 0
        try:
            for place, channel in await self._places():
                unread += not await self._looked_at(place, channel)
                await self._pause(PAUSE)
        except Exception:
            log.exception("what was edited or deleted meanwhile can't be looked up")
        if unread:
            log.info("in %d places it is not known what was edited or deleted meanwhile: they can't be read", unread)

    async def _looked_at(self, place: Place, channel: int) -> bool:
        """Whether a place could be brought up to date; whatever fails there, the others are looked at."""
        try:
            return await self._compared(place, channel)
        except Exception:
            log.exception("what was edited or deleted meanwhile in %s can't be looked up", place.session)
            return False

    async def _places(self) -> list[tuple[Place, int]]:
        """Where people were heard, the most recent first; those that are no longer on their server before all."""
        found: list[tuple[datetime, Place, int]] = []
        now = self._house.clock()
        for name in await self._house.notes.names(notes.HEARD):
            place = named_place(name.removeprefix(notes.HEARD))
            if place is None or not self._house.is_ours(place.guild):
                continue
            channel, last = await self._house.notes.get(name), await self._known(place, 1)
            if channel is None or not last:
                continue
            at = now if self._is_missing(place) else last[-1].at
            if now - at < RECENT:
                found.append((at, place, int(channel)))
        found.sort(key=lambda one: one[0], reverse=True)
        return [(place, channel) for _, place, channel in found[:MOST]]

    async def _known(self, place: Place, limit: int) -> list[Message]:
        return await self._house.memory.store.read(lambda tx: tx.messages.recent(place, limit))

    def _guild(self, place: Place) -> discord.Guild | None:
        """The server of a place, unless it is out of reach for now."""
        guild = self._house.client.get_guild(int(place.guild or 0))
        return None if guild is None or guild.unavailable else guild

    def _is_missing(self, place: Place) -> bool:
        """Whether a channel is not among those of its server; threads come and go."""
        guild = self._guild(place)
        return guild is not None and place.thread is None and guild.get_channel(int(place.channel or 0)) is None

    async def _compared(self, place: Place, channel_id: int) -> bool:
        """Bring a place up to date; False when it can't be read."""
        client = self._house.client
        if place.guild is not None and self._guild(place) is None:
            return False
        try:
            channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        except discord.NotFound:
            if place.guild is not None:
                await self._vacate(place)
            return place.guild is not None
        except (discord.DiscordException, OSError):
            return False
        if not isinstance(channel, Channel) or not _may_read(channel):
            return False
        try:
            return await self._compare(place, channel)
        except (discord.DiscordException, OSError) as error:
            log.info("the messages of %s can't be read: %s", channel_id, error)
            return False

    async def _compare(self, place: Place, channel: Channel) -> bool:
        limit = self._house.settings.discord.resync_messages
        known = [one.id for one in await self._known(place, limit) if one.id.isdecimal()]
        shown = await self._house.client.http.logs_from(channel.id, limit)
        there = {str(payload["id"]): payload for payload in shown}
        if not there and known and not await _is_gone(channel, known[-1]):
            return False
        oldest = 0 if len(there) < limit else min(map(int, there))
        await edits.deleted(self._house, [one for one in known if one not in there and int(one) > oldest])
        for number in known:
            if number in there:
                await self._reread(place, channel, there[number])
        return True

    async def _reread(self, place: Place, channel: Channel, payload: "Payload") -> None:
        """Take over the words that a message has now. Payloads are read one by one, as `history()` ends at the first
        that discord.py does not understand.
        """
        try:
            state = channel._state  # pyright: ignore[reportPrivateUsage] there is no public way
            await edits.edited(self._house, discord.Message(state=state, channel=channel, data=payload))
        except Exception:
            log.exception("message %s in %s can't be read, and is skipped", payload["id"], place.session)

    async def _vacate(self, place: Place) -> None:
        try:
            count = await edits.vacated(self._house, place)
        except RecollectError as error:
            log.warning("what was said in %s could not be deleted with it: %s", place.session, error)
        else:
            log.info("%s is gone, and with it %d messages", place.session, count)


def _may_read(channel: Channel) -> bool:
    """Whether Discord would show what was said: without the permission it shows an empty list, and no error."""
    guild = getattr(channel, "guild", None)
    if not isinstance(guild, discord.Guild):
        return isinstance(channel, discord.DMChannel)
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    try:
        allowed = channel.permissions_for(guild.me)
    except discord.ClientException:  # a thread whose channel is not known
        return False
    joins = not isinstance(channel, discord.VoiceChannel | discord.StageChannel) or allowed.connect
    return joins and READING.is_subset(allowed)


async def _is_gone(channel: Channel, message: str) -> bool:
    """An empty list is believed only when Discord also says that a message which was there is not."""
    try:
        await channel.fetch_message(int(message))
    except discord.NotFound:
        return True
    return False
