"""Jobs in PostgreSQL: what claiming costs, and workers that are at it at the same time."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Message, Place
from recollect.core.clock import now
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.state import Owner, StateKind
from recollect.stores.postgres.tx import PostgresTx
from recollect.testing.models import FakeModel, propose_everything
from recollect.testing.store_contract.samples import at
from tests.stores.opening import faults
from tests.stores.postgres import opened, run

MANY = 20_000


def job(n: int, queue: str = "one", tenant: str = "", due: float = 0) -> NewJob:
    return NewJob("learn", queue, {"n": n}, at(due), f"key {n}", tenant)


async def claim(store: Store, worker: str, now: float = 0, limit: int = 8, depth: int = 1) -> list[Job]:
    return await store.write(lambda tx: tx.jobs.claim(worker, at(now), at(now + 60), limit, depth))


@asynccontextmanager
async def in_the_middle(store: Store, work: Callable[[Tx], Any]) -> AsyncIterator[Any]:
    """While this goes on, a transaction that did this work is open; what it got."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    enough = asyncio.Event()

    def hold(tx: Tx) -> None:
        loop.call_soon_threadsafe(done.set_result, work(tx))
        asyncio.run_coroutine_threadsafe(enough.wait(), loop).result()

    holder = asyncio.create_task(store.write(hold))
    try:
        yield await done
    finally:
        enough.set()
        await holder


async def test_workers_that_claim_at_the_same_time_neither_wait_nor_share(database: str):
    async with opened(f"{database}?patience=2") as store:
        await store.write(lambda tx: [tx.jobs.add(job(n, f"{n % 6}")) for n in range(12)])
        async with in_the_middle(store, lambda tx: tx.jobs.claim("w1", at(0), at(60), 2, 2)) as first:
            async with asyncio.timeout(1.5):
                second = await claim(store, "w2", limit=3, depth=2)
            assert [each.payload["n"] for each in first] == [0, 6, 1, 7]
            assert [each.payload["n"] for each in second] == [2, 8, 3, 9, 4, 10]
        assert [each.payload["n"] for each in await claim(store, "w3", depth=2)] == [5, 11]
        assert not faults(await store.check_health())


async def test_tenants_whose_work_is_in_other_hands_do_not_keep_a_worker_from_the_rest(database: str):
    async with opened(database) as store:
        await store.write(lambda tx: [tx.jobs.add(job(n, f"{n}", tenant=f"{n}")) for n in range(6)])
        async with in_the_middle(store, lambda tx: tx.jobs.claim("w1", at(0), at(60), 2)) as first:
            assert [each.payload["n"] for each in first] == [0, 1]
            assert [each.payload["n"] for each in await claim(store, "w2", limit=2)] == [2, 3]
            assert [each.payload["n"] for each in await claim(store, "w2", limit=2)] == [4, 5]


async def test_a_claim_does_not_wait_for_someone_who_is_adding_to_the_queue(database: str):
    async with opened(f"{database}?patience=2") as store:
        await store.write(lambda tx: tx.jobs.add(job(1)))
        async with in_the_middle(store, lambda tx: tx.jobs.add(job(2))):
            async with asyncio.timeout(1.5):
                (first,) = await claim(store, "w1", depth=9)
        assert await claim(store, "w2") == []
        await store.write(lambda tx: tx.jobs.finish(first.id, "w1"))
        (second,) = await claim(store, "w2")
        assert second.payload == {"n": 2}


async def test_jobs_of_a_queue_are_numbered_in_the_order_of_their_commits(database: str):
    async with opened(database) as store:
        async with in_the_middle(store, lambda tx: tx.jobs.add(job(1))):
            later = asyncio.create_task(store.write(lambda tx: tx.jobs.add(job(2))))
            assert await store.read(lambda tx: tx.jobs.counts()) == {}
        await later
        assert [each.payload["n"] for each in await claim(store, "w", depth=9)] == [1, 2]


async def test_one_of_two_who_add_the_same_at_the_same_time_is_told_so(database: str):
    async with opened(database) as store:
        added = await asyncio.gather(*(store.write(lambda tx, n=n: tx.jobs.add(job(1, f"{n}"))) for n in range(8)))
        assert len([number for number in added if number is not None]) == 1


async def test_a_job_whose_worker_is_just_renewing_its_lease_is_not_taken_away(database: str):
    async with opened(database) as store:
        await store.write(lambda tx: tx.jobs.add(job(1)))
        await claim(store, "w1")
        async with in_the_middle(store, lambda tx: tx.jobs.extend("w1", at(500))):
            rival = asyncio.create_task(claim(store, "w2", now=61))
        assert await rival == []
        assert [each.id for each in await claim(store, "w2", now=500)] == [1]


class Crew:
    """Workers that finish jobs or put them back at random, and watch that no queue has two of them at once."""

    def __init__(self, store: Store, seed: int) -> None:
        self._store = store
        self._dice = random.Random(seed)
        self._held: set[str] = set()
        self.done: list[Job] = []
        self.added = 0

    async def add(self, rounds: int) -> None:
        for _ in range(rounds):
            queues = [(self.added + n, f"{self._dice.randrange(7)}") for n in range(self._dice.randint(1, 3))]
            self.added += len(queues)
            await self._store.write(
                lambda tx, queues=queues: [
                    tx.jobs.add(job(n, queue, f"tenant {int(queue) % 3}")) for n, queue in queues
                ]
            )

    async def work(self, worker: str) -> None:
        while jobs := await claim(self._store, worker, limit=self._dice.randint(1, 3), depth=self._dice.randint(1, 3)):
            runs: dict[str, list[Job]] = {}
            for each in jobs:
                runs.setdefault(each.queue, []).append(each)
            assert not runs.keys() & self._held, "another worker has this queue"
            self._held |= runs.keys()
            for queue, run_of_queue in runs.items():
                await self._serve(queue, run_of_queue, worker)

    async def _serve(self, queue: str, jobs: list[Job], worker: str) -> None:
        """In order up to a random one; the others go back, last to first."""
        finished = self._dice.randint(0, len(jobs))
        *rest, last = [*jobs[:finished], *jobs[: finished - 1 if finished else None : -1]]
        for each in rest:
            await self._leave(each, worker, finished=each in jobs[:finished])
        self._held.discard(queue)  # the next step lets others in
        await self._leave(last, worker, finished=last in jobs[:finished])

    async def _leave(self, each: Job, worker: str, *, finished: bool) -> None:
        if finished:
            self.done.append(each)
            assert await self._store.write(lambda tx: tx.jobs.finish(each.id, worker))
        else:
            assert await self._store.write(lambda tx: tx.jobs.retry(each.id, worker, at(0), "later", counted=False))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
async def test_workers_at_random_never_share_a_queue_and_keep_its_order(database: str, seed: int):
    async with opened(database) as one, opened(database) as other:
        crew = Crew(one, seed)
        rival = Crew(other, seed + 100)
        rival._held, rival.done = crew._held, crew.done
        adding = asyncio.create_task(crew.add(60))
        while not adding.done() or await one.read(lambda tx: tx.jobs.counts()):
            await asyncio.gather(*(each.work(f"{each is crew} {n}") for each in (crew, rival) for n in range(3)))
        await adding
        assert sorted(each.payload["n"] for each in crew.done) == list(range(crew.added))
        for queue in {each.queue for each in crew.done}:
            ours = [each.id for each in crew.done if each.queue == queue]
            assert ours == sorted(ours)
        assert not faults(await one.check_health())


async def test_whatever_is_done_to_jobs_at_once_leaves_their_queues_in_order(database: str):
    dice = random.Random(7)

    def something(tx: Tx) -> None:
        number, worker, now = dice.randint(1, 60), f"w{dice.randrange(3)}", dice.randrange(200)
        match dice.randrange(10):
            case 0 | 1 | 2:
                tx.jobs.add(
                    job(dice.randrange(1_000), f"{dice.randrange(5)}", f"{dice.randrange(2)}", now), postpone=True
                )
            case 3 | 4:
                tx.jobs.claim(worker, at(now), at(now + 5), dice.randint(0, 4), dice.randint(1, 3))
            case 5:
                tx.jobs.finish(number, worker)
            case 6:
                tx.jobs.retry(number, worker, at(now), "no")
            case 7:
                tx.jobs.fail(number, worker, "no")
            case 8:
                tx.jobs.requeue(number, at(now))
            case _:
                dice.choice(
                    [tx.jobs.discard, lambda n: tx.jobs.erase([n]), lambda _: tx.jobs.discard_oldest("learn", 20)]
                )(number)

    async with opened(database) as store:
        for _ in range(12):
            await asyncio.gather(*(store.write(something) for _ in range(25)))
            assert not [each for each in await store.check_health() if each.check == "queues of jobs" and not each.ok]


def fill(
    address: str, queues: int, tenants: int = 1, due: int = 0, jobs: int = MANY, *, analysed: bool = False
) -> None:
    """Many jobs at once: 'waiting' where they are the first of their queue."""
    run(
        address,
        "INSERT INTO jobs (kind, queue, payload, state, due, dedupe, tenant) SELECT 'learn', "
        f"'queue ' || n % {queues}, '{{}}', CASE WHEN n < {queues} THEN 'waiting' ELSE 'blocked' END, "
        f"{int(at(due).timestamp() * 1000)}, 'key ' || n, 'tenant ' || n % {queues} % {tenants} "
        f"FROM generate_series(0, {jobs - 1}) AS n",
    )
    if analysed:
        run(address, "ANALYZE jobs")


def rows_read(tx: PostgresTx, work: Callable[[PostgresTx], object]) -> int:
    """How many rows of the table the server looks at for this."""

    def looked_at() -> int:
        return tx.db.value(
            "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'jobs'"
        )

    before = looked_at()
    work(tx)
    return looked_at() - before


def take(tx: PostgresTx, worker: str = "w", now: float = 0, limit: int = 8, depth: int = 1) -> list[int]:
    return [each.id for each in tx.jobs.claim(worker, at(now), at(now + 60), limit, depth)]


def whole_life(tx: PostgresTx) -> None:
    """Everything that happens to the jobs of a queue while its head is claimed, and after."""
    (first,) = take(tx)
    assert take(tx, "other") == []
    tx.jobs.extend("w", at(60))
    tx.jobs.next_due()
    tx.jobs.add(job(-1, "queue 0"))
    tx.jobs.add(job(-1, "queue 0", due=1), postpone=True)
    tx.jobs.find("key -1")
    tx.jobs.finish(first, "w")
    second, third = take(tx, depth=2)
    tx.jobs.retry(third, "w", at(0), "no")
    tx.jobs.fail(second, "w", "no")
    assert take(tx) == [third]
    tx.jobs.requeue(second, at(0))
    assert take(tx, "other", now=60) == [second]
    tx.jobs.discard(third)
    tx.jobs.finish(second, "other")


@pytest.mark.parametrize("analysed", [False, True])
async def test_the_length_of_a_queue_costs_nothing(database: str, analysed: bool):
    fill(database, queues=1, analysed=analysed)
    async with opened(database) as store:
        assert await store.write(lambda tx: rows_read(tx, whole_life)) < 120


@pytest.mark.parametrize("analysed", [False, True])
async def test_the_number_of_queues_costs_nothing(database: str, analysed: bool):
    fill(database, queues=MANY, analysed=analysed)
    async with opened(database) as store:
        assert await store.write(lambda tx: rows_read(tx, take)) < 60
        assert await store.read(lambda tx: rows_read(tx, lambda tx: tx.jobs.next_due())) < 20


async def test_tenants_cost_a_step_each_whatever_they_hold(database: str):
    fill(database, queues=MANY, tenants=100, due=9)
    async with opened(database) as store:
        assert await store.write(lambda tx: rows_read(tx, take)) < 100 * 6


async def test_a_bound_costs_as_much_as_it_keeps(database: str):
    fill(database, queues=100, jobs=400, analysed=True)
    run(database, "UPDATE jobs SET kind = 'kept', dedupe = NULL")
    fill(database, queues=MANY, analysed=True)
    async with opened(database) as store:
        assert await store.write(lambda tx: rows_read(tx, lambda tx: tx.jobs.discard_oldest("kept", 400))) <= 800


async def test_who_only_looks_at_a_list_keeps_nobody_else_from_looking(database: str):
    async with opened(f"{database}?patience=2") as store:
        await store.write(lambda tx: tx.state.append(StateKind.PAUSED, "ada", "since noon", Owner.person("ada")))
        async with in_the_middle(store, lambda tx: tx.state.items(StateKind.PAUSED, "ada")), asyncio.timeout(1.5):
            assert await store.write(lambda tx: tx.state.items(StateKind.PAUSED, "ada")) == ["since noon"]


TALK = {
    "at once": {"extraction": {"trigger": "on_ingest"}},
    "after silence": {"extraction": {"trigger": "idle", "idle_after": 0.01}, "summary": {"trigger": "idle"}},
    "with a file a day": {"extraction": {"trigger": "on_ingest"}, "mirror__files": ["journal"]},
}


@pytest.mark.parametrize("how", ["at once", *(pytest.param(how, marks=pytest.mark.slow) for how in [*TALK][1:])])
async def test_talk_and_learning_from_it_never_wait_for_each_other_in_a_circle(how: str, database: str, tmp_path: Path):
    settings = {"embedder": "null", "data_dir": tmp_path, "model": FakeModel(propose_everything), **TALK[how]}
    place = Place("discord", "g1", "c1", public=True)
    async with recollect.AsyncMemory(database, **settings) as memory:
        for n in range(60):
            await memory.add(Message(f"m{n}", "bob", place, f"I like tea number {n}", now(), "Bob"))
        await memory.worker.wait_idle(20)
    found = run(database, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert found == [(0,)]
