"""Vectors of ONNX models run in this process by `fastembed`: `fastembed:BAAI/bge-small-en-v1.5`.

The model is downloaded from its hub on first use, or read from a folder: `fastembed:<model>@<folder>`, which contains
the model's ONNX file at the path that fastembed expects, and its tokenizer. Loading takes seconds, so it happens in a
thread; until then, search uses words only.
"""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.loading import load_in_thread
from recollect.core.ports import EmbedderOptions, Vector

if find_spec("fastembed") is None or find_spec("numpy") is None:
    raise MissingExtra("the embedder 'fastembed'", "fastembed")

from recollect.embedders._vectors import pack_vectors, zero_vector

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"
MAX_TEXT_CHARS = 20_000
"""Characters read of one text: far more than such a model's token limit."""


class FastEmbedEmbedder:
    local = True

    def __init__(self, model: str, folder: str | None = None) -> None:
        self.name = f"fastembed:{model}" + (f"@{folder}" if folder else "")
        self._model = model
        self._folder = folder
        self._loading: asyncio.Task[Any] | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        engine = await self._get_engine()
        return await asyncio.to_thread(self._run, engine, [text[:MAX_TEXT_CHARS] for text in texts])

    async def close(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])

    async def _get_engine(self) -> Any:
        """The model, loaded once; concurrent callers wait for the same load."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.create_task(load_in_thread(self._load), name="recollect-fastembed")
        return await asyncio.shield(self._loading)

    def _load(self) -> Any:
        fastembed: Any = import_module("fastembed")
        options = {"specific_model_path": self._folder} if self._folder else {}
        try:
            return fastembed.TextEmbedding(model_name=self._model, **options)
        except Exception as error:  # hub, ONNX and tokenizer each raise their own
            raise EmbedderError(f"{self.name} could not be loaded: {error}") from error

    def _run(self, engine: Any, texts: list[str]) -> list[Vector]:
        try:
            vectors = pack_vectors(list(engine.embed(texts)))
        except Exception as error:  # the runtime's exceptions are not documented
            raise EmbedderError(f"{self.name} failed: {error}") from error
        return [
            vector if text.strip() else zero_vector(len(vector) // 4)
            for text, vector in zip(texts, vectors, strict=True)
        ]


def create(spec: str, options: EmbedderOptions) -> FastEmbedEmbedder:  # noqa: ARG001 - it needs no server
    model, _, folder = spec.partition(":")[2].strip().partition("@")
    return FastEmbedEmbedder(model or DEFAULT_MODEL, folder or None)
