"""The worker on a real store in memory: order, retries, parking, leases, closing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TypeVar, cast

import pytest

from recollect import plugins
from recollect.core.errors import BadInput, ModelUnavailable, StoreBusy, StoreUnreachable
from recollect.core.events import Event
from recollect.core.ports import Handler, StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, NewJob
from recollect.jobs.options import WorkerOptions
from recollect.jobs.worker import Worker
from recollect.testing.clock import FakeClock
from tests import ground
from tests.waiting import eventually

T = TypeVar("T")

FAST = WorkerOptions(poll_interval=0.02, retry_delay=0.01, max_retry_delay=0.02, shutdown_timeout=10.0)


class Bench:
    """A store, a clock and a handler that notes what it did, in the order in which it was done."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store = store
        self.clock = clock
        self.begun: list[str] = []

    async def add(self, *names: str, queue: str = "user:ann", tenant: str = "", **more: object) -> None:
        def work(tx: Tx) -> None:
            for name in names:
                tx.jobs.add(NewJob("note", queue, {"name": name}, self.clock(), tenant=tenant, **more))  # type: ignore[arg-type]

        await self.store.write(work)

    async def note(self, job: Job) -> UnitOfWork:
        self.begun.append(job.payload["name"])
        return partial(self._noted, job=job)

    def _noted(self, tx: Tx, job: Job) -> None:
        tx.events.add(Event("noted", self.clock(), detail=job.payload["name"]))

    async def done(self) -> list[str]:
        """What was completed, in that order."""
        events = await self.store.read(lambda tx: tx.events.list(limit=1000))
        return [event.detail for event in reversed(events) if event.kind == "noted"]

    async def counts(self) -> dict[str, int]:
        return await self.store.read(lambda tx: tx.jobs.counts())

    @asynccontextmanager
    async def working(self, handler: Handler | None = None, pace: WorkerOptions = FAST) -> AsyncIterator[Worker]:
        worker = Worker(self.store, {"note": handler or self.note}, self.clock, pace)
        worker.start()
        try:
            yield worker
        finally:
            await worker.close()


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    store: Store = plugins.load("stores", ground.new())
    try:
        yield Bench(store, FakeClock())
    finally:
        await store.close()


def failing(bench: Bench, error: Callable[[], Exception], times: int) -> Handler:
    """Fails so many times, then works."""
    left = [times]

    async def handler(job: Job) -> UnitOfWork:
        if left[0] > 0:
            left[0] -= 1
            raise error()
        return await bench.note(job)

    return handler


async def test_jobs_of_a_queue_are_done_in_order(bench: Bench) -> None:
    names = [str(number) for number in range(50)]
    await bench.add(*names)
    async with bench.working() as worker:
        assert await worker.wait_idle(5)
    assert await bench.done() == names


async def test_queues_are_worked_side_by_side(bench: Bench) -> None:
    together = asyncio.Barrier(3)

    async def handler(job: Job) -> UnitOfWork:
        async with asyncio.timeout(5):
            await together.wait()
        return await bench.note(job)

    for user in ("ann", "bob", "cem"):
        await bench.add(user, queue=f"user:{user}")
    async with bench.working(handler) as worker:
        assert await worker.wait_idle(5)
    assert sorted(await bench.done()) == ["ann", "bob", "cem"]


async def test_a_sequential_worker_does_one_queue_at_a_time(bench: Bench) -> None:
    at_once: list[int] = []
    running = [0]

    async def handler(job: Job) -> UnitOfWork:
        running[0] += 1
        at_once.append(running[0])
        await asyncio.sleep(0)
        running[0] -= 1
        return await bench.note(job)

    for user in ("ann", "bob", "cem"):
        await bench.add(user, queue=f"user:{user}")
    async with bench.working(handler, WorkerOptions(max_model_calls=1, poll_interval=0.02)) as worker:
        assert await worker.wait_idle(5)
    assert at_once == [1, 1, 1]


async def test_a_small_guild_does_not_wait_for_a_large_one(bench: Bench) -> None:
    for number in range(60):
        await bench.add(f"large {number}", queue=f"user:{number}", tenant="large")
    await bench.add("small", queue="user:someone", tenant="small")
    async with bench.working(pace=WorkerOptions(max_model_calls=4, poll_interval=0.02)) as worker:
        assert await worker.wait_idle(5)
    assert bench.begun.index("small") < 8


async def test_a_job_that_fails_is_tried_again_and_its_queue_waits_for_it(bench: Bench) -> None:
    await bench.add("first", "second")
    async with bench.working(failing(bench, lambda: BadInput("no"), 2)) as worker:
        await eventually(lambda: _passing(bench, worker, seconds=60))
    assert await bench.done() == ["first", "second"]


async def _passing(bench: Bench, worker: Worker, seconds: float) -> bool:
    """Let time pass until everything is done."""
    bench.clock.advance(seconds=seconds)
    worker.wake()
    return not await bench.counts()


async def test_a_job_that_always_fails_is_put_aside_and_the_queue_goes_on(bench: Bench) -> None:
    await bench.add("poison", "good")

    async def handler(job: Job) -> UnitOfWork:
        if job.payload["name"] == "poison":
            raise ZeroDivisionError("what a pity")
        return await bench.note(job)

    async with bench.working(handler) as worker:

        async def only_parked() -> bool:
            await _passing(bench, worker, 3600)
            return await bench.counts() == {"failed": 1}

        await eventually(only_parked)
        standing = await worker.status(10)
        assert await bench.done() == ["good"]
    assert [(job.state, job.error) for job in standing.jobs] == [("failed", "ZeroDivisionError: what a pity")]
    assert standing.events["job.failed"][0] == 1
    assert standing.events["job.error"][0] == FAST.max_attempts


async def test_a_job_that_was_put_aside_can_be_tried_again(bench: Bench) -> None:
    await bench.add("late")
    broken = [True]

    async def handler(job: Job) -> UnitOfWork:
        if broken[0]:
            raise BadInput("no")
        return await bench.note(job)

    async with bench.working(handler, WorkerOptions(max_attempts=1, poll_interval=0.02)) as worker:
        await eventually(lambda: _is(bench, {"failed": 1}))
        broken[0] = False
        assert await worker.retry() == 1
        assert await worker.wait_idle(5)
    assert await bench.done() == ["late"]


async def _is(bench: Bench, counts: dict[str, int]) -> bool:
    return await bench.counts() == counts


async def test_a_job_that_was_put_aside_can_be_given_up(bench: Bench) -> None:
    await bench.add("hopeless")
    async with bench.working(
        failing(bench, lambda: BadInput("no"), 9), WorkerOptions(max_attempts=1, poll_interval=0.02)
    ) as worker:
        await eventually(lambda: _is(bench, {"failed": 1}))
        (job,) = (await worker.status(5)).jobs
        assert await worker.discard(job.id)
        assert not await worker.discard(job.id)
    assert await bench.counts() == {}


async def test_while_a_model_is_down_jobs_of_others_wait_too_and_do_not_ask_it(bench: Bench):
    asked: list[str] = []

    async def ask(job: Job) -> UnitOfWork:
        asked.append(job.queue)
        raise ModelUnavailable("down")

    async def is_put_off() -> bool:
        (job,) = [job for job in await bench.store.read(lambda tx: tx.jobs.list()) if job.queue == "user:bob"]
        return job.error == "the model can't be reached" and job.due > bench.clock()

    def extract(queue: str) -> Callable[[Tx], object]:
        return lambda tx: tx.jobs.add(NewJob("extract", queue, {}, bench.clock()))

    async with bench.working(pace=replace(FAST, retry_delay=60.0, max_retry_delay=60.0)) as worker:
        worker.add_handler("extract", ask)
        await bench.store.write(extract("user:ann"))
        assert not await worker.wait_idle(10)
        await bench.store.write(extract("user:bob"))
        worker.wake()
        await eventually(is_put_off)
    assert asked == ["user:ann"]


async def test_a_model_that_cannot_be_reached_costs_a_delay_and_no_attempt(bench: Bench) -> None:
    await bench.add("patient")
    async with bench.working(failing(bench, lambda: ModelUnavailable("down"), FAST.max_attempts * 3)) as worker:
        assert not await worker.wait_idle(5), "nothing can be done now, and that is said at once"
        await eventually(lambda: _passing(bench, worker, seconds=60))
        assert (await worker.status(5)).events["job.error"][0] == 1, "an outage is one line in the log"
    assert await bench.done() == ["patient"]


@pytest.mark.parametrize("error", [StoreUnreachable, StoreBusy])
async def test_a_store_that_cannot_be_reached_costs_a_delay_and_no_attempt(
    bench: Bench, error: type[Exception]
) -> None:
    await bench.add("patient")
    async with bench.working(failing(bench, lambda: error("away"), FAST.max_attempts * 3)) as worker:
        await eventually(lambda: _passing(bench, worker, seconds=60))
        assert "job.error" not in (await worker.status(5)).events
    assert await bench.done() == ["patient"]


async def test_work_that_was_overtaken_is_prepared_again(bench: Bench) -> None:
    await bench.add("edited")
    async with bench.working(failing(bench, StaleResult, FAST.max_attempts * 2)) as worker:
        assert await worker.wait_idle(5)
    assert await bench.done() == ["edited"]


async def test_a_job_nobody_knows_is_put_aside(bench: Bench) -> None:
    await bench.store.write(lambda tx: tx.jobs.add(NewJob("dance", "user:ann", {}, bench.clock())))
    async with bench.working() as worker:
        assert await worker.wait_idle(5)
        (job,) = (await worker.status(5)).jobs
    assert job.error == "nothing here does jobs of the kind 'dance'"


async def test_a_job_that_hangs_is_left_and_tried_again_even_when_it_ignores_being_cancelled(bench: Bench) -> None:
    await bench.add("stubborn")
    release, calls = asyncio.Event(), [0]

    async def handler(job: Job) -> UnitOfWork:
        calls[0] += 1
        while calls[0] == 1 and not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return await bench.note(job)

    async with bench.working(handler, WorkerOptions(job_timeout=0.05, poll_interval=0.02, retry_delay=0.01)) as worker:
        await eventually(lambda: _passing(bench, worker, seconds=60))
        assert await bench.done() == ["stubborn"]
        release.set()
        await asyncio.sleep(0)
    assert await bench.done() == ["stubborn"], "the one that hung does not count when it comes to its senses"


async def test_a_job_whose_lease_was_lost_changes_nothing(bench: Bench) -> None:
    await bench.add("contested")
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def slow(job: Job) -> UnitOfWork:
        entered.set()
        await go_on.wait()
        return await bench.note(job)

    async with bench.working(slow, replace(FAST, claim_interval=60)) as first:
        await entered.wait()
        bench.clock.advance(seconds=FAST.lease + 1)  # as if the first one had been asleep
        async with bench.working() as second:
            await eventually(lambda: _is(bench, {}))
            assert second.name != first.name
        go_on.set()
        assert await first.wait_idle(5)
    assert await bench.done() == ["contested"]


async def test_what_a_dead_worker_held_is_free_when_its_lease_runs_out(bench: Bench) -> None:
    await bench.add("orphan")
    until = bench.clock() + timedelta(seconds=30)
    await bench.store.write(lambda tx: tx.jobs.claim("dead", bench.clock(), until, 1))
    async with bench.working() as worker:
        assert not await bench.done()
        bench.clock.advance(seconds=31)
        worker.wake()
        await eventually(lambda: _is(bench, {}))
    assert await bench.done() == ["orphan"]


async def test_a_job_that_kills_its_process_again_and_again_is_put_aside(bench: Bench) -> None:
    await bench.add("bomb")
    for _ in range(FAST.max_attempts):
        until = bench.clock() + timedelta(seconds=30)
        assert await bench.store.write(lambda tx, until=until: tx.jobs.claim("dead", bench.clock(), until, 1))
        bench.clock.advance(seconds=31)
    async with bench.working() as worker:
        assert await worker.wait_idle(5)
    assert bench.begun == []
    assert await bench.counts() == {"failed": 1}


async def test_closing_finishes_what_is_due(bench: Bench) -> None:
    await bench.add(*(str(number) for number in range(40)))
    async with bench.working():
        pass
    assert len(await bench.done()) == 40


async def test_closing_does_not_wait_for_ever_and_leaves_the_rest_on_disk(bench: Bench) -> None:
    await bench.add("endless", "next")

    async def handler(job: Job) -> UnitOfWork:
        await asyncio.Event().wait()
        return await bench.note(job)

    async with bench.working(handler, WorkerOptions(shutdown_timeout=0.05, poll_interval=0.02)):
        await eventually(lambda: _is(bench, {"claimed": 2}))
    bench.clock.advance(seconds=1)
    async with bench.working() as worker:  # its lease ended with it: no waiting
        assert await worker.wait_idle(5)
    assert await bench.done() == ["endless", "next"]


async def test_two_workers_share_the_work_and_do_nothing_twice(bench: Bench) -> None:
    for user in range(40):
        await bench.add(f"{user} a", f"{user} b", queue=f"user:{user}")
    async with bench.working() as one, bench.working() as other:
        assert await one.wait_idle(60)
        assert await other.wait_idle(60)
    done = await bench.done()
    assert len(done) == len(set(done)) == 80
    assert all(done.index(f"{user} a") < done.index(f"{user} b") for user in range(40))


class Noting:
    """A store that notes how patient each write is."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.background: list[bool] = []

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        self.background.append(background)
        return await self._store.write(work, background=background)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


async def test_worker_writes_are_background_writes(bench: Bench) -> None:
    async def fails(_: Job) -> UnitOfWork:
        raise ValueError("on purpose")

    store = Noting(bench.store)
    await bench.add("done")
    await bench.store.write(lambda tx: tx.jobs.add(NewJob("fail", "user:bob", {}, bench.clock())))
    worker = Worker(cast("Store", store), {"note": bench.note, "fail": fails}, bench.clock, FAST)
    worker.start()
    assert await worker.wait_idle(60)
    assert len(store.background) >= 4, "a claim, the end of a job, a line in the log and another try"
    assert all(store.background)
    await worker.close()


class Locked:
    """A store that another process keeps locked for the first few writes."""

    def __init__(self, store: Store, times: int, error: type[Exception] = StoreBusy) -> None:
        self._store = store
        self._left = times
        self._error = error
        self.read = store.read

    def lock(self, times: int) -> None:
        self._left = times

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        if self._left > 0:
            self._left -= 1
            raise self._error("locked")
        return await self._store.write(work, background=background)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


async def test_a_store_that_is_locked_for_a_while_stops_nobody_for_good(bench: Bench) -> None:
    await bench.add("through")
    worker = Worker(cast("Store", Locked(bench.store, 3)), {"note": bench.note}, bench.clock, FAST)
    worker.start()
    await eventually(lambda: _is(bench, {}))
    await worker.close()
    assert await bench.done() == ["through"]


async def test_waiting_for_one_job_ends_when_that_one_is_over(bench: Bench) -> None:
    await bench.add("this", dedupe_key="note:this")
    await bench.add("other", queue="user:bob", dedupe_key="note:other")
    hold = asyncio.Event()

    async def handler(job: Job) -> UnitOfWork:
        if job.payload["name"] == "other":
            await hold.wait()
        return await bench.note(job)

    async with bench.working(handler) as worker:
        assert await worker.wait_for("note:this", 5)
        assert not await worker.wait_for("note:other", 0.05)
        hold.set()
        assert await worker.wait_for("note:other", 5)
        assert await worker.wait_for("never heard of it", 5)


async def test_a_job_that_the_store_would_not_let_end_is_not_held_for_ever(bench: Bench) -> None:
    await bench.add("first", "second")
    store = Locked(bench.store, 0)

    async def handler(job: Job) -> UnitOfWork:
        if bench.begun == []:
            store.lock(4)  # from here on until the worker has failed to end it, and to note that
        return await bench.note(job)

    worker = Worker(cast("Store", store), {"note": handler}, bench.clock, FAST)
    worker.start()
    await eventually(lambda: _is(bench, {}))
    await worker.close()
    assert await bench.done() == ["first", "second"]


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, BaseExceptionGroup])
async def test_a_handler_that_ends_in_an_odd_way_fails_like_any_other(bench: Bench, error: type[BaseException]) -> None:
    await bench.add("odd", "fine")

    async def handler(job: Job) -> UnitOfWork:
        if job.payload["name"] == "odd":
            raise error("odd", [ValueError()]) if error is BaseExceptionGroup else error()
        return await bench.note(job)

    async with bench.working(handler, WorkerOptions(max_attempts=1, poll_interval=0.02)) as worker:
        assert await worker.wait_idle(5)
        assert worker.is_running
    assert await bench.done() == ["fine"]
    assert await bench.counts() == {"failed": 1}


async def test_a_worker_goes_on_whatever_the_store_raises(bench: Bench) -> None:
    await bench.add("through")
    store = Locked(bench.store, 2, MemoryError)
    worker = Worker(cast("Store", store), {"note": bench.note}, bench.clock, FAST)
    worker.start()
    await eventually(lambda: _is(bench, {}))
    await worker.close()
    assert await bench.done() == ["through"]


async def test_jobs_for_later_are_counted_apart_however_many_there_are(bench: Bench) -> None:
    later = bench.clock() + timedelta(hours=1)
    await bench.store.write(
        lambda tx: [tx.jobs.add(NewJob("note", f"user:{number % 7}", {}, later)) for number in range(300)]
    )
    await bench.add("due", queue="user:ann")
    worker = Worker(bench.store, {"note": bench.note}, bench.clock, FAST)
    status = await worker.status(5)
    assert (status.counts, status.delayed, len(status.jobs)) == ({"waiting": 301}, 300, 5)
