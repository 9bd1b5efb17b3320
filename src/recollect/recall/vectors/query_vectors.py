"""Vectors of single texts: embedded once, however many ask at the same time or again."""

import asyncio
import hashlib
from collections import OrderedDict

from recollect.core.errors import RecollectError
from recollect.core.ports import Vector
from recollect.recall.vectors.embedder_chain import EmbedderChain

KEPT = 1024
BUSY = 64
"""Texts on their way at the most: behind a server that hangs, more would only pile up."""

_Name = tuple[str, bytes]


class QueryVectors:
    def __init__(self, crew: EmbedderChain) -> None:
        self._crew = crew
        self._kept: OrderedDict[_Name, Vector] = OrderedDict()
        self._running: dict[_Name, asyncio.Task[Vector | None]] = {}

    async def vector(self, model: str, text: str, timeout: float) -> Vector | None:
        """None when there is none within so many seconds; it may be there for the next who asks."""
        name = model, hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        task = self._running.get(name)
        if task is None:
            if len(self._running) >= BUSY:
                return None
            task = self._running[name] = asyncio.create_task(self._embed(name, text), name="recollect-embed-query")
        await asyncio.wait([task], timeout=timeout)
        return task.result() if task.done() and not task.cancelled() else None

    async def close(self) -> None:
        running = [*self._running.values()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _embed(self, name: _Name, text: str) -> Vector | None:
        try:
            (vector,) = await self._crew.embed(name[0], [text])
        except RecollectError as error:
            self._crew.failed(name[0], error)
            return None
        finally:
            del self._running[name]
        self._kept[name] = vector
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return vector
