"""Memos to measure with: sentences of ordinary length, made from a seed, each with a vector."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from bench.sentences import questions, sentence
from recollect.core.fingerprints import Fingerprints
from recollect.core.types import Kind, Memo, Origin, Provenance, Subject

__all__ = ["DIMS", "START", "memos", "questions", "sentence", "vector"]

DIMS = 256
_KEYED = Fingerprints("bench")
START = datetime(2026, 1, 1, tzinfo=UTC)


def memos(count: int, users: int, seed: int = 7, first: int = 0) -> Iterator[tuple[Memo, bytes]]:
    """`count` memos of `users` people in turn."""
    random_, numbers = random.Random(seed + first), np.random.default_rng(seed + first)
    for number in range(first, first + count):
        text = sentence(random_, number)
        at = START + timedelta(seconds=number)
        source = Provenance(
            Origin.MANUAL, actor=f"u{number % users}", guild=f"g{number % 13}", channel=f"c{number % 31}"
        )
        memo = Memo(
            f"{_KEYED.memo_id('fact', text, lambda _: None)}-{number}",
            Subject(f"u{number % users}"),
            Kind.FACT,
            text,
            at,
            at,
            source,
        )
        yield memo, vector(numbers)


def vector(numbers: np.random.Generator) -> bytes:
    raw = numbers.normal(size=DIMS).astype(np.float32)
    return (raw / np.linalg.norm(raw)).tobytes()
