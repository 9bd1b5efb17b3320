"""`python -m bench.public.child NAME`: one contender in a process of its own, which does what it is told and times it.

A task is a line of JSON on standard input, its result one on standard output. Times are taken here, around the
contender's own calls, so that neither the pipe nor JSON is part of them; vectors are made before the clock starts.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from bench.public.contenders.base import Said
from bench.public.vectors import vector

CLOCK = "BENCH_CLOCK"
"""The variable that says which function of `time` measures; unless it is set, the time that a caller waits."""
_now = getattr(time, os.environ.get(CLOCK, "perf_counter"))


async def seconds(calls: list[Callable[[], Awaitable[Any]]], results: list[Any] | None = None) -> list[float]:
    """What each call takes, one after the other; what they return is added to the results."""
    times: list[float] = []
    for call in calls:
        start = _now()
        result = await call()
        times.append(_now() - start)
        if results is not None:
            results.append(result)
    return times


class Child:
    """The tasks by name; each returns what goes into the answer."""

    def __init__(self, contender: Any, answers: TextIO) -> None:
        self.contender = contender
        self._answers = answers

    async def open(self, folder: str) -> dict[str, Any]:
        await self.contender.open(Path(folder))
        return {
            "source": self.contender.source,
            "max_memos": self.contender.max_memos,
            "converses": hasattr(self.contender, "context"),
        }

    async def close(self) -> dict[str, Any]:
        await self.contender.close()
        return {}

    async def save(self, pairs: list[list[str]]) -> dict[str, Any]:
        _prepare(text for _, text in pairs)
        return {"times": await seconds([lambda pair=pair: self.contender.remember(*pair) for pair in pairs])}

    async def save_all(self, pairs: list[list[str]]) -> dict[str, Any]:
        _prepare(text for _, text in pairs)
        return {"times": await seconds([lambda: self.contender.remember_all([tuple(pair) for pair in pairs])])}

    async def save_concurrently(self, pairs: list[list[str]], writers: int) -> dict[str, Any]:
        """Writers that each save their next one when the last is acknowledged."""
        _prepare(text for _, text in pairs)
        waiting = iter(pairs)

        async def writer() -> None:
            for pair in waiting:
                await self.contender.remember(*pair)

        return {"times": await seconds([lambda: asyncio.gather(*(writer() for _ in range(writers)))])}

    async def save_until_killed(self, pairs: list[list[str]]) -> dict[str, Any]:
        """Say of each one that it is saved as soon as it is."""
        for number, pair in enumerate(pairs):
            await self.contender.remember(*pair)
            self.answer({"saved": number})
        return {}

    async def search(self, asked: list[list[str]]) -> dict[str, Any]:
        _prepare(question for _, question in asked)
        hits: list[int] = []
        times = await seconds([lambda one=one: self.contender.search(*one) for one in asked], hits)
        return {"times": times, "hits": hits}

    async def texts(self, user: str) -> dict[str, Any]:
        return {"texts": await self.contender.texts(user)}

    async def add(self, talk: list[list[str]]) -> dict[str, Any]:
        return {"times": await seconds([lambda said=said: self.contender.add(Said(*said)) for said in talk])}

    async def learn(self, talk: list[list[str]]) -> dict[str, Any]:
        return {"times": await seconds([lambda: self.contender.learn([Said(*said) for said in talk])])}

    async def context(self, talk: list[list[str]]) -> dict[str, Any]:
        _prepare(text for _, _, text in talk)
        return {"times": await seconds([lambda said=said: self.contender.context(Said(*said)) for said in talk])}

    async def memory(self) -> dict[str, Any]:
        """What this process holds of the machine's memory now, in bytes."""
        return {"rss": _resident_bytes()}

    def answer(self, result: dict[str, Any]) -> None:
        self._answers.write(json.dumps(result) + "\n")
        self._answers.flush()


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _prepare(texts: Any) -> None:
    for text in texts:
        vector(text)


async def serve(name: str) -> None:
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # whatever a library prints must not get between the answers
        contender = import_module(f"bench.public.contenders.{name}").Contender()
        child = Child(contender, answers)
        while line := await asyncio.to_thread(sys.stdin.readline):
            task = json.loads(line)
            child.answer(await getattr(child, task.pop("do"))(**task))


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
