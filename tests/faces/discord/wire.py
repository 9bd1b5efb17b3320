"""The bot in this process, over real sockets against a Discord on this machine, with a clock that tests move."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Self

from recollect import AsyncMemory
from recollect.core.events import Event
from recollect.core.types import Memo, Place
from recollect.faces.discord.client import Client
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.doubles.discord.server import DiscordServer, point_discord_at
from tests.scenes import at_once
from tests.waiting import eventually

WAIT = 60.0


class Lab(DiscordServer):
    """A server with #dev and #general, and Ada in it."""

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.ada = self.world.user("ada")
        self.lab = self.world.guild("Lab", self.ada)
        self.lab.members[self.bot.id].joined -= timedelta(days=30)  # it needs no welcome
        self.dev = self.world.text(self.lab, "dev")
        self.general = self.world.text(self.lab, "general")
        return self


class Quick(Client):
    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py would wait five seconds here before it identifies again."""


class Wired:
    """The bot, its memory and its clock."""

    def __init__(self, lab: Lab, memory: AsyncMemory, clock: FakeClock) -> None:
        self.lab = lab
        self.memory = memory
        self.clock = clock

    async def order(self, text: str, where: Any = None) -> str:
        channel = where or self.lab.dev
        await self.lab.say(self.lab.ada, channel, text)
        return (await self.lab.next_message(channel, WAIT)).content

    async def learned(self, count: int) -> None:
        """Wait until so much is known of Ada."""

        async def holds() -> bool:
            return len(await self.known()) == count

        await eventually(holds, WAIT)

    async def memos(self) -> tuple[Memo, ...]:
        user = str(self.lab.ada.id)
        return (await self.memory.show(user=user, place=Place("discord", dm=user))).memos

    async def known(self) -> list[str]:
        return [memo.text for memo in await self.memos()]

    async def events(self, kind: str) -> list[Event]:
        return [event for event in await self.memory.log(limit=1000) if event.kind == kind]

    async def happened(self, kind: str, times: int = 1) -> None:
        async def holds() -> bool:
            return len(await self.events(kind)) >= times

        await eventually(holds, WAIT)

    @asynccontextmanager
    async def online(self, speaker: Any = None, **options: Any) -> AsyncIterator[Client]:
        """A client is connected inside, and gone after."""
        client = Quick(self.memory, speaker, clock=self.clock, guild_ready_timeout=0.05, **options)
        with point_discord_at(self.lab):
            async with client:
                task = asyncio.create_task(client.start(self.lab.token))
                try:
                    await asyncio.wait_for(client.wait_until_ready(), WAIT)
                    yield client
                finally:
                    await client.close()
                    await asyncio.wait([task])


@asynccontextmanager
async def wired(**settings: Any) -> AsyncIterator[Wired]:
    """A lab and a memory; nobody is online yet."""
    options = {"allowed_users": "*", "privacy_notice": "off", **settings.pop("discord", {})}
    clock = FakeClock()
    overrides = {"embedder": "null", "summary": {"enabled": False}, "discord": options, **settings}
    async with (
        Lab(clock=clock) as lab,
        AsyncMemory(ground.new(), clock=clock, model=FakeModel(), **at_once(overrides)) as memory,
    ):
        yield Wired(lab, memory, clock)
