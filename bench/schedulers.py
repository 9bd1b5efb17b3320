"""`python -m bench.schedulers [--rounds 7] [--only NAME,…] [--json FILE]`: what each concurrency control buys.

For each one two memories do the same work in turn, one with the control and one without. Times are those of the clock;
the processor time beside them says whether work was saved or only moved.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.ingest.measure import WRITERS, Size, ask, fill, opened, p95, spread
from bench.ingest.talk import Paced, chatter
from bench.sentences import questions
from recollect import AsyncMemory
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.options import WorkerOptions
from recollect.learning import extract
from recollect.prompting import compose

SMALL = Size(rounds=1, single=1, many=1, backlog=1, memos=4_000, questions=1)
READERS = 8
Work = Callable[[AsyncMemory], Awaitable[list[float] | None]]
"""One round; returns times of its own in milliseconds where the round as a whole says nothing."""


@dataclass
class Figures:
    """Per measurement: rounds of (with, without), in wall-clock and in processor milliseconds."""

    wall: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    processor: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, name: str, wall: Sequence[float], processor: Sequence[float]) -> None:
        self.wall.setdefault(name, []).append((wall[0], wall[1]))
        self.processor.setdefault(name, []).append((processor[0], processor[1]))

    def row(self, name: str) -> dict[str, float]:
        """Medians of the rounds; a ratio below one means that the control helps."""
        pairs = self.wall[name]
        with_it, without = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratios = sorted(pair[0] / pair[1] for pair in pairs)
        used = statistics.median(pair[0] / pair[1] for pair in self.processor[name])
        quarters = ratios[len(ratios) // 4], ratios[len(ratios) * 3 // 4]
        return {
            "with": with_it,
            "without": without,
            "ratio": statistics.median(ratios),
            "lower_quarter": quarters[0],
            "upper_quarter": quarters[1],
            "processor_ratio": used,
        }


async def compare(
    figures: Figures, name: str, rounds: int, memories: Sequence[AsyncMemory], work: Work, quantile: Any = None
) -> None:
    """Both do the work in turn, each time beginning with the other; the first round warms up."""
    for number in range(rounds + 1):
        wall, processor = [0.0, 0.0], [0.0, 0.0]
        for place in (0, 1) if number % 2 else (1, 0):
            start, cpu = time.perf_counter(), time.process_time()
            times = await work(memories[place])
            wall[place] = 1000 * (time.perf_counter() - start) if times is None else quantile(times)
            processor[place] = 1000 * (time.process_time() - cpu)
        if number:
            figures.add(name, wall, processor)


async def background_writes(figures: Figures, rounds: int) -> None:
    """The millisecond that writes of the worker wait for the next caller's, to share a commit."""
    talk = chatter("w")
    async with opened("with", model="null") as kept, opened("without", model="null") as plain:
        plain.store._engine._linger = 0.0  # type: ignore[attr-defined]

        def ingest(writers: int, count: int) -> Work:
            async def work(memory: AsyncMemory) -> None:
                await spread(islice(talk, count), writers, memory.add)
                assert await memory.worker.wait_idle()

            return work

        async def commits(memory: AsyncMemory) -> list[float]:
            before = await memory.store.read(lambda tx: tx.generation())
            await ingest(1, 100)(memory)
            return [await memory.store.read(lambda tx: tx.generation()) - before]

        await compare(
            figures, "background writes: commits, one writer", rounds, (kept, plain), commits, statistics.mean
        )
        await compare(figures, "background writes: one writer, all learned", rounds, (kept, plain), ingest(1, 100))
        many = ingest(WRITERS, 400)
        await compare(figures, "background writes: 64 writers, all learned", rounds, (kept, plain), many)

        async def adding(memory: AsyncMemory) -> list[float]:
            times: list[float] = []
            for message in islice(talk, 60):
                start = time.perf_counter()
                await memory.add(message)
                times.append(1000 * (time.perf_counter() - start))
            return times

        await compare(figures, "background writes: add", rounds, (kept, plain), adding, statistics.median)


async def read_batcher(figures: Figures, rounds: int) -> None:
    """Reads that are requested together go to the store as one."""
    originals = compose.ReadBatcher, extract.ReadBatcher
    talk, asked = chatter("b"), questions()
    async with opened("with", model="null") as kept, opened("without", model="null") as plain:
        for memory in (kept, plain):
            await fill(memory, SMALL)

        def switch(memory: AsyncMemory) -> None:
            if memory is plain:
                compose.ReadBatcher = extract.ReadBatcher = lambda store: store  # type: ignore[assignment,misc]
            else:
                compose.ReadBatcher, extract.ReadBatcher = originals

        async def prompts(memory: AsyncMemory) -> list[float]:
            switch(memory)
            times: dict[str, list[float]] = {"context": [], "search": []}
            await ask(memory, islice(asked, 25), talk, times)
            return times["context"]

        await compare(figures, "read batcher: context", rounds, (kept, plain), prompts, statistics.median)

        async def together(memory: AsyncMemory) -> None:
            switch(memory)
            messages = list(islice(talk, 32))
            await asyncio.gather(*map(memory.context, messages))

        await compare(figures, "read batcher: 32 prompts at once", rounds, (kept, plain), together)
    try:
        async with opened("with", model="null") as kept:
            switch(plain)
            async with opened("without", model="null") as plain:

                async def ingest(memory: AsyncMemory) -> None:
                    await spread(islice(talk, 400), WRITERS, memory.add)
                    assert await memory.worker.wait_idle()

                await compare(figures, "read batcher: 64 writers, all learned", rounds, (kept, plain), ingest)
    finally:
        compose.ReadBatcher, extract.ReadBatcher = originals


async def foreground_priority(figures: Figures, rounds: int) -> None:
    """Prompts and searches while a backlog is worked on."""
    talk, asked = chatter("p"), questions()

    @asynccontextmanager
    async def at_once() -> AsyncGenerator[None]:
        yield

    for seconds in (0.05, 0.0):
        paced = Paced(seconds)
        async with opened("with", model=paced.model()) as kept, opened("without", model=paced.model()) as plain:
            plain.worker.priority.wait_for_foreground = at_once  # type: ignore[method-assign]
            for memory in (kept, plain):
                await fill(memory, SMALL)
            for name in ("context", "search"):

                async def reading(memory: AsyncMemory, name: str = name, paced: Paced = paced) -> list[float]:
                    paced.going.clear()
                    await spread(islice(talk, 150), WRITERS, memory.add)
                    paced.going.set()
                    times: dict[str, list[float]] = {"context": [], "search": []}
                    await ask(memory, islice(asked, 25), talk, times)
                    await memory.worker.wait_idle()
                    return times[name]

                for quantile, label in ((p95, "p95"), (statistics.median, "median")):
                    title = f"foreground priority: {label} of {name}, model of {1000 * seconds:.0f} ms"
                    if label == "p95" or name == "context":
                        await compare(figures, title, rounds, (kept, plain), reading, quantile)


class NoLimiter(ModelLimiter):
    def slot(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()


@dataclass(frozen=True)
class Narrow(WorkerOptions):
    @property
    def queues(self) -> int:
        return self.max_model_calls


async def model_limiter(figures: Figures, rounds: int) -> None:
    """Eight calls of twelve queues, against eight queues with a call each: how long a backlog takes."""
    talk = chatter("m")
    for seconds in (0.05, 0.2):
        paced = Paced(seconds)
        async with opened("with", model=paced.model()) as kept, opened("without", model=paced.model()) as plain:
            plain.worker.options = Narrow()

            async def drain(memory: AsyncMemory, paced: Paced = paced) -> list[float]:
                paced.going.clear()
                await spread(islice(talk, 160), WRITERS, memory.add)
                paced.going.set()
                start = time.perf_counter()
                await memory.worker.wait_idle()
                return [1000 * (time.perf_counter() - start)]

            name = f"model limiter: backlog of 160, model of {1000 * seconds:.0f} ms"
            await compare(figures, name, rounds, (kept, plain), drain, statistics.median)


class NoTurn:
    """Reader threads that don't wait for each other."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: ARG002 - the signature of a lock
        return False

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


async def reader_turns(figures: Figures, rounds: int) -> None:
    """Reader threads that wait for each other for a moment."""
    asked, talk = questions(), chatter("t")
    async with opened("with", run_worker=False) as kept, opened("without", run_worker=False) as plain:
        plain.store._engine._turn = NoTurn()  # type: ignore[attr-defined]
        for memory in (kept, plain):
            await fill(memory, SMALL)

        async def searching(memory: AsyncMemory) -> None:
            waiting = list(zip(islice(asked, 160), islice(talk, 160), strict=False))

            async def reader(number: int) -> None:
                for question, message in waiting[number::READERS]:
                    await memory.search(question, user=message.author, place=message.place)

            await asyncio.gather(*map(reader, range(READERS)))

        await compare(figures, f"reader turns: {READERS} searchers", rounds, (kept, plain), searching)

        async def prompts(memory: AsyncMemory) -> None:
            await asyncio.gather(*map(memory.context, islice(talk, 32)))

        await compare(figures, "reader turns: 32 prompts at once", rounds, (kept, plain), prompts)


CONTROLS = {
    "background-writes": background_writes,
    "read-batcher": read_batcher,
    "foreground-priority": foreground_priority,
    "model-limiter": model_limiter,
    "reader-turns": reader_turns,
}


def show(figures: Figures) -> dict[str, dict[str, float]]:
    table = Table(title="With a control and without it, in turn (below 1 it helps)", header_style="bold")
    for column in ("", "with, ms", "without, ms", "ratio", "quartiles", "processor time"):
        table.add_column(column, justify="right" if column else "left")
    data = {name: figures.row(name) for name in figures.wall}
    for name, row in data.items():
        table.add_row(
            name,
            f"{row['with']:,.2f}",
            f"{row['without']:,.2f}",
            f"{row['ratio']:.2f}×",
            f"{row['lower_quarter']:.2f}–{row['upper_quarter']:.2f}",
            f"{row['processor_ratio']:.2f}×",
        )
    Console(width=max(118, Console().width)).print(table)
    return data


async def measure(chosen: Sequence[str], rounds: int) -> Figures:
    figures = Figures()
    for name in chosen:
        await CONTROLS[name](figures, rounds)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser("bench.schedulers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join(CONTROLS), help="controls to measure, separated by commas")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    data = show(asyncio.run(measure(given.only.split(","), given.rounds)))
    if given.json:
        given.json.write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
