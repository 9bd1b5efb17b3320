"""What every contender can do; one that has no prompts or learning leaves the last three out."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

Pair = tuple[str, str]
"""A person and a text."""


class Said(NamedTuple):
    """A message in the one channel where everybody talks."""

    id: str
    user: str
    text: str


class Contending(Protocol):
    max_memos: int | None
    """It sits out where more are stored, because filling it would take longer than everything else."""
    source: str
    """Where its code comes from."""

    async def open(self, folder: Path) -> None: ...

    async def close(self) -> None: ...

    async def remember(self, user: str, text: str) -> None:
        """Save one; it is on disk when this returns."""
        ...

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        """Save many in the quickest way there is."""
        ...

    async def search(self, user: str, question: str) -> int:
        """The ten best of a person; returns how many there are."""
        ...

    async def texts(self, user: str) -> list[str]:
        """Everything that is remembered of a person."""
        ...


class Conversing(Contending, Protocol):
    async def add(self, said: Said) -> None:
        """Keep a message."""
        ...

    async def learn(self, talk: Sequence[Said]) -> None:
        """Keep messages and wait until they have been learned from, where there is learning."""
        ...

    async def context(self, said: Said) -> int:
        """Make the prompt for answering; returns its length."""
        ...
