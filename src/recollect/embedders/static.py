"""Static word vectors of the package `wordllama`: offline, no torch, about 0.1 ms a text.

The weights are in the package. They load in about a second, in a thread; until then texts wait to be embedded
and word search covers. A text's vector is the mean of its opening's direction and its whole text's.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.errors import EmbedderError, MissingExtra
from recollect.ports import EmbedderOptions, Vector
from recollect.text import OPENING, clean

try:
    import numpy as np
    import wordllama  # pyright: ignore[reportMissingTypeStubs] it has none
except ImportError as missing:
    raise MissingExtra("the embedder 'static'", "vectors") from missing

MAX_CHARS = 20_000
"""Characters of one text that are read: the rest would not move the mean."""


class StaticEmbedder:
    """The 256 dimensions of wordllama's `l2_supercat`."""

    name = "static:wordllama-256"
    local = True

    def __init__(self) -> None:
        self._weights: Any = None
        self._tokenizer: Any = None
        self._loading: asyncio.Task[None] | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self._weights is None:
            await self.load()
        if len(texts) > 8:  # enough work to be worth a thread
            return await asyncio.to_thread(lambda: [self._vector(text) for text in texts])
        return [self._vector(text) for text in texts]

    async def load(self) -> None:
        """Read the weights, once; callers that come meanwhile wait for the same reading."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.create_task(asyncio.to_thread(self._read), name="recollect-load-vectors")
        await asyncio.shield(self._loading)

    def _read(self) -> None:
        folder = Path(wordllama.__file__).parent  # where the package has them; by itself it looks elsewhere
        try:
            model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        except (OSError, ValueError) as error:
            raise EmbedderError(f"the weights of wordllama could not be read: {error}") from error
        model.tokenizer.no_padding()
        model.tokenizer.no_truncation()
        self._tokenizer, self._weights = model.tokenizer, model.embedding

    def _vector(self, text: str) -> Vector:
        text = clean(text)[:MAX_CHARS]
        opening = " ".join(text.split(" ", OPENING)[:OPENING])
        vector = self._mean(text)
        if len(opening) < len(text):
            vector = _unit(vector + self._mean(opening))
        return vector.astype("<f4").tobytes()

    def _mean(self, text: str) -> Any:
        tokens = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not tokens or not text.strip():
            return np.zeros(self._weights.shape[1], np.float32)
        return _unit(self._weights[np.minimum(tokens, len(self._weights) - 1)].mean(axis=0))

    async def close(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])


def _unit(vector: Any) -> Any:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def create(spec: str, options: EmbedderOptions) -> StaticEmbedder:  # noqa: ARG001 - it needs neither
    return StaticEmbedder()
