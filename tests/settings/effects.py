"""How a setting is shown to have its effect: turned to several values, it is observed to do what each says."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect.settings import sources

Observer = Callable[["Turned"], Awaitable[Any]]


@dataclass(frozen=True)
class Turned:
    """A setting at one of its values, and a folder of its own."""

    name: str
    value: Any
    folder: Path

    def settings(self, **others: Any) -> dict[str, Any]:
        """The setting beside others, as arguments of a memory."""
        return {**others, self.name.replace(".", "__"): self.value}


@dataclass(frozen=True)
class Effect:
    observe: Observer
    expected: tuple[tuple[Any, Any], ...]


class Effects(dict[str, Effect]):
    """By the name of the setting: what is observed at each value."""

    def at(self, name: str, *expected: tuple[Any, Any]) -> Callable[[Observer], Observer]:
        """Expect of an observer these pairs of value and observation."""

        def add(observe: Observer) -> Observer:
            assert name not in self, f"{name} is shown twice"
            self[name] = Effect(observe, expected)
            return observe

        return add

    async def check(self, name: str, folder: Path) -> None:
        effect = self[name]
        for number, (value, expected) in enumerate(effect.expected):
            place = folder / str(number)
            place.mkdir()
            assert await effect.observe(Turned(name, value, place)) == expected, f"{name}={value!r}"


@contextmanager
def ignored(name: str) -> Iterator[None]:
    """Nobody's word on this setting counts: it stays at the default of the profile."""
    patch = pytest.MonkeyPatch()

    def deaf(read: Callable[..., sources.Layer]) -> Callable[..., sources.Layer]:
        return lambda *args: {key: value for key, value in read(*args).items() if key != name}

    with patch.context() as patched:
        for source in ("arguments", "config_file"):
            patched.setattr(sources, source, deaf(getattr(sources, source)))
        variables = sources.variables
        patched.setattr(sources, "variables", lambda env: tuple(deaf(lambda one=one: one)() for one in variables(env)))
        yield
