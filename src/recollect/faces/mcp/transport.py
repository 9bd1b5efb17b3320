"""Serves an MCP server over standard streams or HTTP, until its client leaves or the process gets a signal.

Standard output belongs to the protocol; everything else goes to the log.
"""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import IO, Any

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from recollect.admin.tokens import AccessTokens, Role
from recollect.faces.http.middleware import MCP_PATH
from recollect.faces.http.sockets import LOOPBACK, address, bracketed, is_loopback
from recollect.faces.http.uvicorn_server import Server as WebServer
from recollect.faces.mcp.authentication import TokenMiddleware
from recollect.faces.mcp.server import build
from recollect.memory import AsyncMemory

log = logging.getLogger("recollect")

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_SHUTDOWN_GRACE_SECONDS = 3


async def over_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes them or a signal arrives."""

    async def serve() -> None:
        stdin = _StdinReader(os.fdopen(os.dup(0), encoding="utf-8", errors="replace"))
        async with stdio_server(stdin=stdin) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    task = asyncio.ensure_future(serve())
    with _on_stop_signal(task.cancel) as is_stopping:
        try:
            await task
        except asyncio.CancelledError:
            if not is_stopping():
                raise


async def over_http(
    server: Server[Any],
    listener: socket.socket,
    tokens: AccessTokens,
    *,
    is_open: bool = False,
    names: tuple[str, ...] = (),
    ready: Callable[[str], None] = log.info,
) -> None:
    """Serve clients on this socket, until a signal arrives; `names` are further names of this host.

    A token says whose memory a request is about. Without one it is the server's own user: if that `is_open`, or only
    this machine can connect and there is no user's token yet. A request that names another host, as a web page's would
    by DNS rebinding, is refused.
    """
    host = listener.getsockname()[0]

    async def is_token_required() -> bool:
        return not is_open and (not is_loopback(host) or any(token.role is Role.USER for token in await tokens.list()))

    served = server.streamable_http_app(
        streamable_http_path=MCP_PATH, transport_security=_security(host, names), host=host
    )
    app = TokenMiddleware(served, tokens, is_token_required)
    # uvicorn's own logging would print to standard output.
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_GRACE_SECONDS,
        lifespan="on",
        proxy_headers=False,
    )
    http_server = WebServer(config)
    ready(f"{address(listener)}{MCP_PATH}")
    with _on_stop_signal(http_server.stop):
        await http_server.serve(sockets=[listener])


@asynccontextmanager
async def for_all_users(
    memory: AsyncMemory, tokens: AccessTokens, host: str, names: tuple[str, ...], stateless: bool
) -> AsyncGenerator[TokenMiddleware]:
    """An app that answers each request for the user of its token, and none without one; runs as long as the block."""

    async def is_token_required() -> bool:
        return True

    server = build(memory)
    served = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=stateless,
        transport_security=_security(host, names),
        host=host,
    )
    async with server.session_manager.run():
        yield TokenMiddleware(served, tokens, is_token_required)


def _security(host: str, names: tuple[str, ...]) -> TransportSecuritySettings:
    hosts = [*map(bracketed, (*LOOPBACK, host, *names))]
    return TransportSecuritySettings(
        allowed_hosts=[pattern for name in hosts for pattern in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{pattern}" for name in hosts for scheme in ("http", "https") for pattern in (name, f"{name}:*")
        ],
    )


class _StdinReader(anyio.AsyncFile[str]):
    """Lines of a stream, read by a daemon thread: a blocking read does not keep the process alive."""

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
def _on_stop_signal(stop: Callable[[], object]) -> Generator[Callable[[], bool]]:
    """Call `stop` on SIGTERM or SIGINT; yields whether one arrived."""
    stopping = threading.Event()

    def handle_signal() -> None:
        stopping.set()
        stop()

    loop = asyncio.get_running_loop()
    for signal_number in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, nor outside the main thread
            loop.add_signal_handler(signal_number, handle_signal)
    try:
        yield stopping.is_set
    finally:
        for signal_number in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(signal_number)
