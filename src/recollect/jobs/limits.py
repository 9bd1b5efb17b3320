"""So many calls of models at once, however many jobs are worked on: the others read, check and write meanwhile."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from recollect.core.ports import Handler, UnitOfWork
from recollect.core.ports.jobs import Job


class ModelLimiter:
    """Shared by those who ask models, and by the worker, which may give them up."""

    def __init__(self, most: int = 8) -> None:
        self._room = asyncio.Semaphore(most)
        self._asking: set[asyncio.Task[Any] | None] = set()

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """For the time of a call, as soon as there is room."""
        await self._room.acquire()
        me = asyncio.current_task()
        self._asking.add(me)
        try:
            yield
        finally:
            self.release(me)

    def release(self, task: asyncio.Task[Any] | None) -> None:
        """Make room for others, also if a call never ends: whoever asked was given up."""
        if task in self._asking:
            self._asking.discard(task)
            self._room.release()

    def limited(self, handler: Handler) -> Handler:
        """The same handler, with a turn for all that it does."""

        async def prepared(job: Job) -> UnitOfWork:
            async with self.slot():
                return await handler(job)

        return prepared
