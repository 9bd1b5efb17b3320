"""LangGraph's `SqliteStore`, which searches by vectors; not a dependency: `pip install langgraph-checkpoint-sqlite`."""

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import langgraph.store.sqlite
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from bench.public.contenders.base import Pair
from bench.public.vectors import DIMS, floats

START = """
import sys
from langgraph.store.sqlite import SqliteStore
index = {"dims": 256, "embed": lambda texts: [[float(n) for n in range(1, 257)] for _ in texts], "fields": ["text"]}
with SqliteStore.from_conn_string(sys.argv[1] + "/store.db", index=index) as store:
    store.setup()
    store.put(("ada",), "1", {"text": "I like green tea"})
    assert store.search(("ada",), query="tea")
"""
IMPORT = "import langgraph.store.sqlite"


class Contender:
    max_memos: int | None = None
    source = str(langgraph.store.sqlite.__file__)
    store: SqliteStore

    async def open(self, folder: Path) -> None:
        self._closing = ExitStack()
        index = {"dims": DIMS, "embed": lambda texts: [floats(text) for text in texts], "fields": ["text"]}
        opened = SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
        self.store = self._closing.enter_context(opened)
        self.store.setup()
        self._numbers = count(sum(1 for _ in self._rows()))

    def _rows(self) -> sqlite3.Cursor:
        return self.store.conn.execute("SELECT key FROM store")

    async def close(self) -> None:
        self._closing.close()

    async def remember(self, user: str, text: str) -> None:
        self.store.put((user,), str(next(self._numbers)), {"text": text})

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        self.store.batch([PutOp((user,), str(next(self._numbers)), {"text": text}) for user, text in pairs])

    async def search(self, user: str, question: str) -> int:
        return len(self.store.search((user,), query=question, limit=10))

    async def texts(self, user: str) -> list[str]:
        return [item.value["text"] for item in self.store.search((user,), limit=1_000_000)]
