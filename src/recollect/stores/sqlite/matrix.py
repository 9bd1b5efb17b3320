"""The vectors of one scope in memory, sorted by key: exact nearest rows in milliseconds up to 100,000 and beyond."""

import threading
from collections import OrderedDict
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SMALL = 2_000
"""Rows up to which comparing all of them is quickest."""
COARSE = 10
"""Rows per wanted row that survive the coarse look at sign bits and are compared in full."""


class Matrix:
    """Grows at the end without copying what is there."""

    def __init__(self, keys: Array, vectors: Array) -> None:
        self.changes = 0
        """The state of the scope that this reflects."""
        self._count = len(keys)
        self._keys = keys
        self._vectors = vectors
        self._signs = _signs(vectors) if self._count > SMALL else None

    def __len__(self) -> int:
        return self._count

    @property
    def bytes(self) -> int:
        return self._vectors.nbytes + self._keys.nbytes + (0 if self._signs is None else self._signs.nbytes)

    @property
    def last(self) -> int:
        """The highest key there is."""
        return int(self._keys[self._count - 1]) if self._count else -1

    def drop(self, keys: Collection[int]) -> None:
        rows = self._find(keys)
        if len(rows):
            self._select(np.delete(np.arange(self._count), rows))

    def extend(self, keys: Array, vectors: Array) -> None:
        """Add rows that are not there yet."""
        start, end = self._count, self._count + len(keys)
        self._reserve(end)
        self._keys[start:end] = keys
        self._vectors[start:end] = vectors
        if self._signs is not None:
            self._signs[start:end] = _signs(vectors)
        self._count = end
        if start and keys[0] < self._keys[start - 1]:
            self._select(np.argsort(self._keys[:end]))

    def _select(self, rows: Array) -> None:
        self._keys, self._vectors = self._keys[rows], self._vectors[rows]
        self._signs = None if self._signs is None else self._signs[rows]
        self._count = len(rows)

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._keys):
            return
        more = rows + rows // 4 - self._count
        self._keys = np.concatenate([self._keys[: self._count], np.zeros(more, self._keys.dtype)])
        self._vectors = np.concatenate(
            [self._vectors[: self._count], np.zeros((more, self._vectors.shape[1]), np.float32)]
        )
        if self._signs is not None:
            blank = np.zeros((more, self._signs.shape[1]), np.uint64)
            self._signs = np.concatenate([self._signs[: self._count], blank])

    def nearest(
        self, query: Array, limit: int, also: Collection[int] = (), among: Collection[int] | None = None
    ) -> dict[int, float]:
        """Cosine of the nearest rows, and of the rows in `also`."""
        rows = np.arange(self._count) if among is None else self._find(among)
        rows = self._coarse(rows, query, limit)
        cosines = self._vectors[rows] @ query if len(rows) < self._count else self._vectors[: self._count] @ query
        if len(rows) > limit:
            best = np.argpartition(-cosines, limit)[:limit]
            rows, cosines = rows[best], cosines[best]
        found = dict(zip(self._keys[rows].tolist(), cosines.tolist(), strict=True))
        missing = self._find([key for key in also if key not in found])
        if len(missing):
            found.update(zip(self._keys[missing].tolist(), (self._vectors[missing] @ query).tolist(), strict=True))
        return found

    def _find(self, keys: Collection[int]) -> Array:
        wanted = np.fromiter(keys, np.int64, len(keys))
        wanted.sort()
        at = np.searchsorted(self._keys[: self._count], wanted)
        inside = at < self._count
        at, wanted = at[inside], wanted[inside]
        return at[self._keys[at] == wanted]

    def _coarse(self, rows: Array, query: Array, limit: int) -> Array:
        """The rows whose sign bits differ least from the query's."""
        wanted = max(limit * COARSE, SMALL)
        if self._signs is None or wanted >= len(rows):
            return rows
        signs = self._signs[: self._count] if len(rows) == self._count else self._signs[rows]
        differing = np.bitwise_count(signs ^ _signs(query[None, :])).sum(axis=1, dtype=np.uint16)
        return rows[np.argpartition(differing, wanted)[:wanted]]


def _signs(vectors: Array) -> Array:
    packed = np.packbits(vectors > 0, axis=1)
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))).view(np.uint64)


class MatrixCache:
    """Large scopes in memory, least recently used out first; shared by all connections of a store."""

    def __init__(self, limit: int = 512 << 20) -> None:
        self.lock = threading.RLock()
        self._limit = limit
        self._held: OrderedDict[tuple[str, int], Matrix] = OrderedDict()

    def get(self, name: tuple[str, int]) -> Matrix | None:
        if name in self._held:
            self._held.move_to_end(name)
        return self._held.get(name)

    def put(self, name: tuple[str, int], matrix: Matrix) -> None:
        self._held[name] = matrix
        self._held.move_to_end(name)
        while len(self._held) > 1 and sum(held.bytes for held in self._held.values()) > self._limit:
            self._held.popitem(last=False)
