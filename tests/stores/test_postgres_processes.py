"""Several processes on one database: bots that write, workers that claim, and some that die in the middle."""

import asyncio
import subprocess

import pytest

from recollect.core.ports.jobs import NewJob
from recollect.core.state import StateKind
from recollect.testing.store_contract.samples import ADA, CHANNEL, at, find, texts_of
from tests.stores.opening import faults, finished
from tests.stores.postgres import opened, start

WRITE = """
from recollect.core.state import Owner, StateKind

name = sys.argv[2]

def work(tx, n):
    tx.memos.put(make_memo(f"fact {name} {n}", tags=("kept",)), ("model", unit_vector(1, 2, 3)))
    tx.messages.add(make_message(f"said {name} {n}", id=f"{name}-{n}"))
    tx.state.append(StateKind.OTHER, "said", f"{name}-{n}", Owner.nobody())

async def writer(number):
    for n in range(int(sys.argv[3])):
        await store.write(lambda tx: work(tx, f"{number}.{n}"))
        say_aloud(f"{name} {number}.{n}")

await asyncio.gather(*(writer(number) for number in range(4)))
"""

WORK = """
from recollect.core.events import Event
from recollect.core.state import Owner, StateKind
worker = sys.argv[2]

def learn(tx, job):
    assert tx.jobs.finish(job.id, worker)
    tx.events.add(Event("done", at(0), worker, detail=f"{job.queue} {job.payload['n']}"))

await store.write(lambda tx: tx.state.append(StateKind.OTHER, "ready", worker, Owner.nobody()))
while len(await store.read(lambda tx: tx.state.items(StateKind.OTHER, "ready"))) < 3:
    await asyncio.sleep(0.01)
while await store.read(lambda tx: tx.jobs.counts()):
    jobs = await store.write(lambda tx: tx.jobs.claim(worker, at(0), at(60), 2, 2))
    for job in jobs:
        await store.write(lambda tx: learn(tx, job))
"""

CLAIM_AND_HANG = """
jobs = await store.write(lambda tx: tx.jobs.claim("doomed", at(0), at(60), 2, 2))
say_aloud(*(job.id for job in jobs))
await asyncio.sleep(600)
"""

HOLD = """
import time

def hold(tx):
    tx.memos.put(make_memo("never committed"))
    tx.jobs.add(NewJob("learn", "ada", {"n": -1}, at(0)))
    say_aloud("holding")
    time.sleep(600)

await store.write(hold)
"""


def read_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: "subprocess.Popen[str]") -> list[str]:
    """What it had said until then."""
    process.kill()
    out, _ = process.communicate()
    return [line.strip() for line in out.splitlines(keepends=True) if line.endswith("\n")]


@pytest.mark.slow
async def test_bots_that_write_at_once_lose_nothing_of_each_other(database: str):
    lines = await asyncio.gather(*(finished(start(WRITE, database, name, "10")) for name in ("left", "right")))
    told = {line for each in lines for line in each}
    assert len(told) == 80
    async with opened(database) as store:
        assert {text.removeprefix("fact ") for text in await texts_of(store)} == told
        assert len(await store.read(lambda tx: tx.messages.recent(CHANNEL, 999))) == 80
        assert len(await store.read(lambda tx: tx.state.items(StateKind.OTHER, "said"))) == 80
        assert len(await find(store, "kept", limit=99)) == 80
        assert not faults(await store.check_health())


@pytest.mark.slow
async def test_a_bot_that_is_killed_loses_nothing_it_acknowledged_and_stops_nobody(database: str):
    doomed, other = start(WRITE, database, "doomed", "100000"), start(WRITE, database, "other", "15")
    told = [await asyncio.to_thread(read_line, doomed) for _ in range(30)]
    told += await asyncio.to_thread(kill, doomed)
    told += await finished(other)
    async with opened(database) as store:
        facts = {text.removeprefix("fact ") for text in await texts_of(store)}
        assert set(told) <= facts
        said = await store.read(lambda tx: tx.messages.recent(CHANNEL, 9_999))
        assert {message.text.removeprefix("said ") for message in said} == facts, "a unit is there as a whole or not"
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == len(facts)
        assert not faults(await store.check_health())


@pytest.mark.slow
async def test_workers_share_the_jobs_and_each_user_is_served_in_order(database: str):
    async with opened(database) as store:
        await store.write(
            lambda tx: [
                tx.jobs.add(NewJob("learn", f"user {n % 9}", {"n": n}, at(0), tenant=f"{n % 3}")) for n in range(90)
            ]
        )
        await asyncio.gather(*(finished(start(WORK, database, f"worker {n}")) for n in range(3)))
        assert await store.read(lambda tx: tx.jobs.counts()) == {}
        done = await store.read(lambda tx: tx.events.after(0, 999))
        assert len(done) == len({each.detail for each in done}) == 90, "each once"
        assert len({each.actor for each in done}) > 1
        for user in range(9):
            numbers = [int(each.detail.split()[-1]) for each in done if each.detail.startswith(f"user {user} ")]
            assert numbers == sorted(numbers)


async def test_a_worker_that_dies_gives_its_jobs_back(database: str):
    async with opened(database) as store:
        await store.write(lambda tx: [tx.jobs.add(NewJob("learn", f"user {n % 2}", {"n": n}, at(0))) for n in range(6)])
        doomed = start(CLAIM_AND_HANG, database)
        held = (await asyncio.to_thread(read_line, doomed)).split()
        await asyncio.to_thread(kill, doomed)
        assert len(held) == 4

        async def claim(now: float) -> list[tuple[str, int, int]]:
            jobs = await store.write(lambda tx: tx.jobs.claim("heir", at(now), at(now + 60), 9, 9))
            return [(each.queue, each.payload["n"], each.attempts) for each in jobs]

        assert await claim(59) == [], "it might still be at it"
        assert await claim(60) == [
            ("user 0", 0, 2),
            ("user 0", 2, 1),
            ("user 0", 4, 1),
            ("user 1", 1, 2),
            ("user 1", 3, 1),
            ("user 1", 5, 1),
        ]


async def test_a_process_that_is_killed_within_a_unit_leaves_nothing_locked(database: str):
    async with opened(database) as store:
        doomed = start("from recollect.core.ports.jobs import NewJob\n" + HOLD, database)
        assert await asyncio.to_thread(read_line, doomed) == "holding"
        waiting = asyncio.create_task(store.write(lambda tx: tx.jobs.add(NewJob("learn", "ada", {"n": 1}, at(0)))))
        await asyncio.to_thread(kill, doomed)
        await waiting
        assert await texts_of(store) == []
        (job,) = await store.write(lambda tx: tx.jobs.claim("w", at(0), at(60), 9, 9))
        assert job.payload == {"n": 1}
