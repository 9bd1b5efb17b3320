"""`AsyncMemory`, with the settings of a new user except for the vectors and the limit on memos per person."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import recollect
from bench.public.contenders.base import Pair, Said
from bench.public.vectors import NAME
from recollect import AsyncMemory, Message, Place

try:
    from recollect.view import View
except ModuleNotFoundError:  # an earlier version, without views
    View = object

HERE = Place("discord", "g1", "c1", name="general", public=True)

START = """
import asyncio, sys
from recollect import AsyncMemory
async def main():
    async with AsyncMemory(sys.argv[1] + "/memory.db", data_dir=sys.argv[1]) as memory:
        await memory.remember("I like green tea", user="ada")
        assert await memory.search("tea", user="ada")
asyncio.run(main())
"""
IMPORT = "from recollect import AsyncMemory"  # the bare package loads its names when they are used


class Contender:
    max_memos: int | None = None
    source = str(Path(recollect.__file__).parent)
    memory: AsyncMemory

    async def open(self, folder: Path) -> None:
        limits = {"max_active": None}
        self.memory = AsyncMemory(folder / "memory.db", data_dir=str(folder), embedder=NAME, memos=limits)
        await self.memory.open()

    async def close(self) -> None:
        await self.memory.close()

    async def remember(self, user: str, text: str) -> None:
        _require_saved([await self.memory.remember(text, user=user)])

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        """One call per person; versions that take one text at a time get them all at once."""
        if not hasattr(View, "remember_all"):
            _require_saved(await asyncio.gather(*(self.memory.remember(text, user=user) for user, text in pairs)))
            return
        texts: dict[str, list[str]] = {}
        for user, text in pairs:
            texts.setdefault(user, []).append(text)
        for outcomes in await asyncio.gather(*(self.memory.remember(said, user=user) for user, said in texts.items())):
            _require_saved(outcomes)

    async def search(self, user: str, question: str) -> int:
        return len(await self.memory.search(question, user=user, limit=10))

    async def texts(self, user: str) -> list[str]:
        return [memo.text for memo in (await self.memory.list(user=user)).memos]

    async def add(self, said: Said) -> None:
        await self.memory.add(_message(said))

    async def learn(self, talk: Sequence[Said]) -> None:
        """All of it goes in at once, and is learned from."""
        messages = [_message(said) for said in talk]
        await asyncio.gather(*map(self.memory.add, messages))
        for message in messages:
            await self.memory.wait_learned(message, timeout=60)

    async def context(self, said: Said) -> int:
        return len((await self.memory.context(_message(said))).text)


def _require_saved(outcomes: Iterable[object]) -> None:
    """A text that is refused costs less than one that is saved."""
    for outcome in outcomes:
        assert type(outcome).__name__ != "Refused", outcome


def _message(said: Said) -> Message:
    return Message(said.id, said.user, HERE, said.text, datetime.now(UTC), said.user.title())
