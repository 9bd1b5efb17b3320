"""What all of the operator's verbs share: the memory, the operator's name, and the one way to write."""

import secrets
from collections.abc import Callable
from typing import TypeVar

from recollect.admin.write_health import WriteHealth
from recollect.core.clock import Clock
from recollect.core.ports import Tx
from recollect.core.types import Memo
from recollect.learning.apply import ChangeContext
from recollect.memory import AsyncMemory

OPERATOR = "operator"
MAX_ROWS = 500
"""At most this many rows per answer."""

T = TypeVar("T")


class AdminBase:
    def __init__(self, memory: AsyncMemory, clock: Clock, name: str = OPERATOR) -> None:
        self.memory = memory
        self.name = name
        self._clock = clock
        self._write_health = WriteHealth()

    async def _read(self, work: Callable[[Tx], T]) -> T:
        return await self.memory.store.read(work)

    async def _write(self, work: Callable[[Tx], T]) -> T:
        """Commit, then wake workers and embedder. All of the operator's changes go through here."""
        return await self.memory.engine.write(work)

    def _context(self) -> ChangeContext:
        return ChangeContext(self.name, self._clock(), secrets.token_hex(8))


def is_visible(_: Memo) -> bool:
    """The operator sees every memo."""
    return True


def clamp(limit: int) -> int:
    return max(1, min(limit, MAX_ROWS))
