"""Static word vectors of the package `wordllama`: offline, no torch, about 0.03 ms a text.

Its weights and tokenizer are read as they are, without the package's code, which is slow to import and sets up
logging for everyone. They load in a thread; until then texts wait to be embedded and word search covers. A text's
vector is the mean of its opening's direction and its whole text's.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.ports import EmbedderOptions, Vector
from recollect.core.text import OPENING, clean

try:
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load as load_weights
    from tokenizers import Tokenizer
except ImportError as missing:
    raise MissingExtra("the embedder 'static'", "vectors") from missing

WEIGHTS = "weights/l2_supercat_256.safetensors"
SHA256 = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
"""Of the weights: vectors of other weights could not be compared with those that are stored."""
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

MAX_CHARS = 20_000
"""Characters of one text that are read: the rest would not move the mean."""


class StaticEmbedder:
    """The 256 dimensions of wordllama's `l2_supercat`."""

    name = "static:wordllama-256"
    local = True

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or _package()
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
        folder = self._folder
        try:
            raw = (folder / WEIGHTS).read_bytes()
            if hashlib.sha256(raw).hexdigest() != SHA256:
                raise EmbedderError(f"the weights in {folder} are not those this was made for; install wordllama 0.4")
            self._tokenizer = Tokenizer.from_buffer((folder / TOKENIZER).read_bytes())
            self._weights = load_weights(raw)["embedding.weight"].astype(np.float32)
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise EmbedderError(f"the weights of wordllama could not be read: {error}") from error

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


def _package() -> Path:
    found = find_spec("wordllama")
    if found is None or found.origin is None:
        raise MissingExtra("the embedder 'static'", "vectors")
    return Path(found.origin).parent


def _unit(vector: Any) -> Any:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def create(spec: str, options: EmbedderOptions) -> StaticEmbedder:  # noqa: ARG001 - it needs neither
    return StaticEmbedder()
