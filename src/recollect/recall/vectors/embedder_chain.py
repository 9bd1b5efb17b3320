"""The available embedders: a chain in order of preference, those that old vectors still need, and which have failed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from recollect.core.errors import EmbedderError, RecollectError
from recollect.core.ports import Embedder, Vector

log = logging.getLogger("recollect.recall")

PROBE_TEXT = "hello"
MAX_RETRY_DELAY_SECONDS = 300.0
"""Longest delay between two attempts; the first is one second, and each doubles."""

Sleep = Callable[[float], Awaitable[None]]


def retry_delay(failures: int) -> float:
    return min(MAX_RETRY_DELAY_SECONDS, 2.0 ** min(failures - 1, 30))


class EmbedderChain:
    """Calls embedders by the name of their model. One that failed is retried with exponential back-off."""

    def __init__(self, chain: Sequence[Embedder], revive: Callable[[str], Embedder], sleep: Sleep) -> None:
        self.chain = tuple(embedder for embedder in chain if embedder.name != "null")
        self.on_change: Callable[[], None] = lambda: None
        self._revive = revive
        self._sleep = sleep
        self._others: dict[str, Embedder] = {}
        self._down: set[str] = set()
        self._failures: dict[str, int] = {}
        self._recovery: asyncio.Task[None] | None = None

    @property
    def names(self) -> list[str]:
        return [embedder.name for embedder in self.chain]

    @property
    def active(self) -> Embedder | None:
        """The most preferred embedder that works."""
        return next((embedder for embedder in self.chain if self.is_working(embedder.name)), None)

    def is_working(self, model: str) -> bool:
        return model not in self._down

    def is_local(self, model: str) -> bool:
        return self._embedder(model).local

    async def embed(self, model: str, texts: Sequence[str]) -> list[Vector]:
        """One vector per text; any failure of an embedder becomes an EmbedderError."""
        try:
            vectors = await self._embedder(model).embed(texts)
        except RecollectError:
            raise
        except Exception as error:  # embedders may be third-party code, and replies must not break
            raise EmbedderError(f"{model} failed: {error!r}") from error
        if len(vectors) != len(texts):
            raise EmbedderError(f"{model} gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    async def probe(self, model: str) -> bool:
        """Whether the embedder answers now."""
        try:
            await self.embed(model, [PROBE_TEXT])
        except RecollectError as error:
            self.mark_failed(model, error)
            return False
        return True

    def mark_failed(self, model: str, error: RecollectError) -> None:
        """Skip the embedder until it has recovered."""
        if model not in self._down:
            self._down.add(model)
            self._failures[model] = self._failures.get(model, 0) + 1
            log.warning("%s does not embed (%s); searching without it meanwhile", model, error)
            self.on_change()
        if self._recovery is None or self._recovery.done():
            self._recovery = asyncio.create_task(self._recover(), name="recollect-recover-embedders")

    def mark_succeeded(self, model: str) -> None:
        """Reset the back-off."""
        self._failures.pop(model, None)

    async def close(self) -> None:
        for embedder in (*self.chain, *self._others.values()):
            await embedder.close()

    async def stop_recovery(self) -> None:
        """Stop retrying failed embedders."""
        if self._recovery is not None:
            self._recovery.cancel()
            await asyncio.wait([self._recovery])

    async def _recover(self) -> None:
        while self._down:
            # The one that is due first decides; the others are merely tried a little early.
            await self._sleep(min(retry_delay(self._failures.get(model, 1)) for model in self._down))
            for model in [*self._down]:
                await self._retry(model)
            self.on_change()

    async def _retry(self, model: str) -> None:
        if model not in self.names:  # only needed for old vectors: the next query retries it
            self._down.discard(model)
        elif await self.probe(model):
            self._down.discard(model)
            log.info("%s embeds again", model)
        else:
            self._failures[model] = self._failures.get(model, 0) + 1

    def _embedder(self, model: str) -> Embedder:
        for embedder in self.chain:
            if embedder.name == model:
                return embedder
        if model not in self._others:
            # Kept: loading a model anew for each query would take longer than the query.
            self._others[model] = self._revive(model)
        return self._others[model]
