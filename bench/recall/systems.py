"""Systems whose search is compared: each stores the lines of one conversation and returns the ids of the best.

All that use vectors use the same ones, those of our default embedder. What is not installed is left out.
"""

import asyncio
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from bench.recall.dataset import Asked, Conversation
from bench.recall.measure import store
from recollect import AsyncMemory, Place
from recollect.core.text import words
from recollect.embedders.static import DIMENSIONS, StaticEmbedder

LIMIT = 50
"""Lines that a system returns at most."""


class System(Protocol):
    async def open(self, conversation: Conversation) -> None: ...
    async def search(self, asked: Asked) -> list[str]:
        """The ids of the best lines, best first."""
        ...

    async def close(self) -> None: ...


class Recollect:
    async def open(self, conversation: Conversation) -> None:
        last = max(document.at for document in conversation.documents)
        after = max([last, *(asked.at for asked in conversation.questions if asked.at)])
        self._memory = AsyncMemory("sqlite://", clock=lambda: after, run_worker=False, search={"max_limit": LIMIT})
        self._place = Place("bench", "guild", conversation.name, public=True)
        await store(self._memory, conversation)

    async def search(self, asked: Asked) -> list[str]:
        hits = await self._memory.search(asked.text, user="bench", place=self._place, over="messages", limit=LIMIT)
        return [hit.item.id for hit in hits]

    async def close(self) -> None:
        await self._memory.close()


class BM25:
    """Plain Okapi BM25 over lower-case words, without stemming."""

    K1, B = 1.2, 0.75

    async def open(self, conversation: Conversation) -> None:
        self._ids = [document.id for document in conversation.documents]
        self._counts = [Counter(words(document.text)) for document in conversation.documents]
        lengths = [counts.total() for counts in self._counts]
        mean = sum(lengths) / len(lengths)
        self._norms = [self.K1 * (1 - self.B + self.B * length / mean) for length in lengths]
        self._frequencies = Counter(word for counts in self._counts for word in counts)

    async def search(self, asked: Asked) -> list[str]:
        size, scores = len(self._ids), [0.0] * len(self._ids)
        for word in set(words(asked.text)):
            frequency = self._frequencies[word]
            weight = math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
            for row, counts in enumerate(self._counts):
                if count := counts[word]:
                    scores[row] += weight * count * (self.K1 + 1) / (count + self._norms[row])
        best = sorted(range(size), key=lambda row: -scores[row])[:LIMIT]
        return [self._ids[row] for row in best if scores[row] > 0]

    async def close(self) -> None:
        pass


class LangGraph:
    """The search of LangGraph's `InMemoryStore`: cosine similarity."""

    def __init__(self) -> None:
        from langgraph.store.memory import InMemoryStore

        index: Any = {"dims": DIMENSIONS, "embed": _embed_all, "fields": ["text"]}
        self._new: Callable[[], Any] = lambda: InMemoryStore(index=index)

    async def open(self, conversation: Conversation) -> None:
        self._store = self._new()
        for document in conversation.documents:
            await asyncio.to_thread(self._store.put, ("bench",), document.id, {"text": document.text})

    async def search(self, asked: Asked) -> list[str]:
        items = await asyncio.to_thread(self._store.search, ("bench",), query=asked.text, limit=LIMIT)
        return [item.key for item in items]

    async def close(self) -> None:
        pass


class Mem0:
    """mem0 with Qdrant in a local folder and without a model (`infer=False`)."""

    def __init__(self) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}  # read at import
        import mem0

        self._mem0: Any = mem0

    async def open(self, conversation: Conversation) -> None:
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name)
        os.environ["MEM0_DIR"] = str(path)
        vectors = {"path": str(path), "collection_name": "lines", "embedding_model_dims": DIMENSIONS, "on_disk": True}
        settings = {
            "vector_store": {"provider": "qdrant", "config": vectors},
            "history_db_path": str(path / "history.db"),
        }
        self._memory = await asyncio.to_thread(self._mem0.Memory.from_config, settings)
        config = SimpleNamespace(embedding_dims=DIMENSIONS)
        self._memory.embedding_model = SimpleNamespace(config=config, embed=_embed, embed_batch=_embed_batch)
        for document in conversation.documents:
            add = {"user_id": "bench", "infer": False, "metadata": {"line": document.id}}
            await asyncio.to_thread(self._memory.add, document.text, **add)

    async def search(self, asked: Asked) -> list[str]:
        options = {"filters": {"user_id": "bench"}, "top_k": LIMIT, "threshold": 0.0}
        found = await asyncio.to_thread(self._memory.search, asked.text, **options)
        return [memo["metadata"]["line"] for memo in found["results"]]

    async def close(self) -> None:
        self._memory.vector_store.client.close()
        self._folder.cleanup()


_static = StaticEmbedder()


def _embed_all(texts: Sequence[str]) -> list[list[float]]:
    """Called in a thread of its own, by libraries that wait for it."""
    vectors = asyncio.run(_static.embed(list(texts)))
    return [np.frombuffer(vector, "<f4").tolist() for vector in vectors]


def _embed(text: str, _: object = None) -> list[float]:
    return _embed_all([text])[0]


def _embed_batch(texts: Sequence[str], _: object = None) -> list[list[float]]:
    return _embed_all(texts)


SYSTEMS: dict[str, Callable[[], System]] = {"recollect": Recollect, "bm25": BM25, "langgraph": LangGraph, "mem0": Mem0}
