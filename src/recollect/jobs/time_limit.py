"""The time limit of a model's calls: as configured, or longer for a model that turned out to be slow."""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

from recollect.core.errors import ModelTimeout
from recollect.jobs.limits import ModelLimiter

T = TypeVar("T")

MAX_EXTENSION = 4
"""How many times the configured limit a slow model is given at most; a job has to end before it counts as hung."""
_TOLERANCE = 2.5
"""The limit of a call, as a multiple of the last call's time."""


class TimeLimit:
    """Seconds that one call may take. A call that ran out of time is no outage: the next one gets twice the time."""

    def __init__(self, configured: float) -> None:
        self.configured = configured
        self.seconds = configured

    @property
    def is_extended(self) -> bool:
        """Whether the model is known to be slow, so that callers should not queue for it."""
        return self.seconds > self.configured

    def add_answer(self, seconds: float) -> None:
        """A call was answered after so many seconds."""
        self.seconds = self._within_bounds(_TOLERANCE * seconds)

    def add_timeout(self) -> None:
        self.seconds = self._within_bounds(2 * self.seconds)

    def _within_bounds(self, seconds: float) -> float:
        return min(MAX_EXTENSION * self.configured, max(self.configured, seconds))


class TimedCalls:
    """Calls of one model, each with a slot and within its time limit.

    Where calls run out of time, fewer are made at once, as a server of one's own may answer one after the other; with
    each answer in time, one more is.
    """

    def __init__(self, limiter: ModelLimiter, timeout: float) -> None:
        self._limiter = limiter
        self._running = 0
        self._max_running = math.inf
        self._ended = asyncio.Condition()
        self.limit = TimeLimit(timeout)

    async def run(self, call: Callable[[], Coroutine[Any, Any, T]], max_wait: float | None = None) -> T:
        """The answer; raises ModelTimeout when it, or with `max_wait` its turn, takes too long."""
        async with AsyncExitStack() as stack:
            try:
                # Waiting for a turn doesn't count as the model's time.
                async with asyncio.timeout(max_wait):
                    if max_wait is not None:  # without, a call that can't be cancelled would hold up all others
                        await stack.enter_async_context(self._turn())
                    await stack.enter_async_context(self._limiter.slot())
            except TimeoutError as error:
                raise ModelTimeout("too many calls are waiting for the model") from error
            return await self._answer(call)

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        async with self._ended:
            await self._ended.wait_for(lambda: self._running < self._max_running)
            self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            async with self._ended:
                self._ended.notify_all()

    async def _answer(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        loop, seconds = asyncio.get_running_loop(), self.limit.seconds
        started = loop.time()
        try:
            async with asyncio.timeout(seconds):
                answer = await call()
        except (TimeoutError, ModelTimeout) as error:
            self.limit.add_timeout()
            # Halved at a timeout and raised one by one, as TCP does it: it settles where the server keeps up.
            self._max_running = max(1, self._running // 2)
            message = str(error) if isinstance(error, ModelTimeout) else f"no answer within {seconds:.0f} s"
            raise ModelTimeout(message) from error
        self._max_running += 1
        self.limit.add_answer(loop.time() - started)
        return answer
