"""mem0 with Qdrant in a local folder and without a model (`infer=False`); not a dependency: `pip install mem0ai`."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}  # read at import

import mem0

from bench.public.contenders.base import Pair
from bench.public.vectors import DIMS, floats

START = """
import os, sys
from types import SimpleNamespace
os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none", "MEM0_DIR": sys.argv[1]}
from mem0 import Memory
store = {"path": sys.argv[1], "collection_name": "memos", "embedding_model_dims": 256, "on_disk": True}
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": store}, "history_db_path": sys.argv[1] + "/history.db"
})
def embed(text, action=None): return [float(n) for n in range(1, 257)]
def embed_batch(texts, action=None): return [embed(text) for text in texts]
memory.embedding_model = SimpleNamespace(
    config=SimpleNamespace(embedding_dims=256), embed=embed, embed_batch=embed_batch
)
memory.add("I like green tea", user_id="ada", infer=False)
assert memory.search("tea", filters={"user_id": "ada"})["results"]
"""
IMPORT = "import mem0"


class Contender:
    max_memos: int | None = 1_000
    source = str(mem0.__file__)
    memory: Any

    async def open(self, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder)
        store = {"path": str(folder), "collection_name": "memos", "embedding_model_dims": DIMS, "on_disk": True}
        history = str(folder / "history.db")
        self.memory = mem0.Memory.from_config(
            {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": history}
        )
        self.memory.embedding_model = SimpleNamespace(
            config=SimpleNamespace(embedding_dims=DIMS), embed=_embed, embed_batch=_embed_batch
        )

    async def close(self) -> None:
        self.memory.vector_store.client.close()

    async def remember(self, user: str, text: str) -> None:
        self.memory.add(text, user_id=user, infer=False)

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        """It takes many of one person together."""
        by_user: dict[str, list[dict[str, str]]] = {}
        for user, text in pairs:
            by_user.setdefault(user, []).append({"role": "user", "content": text})
        for user, messages in by_user.items():
            self.memory.add(messages, user_id=user, infer=False)

    async def search(self, user: str, question: str) -> int:
        return len(self.memory.search(question, filters={"user_id": user}, top_k=10, threshold=0.0)["results"])

    async def texts(self, user: str) -> list[str]:
        found = self.memory.get_all(filters={"user_id": user}, top_k=1_000_000)
        return [memo["memory"] for memo in found["results"]]


def _embed(text: str, _: object = None) -> list[float]:
    return floats(text)


def _embed_batch(texts: list[str], _: object = None) -> list[list[float]]:
    return [floats(text) for text in texts]
