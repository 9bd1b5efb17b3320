"""Reads that are asked for at the same moment go to the store together: one visit, one snapshot, one answer.

The layers of a prompt all look something up, and a visit to another thread costs more than most of them look for.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from recollect.core.ports import ReadOnlyStore, Tx

T = TypeVar("T")

_Asked = tuple[Callable[[Tx], Any], asyncio.Future[Any]]


class ReadBatcher:
    """A store to read from, for all who make one prompt."""

    def __init__(self, store: ReadOnlyStore) -> None:
        self._store = store
        self._asked: list[_Asked] = []
        self._going: set[asyncio.Task[None]] = set()

    async def read(self, work: Callable[[Tx], T]) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._asked.append((work, future))
        if len(self._asked) == 1:
            loop.call_soon(self._go)  # when everyone who is ready now has asked
        return await future

    def _go(self) -> None:
        asked, self._asked = self._asked, []
        task = asyncio.create_task(self._visit(asked), name="recollect-visit")
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def _visit(self, asked: Sequence[_Asked]) -> None:
        try:
            answers = await self._store.read(lambda tx: [work(tx) for work, _ in asked])
        except Exception:  # noqa: BLE001 - one of them failed: each goes alone, and hears of its own failure
            await asyncio.gather(*(self._alone(work, future) for work, future in asked))
            return
        for (_, future), answer in zip(asked, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _alone(self, work: Callable[[Tx], Any], future: asyncio.Future[Any]) -> None:
        try:
            answer = await self._store.read(work)
        except Exception as error:  # noqa: BLE001 - handed to whoever asked
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(answer)
