"""The vectors of one scope in memory, sorted by key: exact nearest rows in milliseconds up to 100,000 and beyond."""

import threading
from collections import OrderedDict
from collections.abc import Collection
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SMALL = 1_500
"""Rows up to which comparing all of them is quickest."""
FEW = 50
"""Rows that are not worth keeping in memory."""
COARSE, AT_LEAST = 25, 2_000
"""Rows per wanted row, and in all, that survive the coarse look at sign bits; a hundredth of them at the least."""


class Matrix:
    """The vectors of a scope at one moment; never changed, so that threads share it without a lock.

    A successor that only adds rows at the end uses the same memory: nobody looks beyond his own count.
    """

    def __init__(self, keys: Array, vectors: Array, changes: int) -> None:
        self.changes = changes
        """The state of the scope that this reflects."""
        self._count = len(keys)
        self._keys = keys
        self._vectors = vectors
        self._signs = _signs(vectors) if self._count > SMALL else None
        self._has_heir = False

    def __len__(self) -> int:
        return self._count

    @property
    def bytes(self) -> int:
        return self._vectors.nbytes + self._keys.nbytes + (0 if self._signs is None else self._signs.nbytes)

    @property
    def last(self) -> int:
        """The highest key there is."""
        return int(self._keys[self._count - 1]) if self._count else -1

    def without(self, keys: Collection[int]) -> "Matrix":
        rows = self._find(keys)
        return self._select(np.delete(np.arange(self._count), rows)) if len(rows) else self

    def extended(self, keys: Array, vectors: Array, changes: int) -> "Matrix":
        """With rows that are not there yet, at a later state of the scope."""
        start, end = self._count, self._count + len(keys)
        heir = self._heir(end)
        heir.changes, heir._count = changes, end
        heir._keys[start:end] = keys
        heir._vectors[start:end] = vectors
        if heir._signs is not None:
            heir._signs[:, start:end] = _signs(vectors)
        in_order = not start or not len(keys) or keys[0] > self._keys[start - 1]
        return heir if in_order else heir._select(np.argsort(heir._keys[:end]))

    def _select(self, rows: Array) -> "Matrix":
        chosen = copy(self)
        chosen._keys, chosen._vectors = self._keys[rows], self._vectors[rows]
        chosen._signs = None if self._signs is None else np.ascontiguousarray(self._signs[:, rows])
        chosen._count, chosen._has_heir = len(rows), False
        return chosen

    def _heir(self, rows: int) -> "Matrix":
        """A copy with room for so many rows; the first one may write behind ours."""
        heir = copy(self)
        heir._has_heir = False
        if self._has_heir or rows > len(self._keys):
            more = max(0, rows + rows // 4 - self._count)
            heir._keys = self._with_room(self._keys, more)
            heir._vectors = self._with_room(self._vectors, more)
            if self._signs is not None:
                heir._signs = np.pad(self._signs[:, : self._count], ((0, 0), (0, more)))
        else:
            self._has_heir = True
        return heir

    def _with_room(self, rows: Array, more: int) -> Array:
        return np.concatenate([rows[: self._count], np.zeros((more, *rows.shape[1:]), rows.dtype)])

    def nearest(
        self, query: Array, limit: int, also: Collection[int] = (), among: Collection[int] | None = None
    ) -> dict[int, float]:
        """Cosine of the nearest rows, and of the rows in `also`."""
        rows = np.arange(self._count) if among is None else self._find(among)
        rows = self._coarse(rows, query, limit)
        cosines = _dot(self._vectors[rows] if len(rows) < self._count else self._vectors[: self._count], query)
        if len(rows) > limit:
            best = np.argpartition(-cosines, limit)[:limit]
            rows, cosines = rows[best], cosines[best]
        found = dict(zip(self._keys[rows].tolist(), cosines.tolist(), strict=True))
        missing = self._find([key for key in also if key not in found])
        if len(missing):
            found.update(zip(self._keys[missing].tolist(), _dot(self._vectors[missing], query).tolist(), strict=True))
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
        wanted = max(limit * COARSE, AT_LEAST, len(rows) // 100)
        if self._signs is None or wanted >= len(rows):
            return rows
        signs = self._signs[:, : self._count] if len(rows) == self._count else self._signs[:, rows]
        differing = np.zeros(len(rows), np.uint16)
        for mine, theirs in zip(signs, _signs(query[None, :]), strict=True):
            differing += np.bitwise_count(mine ^ theirs)
        return rows[np.argpartition(differing, wanted)[:wanted]]


def _dot(vectors: Array, query: Array) -> Array:
    """Not `@`: BLAS would start threads for so little, and they wait for each other on a busy machine."""
    return np.einsum("ij,j->i", vectors, query)


def _signs(vectors: Array) -> Array:
    """The sign bits, 64 dimensions a line: lines are compared quicker than columns."""
    packed = np.packbits(vectors > 0, axis=1)
    words = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))).view(np.uint64)
    return np.ascontiguousarray(words.T)


class MatrixCache:
    """Large scopes in memory, least recently used out first; shared by all connections of a store."""

    def __init__(self, limit: int = 512 << 20) -> None:
        self.lock = threading.RLock()
        self._limit = limit
        self._held: OrderedDict[tuple[str, int], Matrix] = OrderedDict()
        self._bytes = 0

    def get(self, name: tuple[str, int]) -> Matrix | None:
        if name in self._held:
            self._held.move_to_end(name)
        return self._held.get(name)

    def put(self, name: tuple[str, int], matrix: Matrix) -> None:
        replaced = self._held.pop(name, None)
        self._held[name] = matrix
        self._bytes += matrix.bytes - (0 if replaced is None else replaced.bytes)
        while len(self._held) > 1 and self._bytes > self._limit:
            self._bytes -= self._held.popitem(last=False)[1].bytes
