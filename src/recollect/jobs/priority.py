"""Who waits for an answer comes first: what is learned in the background lets them pass, for a moment."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

LONGEST = 0.1
"""Seconds that a piece of background work waits for a moment when nobody asks; it must not starve."""


class ForegroundPriority:
    """Shared by those who answer and those who work behind them."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._asking = 0
        self._nobody = asyncio.Event()
        self._turn = asyncio.Lock()

    @contextmanager
    def foreground(self) -> Generator[None]:
        """Somebody waits for what is done meanwhile."""
        self._asking += 1
        self._nobody.clear()
        try:
            yield
        finally:
            self._asking -= 1
            if not self._asking:
                self._nobody.set()

    @asynccontextmanager
    async def wait_for_foreground(self) -> AsyncGenerator[None]:
        """For a piece of work of a millisecond or two that nobody waits for: when nobody asks, or one by one."""
        if not self._asking and not self._turn.locked():
            yield
            return
        loop = asyncio.get_running_loop()
        latest = loop.time() + self._longest
        async with self._turn:
            while self._asking and loop.time() < latest:
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(latest):
                        await self._nobody.wait()
            yield
