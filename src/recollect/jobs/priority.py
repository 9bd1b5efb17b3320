"""Foreground requests come first: background work waits for them, up to a limit."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

MAX_WAIT_SECONDS = 0.1
"""How long background work waits for an idle moment; it must not starve."""


class ForegroundPriority:
    """Shared by foreground requests and background work."""

    def __init__(self, max_wait: float = MAX_WAIT_SECONDS) -> None:
        self._max_wait = max_wait
        self._foreground_count = 0
        self._idle = asyncio.Event()
        self._background_turn = asyncio.Lock()

    @contextmanager
    def foreground(self) -> Generator[None]:
        """Mark the enclosed work as foreground: someone waits for it."""
        self._foreground_count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._foreground_count -= 1
            if not self._foreground_count:
                self._idle.set()

    @asynccontextmanager
    async def wait_for_foreground(self) -> AsyncGenerator[None]:
        """Enclose short background work (a millisecond or two): it runs when the foreground is idle, or in turn."""
        # The usual case without a lock; a held turn means that others wait already, and must not be overtaken.
        if not self._foreground_count and not self._background_turn.locked():
            yield
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._max_wait
        # One at a time: background work that was held back must not start all at once.
        async with self._background_turn:
            # A loop, as a new request may have come before this task was resumed.
            while self._foreground_count and loop.time() < deadline:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(deadline):
                        await self._idle.wait()
            yield
