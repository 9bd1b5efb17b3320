"""Static vectors of `model2vec` files, of which some are multilingual: `model2vec:minishlab/potion-multilingual-128M`.

`model2vec:<folder>` reads the files of a model from a folder: `model.safetensors` and `tokenizer.json`. Any other name
is looked up in the hub's cache, and downloaded on first use. It needs numpy and `tokenizers`, no torch; weights stay
on disk and are read as they are needed. They are opened in a thread; until then, search uses words only.
"""

import asyncio
import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.loading import load_in_thread
from recollect.core.ports import EmbedderOptions, Vector

if find_spec("tokenizers") is None or find_spec("numpy") is None:
    raise MissingExtra("the embedder 'model2vec'", "model2vec")

import numpy as np

from recollect.embedders._vectors import to_unit_length, with_opening

DEFAULT_MODEL = "minishlab/potion-multilingual-128M"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
NESTED = "0_StaticEmbedding"
"""Where sentence-transformers puts the same files."""
MAX_TOKENS = 512
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "u1"}
_MAX_HEADER_BYTES = 10_000_000


class Model2VecEmbedder:
    local = True

    def __init__(self, model: str) -> None:
        self.name = f"model2vec:{model}"
        self._model = model
        self._loading: asyncio.Task[_Files] | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        files = await self._files()
        return await asyncio.to_thread(lambda: [with_opening(text, files.mean_vector) for text in texts])

    async def close(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])

    async def _files(self) -> "_Files":
        """The files, opened once; concurrent callers wait for the same."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = asyncio.create_task(load_in_thread(self._load), name="recollect-model2vec")
        return await asyncio.shield(self._loading)

    def _load(self) -> "_Files":
        try:
            return _Files(_folder(self._model))
        except EmbedderError:
            raise
        except Exception as error:  # hub, tokenizer and numpy each raise their own
            raise EmbedderError(f"{self.name} could not be loaded: {error}") from error


class _Files:
    """The weights and the tokenizer of a model."""

    def __init__(self, folder: Path) -> None:
        folder = folder / NESTED if not (folder / WEIGHTS).is_file() and (folder / NESTED).is_dir() else folder
        missing = [name for name in (WEIGHTS, TOKENIZER) if not (folder / name).is_file()]
        if missing:
            raise EmbedderError(f"{folder} is no model of model2vec: it has no {' and no '.join(missing)}")
        tensors = read_tensors(folder / WEIGHTS)
        embeddings = tensors.get("embeddings", tensors.get("embedding.weight"))
        if embeddings is None or embeddings.ndim != 2:
            raise EmbedderError(f"{folder / WEIGHTS} has no table of embeddings, only: {', '.join(sorted(tensors))}")
        self._embeddings = embeddings
        self._weights, self._mapping = tensors.get("weights"), tensors.get("mapping")
        self._tokenizer: Any = import_module("tokenizers").Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._unknown = _unknown_token(self._tokenizer)

    def mean_vector(self, text: str) -> Any:
        """The mean of the vectors of a text's tokens, at unit length; zero for a text without known tokens."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids if text.strip() else []
        tokens = np.asarray([token for token in ids if token != self._unknown], np.int64)
        if not len(tokens):
            return np.zeros(self._embeddings.shape[1], np.float32)
        rows = self._embeddings[tokens if self._mapping is None else self._mapping[tokens]].astype(np.float32)
        if self._weights is not None:
            rows = rows * self._weights[tokens].astype(np.float32)[:, None]
        return to_unit_length(rows.mean(axis=0))


def read_tensors(path: Path) -> dict[str, Any]:
    """The tensors of a safetensors file, mapped into memory rather than read."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 0 < size <= _MAX_HEADER_BYTES:
            raise EmbedderError(f"{path} is not a safetensors file")
        header: dict[str, Any] = json.loads(file.read(size))
    header.pop("__metadata__", None)
    tensors: dict[str, Any] = {}
    for name, entry in header.items():
        if entry["dtype"] not in _TYPES:
            raise EmbedderError(f"{path}: {name} has the type {entry['dtype']}, which numpy has not")
        start, shape = entry["data_offsets"][0], tuple(entry["shape"])
        tensors[name] = np.memmap(path, _TYPES[entry["dtype"]], "r", offset=8 + size + start, shape=shape)
    return tensors


def _unknown_token(tokenizer: Any) -> int | None:
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    name = model.get("unk_token")
    return tokenizer.token_to_id(name) if name else model.get("unk_id")


def _folder(model: str) -> Path:
    """The folder of a model: one on this machine, or the hub's copy."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_absolute() or model.startswith(("~", ".")):
        raise EmbedderError(f"there is no folder {model}")
    if find_spec("huggingface_hub") is None:
        raise EmbedderError(f"there is no folder {model!r} here; to download it: pip install huggingface_hub")
    patterns = [f"{prefix}{name}" for prefix in ("", f"{NESTED}/") for name in (WEIGHTS, TOKENIZER)]
    hub: Any = import_module("huggingface_hub")
    return Path(hub.snapshot_download(model, allow_patterns=patterns))


def create(spec: str, options: EmbedderOptions) -> Model2VecEmbedder:  # noqa: ARG001 - it needs no server
    return Model2VecEmbedder(spec.partition(":")[2].strip() or DEFAULT_MODEL)
