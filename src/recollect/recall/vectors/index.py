"""The vector index: embed queries at once, new rows in the background, and backfill what is missing.

Each model's vectors are a separate set in the store, and one set is active. A change of embedder fills a new set while
the old one stays active; when it is complete, it becomes active and the old one is dropped.

Embedders form a chain, as in `openai:text-embedding-3-small,static`. Only the set of the first one ever becomes active.
While it fails, the next one that works fills its own set, which queries use as soon as it is complete; the first one is
retried with back-off, catches up and is used again. Without a usable set, and when a vector is late, search uses words
only: no failure here reaches the caller.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from recollect.core.clock import Clock, now
from recollect.core.errors import EmbedderError, RecollectError
from recollect.core.events import Event, EventKind
from recollect.core.ports import Corpus, Embedder, Progress, Store, Vector, VectorSet
from recollect.recall.vectors.backfill import Counter, Payload, activate, count_missing, fill
from recollect.recall.vectors.embedder_chain import EmbedderChain, Sleep, retry_delay
from recollect.recall.vectors.query_vectors import QueryVectors

log = logging.getLogger("recollect.recall")

CORPORA: tuple[Corpus, ...] = ("memos", "messages")
MIN_QUERY_CHARS = 3
"""Shorter queries are not embedded."""
CLOSE_TIMEOUT_SECONDS = 5.0
"""How long closing may embed missing rows; the next start does the others."""
SETS_CACHE_SECONDS = 1.0
"""How long the list of vector sets is cached."""
EMBED_TIMEOUT_SECONDS = 1.0
"""How long a search waits for its query vector before it uses words only."""
EMBED_SECONDS_PER_TEXT = 0.01
"""How much longer each text of a batch may take."""
PAUSE_FACTOR, MAX_PAUSE_SECONDS = 9.0, 5.0
"""The backfill scans all rows, so it pauses nine times as long as its last run took, up to five seconds."""


class VectorIndexer:
    """Keeps the vectors of a store complete. `revive` creates the embedder of an old model by its name."""

    def __init__(
        self,
        store: Store,
        chain: Sequence[Embedder],
        revive: Callable[[str], Embedder],
        *,
        sleep: Sleep = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        close_timeout: float = CLOSE_TIMEOUT_SECONDS,
        payload: Payload | None = None,
        corpora: Sequence[Corpus] = CORPORA,
        clock: Clock = now,
    ) -> None:
        self._store = store
        self._payload = payload
        self._corpora = corpora
        self._clock = clock
        self._chain = EmbedderChain(chain, revive, sleep)
        self._queries = QueryVectors(self._chain)
        self._sleep = sleep
        self._close_timeout = close_timeout
        self._monotonic = monotonic
        self._cached_sets: dict[Corpus, tuple[float, list[VectorSet]]] = {}
        self._complete: set[tuple[Corpus, str]] = set()
        self._dims: dict[tuple[Corpus, str], int] = {}
        self._filling = asyncio.Lock()
        self._wake = asyncio.Event()
        self._backfill: asyncio.Task[None] | None = None

    @property
    def model(self) -> str:
        """The model that embeds at present."""
        active = self._chain.active
        return active.name if active else next(iter(self._chain.names), "null")

    @property
    def enabled(self) -> bool:
        return bool(self._chain.chain)

    def start(self) -> None:
        """Backfill in the background, now and after each `wake`."""
        if self.enabled:
            self._wake.set()
            self._chain.on_change = self.wake
            self._backfill = asyncio.create_task(self._run(), name="recollect-vectors")

    def wake(self) -> None:
        """Backfill soon: something was written."""
        self._wake.set()

    async def close(self) -> None:
        """Embed missing rows within the timeout, and close the embedders."""
        await self._queries.close()
        if self._backfill is not None:
            self._backfill.cancel()
            await asyncio.wait([self._backfill])
            # Only after the backfill has ended: two would embed the same rows.
            await self._within_timeout(self._fill_with_active())
        await self._chain.stop_recovery()
        await self._within_timeout(self._chain.close())

    async def _within_timeout(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await asyncio.wait_for(work, self._close_timeout)
        except TimeoutError:
            log.warning("vectors are behind, or their embedder does not close; the next start continues")

    async def embed_query(
        self, text: str, corpus: Corpus, timeout: float = EMBED_TIMEOUT_SECONDS
    ) -> tuple[str, Vector] | None:
        """The query's vector and the model to compare with; None when there is none in time."""
        text = text.strip()
        if not self.enabled or len(text) < MIN_QUERY_CHARS:
            return None
        # The embedder has to match stored vectors: those of another model are not comparable.
        model = self._usable(corpus, await self._recent_sets(corpus))
        return None if model is None else await self._embed(text, corpus, model, timeout)

    async def embed_text(self, text: str, timeout: float | None = None) -> tuple[str, Vector] | None:
        """The vector to store with a new memo, if a local embedder has it in time; otherwise the backfill adds it."""
        (vector,) = await self.embed_texts([text], timeout)
        return vector

    async def embed_texts(self, texts: Sequence[str], timeout: float | None = None) -> list[tuple[str, Vector] | None]:
        """The same for several texts, in one call of the embedder."""
        seconds = EMBED_TIMEOUT_SECONDS if timeout is None else timeout
        active = self._chain.active
        # A remote embedder would make every save wait for the network.
        if active is None or not active.local or self._payload is not None:
            return [None] * len(texts)
        if ("memos", active.name) not in self._dims:
            await self._sets("memos")
        try:
            async with asyncio.timeout(seconds + EMBED_SECONDS_PER_TEXT * len(texts)):
                vectors = await self._chain.embed(active.name, texts)
        except TimeoutError:
            return [None] * len(texts)
        except RecollectError as error:
            self._chain.mark_failed(active.name, error)
            return [None] * len(texts)
        return [self._checked(vector, "memos", active.name) for vector in vectors]

    async def fill(self, progress: Progress | None = None) -> int:
        """Embed every row that lacks a vector, now, with the first embedder that works; raises EmbedderError."""
        problem: EmbedderError | None = None
        for embedder in self._chain.chain:
            try:
                return await self._fill(embedder, progress)
            except EmbedderError as error:
                problem = problem or error
                self._chain.mark_failed(embedder.name, error)
        if problem is not None:
            raise problem
        return 0

    async def _embed(self, text: str, corpus: Corpus, model: str, timeout: float) -> tuple[str, Vector] | None:
        vector = await self._queries.vector(model, text, timeout)
        return None if vector is None else self._checked(vector, corpus, model)

    def _checked(self, vector: Vector, corpus: Corpus, model: str) -> tuple[str, Vector] | None:
        """None for a zero vector, and for one of another dimension than those in the store."""
        if not any(vector):
            return None
        dims = self._dims.get((corpus, model), len(vector) // 4)
        if len(vector) != 4 * dims:
            log.warning("%s gave a vector of %d numbers; those in the store have %d", model, len(vector) // 4, dims)
            return None
        return model, vector

    async def _recent_sets(self, corpus: Corpus) -> list[VectorSet]:
        """The vector sets, cached briefly: they change only with the embedder."""
        read_at, sets = self._cached_sets.get(corpus, (float("-inf"), []))
        if self._monotonic() - read_at < SETS_CACHE_SECONDS and any(vector_set.active for vector_set in sets):
            return sets
        return await self._sets(corpus)

    async def _sets(self, corpus: Corpus) -> list[VectorSet]:
        sets = await self._store.read(lambda tx: tx.index.vectors(corpus))
        self._dims |= {(corpus, vector_set.model): vector_set.dims for vector_set in sets}
        self._cached_sets[corpus] = self._monotonic(), sets
        return sets

    def _usable(self, corpus: Corpus, sets: list[VectorSet]) -> str | None:
        """The set to search: the most preferred complete one, else the active one; its embedder has to work."""
        stored = {vector_set.model for vector_set in sets}
        complete = [model for model in self._chain.names if model in stored and (corpus, model) in self._complete]
        active = [vector_set.model for vector_set in sets if vector_set.active]
        return next((model for model in complete + active if self._chain.is_working(model)), None)

    async def _run(self) -> None:
        first, *others = self._chain.chain
        if others and not first.local:
            await self._chain.probe(first.name)
        failures, clock = 0, asyncio.get_running_loop().time
        while True:
            await self._wake.wait()
            # Before filling: rows that are written during it wake it again.
            self._wake.clear()
            started = clock()
            failures = 0 if await self._fill_with_active() else failures + 1
            # In proportion to the work: a busy store is filled in batches instead of row by row.
            await self._sleep(
                retry_delay(failures) if failures else min(MAX_PAUSE_SECONDS, PAUSE_FACTOR * (clock() - started))
            )
            if failures:
                self._wake.set()

    async def _fill_with_active(self) -> bool:
        """Backfill with the first embedder that works; False when something else failed."""
        while (embedder := self._chain.active) is not None:
            try:
                await self._fill(embedder)
            except EmbedderError as error:
                self._chain.mark_failed(embedder.name, error)
                await self._log_event(EventKind.EMBEDDING_ERROR, embedder, str(error))
            except RecollectError as error:
                log.warning("vectors are behind (%s); searching by words meanwhile", error)
                return False
            else:
                self._chain.mark_succeeded(embedder.name)
                return True
        return True

    async def _fill(self, embedder: Embedder, progress: Progress | None = None) -> int:
        async with self._filling:
            total = 0
            if progress is not None:
                total = sum([await count_missing(self._store, corpus, embedder.name) for corpus in self._corpora])
            counter = Counter(total, progress)
            return sum([await self._fill_corpus(corpus, embedder, counter) for corpus in self._corpora])

    async def _fill_set(self, corpus: Corpus, embedder: Embedder, counter: Counter) -> int:
        count = await fill(self._store, corpus, embedder.name, self._chain.embed, counter.add, self._payload)
        if count and not embedder.local:
            await self._log_event(EventKind.EMBEDDING_CALL, embedder, f"{count} {corpus}")
        return count

    async def _log_event(self, kind: EventKind, embedder: Embedder, detail: str) -> None:
        """Log calls to servers, as they cost money; a failure to log must not stop embedding."""
        event = Event(kind, self._clock(), embedder.name, detail=detail)
        with suppress(RecollectError):
            await self._store.write(lambda tx: tx.events.add(event))

    async def _fill_corpus(self, corpus: Corpus, embedder: Embedder, counter: Counter) -> int:
        """Complete a set; that of the chain's first embedder becomes active."""
        model = embedder.name
        count = await self._fill_set(corpus, embedder, counter)
        if embedder is self._chain.chain[0]:
            while not await activate(self._store, corpus, model, self._chain.names):
                count += await self._fill_set(corpus, embedder, counter)
            self._complete -= {(corpus, other) for other in self._chain.names}  # fallback sets may be dropped
        self._complete.add((corpus, model))
        self._cached_sets.pop(corpus, None)
        return count
