"""Shared state of the bot's parts: memory, the assistant, the settings, and who may be answered."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from weakref import WeakValueDictionary

import discord

from recollect import bot_state as state
from recollect.bot_state import BotState
from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.core.state import Owner
from recollect.core.types import Place
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.discord.access import AccessList, excludes
from recollect.faces.discord.limits import Limits, RunningReplies
from recollect.faces.discord.places import person_of
from recollect.faces.discord.server_settings import ServerSettings
from recollect.memory import AsyncMemory
from recollect.settings import Settings

log = logging.getLogger("recollect.discord")

MAX_ASKED = 5_000
MAX_CHANGED = 1_000

Hook = Callable[[Event], Awaitable[None]]


async def ignore_event(event: Event) -> None:
    """The hook that does nothing."""
    del event


@dataclass(frozen=True, slots=True)
class Asked:
    """A message whose author was asked for their consent."""

    author: int
    channel: int
    place: Place
    """Where it was said, with those who could read it then."""
    question: int | None = None
    """The message with the question; None if the one before was not answered yet."""


@dataclass(frozen=True)
class BotContext:
    client: discord.Client
    memory: AsyncMemory
    assistant: Assistant
    commands: ChatCommands
    clock: Clock
    on_departure: Hook = ignore_event
    """Called when the bot, or a member, left a server."""
    has_model: bool = False
    """Whether a model answers, rather than memory alone."""
    other_guilds: dict[str, discord.Guild] = field(default_factory=dict[str, discord.Guild])
    """Cache of servers that belong to other shards."""
    channel_guilds: dict[int, int | None] = field(default_factory=dict[int, int | None])
    """Cache: the server of each channel that was looked up; None when there is no such channel."""
    notice_locks: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary[int, asyncio.Lock])
    """One lock per person, held while the privacy notice is sent to them."""
    notified: set[int] = field(default_factory=set[int])
    """People who got the notice while that could not be stored."""
    unreached: set[int] = field(default_factory=set[int])
    """People to whom the notice could not be sent; logged once each."""
    limits: Limits = field(default_factory=Limits)
    """Recent uses by person, channel and server."""
    running: RunningReplies = field(default_factory=RunningReplies)
    """Replies that are being made, by server or person."""
    asked: OrderedDict[int, Asked] = field(default_factory=OrderedDict[int, Asked])
    """Messages whose authors were asked for consent."""
    changed: OrderedDict[int, discord.Message | None] = field(default_factory=OrderedDict[int, discord.Message | None])
    """Messages that were edited lately, or deleted: then None. They may not be stored yet."""
    locales: OrderedDict[int, str] = field(default_factory=OrderedDict[int, str])
    """The languages of people, by what they used last."""
    allowed: dict[int, tuple[bool, datetime]] = field(default_factory=dict[int, tuple[bool, datetime]])
    """Cache of whom the bot deals with in direct messages, and when that was looked up."""

    @property
    def settings(self) -> Settings:
        return self.memory.settings

    @property
    def me(self) -> discord.ClientUser:
        if self.client.user is None:
            raise RuntimeError("the bot is not logged in yet")
        return self.client.user

    def is_ours(self, guild: str | int | None) -> bool:
        """Whether a server belongs to this process's shards; for None, whether direct messages do."""
        shard_ids: Collection[int] | None = getattr(self.client, "shard_ids", None)
        guild_id = int(guild) if guild and str(guild).isdecimal() else 0
        return shard_ids is None or (guild_id >> 22) % (self.client.shard_count or 1) in shard_ids

    @cached_property
    def access(self) -> AccessList:
        return AccessList.of(self.settings)

    @cached_property
    def state(self) -> BotState:
        return self.memory.engine.bot_state

    @cached_property
    def server_settings(self) -> ServerSettings:
        return ServerSettings(self.client, self.memory, self.clock)

    async def is_paused(self, user: discord.User | discord.Member, channel: object) -> bool:
        """Whether memory is switched off for this person or place."""
        if self.access.ignores(user, channel):
            return True
        guild = getattr(channel, "guild", None)
        try:
            if not isinstance(guild, discord.Guild):
                return False
            server = await self.server_settings.of(guild.id)
            return excludes(user, channel, server.excluded_roles, server.excluded_channels) or await self.is_off(
                guild.id
            )
        except RecollectError as error:
            log.warning("cannot read whether memory is switched off: %s", error)
            return False  # the reply still works, and nothing can be stored now anyway

    async def is_off(self, guild: int) -> bool:
        return await self.state.get(state.switched_off(guild)) is not None

    async def was_notified(self, user: int) -> bool:
        """Whether someone got the privacy notice; until then, nothing of theirs is stored or shown."""
        if self.settings.discord.privacy_notice == "off" or user in self.notified:
            return True
        return await self.state.get(state.notified(user)) is not None

    async def mark_notified(self, user: int) -> None:
        """Store that the privacy notice reached someone."""
        await self.state.put(state.notified(user), self.clock().isoformat(), Owner.person(person_of(user)))

    async def record_place(self, place: Place, channel: int) -> None:
        """Store that messages were received here, so that a resync looks here for edits and deletions."""
        name = state.listened_channel(place.session)
        try:
            if await self.state.get(name) is None:
                await self.state.put(name, str(channel), Owner.of_session(place.session))
        except RecollectError as error:
            log.warning("cannot record that messages were received in %s: %s", place.session, error)

    def note_asked(self, message: discord.Message, place: Place) -> None:
        """Record the readers of a message until its author has answered."""
        self.asked[message.id] = Asked(message.author.id, message.channel.id, place)
        while len(self.asked) > MAX_ASKED:
            self.asked.popitem(last=False)

    def note_question(self, message: int, question: int) -> None:
        """Record the question that was asked on a message."""
        if message in self.asked:
            self.asked[message] = replace(self.asked[message], question=question)

    def asked_with(self, question: int, author: int) -> dict[int, int]:
        """The messages, each with its channel, on which someone was asked with a question: that one, and what they
        said to the bot while they did not answer.
        """
        messages, last = dict[int, int](), None
        for message, asked in self.asked.items():
            if asked.author == author:
                last = asked.question or last
                messages |= {message: asked.channel} if last == question else {}
        return messages

    def note_changed(self, message: int, edited: discord.Message | None = None) -> None:
        """Keep a change of a message for whoever is still handling it."""
        self.changed[message] = edited
        self.changed.move_to_end(message)
        while len(self.changed) > MAX_CHANGED:
            self.changed.popitem(last=False)

    async def record_departure(self, event: Event) -> None:
        log.info("%s: %s", event.kind, dict(event.data))
        await self.state.log_event(event)
        await self.on_departure(event)
