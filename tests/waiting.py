"""Waiting for what happens in the background."""

import asyncio
from collections.abc import Awaitable, Callable


async def eventually(holds: Callable[[], bool | Awaitable[bool]], seconds: float = 60) -> None:
    """Return as soon as it holds; fail when it does not within so many seconds."""
    async with asyncio.timeout(seconds):
        while True:
            answer = holds()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.005)
