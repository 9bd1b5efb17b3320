"""The vectors of one scope in memory, sorted by key: exact nearest rows in milliseconds up to 100,000 and beyond."""

from collections.abc import Collection, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BRUTE_FORCE_ROWS = 1_500
"""Rows up to which comparing all of them is quickest."""
COARSE_ROWS_PER_RESULT, MIN_COARSE_ROWS = 25, 2_000
"""Rows per result, and at least, that survive the coarse comparison of sign bits; never less than a hundredth."""


class Matrix:
    """The vectors of a scope at one point in time; never changed, so that threads share it without a lock.

    A successor that only adds rows at the end shares the memory: no matrix reads beyond its own count.
    """

    def __init__(self, keys: Array, vectors: Array, changes: int) -> None:
        self.changes = changes
        """The state of the scope that this reflects."""
        self._count = len(keys)
        self._keys = keys
        self._vectors = vectors
        self._signs = _signs(vectors) if self._count > BRUTE_FORCE_ROWS else None
        # Only the first successor may write behind our rows; a second one would overwrite them.
        self._has_successor = False

    def __len__(self) -> int:
        return self._count

    @property
    def bytes(self) -> int:
        return self._vectors.nbytes + self._keys.nbytes + (0 if self._signs is None else self._signs.nbytes)

    @property
    def last(self) -> int:
        """The highest key."""
        return int(self._keys[self._count - 1]) if self._count else -1

    def without(self, keys: Collection[int]) -> "Matrix":
        rows = self._find(keys)
        return self._select(np.delete(np.arange(self._count), rows)) if len(rows) else self

    def extended(self, keys: Array, vectors: Array, changes: int) -> "Matrix":
        """A successor with additional rows, at a later state of the scope."""
        start, end = self._count, self._count + len(keys)
        successor = self._successor(end)
        successor.changes, successor._count = changes, end
        successor._keys[start:end] = keys
        successor._vectors[start:end] = vectors
        if successor._signs is not None:
            successor._signs[:, start:end] = _signs(vectors)
        # Lookups are binary searches, so the keys have to stay sorted.
        in_order = not start or not len(keys) or keys[0] > self._keys[start - 1]
        return successor if in_order else successor._select(np.argsort(successor._keys[:end]))

    def _select(self, rows: Array) -> "Matrix":
        chosen = copy(self)
        chosen._keys, chosen._vectors = self._keys[rows], self._vectors[rows]
        chosen._signs = None if self._signs is None else np.ascontiguousarray(self._signs[:, rows])
        chosen._count, chosen._has_successor = len(rows), False
        return chosen

    def _successor(self, rows: int) -> "Matrix":
        """A copy with space for this many rows; the first successor may write after our rows."""
        successor = copy(self)
        successor._has_successor = False
        if self._has_successor or rows > len(self._keys):
            # A quarter in reserve: copies then cost a constant amount per added row on average.
            more = max(0, rows + rows // 4 - self._count)
            successor._keys = self._grown(self._keys, more)
            successor._vectors = self._grown(self._vectors, more)
            if self._signs is not None:
                successor._signs = np.pad(self._signs[:, : self._count], ((0, 0), (0, more)))
        else:
            self._has_successor = True
        return successor

    def _grown(self, rows: Array, more: int) -> Array:
        return np.concatenate([rows[: self._count], np.zeros((more, *rows.shape[1:]), rows.dtype)])

    def nearest(
        self, query: Array, limit: int, also: Collection[int] = (), candidates: Collection[int] | None = None
    ) -> dict[int, float]:
        """Cosine of the nearest rows, and of the rows in `also`."""
        rows = np.arange(self._count) if candidates is None else self._find(candidates)
        rows = self._coarse(rows, query, limit)
        cosines = _dot(self._vectors[rows] if len(rows) < self._count else self._vectors[: self._count], query)
        if len(rows) > limit:
            best = np.argpartition(-cosines, limit)[:limit]
            rows, cosines = rows[best], cosines[best]
        similarities = dict(zip(self._keys[rows].tolist(), cosines.tolist(), strict=True))
        # The caller needs the cosine of these, whatever their distance.
        missing = self._find([key for key in also if key not in similarities])
        if len(missing):
            added = _dot(self._vectors[missing], query)
            similarities.update(zip(self._keys[missing].tolist(), added.tolist(), strict=True))
        return similarities

    def _find(self, keys: Collection[int]) -> Array:
        sought = np.fromiter(keys, np.int64, len(keys))
        sought.sort()
        positions = np.searchsorted(self._keys[: self._count], sought)
        inside = positions < self._count
        positions, sought = positions[inside], sought[inside]
        return positions[self._keys[positions] == sought]

    def _coarse(self, rows: Array, query: Array, limit: int) -> Array:
        """The rows whose sign bits differ least from the query's."""
        survivors = max(limit * COARSE_ROWS_PER_RESULT, MIN_COARSE_ROWS, len(rows) // 100)
        if self._signs is None or survivors >= len(rows):
            return rows
        signs = self._signs[:, : self._count] if len(rows) == self._count else self._signs[:, rows]
        differing = np.zeros(len(rows), np.uint16)
        for row_bits, query_bits in zip(signs, _signs(query[None, :]), strict=True):
            differing += np.bitwise_count(row_bits ^ query_bits)
        return rows[np.argpartition(differing, survivors)[:survivors]]


def _dot(vectors: Array, query: Array) -> Array:
    """Not `@`: BLAS would start threads for so little, and they wait for each other on a busy machine."""
    return np.einsum("ij,j->i", vectors, query)


def _signs(vectors: Array) -> Array:
    """The sign bits, 64 dimensions per line: comparing lines is faster than columns."""
    packed = np.packbits(vectors > 0, axis=1)
    words = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))).view(np.uint64)
    return np.ascontiguousarray(words.T)


def from_rows(rows: Sequence[tuple[int, bytes]]) -> tuple[Array, Array]:
    """Keys and vectors of rows of the database."""
    keys = np.array([row[0] for row in rows], np.int64)
    vectors = np.frombuffer(b"".join([row[1] for row in rows]), np.float32)
    return keys, vectors.reshape(len(rows), -1) if rows else vectors.reshape(0, 1)


def as_query(vector: bytes) -> Array:
    return np.frombuffer(vector, np.float32)
