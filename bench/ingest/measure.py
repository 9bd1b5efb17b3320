"""The measurements: each compares two ways on one machine in one run, in turn, so that only ratios matter."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import recollect
from bench.ingest.talk import USERS, Paced, chatter
from bench.material import memos, questions
from recollect import AsyncMemory, Message
from recollect.core.clock import now
from recollect.core.ports import Store

WRITERS, READING_ROUNDS = 64, 10
MODELS = (0.1, 1.0)
"""Seconds that a model takes for a call: one as language models are, one far quicker, so that a slow queue shows."""
TALKERS, SECONDS_BETWEEN_MESSAGES, TALKERS_MODEL = 8, 0.1, 0.1
"""Writers at whose side prompts are composed, how long each thinks between two messages, and the model's seconds."""
Step = Callable[[], None]
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rounds: int
    single: int
    """Messages of one writer a round."""
    many: int
    """Messages of all writers a round."""
    backlog: int
    memos: int
    questions: int


@dataclass
class Figures:
    """Pairs of (ours, what it is compared with), one a round, by the name of the measurement."""

    pairs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, name: str, ours: float, other: float) -> None:
        self.pairs.setdefault(name, []).append((ours, other))

    def median(self, name: str) -> tuple[float, float, float]:
        """Ours, the other, and the ratio: medians of the rounds."""
        pairs = self.pairs[name]
        ours, other = (statistics.median(column) for column in zip(*pairs, strict=True))
        return ours, other, statistics.median(mine / theirs for mine, theirs in pairs)


@asynccontextmanager
async def opened(name: str, **how: Any) -> AsyncIterator[AsyncMemory]:
    """A memory on a new file; vectors are left out, as they are made behind everyone's back."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        how = {"embedder": "null", **how}
        async with recollect.AsyncMemory(f"sqlite:///{folder}/{name}.db", **how) as memory:
            yield memory


async def timed(work: Awaitable[Any]) -> float:
    start = time.perf_counter()
    await work
    return time.perf_counter() - start


async def spread(messages: Iterable[Message], writers: int, write: Callable[[Message], Awaitable[Any]]) -> None:
    """Write all messages, each acknowledged before its writer goes on to another."""
    waiting = iter(messages)

    async def writer() -> None:
        for message in waiting:
            await write(message)

    await asyncio.gather(*(writer() for _ in range(writers)))


def raw(store: Store) -> Callable[[Message], Awaitable[bool]]:
    return lambda message: store.write(lambda tx: tx.messages.add(message))


async def writing(size: Size, figures: Figures, step: Step) -> None:
    """One observer against raw writes, and many observers against one; no worker, so jobs only queue up."""
    supply = chatter("w")
    async with opened("raw", run_worker=False) as plain, opened("ours", run_worker=False) as memory:
        for number in range(size.rounds + 1):  # the first one warms up
            once, single = [], []
            for _ in range(8):  # in small turns: the disk has moods
                batch = list(islice(supply, size.single // 8))
                once.append(await timed(spread(batch, 1, raw(plain.store))) / len(batch))
                single.append(await timed(spread(batch, 1, memory.add)) / len(batch))
            batch = list(islice(supply, size.many))
            many = len(batch) / await timed(spread(batch, WRITERS, memory.add))
            await spread(batch, WRITERS, raw(plain.store))  # so that both hold the same
            if number:
                one = statistics.median(single)
                figures.add("observe", one * 1000, statistics.median(once) * 1000)
                figures.add("64 observers", many, 1 / one)
                step()


async def learning(size: Size, figures: Figures, step: Step) -> None:
    """Ingest and all its jobs with the null model, against raw writes: by one writer, and by many."""
    supply = chatter("l")
    async with opened("raw", run_worker=False) as plain, opened("ours", model="null") as memory:

        async def ingest(batch: Sequence[Message], writers: int) -> None:
            await spread(batch, writers, memory.add)
            assert await memory.worker.wait_idle()

        for number in range(size.rounds + 1):
            for name, count, writers in (
                ("null model, 1 writer", size.single, 1),
                ("null model, 64 writers", size.many, WRITERS),
            ):
                batch = list(islice(supply, count))
                once = count / await timed(spread(batch, writers, raw(plain.store)))
                ours = count / await timed(ingest(batch, writers))
                if number:
                    figures.add(name, ours, once)
            if number:
                step()


async def keeping_up(size: Size, figures: Figures, step: Step) -> None:
    """Messages of many writers until all are learned from with the null model, against the same where none is."""
    supply = chatter("k")
    async with (
        opened("plain", extraction={"enabled": False}, summary={"enabled": False}) as plain,
        opened("ours", model="null") as memory,
    ):
        for number in range(size.rounds + 1):
            batch = list(islice(supply, size.many))
            acknowledged = len(batch) / await timed(spread(batch, WRITERS, plain.add))
            start = time.perf_counter()
            await spread(batch, WRITERS, memory.add)
            assert await memory.worker.wait_idle()
            if number:
                figures.add("learned", len(batch) / (time.perf_counter() - start), acknowledged)
                step()


async def draining(size: Size, figures: Figures, step: Step) -> None:
    """A back-log that waits for a model of known speed: how long it takes, against the model's own time."""
    supply = chatter("d")
    for seconds in MODELS:
        paced, jobs = Paced(seconds), size.backlog if seconds < 1 else size.backlog // 2
        async with opened("ours", model=paced.model()) as memory:
            width = memory.worker.options.max_model_calls
            for _ in range(size.rounds if seconds < 1 else 2):
                paced.going.clear()
                await spread(islice(supply, jobs), WRITERS, memory.add)
                paced.going.set()
                took = await timed(memory.worker.wait_idle())
                figures.add(f"back-log, model of {seconds:g} s", took, jobs * seconds / width)
                step()


async def reading(size: Size, figures: Figures, step: Step) -> None:
    """Prompts and searches alone, and while a back-log is drained, in turn; p95 of all rounds together."""
    for seconds in MODELS:
        paced = Paced(seconds)
        alone: Times = {"context": [], "search": []}
        busy: Times = {"context": [], "search": []}
        async with opened("ours", model=paced.model()) as memory:
            await fill(memory, size)
            await spread(islice(chatter("b"), size.backlog), WRITERS, memory.add)
            asking, talk = questions(), chatter("r")
            await ask(memory, islice(asking, 30), talk, {"context": [], "search": []})
            for _ in range(READING_ROUNDS):
                await ask(memory, islice(asking, size.questions // READING_ROUNDS), talk, alone)
                before = paced.calls
                paced.going.set()
                await ask(memory, islice(asking, size.questions // READING_ROUNDS), talk, busy)
                while paced.calls == before:
                    await ask(memory, islice(asking, 1), talk, busy)
                paced.going.clear()
                await asyncio.sleep(2 * seconds)  # what was begun ends
                step()
            assert (await memory.worker.status(1)).counts, "the back-log was too short"
            paced.seconds = 0
            paced.going.set()
        for name in alone:
            figures.add(f"p95 of {name}, model of {seconds:g} s", p95(busy[name]), p95(alone[name]))


async def talking(size: Size, figures: Figures, step: Step) -> None:
    """Prompts and searches alone, and beside writers from whose messages a model learns, in turn."""
    paced, talk = Paced(TALKERS_MODEL), chatter("t")
    paced.going.set()
    alone: Times = {"context": [], "search": []}
    busy: Times = {"context": [], "search": []}

    async def writer(memory: AsyncMemory) -> None:
        while True:
            await memory.add(next(talk))
            await asyncio.sleep(SECONDS_BETWEEN_MESSAGES)

    async with opened("ours", model=paced.model()) as memory:
        await fill(memory, size)
        asking = questions()
        await ask(memory, islice(asking, 30), talk, {"context": [], "search": []})
        for _ in range(READING_ROUNDS):
            await memory.worker.wait_idle()
            await ask(memory, islice(asking, size.questions // READING_ROUNDS), talk, alone)
            writers = [asyncio.create_task(writer(memory)) for _ in range(TALKERS)]
            await ask(memory, islice(asking, size.questions // READING_ROUNDS), talk, busy)
            for task in writers:
                task.cancel()
            await asyncio.wait(writers)
            step()
    for name in alone:
        figures.add(
            f"p95 of {name}, {TALKERS} writers, model of {TALKERS_MODEL:g} s", p95(busy[name]), p95(alone[name])
        )


async def fill(memory: AsyncMemory, size: Size) -> None:
    """Memos of the users who talk, and some talk."""
    supply = (memo for memo, _ in memos(size.memos, max(USERS, size.memos // 200)))
    while batch := list(islice(supply, 1_000)):
        await memory.store.write(lambda tx, batch=batch: [tx.memos.put(memo) for memo in batch])
    said = list(islice(chatter("f", seed=5), size.memos // 5))
    await memory.store.write(lambda tx: [tx.messages.add(message) for message in said])


async def ask(memory: AsyncMemory, asked: Iterable[str], talk: Iterator[Message], times: Times) -> None:
    """A turn a question: it is observed, its prompt is timed, then a search for it."""
    for question in asked:
        message = replace(next(talk), text=question, at=now())
        await memory.add(message)
        times["context"].append(1000 * await timed(memory.context(message)))
        searching = memory.search(question, user=message.author, place=message.place)
        times["search"].append(1000 * await timed(searching))


def p95(times: list[float]) -> float:
    return sorted(times)[len(times) * 95 // 100]
