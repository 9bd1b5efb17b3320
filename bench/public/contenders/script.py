"""The program by hand of `bench.baseline`."""

import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import bench.baseline
from bench.baseline import Row, Script, terms_of
from bench.public.contenders.base import Pair, Said
from bench.public.vectors import DIMS, vector

START = """
import struct, sys
from pathlib import Path
from bench.baseline import Row, Script, terms_of
script, vector = Script(Path(sys.argv[1]) / "script.db", 256), struct.pack("256f", *range(1, 257))
script.save(Row("ada", "1", "I like green tea", 1), vector)
assert script.search("ada", terms_of("tea"), vector)
script.close()
"""
IMPORT = "import apsw, sqlite_vec"
CHANNEL = "general"


class Contender:
    max_memos: int | None = None
    source = str(bench.baseline.__file__)
    script: Script

    async def open(self, folder: Path) -> None:
        self.script = Script(folder / "script.db", DIMS)
        self._numbers = count(time.time_ns())

    async def close(self) -> None:
        self.script.close()

    def _row(self, user: str, text: str) -> tuple[Row, bytes]:
        return Row(user, str(next(self._numbers)), text, int(time.time() * 1000)), vector(text)

    async def remember(self, user: str, text: str) -> None:
        self.script.save(*self._row(user, text))

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        self.script.save_all(self._row(user, text) for user, text in pairs)

    async def search(self, user: str, question: str) -> int:
        return len(self.script.search(user, terms_of(question), vector(question)))

    async def texts(self, user: str) -> list[str]:
        return self.script.texts(user)

    async def add(self, said: Said) -> None:
        self.script.add(said.id, CHANNEL, said.user, said.text, int(time.time() * 1000))

    async def learn(self, talk: Sequence[Said]) -> None:
        """It doesn't learn; what it can do is keep the messages, one commit each as they would arrive."""
        for said in talk:
            await self.add(said)

    async def context(self, said: Said) -> int:
        return len(self.script.context(CHANNEL, said.user, terms_of(said.text), vector(said.text)))
