"""The measurements: so many clients do one thing for so many seconds."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from bench.scale.people import asked, known, said, statements
from recollect import AsyncMemory, Message
from recollect.core.ports import Progress, Store

BATCH = 1_000
WARM = 0.2
"""Share of the time that is not counted."""
Do = Callable[[int], Callable[[], Awaitable[Any]]]


@dataclass(frozen=True, slots=True)
class Rate:
    """How much was done, and how long each took, in milliseconds."""

    a_second: float
    p50: float
    p95: float
    p99: float
    processor: float
    """Processor time of this process per call: on a busy machine the others say more about its other programs."""


async def fill(memory: AsyncMemory, count: int, messages: int, model: str, progress: Progress | None = None) -> float:
    """Put memos and messages in; seconds that it took."""
    start, done = time.perf_counter(), 0
    rows = ((memo, (model, vector)) for memo, vector in known(count))
    while batch := list(islice(rows, BATCH)):
        await memory.store.write(lambda tx, batch=batch: [tx.memos.put(memo, vector) for memo, vector in batch])
        done += len(batch)
        if progress:
            progress(done, count + messages)
    talk = said(messages)
    while batch := list(islice(talk, BATCH)):
        await memory.store.write(lambda tx, batch=batch: [tx.messages.add(message) for message in batch])
        done += len(batch)
        if progress:
            progress(done, count + messages)
    await memory.store.write(lambda tx: tx.index.activate("memos", model))
    return time.perf_counter() - start


POURED = ("messages", "memos", "vector sets", "memo vectors")
"""Sections that a store of this bench holds."""


async def pour(source: Store, target: Store, progress: Progress | None = None) -> float:
    """The same rows into another store, in large pieces; seconds that it took."""
    start, done = time.perf_counter(), 0
    total = await source.read(lambda tx: sum(map(tx.archive.count, POURED)))
    for section in POURED:
        page = await source.read(lambda tx, of=section: tx.archive.read(of, None, BATCH))
        while page.records:
            following = source.read(lambda tx, of=section, at=page.after: tx.archive.read(of, at, BATCH))
            coming = asyncio.ensure_future(following) if page.after is not None else None
            await target.write(lambda tx, of=section, some=page.records: tx.archive.write(of, some))
            done += len(page.records)
            if progress:
                progress(done, total)
            if coming is None:
                following.close()
                break
            page = await coming
    return time.perf_counter() - start


def writing(memory: AsyncMemory) -> Do:
    """Remember a statement: redaction, vector, merge with what is known, log."""

    def client(number: int) -> Callable[[], Awaitable[Any]]:
        supply = statements(number + 1)

        async def once() -> None:
            user, text = next(supply)
            await memory.remember(text, user=user)

        return once

    return client


def searching(memory: AsyncMemory) -> Do:
    return partial(_asking, ask=lambda one: memory.search(one.text, user=one.author, place=one.place))


def prompting(memory: AsyncMemory) -> Do:
    return partial(_asking, ask=memory.context)


def _asking(number: int, ask: Callable[[Message], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    supply: Iterator[Message] = asked(number + 1)

    async def once() -> None:
        await ask(next(supply))

    return once


DOING: dict[str, Callable[[AsyncMemory], Do]] = {"write": writing, "search": searching, "context": prompting}


async def rate(do: Do, clients: int, seconds: float) -> Rate:
    """What so many clients get done, each waiting for its answer before it goes on."""
    took: list[float] = []
    start, used = time.perf_counter(), time.process_time()
    calls = 0
    counted, end = start + WARM * seconds, start + (1 + WARM) * seconds

    async def client(number: int) -> None:
        nonlocal calls
        once = do(number)
        # On a busy disk a single write may outlast the time.
        while (begun := time.perf_counter()) < end or not took:
            await once()
            calls += 1
            if begun >= counted:
                took.append(time.perf_counter() - begun)

    await asyncio.gather(*map(client, range(clients)))
    took.sort()
    elapsed, used = time.perf_counter() - counted, time.process_time() - used
    at = [1000 * took[min(len(took) - 1, len(took) * share // 100)] for share in (50, 95, 99)]
    return Rate(len(took) / elapsed, *at, 1000 * used / max(1, calls))
