"""Which thread reads: a reader's, or the caller's own for kinds of reads that are short."""

import asyncio
import threading
from pathlib import Path
from time import monotonic

import pytest

from recollect.core.errors import StoreError
from recollect.stores.sqlite.engine import Engine
from recollect.stores.sqlite.reader import BRIEF_AFTER, MAX_BRIEF_SECONDS, MAX_WAIT_SECONDS, Stopwatch
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import make_message
from tests.stores.test_sqlite_writing import opened, say


def thread_that_counts(tx: SQLiteTx) -> tuple[int, int]:
    return threading.get_ident(), tx.generation()


def short_reads(engine: Engine[SQLiteTx]) -> None:
    for _ in range(BRIEF_AFTER):
        engine._brief_reads.took(thread_that_counts, 0)


async def test_a_kind_of_read_that_was_short_several_times_is_run_by_the_caller(tmp_path: Path):
    async with opened(tmp_path, 0) as engine:
        assert (await engine.read(thread_that_counts))[0] != threading.get_ident()
        short_reads(engine)
        assert (await engine.read(thread_that_counts))[0] == threading.get_ident()
        engine._brief_reads.took(thread_that_counts, 2 * MAX_BRIEF_SECONDS)
        assert (await engine.read(thread_that_counts))[0] != threading.get_ident(), "one long read ends it"


async def test_a_kind_that_is_short_as_a_rule_stays_with_the_caller_after_a_long_read_but_not_after_two(tmp_path: Path):
    async with opened(tmp_path, 0) as engine:
        for _ in range(10 * BRIEF_AFTER):
            engine._brief_reads.took(thread_that_counts, 0)
        engine._brief_reads.took(thread_that_counts, 2 * MAX_BRIEF_SECONDS)
        assert (await engine.read(thread_that_counts))[0] == threading.get_ident()
        for _ in range(2):
            engine._brief_reads.took(thread_that_counts, 2 * MAX_BRIEF_SECONDS)
        assert (await engine.read(thread_that_counts))[0] != threading.get_ident()


@pytest.mark.parametrize(
    ("elapsed", "used", "counted"), [(0.001, 0.0005, 0.0005), (MAX_WAIT_SECONDS, 0.0005, 0.0005), (0.03, 0.0005, 0.03)]
)
def test_a_read_counts_by_its_processor_time_unless_it_waited_long(elapsed: float, used: float, counted: float):
    assert Stopwatch(iter((0.0, elapsed)).__next__, iter((0.0, used)).__next__).seconds == counted


async def test_the_caller_reads_what_was_written_before(tmp_path: Path):
    async with opened(tmp_path, 0) as engine:
        short_reads(engine)
        _, before = await engine.read(thread_that_counts)
        await say(engine, "1")
        short_reads(engine)  # on a busy machine the read above may have been a long one
        assert await engine.read(thread_that_counts) == (threading.get_ident(), before + 1)


async def test_a_caller_that_reads_on_and_on_lets_others_run_after_two_milliseconds_of_it(tmp_path: Path):
    ran: list[float] = []

    async def other() -> None:
        ran.append(monotonic())

    async with opened(tmp_path, 0) as engine:
        short_reads(engine)
        task = asyncio.create_task(other())
        reads = 0
        while not ran and reads < 100_000:
            await engine.read(thread_that_counts)
            reads += 1
        assert ran
        await task


async def test_other_threads_leave_the_callers_connection_alone(tmp_path: Path):
    async with opened(tmp_path, 0) as engine:
        short_reads(engine)
        here, _ = await engine.read(thread_that_counts)
        there = await asyncio.to_thread(lambda: asyncio.run(_read_elsewhere(engine)))
    assert there[0] not in (here, there[1])


async def _read_elsewhere(engine: Engine[SQLiteTx]) -> tuple[int, int]:
    return (await engine.read(thread_that_counts))[0], threading.get_ident()


async def test_the_caller_does_not_wait_for_a_reader(tmp_path: Path):
    reading, go_on = threading.Event(), threading.Event()

    def slow(tx: SQLiteTx) -> None:
        reading.set()
        go_on.wait(60)

    async with opened(tmp_path, 0) as engine:
        short_reads(engine)
        task = asyncio.create_task(engine.read(slow))
        await asyncio.to_thread(reading.wait, 60)
        assert (await engine.read(thread_that_counts))[0] != threading.get_ident()
        go_on.set()
        await task


async def test_the_caller_can_neither_write_in_a_read_nor_read_after_closing(tmp_path: Path):
    def writes(tx: SQLiteTx) -> bool:
        return tx.messages.add(make_message("1"))

    async with opened(tmp_path, 0) as engine:
        short_reads(engine)
        for _ in range(BRIEF_AFTER):
            engine._brief_reads.took(writes, 0)
        with pytest.raises(StoreError, match="can't write"):
            await engine.read(writes)
        assert (await engine.read(thread_that_counts))[0] == threading.get_ident(), "its connection is as before"
        await engine.close()
        with pytest.raises(StoreError, match="closed"):
            await engine.read(thread_that_counts)
