"""Results kept for a short while: fresh ones as they are, stale ones at once while a new one is made.

What may make a result wrong belongs into its key; time alone only makes it stale.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from recollect.core.clock import Clock

log = logging.getLogger("recollect.prompting")

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

KEPT = 256
"""Results at the most; the one that was not asked for the longest goes first."""
TOO_OLD = 10
"""Times the lifetime after which a stale result is not given any more: what it shows may have expired."""


class Cache(Generic[K, V]):
    """Whoever asks for the same key at the same time shares one making."""

    def __init__(self, lifetime: float, clock: Clock, holds: Callable[[V, datetime], bool], kept: int = KEPT) -> None:
        """`holds` says whether a result may be given at a time; one that may not is made anew."""
        self._lifetime = timedelta(seconds=lifetime)
        self._clock = clock
        self._holds = holds
        self._most = kept
        self._kept: OrderedDict[K, tuple[datetime, V]] = OrderedDict()
        self._making: dict[tuple[int, K], asyncio.Task[V]] = {}
        self._clearings = 0
        self.asked = self.reused = 0

    def __len__(self) -> int:
        return len(self._kept)

    async def get(self, key: K, make: Callable[[], Awaitable[V]]) -> V:
        """The result for this key; made now when there is none that may be given."""
        moment = self._clock()
        self.asked += 1
        made, value = self._kept.get(key, (moment, None))
        if value is not None and self._holds(value, moment) and moment - made < self._lifetime * TOO_OLD:
            self._kept.move_to_end(key)
            self.reused += 1
            if moment - made >= self._lifetime:
                self._start(key, make)
            return value
        return await asyncio.shield(self._start(key, make))

    def clear(self) -> None:
        """Drop every result; what is being made now is given to those who wait for it, and not kept."""
        self._kept.clear()
        self._clearings += 1

    async def close(self) -> None:
        """End what is being made in the background."""
        running = [*self._making.values()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _start(self, key: K, make: Callable[[], Awaitable[V]]) -> asyncio.Task[V]:
        mine = self._clearings, key
        task = self._making.get(mine)
        if task is None:
            task = self._making[mine] = asyncio.create_task(self._make(mine, make), name="recollect-cache")
            task.add_done_callback(_heard)
        return task

    async def _make(self, mine: tuple[int, K], make: Callable[[], Awaitable[V]]) -> V:
        clearings, key = mine
        try:
            value = await make()
        finally:
            del self._making[mine]
        moment = self._clock()
        if self._lifetime and clearings == self._clearings and self._holds(value, moment):
            self._kept[key] = moment, value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value


def _heard(task: "asyncio.Task[V]") -> None:
    """Take note of a failure, which nobody may be waiting for."""
    if not task.cancelled() and (problem := task.exception()) is not None:
        log.debug("a result could not be made", exc_info=problem)
