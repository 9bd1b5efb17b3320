"""Attributes that are computed when they are first asked for.

`functools.cached_property` takes a lock for that up to Python 3.11, which costs more than most that is computed here.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - it is used as a decorator
    """Like `cached_property`, without a lock: two threads may compute the value, and get the same."""

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> T:
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
