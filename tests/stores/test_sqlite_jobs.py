"""Jobs in SQLite: what claiming costs, and queues that were put in disorder."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import NewJob
from recollect.core.types import Origin, Provenance
from recollect.stores.sqlite import create
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import ADA, at, make_memo
from tests.stores.opening import faults

MANY = 20_000


def job(n: int, queue: str = "one", tenant: str = "", due: float = 0) -> NewJob:
    return NewJob("learn", queue, {"n": n}, at(due), f"key {n}", tenant)


def filled(*jobs: NewJob, analysed: bool = False) -> SQLiteTx:
    db = Database(None)
    migrate(db)
    tx = SQLiteTx(db, None)
    with db.transaction("BEGIN"):
        for each in jobs:
            tx.jobs.add(each)
    if analysed:
        db.run("ANALYZE")
    return tx


def steps(tx: SQLiteTx, work: Callable[[SQLiteTx], Any]) -> int:
    """How many instructions SQLite runs for this: a scan runs some for every row."""
    count = 0

    def step() -> bool:
        nonlocal count
        count += 1
        return False

    tx.db.set_progress_handler(step, 1)
    work(tx)
    tx.db.set_progress_handler(None)
    return count


def claim(tx: SQLiteTx, worker: str = "w", now: float = 0, limit: int = 8, depth: int = 1) -> list[int]:
    return [each.id for each in tx.jobs.claim(worker, at(now), at(now + 60), limit, depth)]


def whole_life(tx: SQLiteTx) -> None:
    """Everything that happens to the jobs of a queue while its head is claimed, and after."""
    (first,) = claim(tx, depth=1)
    assert claim(tx, "other") == []
    tx.jobs.extend("w", at(60))
    tx.jobs.next_due()
    tx.jobs.add(job(-1))
    tx.jobs.add(job(-1, due=1), postpone=True)
    tx.jobs.find("key -1")
    tx.jobs.finish(first, "w")
    second, third = claim(tx, depth=2)
    tx.jobs.retry(third, "w", at(0), "no")
    tx.jobs.fail(second, "w", "no")
    assert claim(tx, depth=1) == [third]
    tx.jobs.requeue(second, at(0))
    assert claim(tx, "other", now=60) == [second]
    tx.jobs.discard(third)
    tx.jobs.finish(second, "other")


@pytest.mark.parametrize("analysed", [False, True])
def test_the_length_of_a_queue_costs_nothing(analysed: bool):
    short = filled(*(job(n) for n in range(20)), analysed=analysed)
    long = filled(*(job(n) for n in range(MANY)), analysed=analysed)
    assert steps(long, whole_life) < 1.2 * steps(short, whole_life)


@pytest.mark.parametrize("analysed", [False, True])
def test_the_number_of_queues_costs_nothing(analysed: bool):
    few = filled(*(job(n, f"{n}") for n in range(20)), analysed=analysed)
    many = filled(*(job(n, f"{n}") for n in range(MANY)), analysed=analysed)
    assert steps(many, claim) < 1.2 * steps(few, claim)
    assert steps(many, lambda tx: tx.jobs.next_due()) < 1.2 * steps(few, lambda tx: tx.jobs.next_due())


def test_tenants_cost_a_step_each_whatever_they_hold():
    lean = filled(*(job(n, f"{n}", f"tenant {n % 100}") for n in range(200)))
    fat = filled(*(job(n, f"{n}", f"tenant {n % 100}") for n in range(MANY)))
    assert steps(fat, claim) < 1.2 * steps(lean, claim)
    later = filled(*(job(n, f"{n}", f"tenant {n % 100}", due=9) for n in range(MANY)))
    assert steps(later, claim) < 100 * 60


def test_a_bound_costs_as_much_as_it_keeps():
    few, many = filled(*(job(n) for n in range(400))), filled(*(job(n) for n in range(400)))
    for n in range(MANY):
        many.jobs.add(NewJob("other", f"{n}", {}, at(0)))
    assert steps(many, lambda tx: tx.jobs.discard_oldest("learn", 400)) < 1.2 * steps(
        few, lambda tx: tx.jobs.discard_oldest("learn", 400)
    )


def test_memos_are_found_by_their_message_without_a_scan():
    few, many = filled(), filled()
    for tx, memos in ((few, 10), (many, 1_000)):
        with tx.db.transaction("BEGIN"):
            for n in range(memos):
                tx.memos.put(make_memo(f"{n}", source=Provenance(Origin.DISCORD, message=f"m{n}")))
            tx.flush()
    assert steps(many, lambda tx: tx.memos.from_message("local", "m7")) < 1.2 * steps(
        few, lambda tx: tx.memos.from_message("local", "m7")
    )


async def disorder(store: Store, sql: str) -> None:
    def work(tx: Tx) -> None:
        tx.db.run(sql)

    await store.write(work)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE jobs SET state = 'blocked' WHERE state = 'waiting'",  # nobody would ever claim them
        "UPDATE jobs SET state = 'waiting' WHERE state = 'blocked'",  # what an older version writes
        "UPDATE jobs SET state = iif(id % 2, 'blocked', 'waiting') WHERE state <> 'claimed'",
    ],
)
async def test_queues_in_disorder_are_found_and_put_in_order(sql: str):
    store = create("sqlite://")
    await store.write(lambda tx: [tx.jobs.add(job(n, f"{n // 3}")) for n in range(9)])
    await store.write(lambda tx: tx.jobs.claim("w", at(0), at(60), 1))
    assert not faults(await store.check_health())
    await disorder(store, sql)
    assert "rebuild-index" in faults(await store.check_health())["queues of jobs"]
    await store.reindex()
    assert not faults(await store.check_health())
    claimed = await store.write(lambda tx: tx.jobs.claim("w2", at(0), at(60), 9, 9))
    assert [each.payload["n"] for each in claimed] == [3, 4, 5, 6, 7, 8]
    await store.close()


async def test_events_that_were_miscounted_are_found_and_counted_anew():
    store = create("sqlite://")
    event = Event("memo.added", at(1), scope=ADA.scope)
    await asyncio.gather(*(store.write(lambda tx: tx.events.add(event)) for _ in range(3)))
    assert not faults(await store.check_health())
    await disorder(store, "UPDATE event_days SET count = 7")
    assert "rebuild-index" in faults(await store.check_health())["counts of events"]
    await store.reindex()
    assert not faults(await store.check_health())
    assert await store.read(lambda tx: tx.events.counts()) == {"memo.added": (3, at(1))}
    await store.close()
