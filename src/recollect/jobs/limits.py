"""Limit concurrent model calls, however many jobs run: jobs without a slot read, check and write meanwhile."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from recollect.core.ports import Handler, UnitOfWork
from recollect.core.ports.jobs import Job


class ModelLimiter:
    """A semaphore for model calls, shared by the callers and by the worker, which may release slots of hung calls."""

    def __init__(self, max_calls: int = 8) -> None:
        self._slots = asyncio.Semaphore(max_calls)
        self._holders: set[asyncio.Task[Any] | None] = set()

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Hold a slot for the duration of a call; waits until one is free."""
        await self._slots.acquire()
        task = asyncio.current_task()
        self._holders.add(task)
        try:
            yield
        finally:
            self.release(task)

    def release(self, task: asyncio.Task[Any] | None) -> None:
        """Free the slot of a task, even if its call never ends."""
        if task in self._holders:
            self._holders.discard(task)
            self._slots.release()

    def limited(self, handler: Handler) -> Handler:
        """Wrap a handler so that it holds a slot while it runs."""

        async def limited_handler(job: Job) -> UnitOfWork:
            async with self.slot():
                return await handler(job)

        return limited_handler
