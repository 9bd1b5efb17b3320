"""What is computed when it is first needed: attributes, and compiled regular expressions."""

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - it is used as a decorator
    """Like `cached_property`, whose lock up to Python 3.11 costs more than most that is computed here. Two threads may
    both compute the value, and get the same.
    """

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> T:
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def lazy_pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but compiled on first use: hundreds of patterns would delay a process's first call."""
    return cast("re.Pattern[str]", _LazyPattern(expression, flags))


class _LazyPattern:
    def __init__(self, expression: str, flags: int) -> None:
        self.pattern, self._flags = expression, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"):
            setattr(self, method, getattr(compiled, method))  # from now on as fast as the compiled one's
        return getattr(compiled, name)
