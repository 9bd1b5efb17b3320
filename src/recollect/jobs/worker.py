"""The worker: takes jobs off the disk and does them, each lane in order, many lanes at once.

A handler prepares a job (reads, asks a model) and returns the unit of work that completes it: that is written in the
transaction which ends the job, so a job is done exactly once, or not at all and then again. A model that can't be
reached costs a delay, never a job; what keeps failing for another reason is parked where people can see it.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import TypeVar

from recollect.core.clock import Clock
from recollect.core.errors import ModelError, ModelUnavailable, RecollectError, StoreBusy, StoreUnreachable
from recollect.core.events import Event
from recollect.core.ports import Handler, Progress, StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, JobState
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.priority import ForegroundPriority

T = TypeVar("T")

log = logging.getLogger("recollect.jobs")

COUNTED = 10_000
"""Waiting jobs that are looked at to tell which are due."""


class _LostLease(Exception):
    """Another worker has the job now; its work counts, not ours."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker goes about its work."""

    max_model_calls: int = 8
    """Calls of models at once."""
    batch_size: int = 8
    """Jobs of one lane that are taken together."""
    attempts: int = 5
    job_timeout: float = 180.0
    """Seconds after which a job hangs: it is left alone, and tried again. The wait for a call's turn counts."""
    lease: float = 30.0
    """Seconds for which a job is ours; renewed while we live, so a dead worker's jobs are free that soon."""
    poll: float = 1.0
    """Seconds between two looks for what other processes queued."""
    gather: float = 0.01
    """Seconds between two claims while little waits: what comes in meanwhile is claimed together."""
    pause: float = 1.0
    longest_pause: float = 60.0
    """Seconds to wait after a model could not be reached, doubled up to the longest."""
    drain: float = 5.0
    """Seconds that closing may take to finish what is due."""

    @property
    def queues(self) -> int:
        """Lanes at once: while models are asked for some, others read, check and write."""
        return self.max_model_calls + self.max_model_calls // 2


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """How things stand: jobs by state, the first of them, and what happened how often, and when last."""

    counts: Mapping[str, int]
    later: int
    """How many of those that wait are not due yet."""
    jobs: Sequence[Job]
    events: Mapping[str, tuple[int, datetime]]


def count_delayed(tx: Tx, moment: datetime) -> int:
    """Jobs that wait for their time, as after a silence, or until an erasure is final."""
    return sum(job.due > moment for job in tx.jobs.list(JobState.WAITING, COUNTED))


class Worker:
    """Does the jobs of a store with these handlers, by the kind of job."""

    def __init__(
        self,
        store: Store,
        handlers: Mapping[str, Handler],
        clock: Clock,
        pace: WorkerOptions | None = None,
        courtesy: ForegroundPriority | None = None,
        calls: ModelLimiter | None = None,
    ) -> None:
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self.pace = pace or WorkerOptions()
        self.priority = courtesy or ForegroundPriority()
        self._calls = calls or ModelLimiter(self.pace.max_model_calls)
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._progress = asyncio.Condition()
        self._loop: asyncio.Task[None] | None = None
        self._owed: list[Job] = []
        self._taking = False
        self._moves = 0
        self._failures = 0
        self._failing = ""
        self._resume = 0.0

    @property
    def is_running(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = self._loop or asyncio.create_task(self._run(), name="recollect-worker")

    def add_handler(self, kind: str, handler: Handler) -> None:
        """Do jobs of this kind too."""
        self._handlers = {**self._handlers, kind: handler}

    def wake(self) -> None:
        """Something may be due."""
        self._wake.set()

    async def close(self) -> None:
        """Finish what is due, within a deadline; the rest waits on disk for the next start."""
        if self._loop is None:
            return
        try:
            if not await self.wait_idle(self.pace.drain):
                log.warning("some learning is not done yet; it goes on at the next start")
        except RecollectError as error:
            log.warning("the last jobs can't be looked at: %s", error)
        tasks = [self._loop, *self._lanes.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._loop = None
        with suppress(RecollectError):
            await self._store.write(lambda tx: tx.jobs.extend(self.name, self._clock()))  # free at once

    async def wait_idle(self, timeout: float | None = None, progress: Progress | None = None) -> bool:
        """Wait until nothing is due any more; False when that takes longer, or a model can't be reached."""
        if progress is None:
            return await self._until(self._is_idle, timeout) and not self._failures
        total = sum((await self._store.read(lambda tx: tx.jobs.counts())).values())

        async def is_idle() -> bool:
            left = sum((await self._store.read(lambda tx: tx.jobs.counts())).values())
            progress(max(0, total - left), total)
            return await self._is_idle()

        return await self._until(is_idle, timeout) and not self._failures

    async def status(self, limit: int) -> WorkerStatus:
        """How things stand; jobs that were put aside come first."""

        def work(tx: Tx) -> WorkerStatus:
            failed = tx.jobs.list(JobState.FAILED, limit)
            others = [job for job in tx.jobs.list(limit=limit + len(failed)) if job.state is not JobState.FAILED]
            return WorkerStatus(
                tx.jobs.counts(), count_delayed(tx, self._clock()), [*failed, *others][:limit], tx.events.counts()
            )

        return await self._store.read(work)

    async def retry(self, job_id: int | None = None) -> int:
        """Try again a job that was put aside, or all of them; how many there were."""

        def work(tx: Tx) -> int:
            chosen = [job.id for job in tx.jobs.list(JobState.FAILED, 1 << 30) if job_id in (None, job.id)]
            return sum(tx.jobs.requeue(one, self._clock()) for one in chosen)

        found = await self._store.write(work)
        self.wake()
        return found

    async def discard(self, job_id: int) -> bool:
        """Drop a job that nobody is doing; what it was to work on stays."""
        return await self._store.write(lambda tx: tx.jobs.discard(job_id))

    async def wait_for(self, key: str, timeout: float | None = None) -> bool:
        """Wait until the job with this key is over: done, dropped or parked. False when that takes longer."""

        async def is_over() -> bool:
            return await self._store.read(lambda tx: tx.jobs.due(key)) is None

        return await self._until(is_over, timeout)

    async def _until(self, holds: Callable[[], Awaitable[bool]], timeout: float | None) -> bool:
        self.wake()
        try:
            async with asyncio.timeout(timeout):
                while not await holds():
                    if self._failures:
                        return False
                    await self._something_ends()
        except TimeoutError:
            return False
        return True

    async def _something_ends(self) -> None:
        """A job of ours ends, or, as other processes work too, a moment passes."""
        async with self._progress:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.pace.poll):
                    await self._progress.wait()

    async def _is_idle(self) -> bool:
        """Nothing is due, and nothing was begun or ended while we looked."""
        before = self._moves
        due = await self._store.read(lambda tx: tx.jobs.next_due())
        if self._taking or self._lanes or self._moves != before:
            return False
        return due is None or due > self._clock()

    async def _run(self) -> None:
        """Take and hand out jobs for ever; whatever the store says, this goes on."""
        renewal = asyncio.create_task(self._renew(), name="recollect-lease")
        try:
            while True:
                self._wake.clear()
                taken: list[Job] = []
                try:
                    await self._give_back()
                    taken = await self._take()
                except RecollectError as error:
                    log.warning("jobs can't be taken (%s); trying again", error)
                except Exception:  # a worker that ends unnoticed is the worst that can happen
                    log.exception("jobs can't be taken; trying again")
                for lane, jobs in groupby(taken, key=lambda job: job.queue):
                    task = asyncio.create_task(self._work(lane, list(jobs)), name=f"recollect-{lane}")
                    self._lanes[lane] = task
                self._moves += len(taken)
                self._taking = False
                if not taken:
                    await self._rest()
                elif len(self._lanes) < self.pace.queues:
                    await asyncio.sleep(self.pace.gather)
        finally:
            renewal.cancel()

    async def _give_back(self) -> None:
        """Free the jobs that the store would not let us end: we hold their lease, so nobody else does."""
        owed = [*self._owed]
        await self._release(owed)
        self._owed = self._owed[len(owed) :]

    async def _take(self) -> list[Job]:
        free = self.pace.queues - len(self._lanes)
        loop_time = asyncio.get_running_loop().time()
        if free <= 0 or loop_time < self._resume:
            return []
        moment = self._clock()
        due = await self._store.read(lambda tx: tx.jobs.next_due())
        if due is None or due > moment:
            return []
        self._taking = True
        return await self._write(lambda tx: self._claim(tx, moment, free))

    def _claim(self, tx: Tx, moment: datetime, free: int) -> list[Job]:
        until = moment + timedelta(seconds=self.pace.lease)
        tx.jobs.extend(self.name, until)  # ours stay ours, even when the machine slept
        return tx.jobs.claim(self.name, moment, until, free, self.pace.batch_size)

    async def _write(self, work: Callable[[Tx], T]) -> T:
        return await self._store.write(work, patient=True)  # nobody waits for it

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.pace.poll):
                await self._wake.wait()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self.pace.lease / 3)
            until = self._clock() + timedelta(seconds=self.pace.lease)
            try:
                if self._lanes:
                    await self._write(lambda tx, until=until: tx.jobs.extend(self.name, until))
            except RecollectError as error:
                log.warning("a lease can't be renewed: %s", error)

    async def _work(self, lane: str, jobs: Sequence[Job]) -> None:
        """Do the jobs of a lane in order; after one that has to wait, the others wait too."""
        left = [*jobs]
        try:
            while left:
                job, goes_on = left[0], await self._do(left[0])
                left.remove(job)
                if not goes_on:
                    await self._release(left)
                    left.clear()
        except RecollectError as error:
            log.warning("a job could not be ended (%s); it is tried again", error)
            self._owed += left
        finally:
            self._lanes.pop(lane, None)
            self._moves += 1
            self._wake.set()
            async with self._progress:
                self._progress.notify_all()

    async def _release(self, jobs: Sequence[Job]) -> None:
        def work(tx: Tx) -> None:
            for job in jobs:
                tx.jobs.retry(job.id, self.name, job.due, job.error or "", counted=False)

        if jobs:
            await self._write(work)

    async def _do(self, job: Job) -> bool:
        """Whether the lane may go on to its next job."""
        if job.attempts > self.pace.attempts:
            return await self._park(job, job.error or "the process ended in the middle of it, again and again")
        handler = self._handlers.get(job.kind)
        if handler is None:
            return await self._park(job, f"nothing here does jobs of the kind {job.kind!r}")
        try:
            work = await self._prepared(handler, job)
            await self._write(lambda tx: self._complete(tx, job, work))
        except _LostLease:
            log.warning("job %d was taken over by another worker", job.id)
            return False
        except StaleResult:
            return await self._again(job, 0.0, "what it rests on has changed", counted=False)
        except (StoreBusy, StoreUnreachable) as error:  # nobody's fault, and it may be over by now
            return await self._again(job, self.pace.pause, str(error), counted=False)
        except ModelUnavailable as error:
            return await self._unreachable(job, error)
        except Exception as error:  # noqa: BLE001 - whatever a job brings about, the others go on; it is logged
            return await self._failed(job, error)
        if job.kind == self._failing:  # others may need no model
            self._failures = 0
        return True

    async def _prepared(self, handler: Handler, job: Job) -> UnitOfWork:
        """What the handler makes of the job; one that hangs is given up, even when it can't be cancelled."""
        task = asyncio.ensure_future(handler(job))
        try:
            await asyncio.wait({task}, timeout=self.pace.job_timeout)
            if not task.done():
                raise TimeoutError(f"it took longer than {self.pace.job_timeout:.0f} s")
            return _result(task)
        finally:
            task.cancel()
            self._calls.release(task)

    def _complete(self, tx: Tx, job: Job, work: UnitOfWork) -> None:
        if not tx.jobs.finish(job.id, self.name):
            raise _LostLease
        work(tx)

    async def _failed(self, job: Job, error: Exception) -> bool:
        known = isinstance(error, RecollectError | TimeoutError)
        said = str(error) if known else f"{type(error).__name__}: {error}"
        log.warning("%s of %s failed: %s", job.kind, job.queue, said, exc_info=None if known else error)
        await self._note(job, f"{job.kind}.error", said)
        if job.attempts >= self.pace.attempts:
            return await self._park(job, said)
        return await self._again(job, self.pace.pause * 4 ** (job.attempts - 1), said)

    async def _unreachable(self, job: Job, error: ModelUnavailable) -> bool:
        """Nobody's fault: everything waits a while, longer each time."""
        pause = min(self.pace.longest_pause, self.pace.pause * 2**self._failures)
        if not self._failures:
            log.warning("the model can't be reached (%s); learning waits, nothing is lost", error)
            await self._note(job, f"{job.kind}.error", str(error))
        self._failures += 1
        self._failing = job.kind
        self._resume = asyncio.get_running_loop().time() + pause
        return await self._again(job, pause, str(error), counted=False)

    async def _again(self, job: Job, seconds: float, error: str, *, counted: bool = True) -> bool:
        due = self._clock() + timedelta(seconds=seconds)
        await self._write(lambda tx: tx.jobs.retry(job.id, self.name, due, error, counted=counted))
        return False

    async def _park(self, job: Job, error: str) -> bool:
        log.error("%s of %s is put aside: %s; 'recollect jobs' shows it", job.kind, job.queue, error)
        await self._write(lambda tx: tx.jobs.fail(job.id, self.name, error))
        await self._note(job, "job.failed", error)
        return True

    async def _note(self, job: Job, kind: str, reason: str) -> None:
        event = Event(kind, self._clock(), "worker", job.queue, reason=reason, data={"job": job.id})
        await self._write(lambda tx: tx.events.add(event))


def _result(task: asyncio.Future[UnitOfWork]) -> UnitOfWork:
    """What came of a handler; what is no ordinary error there is one here, as it ends the handler and not us."""
    if task.cancelled():
        raise ModelError("it was cancelled from inside")
    error = task.exception()
    if error is not None and not isinstance(error, Exception):
        raise ModelError(f"it ended with {type(error).__name__}")
    return task.result()
