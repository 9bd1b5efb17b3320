"""A stale-while-revalidate cache.

Whatever can make a result wrong belongs in its key; time alone only makes it stale.
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

CACHE_SIZE = 256
"""Entries; the least recently used one is evicted first."""
MAX_STALE_LIFETIMES = 10
"""Multiple of the lifetime after which a stale result is no longer returned."""


class Cache(Generic[K, V]):
    """Concurrent requests for the same key share one computation."""

    def __init__(
        self, lifetime: float, clock: Clock, is_valid: Callable[[V, datetime], bool], size: int = CACHE_SIZE
    ) -> None:
        """`is_valid` says whether a result may be returned at a time; otherwise it is computed again."""
        self._lifetime = timedelta(seconds=lifetime)
        self._clock = clock
        self._is_valid = is_valid
        self._size = size
        self._entries: OrderedDict[K, tuple[datetime, V]] = OrderedDict()
        self._tasks: dict[tuple[int, K], asyncio.Task[V]] = {}
        self._generation = 0
        self.requests = self.hits = 0

    def __len__(self) -> int:
        return len(self._entries)

    async def get(self, key: K, make: Callable[[], Awaitable[V]]) -> V:
        """The result for this key; computed now when there is no valid one."""
        now = self._clock()
        self.requests += 1
        created, value = self._entries.get(key, (now, None))
        age = abs(now - created)  # a clock that was set back makes no entry last longer
        if value is not None and self._is_valid(value, now) and age < self._lifetime * MAX_STALE_LIFETIMES:
            self._entries.move_to_end(key)
            self.hits += 1
            if age >= self._lifetime:
                self._start(key, make)
            return value
        # Others may wait for the same computation: one caller's cancellation must not end it for them.
        return await asyncio.shield(self._start(key, make))

    def clear(self) -> None:
        """Drop every entry; computations in progress reach their callers but are not stored."""
        self._entries.clear()
        self._generation += 1

    async def close(self) -> None:
        """Cancel computations in progress."""
        running = [*self._tasks.values()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _start(self, key: K, make: Callable[[], Awaitable[V]]) -> asyncio.Task[V]:
        # With the generation: who asks after `clear` must not join a computation that began before it.
        task_key = self._generation, key
        task = self._tasks.get(task_key)
        if task is None:
            task = self._tasks[task_key] = asyncio.create_task(self._make(task_key, make), name="recollect-cache")
            task.add_done_callback(_log_failure)
        return task

    async def _make(self, task_key: tuple[int, K], make: Callable[[], Awaitable[V]]) -> V:
        generation, key = task_key
        try:
            value = await make()
        finally:
            # Before the result is stored: whoever asks next finds either the entry or no task.
            del self._tasks[task_key]
        now = self._clock()
        # After `clear` the result is too old to keep, though its callers get it.
        if self._lifetime and generation == self._generation and self._is_valid(value, now):
            self._entries[key] = now, value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
        return value


def _log_failure(task: "asyncio.Task[V]") -> None:
    """Log a failure that no caller may be waiting for."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.debug("a result could not be computed", exc_info=error)
