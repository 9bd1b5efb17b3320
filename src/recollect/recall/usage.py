"""Count how often memos are used, in batches: a search writes nothing, and uses within a minute count once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreUnwritable
from recollect.core.ports import Store

log = logging.getLogger("recollect.recall")

WRITE_INTERVAL_SECONDS = 60.0
"""Uses of a memo within this time count as one."""
MAX_MEMOS_PER_WRITE = 200
"""Memos per transaction, so that other writes don't wait long."""


class UsageCounter:
    def __init__(self, store: Store, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._pending: set[int] = set()
        self._task: asyncio.Task[None] | None = None

    def add(self, keys: Iterable[int]) -> None:
        """Count a use of these memos; written with the next batch."""
        self._pending.update(keys)
        if self._pending and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._write_later(), name="recollect-usage")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._write()

    async def _write_later(self) -> None:
        await self._sleep(WRITE_INTERVAL_SECONDS)
        await self._write()

    async def _write(self) -> None:
        pending, self._pending = sorted(self._pending), set()
        now = self._clock()
        for start in range(0, len(pending), MAX_MEMOS_PER_WRITE):
            keys = pending[start : start + MAX_MEMOS_PER_WRITE]
            try:
                await self._store.write(lambda tx, keys=keys: tx.memos.count_use(keys, now), background=True)
            except StoreUnwritable as error:
                log.info("uses are not counted: %s", error)
                return
            except RecollectError as error:
                log.warning("uses of %d memos were not counted: %s", len(pending) - start, error)
                return
