"""The worker: claims jobs from the store and runs them, in order within a queue, many queues at once.

A handler prepares a job (reads, asks a model) and returns the unit of work that completes it, which is written in the
transaction that finishes the job: its effects happen exactly once. An unreachable model costs a delay, never a job;
a job that keeps failing for another reason is marked as failed, where people can see it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreUnwritable
from recollect.core.ports import Handler, Progress, Store
from recollect.core.ports.jobs import MODEL_KINDS, Job
from recollect.jobs.claimer import Claimer
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.options import WorkerOptions
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.runner import Runner
from recollect.jobs.status import WorkerStatus, read_status, requeue_failed

log = logging.getLogger("recollect.jobs")


MAX_WAIT = timedelta(minutes=10)
"""`wait_for` gives up on a job that is delayed for longer, such as until the next day."""


class Worker:
    """Runs the jobs of a store with one handler per kind."""

    def __init__(
        self,
        store: Store,
        handlers: Mapping[str, Handler],
        clock: Clock,
        options: WorkerOptions | None = None,
        priority: ForegroundPriority | None = None,
        limiter: ModelLimiter | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._is_unwritable = False
        self.options = options or WorkerOptions()
        self.priority = priority or ForegroundPriority()
        limiter = limiter or ModelLimiter(self.options.max_model_calls)
        self._claimer = Claimer(store, clock)
        self._runner = Runner(store, handlers, clock, self._claimer.worker, limiter)
        self._queue_tasks: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._progress = asyncio.Condition()
        self._loop: asyncio.Task[None] | None = None
        self._transitions = 0
        self.running: dict[int, datetime] = {}
        """The jobs that this process works on, and since when."""

    @property
    def name(self) -> str:
        """The name under which it holds its leases."""
        return self._claimer.worker

    @property
    def is_running(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        # Idempotent: an embedded application may start twice.
        self._loop = self._loop or asyncio.create_task(self._run(), name="recollect-worker")

    def add_handler(self, kind: str, handler: Handler) -> None:
        """Run jobs of this kind too."""
        self._runner.add_handler(kind, handler)

    def wake(self) -> None:
        """Check for due jobs now."""
        self._wake.set()

    async def close(self) -> None:
        """Finish due jobs within a deadline; the others stay in the store for the next start."""
        if self._loop is None:
            return
        try:
            if not await self.wait_idle(self.options.shutdown_timeout):
                log.warning("some jobs are not finished yet; they continue at the next start")
        except RecollectError as error:
            log.warning("the remaining jobs can't be read: %s", error)
        tasks = [self._loop, *self._queue_tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._loop = None
        with suppress(RecollectError):
            # Otherwise the next start would wait until the leases run out.
            await self._claimer.end_leases()

    async def wait_idle(self, timeout: float | None = None, progress: Progress | None = None) -> bool:
        """Wait until nothing is due any more; False on timeout, or when a model can't be reached."""
        total = await self._count() if progress else 0

        async def is_idle() -> bool:
            if progress:
                progress(max(0, total - await self._count()), total)
            return await self._is_idle()

        return await self._wait_until(is_idle, timeout) and not self._runner.backoff.is_failing

    async def wait_for(self, key: str, timeout: float | None = None) -> bool:
        """Wait until the job with this key is done, dropped or failed; False on timeout, or if it is put off."""
        job: Job | None = None

        async def is_over() -> bool:
            nonlocal job
            # Only waiting and running jobs have a key, so None also means failed.
            job = await self._store.read(lambda tx: tx.jobs.find(key))
            return job is None or job.due - self._clock() > MAX_WAIT

        def needs_model() -> bool:
            return job is not None and job.kind in MODEL_KINDS

        return await self._wait_until(is_over, timeout, needs_model) and job is None

    async def status(self, limit: int) -> WorkerStatus:
        """The state of the queue; failed jobs come first."""
        return await self._store.read(lambda tx: read_status(tx, limit, self._clock()))

    async def retry(self, job_id: int | None = None) -> int:
        """Requeue a failed job, or all of them; returns how many."""
        count = await self._store.write(lambda tx: requeue_failed(tx, job_id, self._clock()))
        self.wake()
        return count

    async def hasten(self, job_id: int) -> bool:
        """Try a job now: one that failed, or one that waits for later; False when there is no such job."""
        now = self._clock()
        done = await self._store.write(lambda tx: tx.jobs.requeue(job_id, now) or tx.jobs.hasten(job_id, now))
        self._runner.backoff.end_pause()
        self.wake()
        return done

    async def discard(self, job_id: int) -> bool:
        """Delete a job that is not running; its messages stay."""
        return await self._store.write(lambda tx: tx.jobs.discard(job_id))

    async def _count(self) -> int:
        return sum((await self._store.read(lambda tx: tx.jobs.counts())).values())

    async def _wait_until(
        self,
        condition: Callable[[], Awaitable[bool]],
        timeout: float | None,
        needs_model: Callable[[], bool] = lambda: True,
    ) -> bool:
        self.wake()
        try:
            async with asyncio.timeout(timeout):
                while not await condition():
                    if self._runner.backoff.is_failing and needs_model():
                        return False
                    await self._wait_for_progress()
        except TimeoutError:
            return False
        return True

    async def _wait_for_progress(self) -> None:
        """Wait until a job of ours ends, or one poll interval, as other processes work too."""
        async with self._progress:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.options.poll_interval):
                    await self._progress.wait()

    async def _is_idle(self) -> bool:
        """Whether nothing is due, and no job started or ended during the check."""
        transitions = self._transitions
        due = await self._store.read(lambda tx: tx.jobs.next_due())
        if self._claimer.is_claiming or self._queue_tasks or self._transitions != transitions:
            return False
        return due is None or due > self._clock()

    async def _run(self) -> None:
        """Claim and start jobs forever, whatever errors the store raises."""
        renewal = asyncio.create_task(self._renew_leases(), name="recollect-lease")
        try:
            while True:
                # Before the claim: what is queued during it sets the event again, and is not missed.
                self._wake.clear()
                claimed = await self._claim()
                for queue, jobs in groupby(claimed, key=lambda job: job.queue):
                    task = asyncio.create_task(self._run_queue(queue, list(jobs)), name=f"recollect-{queue}")
                    self._queue_tasks[queue] = task
                self._transitions += len(claimed)
                if not claimed:
                    await self._wait_for_work()
                elif len(self._queue_tasks) < self.options.queues:
                    # A short rest lets more work gather, and one claim take it.
                    await asyncio.sleep(self.options.claim_interval)
        finally:
            renewal.cancel()

    async def _claim(self) -> list[Job]:
        try:
            # Before claiming: while we hold a lease on these, nobody else can take them, and nor can we.
            await self._claimer.release_leftovers()
            free = self.options.queues - len(self._queue_tasks)
            if free > 0:
                return await self._claimer.claim(free, self.options)
        except StoreUnwritable as error:
            if not self._is_unwritable:  # once: a read-only store stays so
                log.warning("jobs can't be claimed (%s); retrying", error)
            self._is_unwritable = True
        except RecollectError as error:
            log.warning("jobs can't be claimed (%s); retrying", error)
        except Exception:  # a worker that stops unnoticed would be worse
            log.exception("jobs can't be claimed; retrying")
        return []

    async def _wait_for_work(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.options.poll_interval):
                await self._wake.wait()

    async def _renew_leases(self) -> None:
        while True:
            # Two renewals may fail before a lease runs out.
            await asyncio.sleep(self.options.lease / 3)
            try:
                if self._queue_tasks:
                    await self._claimer.renew(self.options)
            except RecollectError as error:
                log.warning("a lease can't be renewed: %s", error)

    async def _run_queue(self, queue: str, jobs: Sequence[Job]) -> None:
        """Run the jobs of a queue in order; after one that is delayed, the others wait too."""
        remaining = [*jobs]
        try:
            while remaining:
                job = remaining[0]
                self.running[job.id] = self._clock()
                try:
                    may_continue = await self._runner.run(job, self.options)
                finally:
                    del self.running[job.id]
                remaining.remove(job)
                if not may_continue:
                    # Their order within the queue must hold, so they go back and wait behind the delayed one.
                    await self._claimer.release(remaining)
                    remaining.clear()
        except RecollectError as error:
            log.warning("a job could not be finished (%s); it will be retried", error)
            self._claimer.release_later(remaining)
        finally:
            self._queue_tasks.pop(queue, None)
            self._transitions += 1
            self._wake.set()
            async with self._progress:
                self._progress.notify_all()
