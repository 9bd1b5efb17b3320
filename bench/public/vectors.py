"""Vectors that cost nothing: one direction per word, summed and kept, the same on all sides.

It is an embedder for `recollect` too, found through the same entry point as anybody else's.
"""

import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

DIMS = 256
NAME = "bench_words"
ENTRY_POINTS = f"[recollect.embedders]\n{NAME} = bench.public.vectors:create\n"


@cache
def _direction(word: str) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIMS)


@cache
def vector(text: str) -> bytes:
    total = sum((_direction(word) for word in re.findall(r"\w+", text.lower())), np.zeros(DIMS))
    length = float(np.linalg.norm(total))
    return (total / length if length else _direction("")).astype(np.float32).tobytes()


def floats(text: str) -> list[float]:
    return np.frombuffer(vector(text), np.float32).tolist()


class WordVectors:
    """These vectors behind the port of embedders."""

    name = NAME
    local = True

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [vector(text) for text in texts]

    async def close(self) -> None:
        pass


def create(*_: object) -> WordVectors:
    return WordVectors()


def register(folder: Path) -> None:
    """Write what an installed package would: with this folder on the path, `embedder=NAME` is found."""
    info = folder / f"{NAME}-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, "utf-8")
