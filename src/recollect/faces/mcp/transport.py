"""Serve an MCP server until its client leaves or the process is asked to end: over standard streams, or over HTTP.

Standard output belongs to the protocol; whatever else is to be said goes to the log.
"""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import IO, Any

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from recollect.faces.http.sockets import LOOPBACK, address, bracketed
from recollect.faces.http.uvicorn_server import Server as WebServer

log = logging.getLogger("recollect")

PATH = "/mcp"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_GRACE = 3
"""Seconds that open connections get to end."""


async def over_stdio(server: Server[Any]) -> None:
    """Serve the one client at standard input and output, until it closes them or a signal comes."""

    async def serve() -> None:
        stdin = _Input(os.fdopen(os.dup(0), encoding="utf-8", errors="replace"))
        async with stdio_server(stdin=stdin) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    work = asyncio.ensure_future(serve())
    with _when_asked_to_end(work.cancel) as asked:
        try:
            await work
        except asyncio.CancelledError:
            if not asked():
                raise


async def over_http(
    server: Server[Any], listener: socket.socket, names: tuple[str, ...] = (), ready: Callable[[str], None] = log.info
) -> None:
    """Serve clients at this socket, until a signal comes; `names` are further names of this host.

    A request that names another host, as a web page's would by DNS rebinding, is refused.
    """
    host = listener.getsockname()[0]
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=_security(host, names), host=host)
    # Nothing of uvicorn's own logging: it would print to standard output.
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE, lifespan="on")
    web = WebServer(config)
    ready(f"{address(listener)}{PATH}")
    with _when_asked_to_end(web.stop):
        await web.serve(sockets=[listener])


def _security(host: str, names: tuple[str, ...]) -> TransportSecuritySettings:
    hosts = [*map(bracketed, (*LOOPBACK, host, *names))]
    return TransportSecuritySettings(
        allowed_hosts=[form for name in hosts for form in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{form}" for name in hosts for scheme in ("http", "https") for form in (name, f"{name}:*")
        ],
    )


class _Input(anyio.AsyncFile[str]):
    """Lines of a stream, read by a thread that nobody waits for: one that blocks does not keep the process alive."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        threading.Thread(target=self._read, args=(stream, asyncio.get_running_loop()), daemon=True).start()

    def _read(self, stream: IO[str], loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError, OSError), stream:  # RuntimeError: the loop has ended
            while line := stream.readline():
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._lines.put_nowait, "")

    async def readline(self) -> str:
        return await self._lines.get()


@contextmanager
def _when_asked_to_end(stop: Callable[[], object]) -> Generator[Callable[[], bool]]:
    """Call `stop` when the process is asked to end; yields whether that has happened."""
    asked = threading.Event()

    def end() -> None:
        asked.set()
        stop()

    loop = asyncio.get_running_loop()
    for each in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, nor outside the main thread
            loop.add_signal_handler(each, end)
    try:
        yield asked.is_set
    finally:
        for each in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(each)
