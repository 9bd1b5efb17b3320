"""The matrices of large scopes, in memory. It is made with the store; numpy is loaded with the first vector search."""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.stores.sqlite.matrix import Matrix

MIN_CACHED_ROWS = 50
"""Up to this many rows are not worth keeping in memory."""


class MatrixCache:
    """Large scopes in memory, least recently used out first; shared by all connections of a store."""

    def __init__(self, limit: int = 512 << 20) -> None:
        self.lock = threading.RLock()
        self._limit = limit
        self._held: OrderedDict[tuple[str, int], Matrix] = OrderedDict()
        self._bytes = 0

    def get(self, name: tuple[str, int]) -> "Matrix | None":
        if name in self._held:
            self._held.move_to_end(name)
        return self._held.get(name)

    def put(self, name: tuple[str, int], matrix: "Matrix") -> None:
        replaced = self._held.pop(name, None)
        self._held[name] = matrix
        self._bytes += matrix.bytes - (0 if replaced is None else replaced.bytes)
        while len(self._held) > 1 and self._bytes > self._limit:
            self._bytes -= self._held.popitem(last=False)[1].bytes
