"""What our loopback servers share: a port on this machine, one request a connection, and an end without loose ends."""

import asyncio
from contextlib import suppress
from typing import Self


class Loopback:
    """A server that listens while it is entered; a subclass answers in `_serve`."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._port = 0
        self._talks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen; again on the same port after `stop`."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Hang up: from now on connections are refused."""
        if self._server is not None:
            self._server.close()
        for talk in [*self._talks]:
            talk.cancel()
        if self._talks:
            await asyncio.wait([*self._talks])

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _serve(self, reader: asyncio.StreamReader) -> bytes:
        """What is sent for the request that comes; nothing hangs up."""
        raise NotImplementedError

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(await self._serve(reader))
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left
        finally:
            with suppress(RuntimeError):
                writer.transport.abort()
