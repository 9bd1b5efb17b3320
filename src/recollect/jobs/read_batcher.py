"""Batch reads that are requested at the same time into one transaction.

Every layer of a prompt reads something, and a hop to the store's thread costs more than most of these reads.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from recollect.core.ports import ReadOnlyStore, Tx

T = TypeVar("T")

_PendingRead = tuple[Callable[[Tx], Any], asyncio.Future[Any]]


class ReadBatcher:
    """A read-only store that batches concurrent reads."""

    def __init__(self, store: ReadOnlyStore) -> None:
        self._store = store
        self._pending: list[_PendingRead] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, work: Callable[[Tx], T]) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._pending.append((work, future))
        if len(self._pending) == 1:
            loop.call_soon(self._send_batch)  # after all callers that are ready now have added theirs
        return await future

    def _send_batch(self) -> None:
        batch, self._pending = self._pending, []
        task = asyncio.create_task(self._read_batch(batch), name="recollect-read-batch")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read_batch(self, batch: Sequence[_PendingRead]) -> None:
        try:
            answers = await self._store.read(lambda tx: [work(tx) for work, _ in batch])
        except Exception:  # noqa: BLE001 - one read failed: each is retried alone and gets its own error
            await asyncio.gather(*(self._read_alone(work, future) for work, future in batch))
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _read_alone(self, work: Callable[[Tx], Any], future: asyncio.Future[Any]) -> None:
        try:
            answer = await self._store.read(work)
        except Exception as error:  # noqa: BLE001 - passed on to the caller
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(answer)
