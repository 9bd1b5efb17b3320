"""Units of work, as both engines run them."""

from collections.abc import Callable
from typing import TypeVar

from recollect.core.errors import StoreError

S = TypeVar("S")
T = TypeVar("T")


def call(work: Callable[[S], T], session: S) -> T:
    try:
        return work(session)
    except StopIteration as error:  # a future can't hold it: its caller would wait forever
        raise RuntimeError("a unit of work raised StopIteration") from error


def read_only() -> StoreError:
    return StoreError("a unit of work passed to read() can't write; pass it to write()")


def closed() -> StoreError:
    return StoreError("the store is closed")
