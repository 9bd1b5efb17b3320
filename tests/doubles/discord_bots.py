"""Small bots on discord.py that run against the loopback Discord."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import discord
from discord import app_commands

from tests.doubles.discord.server import DiscordServer, point_discord_at

WAIT = 60


class Listener(discord.Client):
    """Remembers each event by name, for `await bot.heard("message")`."""

    def __init__(self, intents: discord.Intents | None = None, **options: Any) -> None:
        # discord.py waits so long for a further guild before it says it is ready
        super().__init__(intents=intents or discord.Intents.all(), guild_ready_timeout=0.05, **options)
        self.tree = app_commands.CommandTree(self)
        self._events: dict[str, asyncio.Queue[Any]] = {}

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        self._queue(event).put_nowait(args[0] if len(args) == 1 else args)
        super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py would wait five seconds here before it identifies again."""

    async def heard(self, event: str) -> Any:
        return await asyncio.wait_for(self._queue(event).get(), WAIT)

    def _queue(self, event: str) -> asyncio.Queue[Any]:
        return self._events.setdefault(event, asyncio.Queue())


def without(*names: str) -> discord.Intents:
    intents = discord.Intents.all()
    for name in names:
        setattr(intents, name, False)
    return intents


@asynccontextmanager
async def running(server: DiscordServer, bot: Listener) -> AsyncGenerator[None]:
    """The bot is ready inside and closed after; nothing it asked was unknown to the server."""
    with point_discord_at(server):
        async with bot:
            task = asyncio.create_task(bot.start(server.token))
            ready = asyncio.create_task(bot.heard("ready"))
            try:
                await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    task.result()
                yield
            finally:
                ready.cancel()
                await bot.close()
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
    assert server.unknown == []
