"""Bring the vectors of one model up to date, batch by batch; nothing is embedded inside a transaction."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence

from recollect.core.ports import Corpus, Progress, Store, Tx, Vector
from recollect.core.types import Memo

log = logging.getLogger("recollect.recall")

ROWS_PER_BATCH = 100
ROWS_PER_PAGE = 5_000

Embed = Callable[[str, Sequence[str]], Awaitable[list[Vector]]]
Payload = Callable[[Memo], str]
"""The text to embed for a memo, where that is more than its own."""


async def fill(
    store: Store,
    corpus: Corpus,
    model: str,
    embed: Embed,
    on_batch: Callable[[int], None],
    payload: Payload | None = None,
) -> int:
    """Embed every row that lacks a vector of this model; `on_batch` gets the size of each batch."""
    after, count = 0, 0
    while rows := await store.read(lambda tx, after=after: _texts(tx, corpus, model, after, payload)):
        vectors = await embed(model, [text for _, text in rows])
        by_key = dict(zip((key for key, _ in rows), vectors, strict=True))
        await store.write(lambda tx, by_key=by_key: tx.index.put_vectors(corpus, model, by_key), background=True)
        after, count = rows[-1][0], count + len(rows)
        on_batch(len(rows))
    return count


async def activate(store: Store, corpus: Corpus, model: str, retained: Collection[str]) -> bool:
    """Make a model's vectors the active set; False when it still lacks some.

    Sets of the models in `retained` stay: they replace this one while it fails.
    """
    sets = await store.read(lambda tx: tx.index.vectors(corpus))
    is_settled = all(
        vector_set.model in retained and vector_set.active == vector_set.complete == (vector_set.model == model)
        for vector_set in sets
    )
    if is_settled or all(vector_set.model != model for vector_set in sets):
        return True

    def work(tx: Tx) -> bool:
        complete = not tx.index.unembedded(corpus, model, 1)
        if complete:
            tx.index.activate(corpus, model)
            log.info("vectors of %s are now by %s", corpus, model)
        return complete

    return await store.write(work)


async def count_missing(store: Store, corpus: Corpus, model: str) -> int:
    after, count = 0, 0
    while rows := await _missing(store, corpus, model, ROWS_PER_PAGE, after):
        after, count = rows[-1][0], count + len(rows)
    return count


def _texts(tx: Tx, corpus: Corpus, model: str, after: int, payload: Payload | None) -> list[tuple[int, str]]:
    rows = tx.index.unembedded(corpus, model, ROWS_PER_BATCH, after)
    if payload is None or corpus != "memos":
        return rows
    memos = tx.memos.fetch([key for key, _ in rows])
    return [(key, payload(memos[key]) if key in memos else text) for key, text in rows]


async def _missing(store: Store, corpus: Corpus, model: str, limit: int, after: int) -> list[tuple[int, str]]:
    return await store.read(lambda tx: tx.index.unembedded(corpus, model, limit, after))


class Counter:
    """Adds up batches and reports progress, with a total that is never below the count."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._count = 0
        self._progress = progress

    def add(self, count: int) -> None:
        self._count += count
        if self._progress is not None:
            self._progress(self._count, max(self._total, self._count))
