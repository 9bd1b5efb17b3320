"""`python -m bench.context [--memos 100000] [--messages 20000] [--json FILE]`: the whole prompt, all layers on.

One user of many, with 200 memos, speaks in a busy channel of a guild with lore and summaries. Each turn is observed,
then its prompt is timed: nothing comes from the cache of prompts, everything else is warm.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import recollect
import recollect.core.clock
from bench.material import memos, questions, sentence
from recollect import AsyncMemory, Message, Place
from recollect.core.ports import Store
from recollect.core.types import Exchange, Subject, Summary
from recollect.embedders.static import StaticEmbedder
from recollect.engine import Engine

BATCH, OF_ONE_USER, TURNS, WARM = 1_000, 200, 150, 30
HERE = Place("discord", "g1", "c1", name="dev", public=True)
ELSEWHERE = Place("discord", "g1", "c2", name="general", public=True)


@dataclass
class Row:
    memos: int
    messages: int
    p50: float
    p95: float
    slowest: float
    trips: float
    chars: float
    sections: str


class Counted:
    """A store that counts how often it is asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.trips = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, work: Callable[[Any], Any]) -> Any:
        self.trips += 1
        return await self._store.read(work)

    async def write(self, work: Callable[[Any], Any], *, background: bool = False) -> Any:
        self.trips += 1
        return await self._store.write(work, background=background)


def said(rng: random.Random, number: int, start: Any) -> Message:
    who = rng.choice(["u0", "u1", "u2", "u3", "bot"])
    text = " ".join(sentence(rng, number) for _ in range(rng.choice([1, 1, 2])))
    return Message(f"m{number}", who, HERE, text, start + timedelta(seconds=20 * number), who.title(), bot=who == "bot")


async def fill(memory: AsyncMemory, count: int, messages: int, progress: Progress) -> None:
    embedder = StaticEmbedder()
    task = progress.add_task(f"{count:,} memos, {messages:,} messages", total=count + messages)
    supply = (memo for memo, _ in memos(count, max(1, count // OF_ONE_USER)))
    while batch := list(islice(supply, BATCH)):
        made = [(embedder.name, vector) for vector in await embedder.embed([memo.text for memo in batch])]

        def put(tx: Any, batch: Any = batch, made: Any = made) -> None:
            for memo, vector in zip(batch, made, strict=True):
                tx.memos.put(memo, vector)

        await memory.store.write(put)
        progress.update(task, advance=len(batch))
    rng = random.Random(3)
    start = recollect.core.clock.now() - timedelta(seconds=20 * (messages + 1))
    journal = (said(rng, number, start) for number in range(messages))
    while talk := list(islice(journal, BATCH)):
        await memory.store.write(lambda tx, talk=talk: [tx.messages.add(message) for message in talk])
        progress.update(task, advance=len(talk))
    await surround(memory)
    await memory.vectors.fill()


async def surround(memory: AsyncMemory) -> None:
    """Lore, a summary and what went on in another channel."""
    at = recollect.core.clock.now()
    for number in range(30):
        await memory.remember(f"Lore: the otter number {number} guards the harbour", user="u1", place=HERE, lore=True)
    summary = Summary(HERE.session, "They talk about deploys. " * 60, 1, at - timedelta(minutes=10))
    entries = [
        Exchange(f"q{n}/a{n}", "g1", "c2", "general", "u1", "U1: is it done? | Bot: yes", at, at + timedelta(hours=6))
        for n in range(20)
    ]
    await memory.store.write(lambda tx: tx.summaries.save(summary))
    await memory.store.write(lambda tx: [tx.exchanges.add(entry) for entry in entries])


async def ask(memory: AsyncMemory) -> tuple[list[float], list[int], list[Any]]:
    counted, counting = Counted(memory.store), AsyncMemory(run_worker=False)
    counting.use(Engine(replace(memory.engine.parts, store=counted), recollect.core.clock.now))
    times: list[float] = []
    trips: list[int] = []
    prompts: list[Any] = []
    for number, question in enumerate(islice(questions(), TURNS + WARM)):
        who = f"u{1 + number % 3}"
        await memory.add(Message(f"o{number}", who, HERE, f"I think so, {number}", recollect.core.clock.now(), who))
        message = Message(f"t{number}", "u0", HERE, question, recollect.core.clock.now(), "U0")
        await memory.add(message)
        await memory.vectors.fill()  # what the background does between turns
        counted.trips = 0
        start = time.perf_counter()
        prompt = await counting.context(message)
        took = (time.perf_counter() - start) * 1000
        if number >= WARM:
            times.append(took)
            trips.append(counted.trips)
            prompts.append(prompt)
    return sorted(times), trips, prompts


async def measure(count: int, messages: int, progress: Progress) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"embedder": "static", "memos": {"max_active": None}}
        async with recollect.AsyncMemory(f"sqlite:///{folder}/memory.db", run_worker=False, **settings) as memory:
            await fill(memory, count, messages, progress)
            assert await memory.store.read(lambda tx: tx.memos.count(Subject("u0"))) == OF_ONE_USER
            times, trips, prompts = await ask(memory)
    names = " ".join(section.name for section in prompts[-1].sections)
    chars = sum(len(prompt.text) for prompt in prompts) / len(prompts)
    at = len(times) // 2, len(times) * 95 // 100
    return Row(count, messages, times[at[0]], times[at[1]], times[-1], max(trips), chars, names)


def show(row: Row) -> None:
    table = Table(title="A whole prompt, all layers", header_style="bold")
    for column in ("memos", "messages", "p50 ms", "p95 ms", "slowest", "store trips", "characters"):
        table.add_column(column, justify="right")
    table.add_row(
        f"{row.memos:,}", f"{row.messages:,}", f"{row.p50:.2f}", f"{row.p95:.2f}", f"{row.slowest:.2f}",
        f"{row.trips:.0f}", f"{row.chars:,.0f}",
    )  # fmt: skip
    Console().print(table)
    Console().print(f"sections: {row.sections}")


def main() -> int:
    parser = argparse.ArgumentParser("bench.context", description=__doc__)
    parser.add_argument("--memos", type=int, default=100_000)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with Progress(console=Console(stderr=True)) as progress:
        row = asyncio.run(measure(given.memos, given.messages, progress))
    show(row)
    if given.json:
        given.json.write_text(json.dumps(asdict(row), indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
