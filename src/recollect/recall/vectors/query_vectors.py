"""Cached vectors of single texts; concurrent requests for the same text share one call."""

import asyncio
import hashlib
from collections import OrderedDict

from recollect.core.errors import RecollectError
from recollect.core.ports import Vector
from recollect.recall.vectors.embedder_chain import EmbedderChain

CACHE_SIZE = 1024
MAX_PENDING = 64
"""Texts being embedded at once: behind a server that hangs, more would only pile up."""

_Key = tuple[str, bytes]


class QueryVectors:
    def __init__(self, chain: EmbedderChain) -> None:
        self._chain = chain
        self._cache: OrderedDict[_Key, Vector] = OrderedDict()
        self._running: dict[_Key, asyncio.Task[Vector | None]] = {}

    async def vector(self, model: str, text: str, timeout: float) -> Vector | None:
        """None on timeout; the vector may be cached for the next request."""
        key = model, hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        task = self._running.get(key)
        if task is None:
            if len(self._running) >= MAX_PENDING:
                return None
            task = self._running[key] = asyncio.create_task(self._embed(key, text), name="recollect-embed-query")
        await asyncio.wait([task], timeout=timeout)
        return task.result() if task.done() and not task.cancelled() else None

    async def close(self) -> None:
        running = [*self._running.values()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _embed(self, key: _Key, text: str) -> Vector | None:
        try:
            (vector,) = await self._chain.embed(key[0], [text])
        except RecollectError as error:
            self._chain.mark_failed(key[0], error)
            return None
        finally:
            del self._running[key]
        self._cache[key] = vector
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return vector
