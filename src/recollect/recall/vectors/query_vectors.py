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
        self._quick: set[str] = set()
        """Local models that have embedded a query: the next one is embedded by the caller's task."""

    async def vector(self, model: str, text: str, timeout: float) -> Vector | None:
        """None on timeout; the vector may be cached for the next request."""
        key = model, hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        task = self._running.get(key)
        if task is None:
            if model in self._quick:
                return await self._embed_here(key, text, timeout)
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

    async def _embed_here(self, key: _Key, text: str, timeout: float) -> Vector | None:
        """Without a task of its own, which would take longer than the vector."""
        try:
            async with asyncio.timeout(timeout):
                return await self._embed_and_keep(key, text)
        except TimeoutError:
            self._quick.discard(key[0])
            return None

    async def _embed(self, key: _Key, text: str) -> Vector | None:
        try:
            return await self._embed_and_keep(key, text)
        finally:
            del self._running[key]

    async def _embed_and_keep(self, key: _Key, text: str) -> Vector | None:
        try:
            (vector,) = await self._chain.embed(key[0], [text])
        except RecollectError as error:
            self._chain.mark_failed(key[0], error)
            return None
        if self._chain.is_local(key[0]):
            self._quick.add(key[0])
        self._cache[key] = vector
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return vector
