"""Count how often memos are of use, behind everyone's back: reading stays reading, and a busy minute counts once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.core.ports import Store

log = logging.getLogger("recollect.recall")

EVERY = 60.0
"""Seconds in which the uses of a memo count as one."""
BATCH = 200
"""Memos that are written at once, so that nobody's own write waits long behind them."""


class UsageCounter:
    def __init__(self, store: Store, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._noted: set[int] = set()
        self._writing: asyncio.Task[None] | None = None

    def note(self, keys: Iterable[int]) -> None:
        """These memos were of use; it is written down in a while."""
        self._noted.update(keys)
        if self._noted and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._later(), name="recollect-uses")

    async def close(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        await self._write()

    async def _later(self) -> None:
        await self._sleep(EVERY)
        await self._write()

    async def _write(self) -> None:
        noted, self._noted = sorted(self._noted), set()
        at = self._clock()
        for start in range(0, len(noted), BATCH):
            keys = noted[start : start + BATCH]
            try:
                await self._store.write(lambda tx, keys=keys: tx.memos.count_use(keys, at), patient=True)
            except RecollectError as error:
                log.warning("uses of %d memos were not counted: %s", len(noted) - start, error)
                return
