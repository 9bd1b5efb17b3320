"""What the bot did to a Discord, in order, and ways to wait for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.discord.things import Channel, Json, Message

WAIT = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Act:
    """One thing the bot did: `message`, `edit`, `delete`, `pin`, `typing`, `reaction`, `identify`, `answer`, …"""

    kind: str
    channel: Channel | None = None
    message: Message | None = None
    body: Json = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        where = f" in {self.channel.name or self.channel.id}" if self.channel else ""
        return self.kind + where + (f" {self.message.content!r}" if self.message else "")


class Journal:
    def __init__(self) -> None:
        self.acts: list[Act] = []
        self._taken: set[Act] = set()
        self._changed = asyncio.Event()

    def of(self, kind: str, channel: Channel | None = None) -> list[Act]:
        """All acts of a kind, in one channel if it is named."""
        return [act for act in self.acts if act.kind == kind and channel in (None, act.channel)]

    def record(self, act: Act) -> None:
        self.acts.append(act)
        self._changed.set()

    async def next(self, kind: str, channel: Channel | None = None, timeout: float = WAIT) -> Act:
        """The first act of a kind that was not handed out yet, awaited if need be."""
        await self.until(lambda: bool(self._fresh(kind, channel)), timeout, f"no {kind} came")
        act = self._fresh(kind, channel)[0]
        self._taken.add(act)
        return act

    async def until(self, holds: Callable[[], bool], timeout: float = WAIT, otherwise: str = "it never held") -> None:
        """Return as soon as it holds; asked again after each act of the bot."""
        try:
            async with asyncio.timeout(timeout):
                while not holds():
                    self._changed = asyncio.Event() if self._changed.is_set() else self._changed
                    await self._changed.wait()
        except TimeoutError:
            did = "; ".join(map(str, self.acts[-20:])) or "nothing"
            raise TimeoutError(f"{otherwise} within {timeout:g} s; the bot did: {did}") from None

    def _fresh(self, kind: str, channel: Channel | None) -> list[Act]:
        return [act for act in self.of(kind, channel) if act not in self._taken]
