"""MCP as a part of `recollect serve`: each user's memory under `/mcp`, for whoever shows a token of theirs.

The SDK takes a second to import, and most servers are never asked: it is loaded by the first request.
"""

import asyncio
from collections.abc import Collection
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.admin.tokens import AccessTokens
from recollect.faces.http.middleware import MCP_PATH
from recollect.faces.http.problems import problem
from recollect.memory import AsyncMemory

MISSING_TEXT = "MCP is not installed here: pip install 'recollect[mcp]'"


class MountedServer:
    """An ASGI app; `stateless` where the next request of a client may reach another process."""

    def __init__(
        self, memory: AsyncMemory, tokens: AccessTokens, host: str, names: Collection[str], *, stateless: bool
    ) -> None:
        self._arguments = (memory, tokens, host, tuple(names), stateless)
        self._stopping = asyncio.Event()
        self._app: asyncio.Future[ASGIApp | None] | None = None
        self._running: asyncio.Task[None] | None = None

    def mount(self, app: Starlette) -> None:
        app.router.routes.insert(0, Route(MCP_PATH, self))

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

    async def _run(self, ready: asyncio.Future[ASGIApp | None]) -> None:
        """Sessions live in the task that started them, so this is a task of its own."""
        try:
            transport: Any = await asyncio.to_thread(import_module, "recollect.faces.mcp.transport")
        except ModuleNotFoundError:
            ready.set_result(None)
            return
        async with transport.for_all_users(*self._arguments) as app:
            ready.set_result(app)
            await self._stopping.wait()
