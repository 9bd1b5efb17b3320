"""Catching up: messages that were sent while the bot was offline are answered and learned from, within a window. So are
those to the bot in a channel that it could not see for a while; the other ones there were not said in its presence.

It looks only at places with messages since it was last online, and leaves out those stored or answered already.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Place
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.listener import MessageListener
from recollect.faces.discord.messages import is_from_person
from recollect.faces.discord.payloads import read_message
from recollect.faces.discord.permissions import readers_differ
from recollect.faces.discord.places import PLATFORM, parse_session, place_of, with_unknown_readers
from recollect.faces.discord.resync import DELAY_SECONDS, MAX_PLACES, Channel, Sleep, may_read

if TYPE_CHECKING:  # these modules of discord.py import each other
    from discord.types.message import Message as Payload

log = logging.getLogger("recollect.discord")

PAGE_MESSAGES, MAX_PAGES = 100, 10
"""Messages per request, and requests per place."""
MAX_DIRECT = 200
"""Direct messages that are checked, the most recent ones: Discord doesn't say who wrote meanwhile, so each takes a
request.
"""
MARGIN = timedelta(minutes=1)
"""Discord's clock may differ from ours; messages that were handled already are left out anyway."""
RECORD_INTERVAL = timedelta(minutes=1)
"""How often it is stored that the bot is online, at most."""


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """How many missed messages were handled, and how many people's messages were left alone."""

    handled: int = 0
    skipped: int = 0

    def __add__(self, other: "CaughtUp") -> "CaughtUp":
        return CaughtUp(self.handled + other.handled, self.skipped + other.skipped)


class CatchUp(commands.Cog):
    def __init__(self, bot: BotContext, listener: MessageListener, sleep: Sleep = asyncio.sleep) -> None:
        self._bot, self._listener, self._sleep = bot, listener, sleep
        self._task: asyncio.Task[None] | None = None
        self._recorded: datetime | None = None
        self._is_online = self._is_behind = False
        self._members: dict[tuple[int, int], discord.Member] = {}
        self._lock = asyncio.Lock()
        """Held while catching up: what two runs read at once would be answered twice."""

    async def cog_unload(self) -> None:
        await self._record_disconnect()

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """A new session; for a resumed one, Discord sends what was missed itself."""
        if self._task is not None:
            self._task.cancel()
        since = await self._last_online()
        earliest = None if since is None else self._earliest(since)
        self._is_online = True
        if earliest is not None:
            # Before the task starts: a message that arrives now must not record that the bot is up to date.
            self._is_behind = True
            self._task = asyncio.create_task(self._run_once(earliest), name="recollect-catch-up")
        else:
            await self._record()

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        self._is_online = True

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        await self._record_disconnect()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        del message
        if not self._is_online:
            return  # when it was last online has not been read yet
        if self._recorded is None or self._bot.clock() - self._recorded >= RECORD_INTERVAL:
            await self._record()

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        if readers_differ(before, after):
            await self._note_change(after.guild)

    @commands.Cog.listener()
    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        if before.nsfw_level != after.nsfw_level:
            await self._note_change(after)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions:
            await self._note_change(after.guild)

    @commands.Cog.listener()
    async def on_guild_role_delete(self, role: discord.Role) -> None:
        await self._note_change(role.guild)

    async def _note_change(self, guild: discord.Guild) -> None:
        try:
            changed, owner = self._bot.clock().isoformat(), Owner.guild(str(guild.id))
            await self._bot.state.put(state.permissions_changed(guild.id), changed, owner)
        except RecollectError as error:
            log.warning("cannot store that permissions have changed: %s", error)

    async def _record_disconnect(self) -> None:
        """The connection ended: from this time on messages are missed."""
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

    async def _run_once(self, since: datetime) -> None:
        await self.run(since)
        self._is_behind = False
        await self._record()

    async def _record(self) -> None:
        """Store that the bot is online, unless it is still behind: interrupted, it starts from the same time again."""
        if self._is_behind:
            return
        now = self._bot.clock()
        try:
            name = state.last_online(self._bot.settings.discord.shard)
            await self._bot.state.put(name, now.isoformat(), Owner.nobody())
        except RecollectError as error:
            log.warning("cannot store that the bot is online: %s", error)
        else:
            self._recorded = now

    def _earliest(self, since: datetime) -> datetime | None:
        """From when on messages are handled that were missed since then; None if no missed message is."""
        window = self._bot.settings.discord.catch_up
        # The margin covers clocks that differ; what is read twice is stored once.
        return None if window is None else max(since - MARGIN, self._bot.clock() - timedelta(seconds=window))

    async def run(self, since: datetime, guilds: Collection[discord.Guild] | None = None) -> None:
        """Handle what was said since then, place by place, in some servers, or in all and in direct messages; a place
        that fails does not affect the others.
        """
        async with self._lock:
            # Roles may have changed since the last run.
            self._members.clear()
            count, places = 0, self._places(since, self._bot.client.guilds if guilds is None else guilds)
            if guilds is None:
                async for channel in self._direct_messages():
                    count += (await self._catch_up_safely(channel, since)).handled
            for channel in places[:MAX_PLACES]:
                count += (await self._catch_up_safely(channel, since)).handled
        if len(places) > MAX_PLACES:
            log.warning("%d more channels with missed messages are not caught up on", len(places) - MAX_PLACES)
        if count:
            log.info("caught up on %d messages that were sent while the bot was offline", count)

    async def run_after_outage(self, guild: discord.Guild, since: datetime) -> None:
        """Handle what was said on a server during an outage of Discord's."""
        earliest = self._earliest(since)
        if earliest is not None:
            await self.run(earliest, [guild])

    async def run_regained(self, channels: Sequence[Channel], since: datetime) -> CaughtUp:
        """Handle what was said to the bot in channels that it could not see since then, and count the rest."""
        earliest, total = self._earliest(since), CaughtUp()
        if earliest is None:
            return total
        async with self._lock:
            self._members.clear()
            for channel in channels:
                total += await self._catch_up_safely(channel, earliest, only_to_bot=True)
        return total

    async def _catch_up_safely(self, channel: Channel, since: datetime, *, only_to_bot: bool = False) -> CaughtUp:
        count = CaughtUp()
        try:
            count = await self._catch_up(channel, since, only_to_bot)
        except (discord.DiscordException, OSError) as error:
            log.info("what was missed in %s can't be read: %s", channel.id, error)
        except Exception:
            log.exception("cannot catch up on what was missed in %s", channel.id)
        await self._sleep(DELAY_SECONDS)
        return count

    def _places(self, since: datetime, guilds: Collection[discord.Guild]) -> list[Channel]:
        """Channels and threads in which something was said since, the newest first."""
        earliest = discord.utils.time_snowflake(since)
        candidates: list[Channel] = [
            channel
            for guild in guilds
            if not guild.unavailable
            for channel in (*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads)
            if (channel.last_message_id or 0) > earliest and may_read(channel)
        ]
        candidates.sort(key=lambda channel: getattr(channel, "last_message_id", None) or 0, reverse=True)
        return candidates

    async def _direct_messages(self) -> AsyncIterator[discord.DMChannel]:
        """Of those who wrote to the bot before; Discord does not list them."""
        if not self._bot.is_ours(None):
            return
        try:
            stored = await self._bot.state.values(StateKind.LISTENED_CHANNEL)
            places = [(parse_session(session), channel) for session, channel in stored.items()]
            direct = [(place, channel) for place, channel in places if place is not None and place.dm is not None]
            messages = await self._bot.memory.timeline.last_messages([place for place, _ in direct])
        except RecollectError as error:
            log.warning("cannot read with whom the bot had direct messages: %s", error)
            return
        last = sorted(zip(messages, direct, strict=True), key=lambda item: _sent(item[0]), reverse=True)
        for _, (_, channel_id) in last[:MAX_DIRECT]:
            channel = await self._dm_channel(channel_id)
            if channel is not None:
                yield channel

    async def _dm_channel(self, channel_id: str) -> discord.DMChannel | None:
        client = self._bot.client
        try:
            channel = client.get_channel(int(channel_id)) or await client.fetch_channel(int(channel_id))
        except (discord.DiscordException, OSError) as error:
            log.info("the direct messages in %s can't be read: %s", channel_id, error)
            return None
        return channel if isinstance(channel, discord.DMChannel) else None

    async def _catch_up(self, channel: Channel, since: datetime, only_to_bot: bool) -> CaughtUp:
        payloads = await self._messages_since(channel, discord.utils.time_snowflake(since))
        answered = {_reference(payload) for payload in payloads if _author(payload) == str(self._bot.me.id)}
        missed = [payload for payload in payloads if payload["id"] not in answered]
        count = CaughtUp()
        for payload in sorted(missed, key=lambda payload: int(payload["id"])):
            message = await self._read(channel, payload)
            if message is None:
                continue
            is_meant_for_bot = await self._listener.is_meant_for_bot(message)
            if await self._precedes_consent(message, is_meant_for_bot):
                continue
            if only_to_bot and not is_meant_for_bot:
                count += CaughtUp(skipped=1)
            elif await self._handle(message):
                count += CaughtUp(handled=1)
        return count

    async def _messages_since(self, channel: Channel, after: int) -> "list[Payload]":
        payloads: list[Payload] = []
        for _ in range(MAX_PAGES):
            page = await self._bot.client.http.logs_from(channel.id, PAGE_MESSAGES, after=after)
            payloads += page
            if len(page) < PAGE_MESSAGES:
                return payloads
            after = max(int(payload["id"]) for payload in page)
        log.warning("missed messages in %s after the first %d are not handled", channel.id, len(payloads))
        return payloads

    async def _read(self, channel: Channel, payload: "Payload") -> discord.Message | None:
        """A message of a person that was not stored yet, with their roles."""
        try:
            message = read_message(channel, payload)
            if not is_from_person(message) or await self._bot.memory.timeline.message(PLATFORM, str(message.id)):
                return None
            if message.guild is not None and not isinstance(message.author, discord.Member):
                message.author = await self._member(message.guild, message.author.id)
        except discord.NotFound:
            return None  # they left
        except Exception:
            log.exception("message %s in %s can't be read, and is skipped", payload["id"], channel.id)
            return None
        return message

    async def _precedes_consent(self, message: discord.Message, is_meant_for_bot: bool) -> bool:
        """Whether its author was told that they are remembered, or agreed to it, only later: the bot was not to keep it
        then. What was said to the bot is answered all the same, unless its server asks for an agreement.
        """
        told = await self._bot.state.get(state.notified(message.author.id))
        if told is None or message.created_at >= datetime.fromisoformat(told):
            return False
        server = await self._bot.server_settings.of(None if message.guild is None else message.guild.id)
        return server.consent == "opt_in" or not is_meant_for_bot

    async def _handle(self, message: discord.Message) -> bool:
        """Handle a message like a new one; False if it came live."""
        then = await self._place_then(message)
        if not self._listener.claim_missed(message.id):
            return False
        await self._listener.handle(message, place_of(message.channel, message.author.id), then)
        return True

    async def _member(self, guild: discord.Guild, user: int) -> discord.Member:
        if (guild.id, user) not in self._members:
            self._members[guild.id, user] = await guild.fetch_member(user)
        return self._members[guild.id, user]

    async def _place_then(self, message: discord.Message) -> Place:
        """The place of a message. Its readers then are known only if permissions are as before the bot went offline."""
        place = place_of(message.channel, message.author.id)
        if message.guild is None:
            return place
        last = await self._bot.memory.timeline.recent(place, 1)
        changed = await self._bot.state.get(state.permissions_changed(message.guild.id))
        # A channel that was closed after its last message, and is open again, looks as if nothing had happened.
        is_same = last and (changed is None or datetime.fromisoformat(changed) + MARGIN < last[-1].at)
        return place if is_same and last[-1].place.audience == place.audience else with_unknown_readers(place)


def _sent(message: Message | None) -> int:
    """When Discord got a message, as its ids tell it: people may write at the same time by our clock, by which a reply
    is stored later than it was sent.
    """
    if message is None:
        return 0
    return int(message.id) if message.id.isdecimal() else discord.utils.time_snowflake(message.at)


def _author(payload: "Payload") -> str:
    return str(payload["author"]["id"])


def _reference(payload: "Payload") -> str | None:
    reference = payload.get("message_reference")
    return None if reference is None else str(reference.get("message_id"))
