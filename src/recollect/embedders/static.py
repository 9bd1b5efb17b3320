"""Static word vectors of wordllama: offline, no torch, about 0.03 ms per text.

Weights and vocabulary (MIT license) are put into `_wordllama/` when recollect is built, by `hatch_build.py`: installed
beside it, the package `wordllama` would bring sixteen others along. They load in a thread; until then, search uses
words only. The vector of a text is the mean of the vectors of its opening and of the whole text.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.loading import load_in_thread
from recollect.core.ports import EmbedderOptions, Vector
from recollect.embedders._tokenizer import Tokenizer

try:
    import numpy as np
except ImportError as missing:
    raise MissingExtra("the embedder 'static'", "vectors") from missing

from recollect.embedders._vectors import to_unit_length, with_opening

FOLDER = Path(__file__).parent / "_wordllama"
WEIGHTS = "l2_supercat_256.safetensors"
WEIGHTS_SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
"""Vectors of other weights could not be compared with the stored ones."""
VOCABULARY = "vocabulary.json"
DIMENSIONS = 256

MAX_CHARS_AT_ONCE = 2_000
"""More are embedded in a thread: the event loop has others to serve."""


class StaticEmbedder:
    """The vectors of wordllama's `l2_supercat`."""

    name = f"static:wordllama-{DIMENSIONS}"
    local = True

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._weights: Any = None
        self._tokenizer = Tokenizer([])
        self._loading: asyncio.Task[None] | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self._weights is None:
            await self.load()
        if len(texts) > 8 or sum(map(len, texts)) > MAX_CHARS_AT_ONCE:  # enough work to justify a thread
            return await asyncio.to_thread(lambda: [with_opening(text, self._mean_vector) for text in texts])
        return [with_opening(text, self._mean_vector) for text in texts]

    async def load(self) -> None:
        """Load the weights once; concurrent callers wait for the same load."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.create_task(load_in_thread(self._read_files), name="recollect-load-vectors")
        await asyncio.shield(self._loading)

    def _read_files(self) -> None:
        folder = self._folder
        try:
            raw = np.memmap(folder / WEIGHTS, np.uint8, "r")
            if hashlib.sha256(raw).hexdigest() != WEIGHTS_SHA256:
                raise EmbedderError(f"the weights in {folder} are not those this was made for; install recollect again")
            self._tokenizer = Tokenizer(json.loads((folder / VOCABULARY).read_bytes()))
            header_bytes = 8 + int.from_bytes(raw[:8].tobytes(), "little")
            self._weights = np.frombuffer(raw, "<f2", offset=header_bytes).reshape(-1, DIMENSIONS)
        except (OSError, ValueError) as error:
            raise EmbedderError(f"the weights of the static vectors could not be read: {error}") from error

    def _mean_vector(self, text: str) -> Any:
        tokens = self._tokenizer.encode(text)
        if not tokens or not text.strip():
            return np.zeros(self._weights.shape[1], np.float32)
        rows = self._weights[np.minimum(tokens, len(self._weights) - 1)]  # mapped: only these are read and widened
        return to_unit_length(rows.astype(np.float32).mean(axis=0))

    async def close(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])


def create(spec: str, options: EmbedderOptions) -> StaticEmbedder:  # noqa: ARG001 - it needs neither
    return StaticEmbedder()
