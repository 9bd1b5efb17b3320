"""How SQLite is read: short reads one after the other, a long one in nobody's way, and by the right index."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.core.types import Kind, Status
from recollect.stores.sqlite import SQLiteStore, create
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import ADA, at, make_memo, put


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SQLiteStore]:
    opened = create(f"sqlite:///{tmp_path / 'memory.db'}")
    yield opened
    await opened.close()


async def test_a_long_read_keeps_no_other_waiting(store: SQLiteStore):
    begun, goes_on = threading.Event(), threading.Event()

    def long(_: object) -> None:
        begun.set()
        goes_on.wait()

    task = asyncio.ensure_future(store.read(long))
    await asyncio.to_thread(begun.wait)
    assert await asyncio.gather(*(store.read(lambda tx: tx.index.size([ADA.scope])) for _ in range(9))) == [0] * 9
    goes_on.set()
    await task


async def test_a_read_that_fails_lets_the_next_one_in(store: SQLiteStore):
    for _ in range(9):
        with pytest.raises(ZeroDivisionError):
            await store.read(lambda _: 1 / 0)
    assert await store.read(lambda tx: tx.index.size([ADA.scope])) == 0


@pytest.mark.parametrize(
    ("look", "index"),
    [
        (lambda tx: tx.memos.list(ADA, [Status.ACTIVE], 3), "memos_by_time"),
        (lambda tx: tx.index.recent("memos", [ADA.scope], 3), "memos_by_time"),
        (lambda tx: tx.memos.always_relevant(ADA), "memos_standing"),
    ],
)
async def test_the_newest_memos_are_found_without_reading_the_others(store: SQLiteStore, look, index: str):
    memos = [
        make_memo(f"text {n}", updated=at(n), kind=Kind.CONSTRAINT if n % 9 == 0 else Kind.FACT) for n in range(50)
    ]
    await put(store, *memos)

    def plan(tx: SQLiteTx) -> str:
        asked: list[tuple[str, object]] = []
        tx.db.trace_v2(1, lambda event: asked.append((event["sql"], event["id"])))
        look(tx)
        tx.db.trace_v2(0, None)
        sql = next(sql for sql, _ in asked if "FROM memos" in sql)
        values = sql.count("?") + len(set(re.findall(r"\$\d", sql)))
        return " ".join(row[-1] for row in tx.db.rows(f"EXPLAIN QUERY PLAN {sql}", (1,) * values))

    told = await store.read(plan)
    assert index in told
    assert "TEMP B-TREE" not in told
