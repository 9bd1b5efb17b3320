"""The time limit of a model's calls: as configured, or longer for a model that turned out to be slow."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from recollect.core.errors import ModelTimeout
from recollect.jobs.limits import ModelLimiter

T = TypeVar("T")

MAX_EXTENSION = 4
"""How many times the configured limit a slow model is given at most; a job has to end before it counts as hung."""
_TOLERANCE = 2.5
"""An answer may take so many times as long as the last one."""


class TimeLimit:
    """Seconds that one call may take. A call that ran out of time is no outage: the next one gets twice the time."""

    def __init__(self, configured: float) -> None:
        self.configured = configured
        self.seconds = configured

    @property
    def is_extended(self) -> bool:
        """Whether the model is known to be slow: nobody should wait in line for it."""
        return self.seconds > self.configured

    def add_answer(self, seconds: float) -> None:
        """A call was answered after so many seconds."""
        self.seconds = self._within_bounds(_TOLERANCE * seconds)

    def add_timeout(self) -> None:
        self.seconds = self._within_bounds(2 * self.seconds)

    def _within_bounds(self, seconds: float) -> float:
        return min(MAX_EXTENSION * self.configured, max(self.configured, seconds))


class TimedCalls:
    """Calls of one model, each with a slot and within its time limit."""

    def __init__(self, limiter: ModelLimiter, timeout: float) -> None:
        self._limiter = limiter
        self.limit = TimeLimit(timeout)

    async def run(self, call: Callable[[], Coroutine[Any, Any, T]], max_wait: float | None = None) -> T:
        """The answer; raises ModelTimeout when it, or with `max_wait` a free slot, takes too long."""
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(max_wait):
                    await stack.enter_async_context(self._limiter.slot())
            except TimeoutError as error:
                raise ModelTimeout("too many calls are waiting for the model") from error
            return await self._answer(call)

    async def _answer(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        loop, seconds = asyncio.get_running_loop(), self.limit.seconds
        started = loop.time()
        try:
            async with asyncio.timeout(seconds):
                answer = await call()
        except ModelTimeout:
            self.limit.add_timeout()
            raise
        except TimeoutError as error:
            self.limit.add_timeout()
            raise ModelTimeout(f"no answer within {seconds:.0f} s") from error
        self.limit.add_answer(loop.time() - started)
        return answer
