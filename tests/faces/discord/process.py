"""`recollect discord` as a process of its own, over real sockets, against a Discord on this machine."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests import ground
from tests.doubles.discord.server import DiscordServer

WAIT = 60.0


class Bot:
    def __init__(self, server: DiscordServer, folder: Path, **settings: str) -> None:
        self._env = {
            "PATH": os.environ["PATH"],
            "DISCORD_TOKEN": server.token,
            "RECOLLECT_DISCORD_API_BASE_URL": server.api,
            "RECOLLECT_DISCORD_GATEWAY_URL": server.gateway,
            "RECOLLECT_DISCORD_ALLOWED_USERS": "*",
            "RECOLLECT_DISCORD_PRIVACY_NOTICE": "dm",  # so that what is said next in a channel is the answer
            "RECOLLECT_EMBEDDER": "null",
            "RECOLLECT_DATA_DIR": str(folder),
            **ground.environment(),
            **settings,
        }
        self.log = ""
        self.process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self, *args: str, command: str = "discord") -> None:
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "recollect", command, *args),
            env=self._env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.log += line.decode()

    async def ended(self) -> int:
        """How it ends by itself."""
        assert self.process is not None
        assert self._reading is not None
        code = await asyncio.wait_for(self.process.wait(), WAIT)
        await self._reading
        return code

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.ended()


@asynccontextmanager
async def running(server: DiscordServer, folder: Path, *args: str, **settings: str) -> AsyncIterator[Bot]:
    """The bot is up inside, and gone after."""
    bot = Bot(server, folder, **settings)
    await bot.start(*args)
    try:
        await server.connected(WAIT)
        yield bot
    finally:
        await bot.stop()
