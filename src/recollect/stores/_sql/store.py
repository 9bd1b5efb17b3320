"""What every SQL store does in the same way with its engine."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from recollect.core.ports import Tx

T = TypeVar("T")


class Engine(Protocol):
    async def read(self, work: Callable[[Tx], T]) -> T: ...
    async def close(self) -> None: ...


E = TypeVar("E", bound=Engine)


class SQLStore(Generic[E]):
    def __init__(self, engine: E) -> None:
        self._engine = engine

    async def read(self, work: Callable[[Tx], T]) -> T:
        return await self._engine.read(work)

    async def close(self) -> None:
        await self._engine.close()
