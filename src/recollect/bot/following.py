"""Follows memory's log and shows on Discord what changed, whoever changed it: this bot, a command line, a worker.

How far it has come is in the store, and so is what it still has to show: a restart goes on from there.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import discord
from discord.ext import commands, tasks

from recollect.bot.house import House
from recollect.bot.learned import Lines
from recollect.bot.mirror import Mirror
from recollect.bot.notes import showing as shown_by
from recollect.bot.places import PLATFORM
from recollect.bot.sessions import place_of_session
from recollect.errors import RecollectError
from recollect.ports import Tx
from recollect.privacy.looking import ERASED
from recollect.types import Event

log = logging.getLogger("recollect.bot")

EVERY = 2.0
"""Seconds between two looks: what changes meanwhile is shown at one go."""
RESPITE = timedelta(minutes=1)
"""Time until the memory channel is tried again after it failed."""
_PAGE = 500
_NOTE, _OWED = "followed", "owed"


class Follower(commands.Cog):
    def __init__(self, house: House) -> None:
        self._house = house
        self._mirror = Mirror(house)
        self._lines = Lines(house)
        self._failed: datetime | None = None
        self._swept = False

    async def cog_load(self) -> None:
        self._look.start()

    async def cog_unload(self) -> None:
        self._look.cancel()

    @tasks.loop(seconds=EVERY)
    async def _look(self) -> None:
        try:
            await self.catch_up()
        except RecollectError as error:
            log.warning("what changed can't be shown: %s", error)
        except Exception:
            log.exception("what changed can't be shown")

    @_look.before_loop
    async def _ready(self) -> None:
        await self._house.client.wait_until_ready()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Discord tells everyone that we pinned something; in the memory channel that is only noise."""
        here = str(message.channel.id) == self._house.settings.memory_channel_id
        if here and message.type is discord.MessageType.pins_add and message.author.id == self._house.me.id:
            with suppress(discord.HTTPException):
                await message.delete()

    async def catch_up(self) -> None:
        """Show what changed since the last look; the first look of all only takes note of where the log ends."""
        store, notes = self._house.memory.store, self._house.notes
        noted = await notes.get(_NOTE)
        if noted is None:
            await notes.put(_NOTE, str(await store.read(_end)))
            return
        events = await store.read(lambda tx: tx.events.after(int(noted), _PAGE))
        if events:
            for event in events:
                await self._lines.follow(event)
                self._swept &= event.kind != ERASED
            await notes.advance((_NOTE, events[-1].id), (_OWED, await self._touched(events)))
        if self._failed is None or self._house.clock() >= self._failed + RESPITE:
            self._failed = None
            await self._sweep()
            await self._settle()

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
        return list(owed)

    async def _sweep(self) -> None:
        """After an erasure, and once at the start, in case the last one was interrupted: take down what tells of it."""
        if self._swept:
            return
        try:
            await self._lines.sweep()
            await self._mirror.sweep()
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
        said = await self._house.memory.store.read(lambda tx: tx.journal.recent(place, 20))
        people = [one.author for one in said if not one.bot and one.place.platform == PLATFORM]
        return people[-1] if people else None


def _end(tx: Tx) -> int:
    newest = tx.events.list(limit=1)
    return newest[0].id if newest else 0
