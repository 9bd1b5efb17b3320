"""Catching up: messages that were sent while the bot was offline are answered and learned from, within a window.

It looks only where something was said since it was last online, and leaves out what is stored or answered already.
"""

import asyncio
import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner, StateKind
from recollect.core.types import Place
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.listener import MessageListener
from recollect.faces.discord.messages import is_from_person
from recollect.faces.discord.payloads import read_message
from recollect.faces.discord.places import PLATFORM, parse_session, place_of
from recollect.faces.discord.resync import DELAY_SECONDS, MAX_PLACES, Channel, Sleep, may_read

if TYPE_CHECKING:  # these modules of discord.py import each other
    from discord.types.message import Message as Payload

log = logging.getLogger("recollect.discord")

MAX_MESSAGES = 100
"""Messages per place: what Discord returns at once."""
MARGIN = timedelta(minutes=1)
"""Discord's clock is not ours; what was handled already is left out anyway."""
RECORD_INTERVAL = timedelta(minutes=1)
"""How often it is stored that the bot is online, at most."""


class CatchUp(commands.Cog):
    def __init__(self, bot: BotContext, listener: MessageListener, sleep: Sleep = asyncio.sleep) -> None:
        self._bot, self._listener, self._sleep = bot, listener, sleep
        self._task: asyncio.Task[None] | None = None
        self._recorded: datetime | None = None
        self._is_online = False

    async def cog_unload(self) -> None:
        await self._leave()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """A new session; for a resumed one, Discord sends what was missed itself."""
        if self._task is not None:
            self._task.cancel()
        window, since = self._bot.settings.discord.catch_up, await self._last_online()
        self._is_online = True
        if window is not None and since is not None:
            earliest = max(since - MARGIN, self._bot.clock() - timedelta(seconds=window))
            self._task = asyncio.create_task(self.run(earliest), name="recollect-catch-up")
        await self._record()

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        self._is_online = True

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        await self._leave()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        del message
        if not self._is_online:
            return  # when it was last online has not been read yet
        if self._recorded is None or self._bot.clock() - self._recorded >= RECORD_INTERVAL:
            await self._record()

    async def _leave(self) -> None:
        """The connection ends: this is the time from which messages are missed."""
        if self._task is not None:
            self._task.cancel()
        if self._is_online:
            await self._record()
            self._is_online = False

    async def _last_online(self) -> datetime | None:
        try:
            stored = await self._bot.state.get(state.last_online(self._bot.settings.discord.shard))
        except RecollectError as error:
            log.warning("cannot read when the bot was last online: %s", error)
            return None
        return None if stored is None else datetime.fromisoformat(stored)

    async def _record(self) -> None:
        now = self._bot.clock()
        try:
            name = state.last_online(self._bot.settings.discord.shard)
            await self._bot.state.put(name, now.isoformat(), Owner.nobody())
        except RecollectError as error:
            log.warning("cannot store that the bot is online: %s", error)
        else:
            self._recorded = now

    async def run(self, since: datetime) -> None:
        """Handle what was said since then, place by place; a place that fails does not affect the others."""
        count = 0
        for channel in (await self._places(since))[:MAX_PLACES]:
            try:
                count += await self._catch_up(channel, since)
            except (discord.DiscordException, OSError) as error:
                log.info("what was missed in %s can't be read: %s", channel.id, error)
            except Exception:
                log.exception("cannot catch up on what was missed in %s", channel.id)
            await self._sleep(DELAY_SECONDS)
        if count:
            log.info("caught up on %d messages that were sent while the bot was offline", count)

    async def _places(self, since: datetime) -> list[Channel]:
        """Direct messages, then channels and threads in which something was said since, the newest first."""
        earliest, client = discord.utils.time_snowflake(since), self._bot.client
        candidates = [
            channel
            for guild in client.guilds
            if not guild.unavailable
            for channel in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads)
            if (channel.last_message_id or 0) > earliest and may_read(channel)
        ]
        candidates.sort(key=lambda channel: channel.last_message_id or 0, reverse=True)
        return [*await self._direct_messages(), *candidates]

    async def _direct_messages(self) -> list[Channel]:
        """Of everyone who wrote to the bot before; Discord does not list them."""
        if not self._bot.is_ours(None):
            return []
        channels: list[Channel] = []
        try:
            for session in await self._bot.state.keys(StateKind.LISTENED_CHANNEL):
                place = parse_session(session)
                stored = None if place is None or place.dm is None else await self._stored_channel(session)
                channel = None if stored is None else await self._dm_channel(stored)
                channels += [channel] if channel is not None else []
        except RecollectError as error:
            log.warning("cannot read with whom the bot had direct messages: %s", error)
        return channels

    async def _stored_channel(self, session: str) -> str | None:
        return await self._bot.state.get(state.listened_channel(session))

    async def _dm_channel(self, channel_id: str) -> discord.DMChannel | None:
        client = self._bot.client
        try:
            channel = client.get_channel(int(channel_id)) or await client.fetch_channel(int(channel_id))
        except (discord.DiscordException, OSError) as error:
            log.info("the direct messages in %s can't be read: %s", channel_id, error)
            return None
        return channel if isinstance(channel, discord.DMChannel) else None

    async def _catch_up(self, channel: Channel, since: datetime) -> int:
        payloads = await self._bot.client.http.logs_from(
            channel.id, MAX_MESSAGES, after=discord.utils.time_snowflake(since)
        )
        answered = {_reference(payload) for payload in payloads if _author(payload) == str(self._bot.me.id)}
        missed = [payload for payload in payloads if payload["id"] not in answered]
        count = 0
        for payload in sorted(missed, key=lambda payload: int(payload["id"])):
            count += await self._handle(channel, payload)
        return count

    async def _handle(self, channel: Channel, payload: "Payload") -> bool:
        """Handle one message like a new one; False when there is nothing to do."""
        try:
            message = read_message(channel, payload)
            if not is_from_person(message) or await self._bot.memory.timeline.message(PLATFORM, str(message.id)):
                return False
            if message.guild is not None and not isinstance(message.author, discord.Member):
                message.author = await message.guild.fetch_member(message.author.id)  # for their roles
        except discord.NotFound:
            return False  # they left
        except Exception:
            log.exception("message %s in %s can't be read, and is skipped", payload["id"], channel.id)
            return False
        place = await self._place(message)
        if not self._listener.claim_missed(message.id):
            return False
        await self._listener.handle(message, place)
        return True

    async def _place(self, message: discord.Message) -> Place:
        """Where it was said. Who could read that then is known only if it is as before the bot went offline; else it is
        told nowhere but there.
        """
        place = place_of(message.channel, message.author.id)
        before = await self._bot.memory.timeline.recent(place, 1)
        if place.guild is None or (before and before[-1].place.audience == place.audience):
            return place
        return replace(place, public=False, readers="")


def _author(payload: "Payload") -> str:
    return str(payload["author"]["id"])


def _reference(payload: "Payload") -> str | None:
    reference = payload.get("message_reference")
    return None if reference is None else str(reference.get("message_id"))
