"""Follows memory's log and shows on Discord what changed, whoever changed it: this bot, a command line, a worker.

How far it has come is in the store, and so is what it still has to show: a restart goes on from there.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import discord
from discord.ext import commands, tasks

from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.learned_notices import LearnedNotices
from recollect.faces.discord.memory_channel import MemoryChannel
from recollect.faces.discord.places import PLATFORM, place_of_session
from recollect.faces.discord.state import showing as shown_by
from recollect.privacy.inventory import ERASED
from recollect.recall import withheld

log = logging.getLogger("recollect.discord")

EVERY = 2.0
"""Seconds between two looks: what changes meanwhile is shown at one go."""
RESPITE = timedelta(minutes=1)
"""Time until the memory channel is tried again after it failed."""
_PAGE = 500
_OWED = "owed"


class LogFollower(commands.Cog):
    def __init__(self, house: BotContext) -> None:
        self._house = house
        self._mirror = MemoryChannel(house)
        self._lines = LearnedNotices(house)
        self._position = state.followed(house.settings.discord.shard)
        self._failed: datetime | None = None
        self._swept = False
        self._begun = False

    async def cog_load(self) -> None:
        self._look.start()

    async def cog_unload(self) -> None:
        self._look.cancel()

    @tasks.loop(seconds=EVERY)
    async def _look(self) -> None:
        try:
            await self.catch_up()
        except (RecollectError, discord.DiscordException, OSError) as error:
            log.warning("what changed can't be shown: %s", error)
        except Exception:
            log.exception("what changed can't be shown")

    @_look.before_loop
    async def _ready(self) -> None:
        await self._house.client.wait_until_ready()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Discord tells everyone that we pinned something; in the memory channel that is only noise."""
        here = str(message.channel.id) == self._house.settings.discord.memory_channel
        if here and message.type is discord.MessageType.pins_add and message.author.id == self._house.me.id:
            with suppress(discord.HTTPException):
                await message.delete()

    async def catch_up(self) -> None:
        """Show what changed since the last look; the first look of all only takes note of where the log ends."""
        at, mirrors = await self._reached(), await self._mirror.is_ours()
        events = await self._house.memory.store.read(lambda tx: tx.events.after(at, _PAGE))
        if events:
            for event in events:
                await self._lines.follow(event)
                self._swept &= event.kind != ERASED
            owed = await self._touched(events) if mirrors else []
            await self._house.notes.advance((self._position, events[-1].id), (_OWED, owed))
        if self._failed is None or self._house.clock() >= self._failed + RESPITE:
            self._failed = None
            await self._sweep(mirrors)
            if mirrors:
                await self._settle()

    async def _reached(self) -> int:
        """How far we have come; at first, how far this bot came when it was divided in another way, if further."""
        noted = await self._house.notes.get(self._position)
        if noted is not None and self._begun:
            return int(noted)
        names = [name for name in await self._house.notes.names(state.FOLLOWED) if name != self._position]
        others = names if noted is None else [name for name in names if not _is_beside(name, self._position)]
        places = [noted, *[await self._house.notes.get(name) for name in others]]
        reached = max((int(one) for one in places if one is not None), default=None)
        start = await self._house.memory.store.read(_end) if reached is None else reached
        if str(start) != noted:
            await self._house.notes.put(self._position, str(start))
        self._begun = True
        return start

    async def _touched(self, events: Sequence[Event]) -> list[str]:
        """Whose mirror these events change, and by which conversation."""
        owed = dict[str, None]()
        for event in events:
            if event.scope.startswith("user:"):
                owed[event.scope.removeprefix("user:")] = None
            elif event.kind == "member.left":
                owed[str(event.data["user"])] = None
            elif event.kind.startswith("summary."):
                people = await self._house.notes.items(shown_by(event.scope))
                speaker = await self._speaker(event.scope)
                owed |= {f"{user} {event.scope}": None for user in filter(None, {*people, speaker})}
        for session in await self._reworded(events):
            owed |= {f"{user} {session}": None for user in await self._house.notes.items(shown_by(session))}
        return list(owed)

    async def _reworded(self, events: Sequence[Event]) -> list[str]:
        """Conversations whose summary is shown and repeats what was forgotten, or counts again."""
        shown = [name.removeprefix(state.SHOWING) for name in await self._house.notes.names(state.SHOWING)]
        return await self._house.memory.store.read(lambda tx: withheld.touched(tx, events, shown))

    async def _sweep(self, mirrors: bool) -> None:
        """After an erasure, and once at the start, in case the last one was interrupted: take down what tells of it."""
        if self._swept:
            return
        try:
            if self._house.is_ours(None):
                await self._lines.remove_stale()
            if mirrors:
                await self._mirror.remove_stale()
        except (discord.DiscordException, OSError) as error:
            log.warning("what was erased may still be shown: %s", error)
            self._failed = self._house.clock()
        else:
            self._swept = True

    async def _settle(self) -> None:
        """Bring the mirrors up to date; what fails is tried again, but not at once."""
        for owed in await self._house.notes.items(_OWED):
            user, _, session = owed.partition(" ")
            if not await self._mirror.update(user, session or None):
                self._failed = self._house.clock()
                return
            await self._house.notes.remove(_OWED, owed)

    async def _speaker(self, session: str) -> str | None:
        """Who spoke last in a conversation: its summary is theirs to see."""
        place = place_of_session(self._house.client, session)
        if place is None:
            return None
        said = await self._house.memory.store.read(lambda tx: tx.messages.recent(place, 20))
        people = [one.author for one in said if not one.bot and one.place.platform == PLATFORM]
        return people[-1] if people else None


def _is_beside(name: str, other: str) -> bool:
    """Whether two notes are of shards that run side by side: there are as many of them."""
    return name.rpartition("/")[2] == other.rpartition("/")[2]


def _end(tx: Tx) -> int:
    newest = tx.events.list(limit=1)
    return newest[0].id if newest else 0
