"""Vectors follow what is written: embed queries at once, rows when there is time, and heal what is missing."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from recollect.errors import RecollectError
from recollect.ports import Corpus, Embedder, Progress, Store, Vector

log = logging.getLogger("recollect.vectors")

BATCH = 100
KEPT_QUERIES = 1024
CORPORA: tuple[Corpus, ...] = ("memos", "messages")


class Vectors:
    """Keeps the vectors of a store complete under one embedder.

    After a change of embedder the old vectors serve until the new ones are complete; `revive` makes the
    embedder of an old name, to embed queries with meanwhile.
    """

    def __init__(self, store: Store, embedder: Embedder, revive: Callable[[str], Embedder]) -> None:
        self._store = store
        self._embedder = embedder
        self._revive = revive
        self._others: dict[str, Embedder] = {}
        self._queries: OrderedDict[tuple[str, str], asyncio.Task[Vector | None]] = OrderedDict()
        self._due = asyncio.Event()
        self._healer: asyncio.Task[None] | None = None

    @property
    def model(self) -> str:
        return self._embedder.name

    @property
    def enabled(self) -> bool:
        return self._embedder.name != "null"

    def start(self) -> None:
        """Heal in the background, now and whenever `nudge` is called."""
        if self.enabled:
            self._due.set()
            self._healer = asyncio.create_task(self._heal(), name="recollect-vectors")

    def nudge(self) -> None:
        """Something was written that may lack a vector."""
        self._due.set()

    async def close(self) -> None:
        """Finish embedding what is there, as long as it goes well, and let go of the embedders."""
        if self._healer is not None:
            self._healer.cancel()
            with suppress(asyncio.CancelledError):
                await self._healer
            await self._fill_quietly()
        for task in self._queries.values():
            task.cancel()
        for embedder in (self._embedder, *self._others.values()):
            await embedder.close()

    async def of_query(self, text: str, corpus: Corpus, patience: float) -> tuple[str, Vector] | None:
        """The query's vector under the model that serves; None when there is none in time."""
        if not self.enabled or not text.strip():
            return None
        sets = await self._store.read(lambda tx: tx.lanes.vectors(corpus, counted=False))
        serving = next((one.model for one in sets if one.serving), None)
        if serving is None:
            return None
        vector = await self._within(self._query(serving, text), patience)
        return None if vector is None else (serving, vector)

    async def of_text(self, text: str, patience: float) -> tuple[str, Vector] | None:
        """The vector to store with a new text, when it can be had at once; the healer brings it otherwise."""
        if not self.enabled or not self._embedder.local:
            return None
        vector = await self._within(self._query(self.model, text), patience)
        return None if vector is None else (self.model, vector)

    def _query(self, model: str, text: str) -> "asyncio.Task[Vector | None]":
        """Embed once, however many ask at the same time or again."""
        name = model, text
        task = self._queries.get(name)
        if task is None or (task.done() and (task.cancelled() or task.result() is None)):
            task = self._queries[name] = asyncio.create_task(self._embed_one(model, text))
        self._queries.move_to_end(name)
        while len(self._queries) > KEPT_QUERIES:
            self._queries.popitem(last=False)
        return task

    async def _within(self, task: "asyncio.Task[Vector | None]", patience: float) -> Vector | None:
        done, _ = await asyncio.wait([task], timeout=patience)
        return task.result() if done and not task.cancelled() else None

    async def _embed_one(self, model: str, text: str) -> Vector | None:
        try:
            return (await self._embedder_named(model).embed([text]))[0]
        except RecollectError as error:
            log.warning("a query was not embedded (%s); searching by words", error)
            return None

    def _embedder_named(self, model: str) -> Embedder:
        if model == self.model:
            return self._embedder
        if model not in self._others:
            self._others[model] = self._revive(model)
        return self._others[model]

    async def _heal(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            await self._fill_quietly()

    async def _fill_quietly(self) -> None:
        try:
            await self.fill()
        except RecollectError as error:
            log.warning("vectors are behind (%s); searching by words meanwhile", error)

    async def fill(self, progress: Progress | None = None) -> int:
        """Embed every row that lacks a vector of the present model, then let that model serve."""
        if not self.enabled:
            return 0
        done = 0
        for corpus in CORPORA:
            done += await self._fill(corpus, progress, done)
        return done

    async def _fill(self, corpus: Corpus, progress: Progress | None, before: int) -> int:
        model, after, done = self.model, 0, 0
        while True:
            rows = await self._store.read(lambda tx, after=after: tx.lanes.unembedded(corpus, model, BATCH, after))
            if not rows:
                break
            vectors = await self._embedder.embed([text for _, text in rows])
            made = dict(zip((key for key, _ in rows), vectors, strict=True))
            await self._store.write(lambda tx, made=made: tx.lanes.put_vectors(corpus, model, made))
            done, after = done + len(rows), rows[-1][0]
            if progress is not None:
                progress(before + done, 0)
        sets = await self._store.read(lambda tx: tx.lanes.vectors(corpus, counted=False))
        if len(sets) > 1 or any(not one.serving for one in sets):
            await self._store.write(lambda tx: tx.lanes.serve(corpus, model))
            log.info("vectors of %s are now by %s", corpus, model)
        return done
