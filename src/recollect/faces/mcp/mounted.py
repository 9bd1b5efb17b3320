"""MCP as a part of `recollect serve`: each user's memory under `/mcp`, for whoever shows a token of theirs.

The SDK takes a second to import, and most servers are never asked: it is loaded by the first request.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from importlib import import_module
from typing import Any

from recollect.admin.tokens import AccessTokens
from recollect.faces.http.problems import problem
from recollect.memory import AsyncMemory

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MISSING_TEXT = "MCP is not installed here: pip install 'recollect[mcp]'"


class MountedServer:
    """An ASGI app, for `faces.http.app.mount`; `stateless` where a client's next request may reach another process."""

    def __init__(
        self, memory: AsyncMemory, tokens: AccessTokens, host: str, names: Collection[str], *, stateless: bool
    ) -> None:
        self._arguments = (memory, tokens, host, tuple(names), stateless)
        self._stopping = asyncio.Event()
        self._app: asyncio.Future[App | None] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            self._app = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._app), name="recollect-mcp")
        app = await asyncio.shield(self._app)
        await (problem(501, MISSING_TEXT) if app is None else app)(scope, receive, send)

    async def close(self) -> None:
        self._stopping.set()
        if self._running is not None:
            await self._running

    async def _run(self, ready: asyncio.Future[App | None]) -> None:
        """Sessions live in the task that started them, so this is a task of its own."""
        try:
            transport: Any = await asyncio.to_thread(import_module, "recollect.faces.mcp.transport")
        except ModuleNotFoundError:
            ready.set_result(None)
            return
        async with transport.for_all_users(*self._arguments) as app:
            ready.set_result(app)
            await self._stopping.wait()
