"""Calls of models: so many at the same time, and none for ever."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from recollect.errors import ModelUnavailable

T = TypeVar("T")


class Calls:
    """Shared by all who ask models in the background."""

    def __init__(self, most: int = 8) -> None:
        self._room = asyncio.Semaphore(most)

    async def answer(self, ask: Callable[[], Awaitable[T]], timeout: float) -> T:
        """What a model answers; raises ModelUnavailable when that takes too long, apart from the wait for its turn."""
        async with self._room:
            try:
                async with asyncio.timeout(timeout):
                    return await ask()
            except TimeoutError as error:
                raise ModelUnavailable(f"no answer within {timeout:.0f} s") from error
