"""Our first edition, before its verbs and settings were renamed: `--first FOLDER` names its folder `src`.

The last commit of it is 95fae10; it takes one text at a time.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import recollect
from bench.public.contenders.base import Pair, Said
from bench.public.vectors import NAME
from recollect import Message, Place

HERE = Place("discord", "g1", "c1", name="general", public=True)
START = """
import asyncio, sys, recollect
async def main():
    async with recollect.open("sqlite:///" + sys.argv[1] + "/memory.db", data_dir=sys.argv[1]) as memory:
        await memory.remember("I like green tea", user="ada")
        assert await memory.search("tea", user="ada")
asyncio.run(main())
"""
IMPORT = "import recollect"


class Contender:
    max_memos: int | None = None
    source = str(Path(recollect.__file__).parent)
    memory: Any

    async def open(self, folder: Path) -> None:
        self._closing = AsyncExitStack()
        address = f"sqlite:///{folder}/memory.db"
        memory = recollect.open(address, data_dir=str(folder), embedder=NAME, durable={"max_active": None})
        self.memory = await self._closing.enter_async_context(memory)

    async def close(self) -> None:
        await self._closing.aclose()

    async def remember(self, user: str, text: str) -> None:
        await self.memory.remember(text, user=user)

    async def remember_all(self, pairs: Sequence[Pair]) -> None:
        await asyncio.gather(*(self.memory.remember(text, user=user) for user, text in pairs))

    async def search(self, user: str, question: str) -> int:
        return len(await self.memory.search(question, user=user, limit=10))

    async def texts(self, user: str) -> list[str]:
        return [memo.text for memo in (await self.memory.show(user=user)).memos]

    async def add(self, said: Said) -> None:
        await self.memory.observe(_message(said))

    async def learn(self, talk: Sequence[Said]) -> None:
        messages = [_message(said) for said in talk]
        await asyncio.gather(*map(self.memory.observe, messages))
        for message in messages:
            await self.memory.learned(message, timeout=60)

    async def context(self, said: Said) -> int:
        return len((await self.memory.context(_message(said))).text)


def _message(said: Said) -> Message:
    return Message(said.id, said.user, HERE, said.text, datetime.now(UTC), said.user.title())
