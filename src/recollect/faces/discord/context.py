"""What all parts of the bot share: memory, the assistant, the settings, and who may be heard."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakValueDictionary

import discord

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.core.types import Place
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.discord import state
from recollect.faces.discord.access import AccessList
from recollect.faces.discord.state import BotState
from recollect.memory import AsyncMemory
from recollect.settings import Settings

log = logging.getLogger("recollect.discord")

Hook = Callable[[Event], Awaitable[None]]


async def nothing_more(event: Event) -> None:
    """Nobody wants to know."""
    del event


@dataclass(frozen=True)
class BotContext:
    client: discord.Client
    memory: AsyncMemory
    assistant: Assistant
    orders: ChatCommands
    clock: Clock
    parting: Hook = nothing_more
    """Told when the bot, or a member, left a server."""
    visited: dict[str, discord.Guild] = field(default_factory=dict[str, discord.Guild])
    """Servers of other shards that were asked for."""
    homes: dict[int, int | None] = field(default_factory=dict[int, int | None])
    """Servers of the channels that were asked for; None when there is no such channel."""
    telling: WeakValueDictionary[int, asyncio.Lock] = field(default_factory=WeakValueDictionary[int, asyncio.Lock])
    """Who is being told that they are remembered."""
    told: set[int] = field(default_factory=set[int])
    """Who was told while that could not be noted."""
    unreached: set[int] = field(default_factory=set[int])
    """Who could not be told; the log says so once."""

    @property
    def settings(self) -> Settings:
        return self.memory.settings

    @property
    def me(self) -> discord.ClientUser:
        if self.client.user is None:
            raise RuntimeError("the bot is not logged in yet")
        return self.client.user

    def is_ours(self, guild: str | int | None) -> bool:
        """Whether a server belongs to this process's shards; without one, whether direct messages do."""
        ours: Collection[int] | None = getattr(self.client, "shard_ids", None)
        number = int(guild) if guild and str(guild).isdecimal() else 0
        return ours is None or (number >> 22) % (self.client.shard_count or 1) in ours

    @cached_property
    def door(self) -> AccessList:
        return AccessList.of(self.settings)

    @cached_property
    def notes(self) -> BotState:
        return BotState(self.memory.store)

    async def is_paused(self, who: discord.User | discord.Member, channel: object) -> bool:
        """Whether what they say here is none of our business."""
        if self.door.ignores(who, channel):
            return True
        guild = getattr(channel, "guild", None)
        try:
            return isinstance(guild, discord.Guild) and await self.is_off(guild.id)
        except RecollectError as error:
            log.warning("whether memory is switched off can't be read: %s", error)
            return False  # there is a reply; nothing can be kept now anyway

    async def is_off(self, guild: int) -> bool:
        return await self.notes.get(state.switched_off(guild)) is not None

    async def was_notified(self, user: int) -> bool:
        """Whether someone knows that they are remembered; of who does not, nothing is kept or shown."""
        if self.settings.discord.privacy_notice == "off" or user in self.told:
            return True
        return await self.notes.get(state.told(user)) is not None

    async def notify(self, user: int) -> None:
        """Note that a notice has reached someone."""
        await self.notes.put(state.told(user), self.clock().isoformat())

    async def listened(self, place: Place, channel: int) -> None:
        """Note where people were heard: there it is looked, later, for what was edited or deleted meanwhile."""
        name = state.heard(place.session)
        try:
            if await self.notes.get(name) is None:
                await self.notes.put(name, str(channel))
        except RecollectError as error:
            log.warning("that somebody was heard in %s can't be noted: %s", place.session, error)

    async def parted(self, event: Event) -> None:
        log.info("%s: %s", event.kind, dict(event.data))
        await self.notes.tell(event)
        await self.parting(event)
