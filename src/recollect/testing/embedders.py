"""An embedder for tests: alike are texts that share words; it keeps what it was asked and fails on demand."""

import asyncio
import math
import struct
from collections.abc import Sequence

from recollect.core.ports import Vector
from recollect.testing.embedding_server import DIMS, numbers


class WordEmbedder:
    """`calls` holds the texts of each call; while `trouble` is set it raises that, and it waits for `gate`."""

    def __init__(self, name: str = "words", *, dims: int = DIMS, local: bool = True) -> None:
        self.name = name
        self.local = local
        self.dims = dims
        self.calls: list[list[str]] = []
        self.trouble: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.closed = False

    @property
    def texts(self) -> list[str]:
        return [text for call in self.calls for text in call]

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append([*texts])
        await self.gate.wait()
        if self.trouble is not None:
            raise self.trouble
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> Vector:
        row = numbers(text, self.dims)
        length = math.hypot(*row) or 1.0
        return struct.pack(f"<{self.dims}f", *(number / length for number in row))
