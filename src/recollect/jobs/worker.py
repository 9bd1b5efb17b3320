"""The worker: claims jobs from the store and runs them, in order within a queue, many queues at once.

A handler prepares a job (reads, asks a model) and returns the unit of work that completes it, which is written in the
transaction that finishes the job: its effects happen exactly once. An unreachable model costs a delay, never a job;
a job that keeps failing for another reason is marked as failed, where people can see it.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from typing import TypeVar

from recollect.core.clock import Clock
from recollect.core.errors import ModelError, ModelUnavailable, RecollectError, StoreBusy, StoreUnreachable
from recollect.core.events import Event, EventKind, error_kind
from recollect.core.ports import Handler, Progress, StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, JobState
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.options import WorkerOptions
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.status import WorkerStatus, count_delayed

T = TypeVar("T")

log = logging.getLogger("recollect.jobs")


class _LostLease(Exception):
    """Another worker has claimed the job; its result counts, not ours."""


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
        self._handlers = handlers
        self._clock = clock
        self.options = options or WorkerOptions()
        self.priority = priority or ForegroundPriority()
        self._limiter = limiter or ModelLimiter(self.options.max_model_calls)
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._queue_tasks: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._progress = asyncio.Condition()
        self._loop: asyncio.Task[None] | None = None
        self._unreleased: list[Job] = []
        self._claiming = False
        self._transitions = 0
        self._failures = 0
        self._failing_kind = ""
        self._resume_at = 0.0

    @property
    def is_running(self) -> bool:
        return self._loop is not None and not self._loop.done()

    def start(self) -> None:
        self._loop = self._loop or asyncio.create_task(self._run(), name="recollect-worker")

    def add_handler(self, kind: str, handler: Handler) -> None:
        """Run jobs of this kind too."""
        self._handlers = {**self._handlers, kind: handler}

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
            await self._store.write(lambda tx: tx.jobs.extend(self.name, self._clock()))  # free at once

    async def wait_idle(self, timeout: float | None = None, progress: Progress | None = None) -> bool:
        """Wait until nothing is due any more; False on timeout, or when a model can't be reached."""
        if progress is None:
            return await self._wait_until(self._is_idle, timeout) and not self._failures
        total = sum((await self._store.read(lambda tx: tx.jobs.counts())).values())

        async def is_idle() -> bool:
            left = sum((await self._store.read(lambda tx: tx.jobs.counts())).values())
            progress(max(0, total - left), total)
            return await self._is_idle()

        return await self._wait_until(is_idle, timeout) and not self._failures

    async def status(self, limit: int) -> WorkerStatus:
        """The state of the queue; failed jobs come first."""

        def work(tx: Tx) -> WorkerStatus:
            failed = tx.jobs.list(JobState.FAILED, limit)
            others = [job for job in tx.jobs.list(limit=limit + len(failed)) if job.state is not JobState.FAILED]
            return WorkerStatus(
                tx.jobs.counts(), count_delayed(tx, self._clock()), [*failed, *others][:limit], tx.events.counts()
            )

        return await self._store.read(work)

    async def retry(self, job_id: int | None = None) -> int:
        """Requeue a failed job, or all of them; returns how many."""

        def work(tx: Tx) -> int:
            chosen = [job.id for job in tx.jobs.list(JobState.FAILED, 1 << 30) if job_id in (None, job.id)]
            return sum(tx.jobs.requeue(failed_id, self._clock()) for failed_id in chosen)

        count = await self._store.write(work)
        self.wake()
        return count

    async def discard(self, job_id: int) -> bool:
        """Delete a job that is not running; its messages stay."""
        return await self._store.write(lambda tx: tx.jobs.discard(job_id))

    async def wait_for(self, key: str, timeout: float | None = None) -> bool:
        """Wait until the job with this key is done, dropped or failed; False on timeout."""

        async def is_over() -> bool:
            return await self._store.read(lambda tx: tx.jobs.due(key)) is None

        return await self._wait_until(is_over, timeout)

    async def _wait_until(self, condition: Callable[[], Awaitable[bool]], timeout: float | None) -> bool:
        self.wake()
        try:
            async with asyncio.timeout(timeout):
                while not await condition():
                    if self._failures:
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
        if self._claiming or self._queue_tasks or self._transitions != transitions:
            return False
        return due is None or due > self._clock()

    async def _run(self) -> None:
        """Claim and start jobs forever, whatever errors the store raises."""
        renewal = asyncio.create_task(self._renew_leases(), name="recollect-lease")
        try:
            while True:
                self._wake.clear()
                claimed: list[Job] = []
                try:
                    await self._release_leftovers()
                    claimed = await self._claim_due()
                except RecollectError as error:
                    log.warning("jobs can't be claimed (%s); retrying", error)
                except Exception:  # a worker that stops unnoticed would be worse
                    log.exception("jobs can't be claimed; retrying")
                for queue, jobs in groupby(claimed, key=lambda job: job.queue):
                    task = asyncio.create_task(self._run_queue(queue, list(jobs)), name=f"recollect-{queue}")
                    self._queue_tasks[queue] = task
                self._transitions += len(claimed)
                self._claiming = False
                if not claimed:
                    await self._wait_for_work()
                elif len(self._queue_tasks) < self.options.queues:
                    await asyncio.sleep(self.options.claim_interval)
        finally:
            renewal.cancel()

    async def _release_leftovers(self) -> None:
        """Release jobs that could not be finished because of the store: we still hold their lease."""
        leftovers = [*self._unreleased]
        await self._release(leftovers)
        self._unreleased = self._unreleased[len(leftovers) :]

    async def _claim_due(self) -> list[Job]:
        free = self.options.queues - len(self._queue_tasks)
        loop_time = asyncio.get_running_loop().time()
        if free <= 0 or loop_time < self._resume_at:
            return []
        now = self._clock()
        due = await self._store.read(lambda tx: tx.jobs.next_due())
        if due is None or due > now:
            return []
        self._claiming = True
        return await self._write(lambda tx: self._claim(tx, now, free))

    def _claim(self, tx: Tx, now: datetime, free: int) -> list[Job]:
        until = now + timedelta(seconds=self.options.lease)
        tx.jobs.extend(self.name, until)  # keeps our leases even after the machine slept
        return tx.jobs.claim(self.name, now, until, free, self.options.batch_size)

    async def _write(self, work: Callable[[Tx], T]) -> T:
        return await self._store.write(work, background=True)  # no one waits for it

    async def _wait_for_work(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.options.poll_interval):
                await self._wake.wait()

    async def _renew_leases(self) -> None:
        while True:
            await asyncio.sleep(self.options.lease / 3)
            until = self._clock() + timedelta(seconds=self.options.lease)
            try:
                if self._queue_tasks:
                    await self._write(lambda tx, until=until: tx.jobs.extend(self.name, until))
            except RecollectError as error:
                log.warning("a lease can't be renewed: %s", error)

    async def _run_queue(self, queue: str, jobs: Sequence[Job]) -> None:
        """Run the jobs of a queue in order; after one that is delayed, the others wait too."""
        remaining = [*jobs]
        try:
            while remaining:
                job, may_continue = remaining[0], await self._run_job(remaining[0])
                remaining.remove(job)
                if not may_continue:
                    await self._release(remaining)
                    remaining.clear()
        except RecollectError as error:
            log.warning("a job could not be finished (%s); it will be retried", error)
            self._unreleased += remaining
        finally:
            self._queue_tasks.pop(queue, None)
            self._transitions += 1
            self._wake.set()
            async with self._progress:
                self._progress.notify_all()

    async def _release(self, jobs: Sequence[Job]) -> None:
        def work(tx: Tx) -> None:
            for job in jobs:
                tx.jobs.retry(job.id, self.name, job.due, job.error or "", counted=False)

        if jobs:
            await self._write(work)

    async def _run_job(self, job: Job) -> bool:
        """Run one job; whether the queue may go on to its next one."""
        if job.attempts > self.options.max_attempts:
            return await self._fail(job, job.error or "the process ended in the middle of it, again and again")
        handler = self._handlers.get(job.kind)
        if handler is None:
            return await self._fail(job, f"nothing here does jobs of the kind {job.kind!r}")
        try:
            work = await self._prepare(handler, job)
            await self._write(lambda tx: self._complete(tx, job, work))
        except _LostLease:
            log.warning("job %d was taken over by another worker", job.id)
            return False
        except StaleResult:
            return await self._retry_later(job, 0.0, "what it rests on has changed", counted=False)
        except (StoreBusy, StoreUnreachable) as error:  # not the job's fault, and likely temporary
            return await self._retry_later(job, self.options.retry_delay, str(error), counted=False)
        except ModelUnavailable as error:
            return await self._handle_unavailable(job, error)
        except Exception as error:  # noqa: BLE001 - one job must not stop the others; it is logged
            return await self._handle_failure(job, error)
        if job.kind == self._failing_kind:  # success of another kind says nothing about the model
            self._failures = 0
        return True

    async def _prepare(self, handler: Handler, job: Job) -> UnitOfWork:
        """The handler's unit of work; a hung handler is abandoned, even when it can't be cancelled."""
        task = asyncio.ensure_future(handler(job))
        try:
            await asyncio.wait({task}, timeout=self.options.job_timeout)
            if not task.done():
                raise TimeoutError(f"it took longer than {self.options.job_timeout:.0f} s")
            return _result(task)
        finally:
            task.cancel()
            self._limiter.release(task)

    def _complete(self, tx: Tx, job: Job, work: UnitOfWork) -> None:
        if not tx.jobs.finish(job.id, self.name):
            raise _LostLease
        work(tx)

    async def _handle_failure(self, job: Job, error: Exception) -> bool:
        is_expected = isinstance(error, RecollectError | TimeoutError)
        message = str(error) if is_expected else f"{type(error).__name__}: {error}"
        log.warning("%s of %s failed: %s", job.kind, job.queue, message, exc_info=None if is_expected else error)
        await self._log_event(job, error_kind(job.kind), message)
        if job.attempts >= self.options.max_attempts:
            return await self._fail(job, message)
        return await self._retry_later(job, self.options.retry_delay * 4 ** (job.attempts - 1), message)

    async def _handle_unavailable(self, job: Job, error: ModelUnavailable) -> bool:
        """Delay everything, longer each time; the attempt doesn't count."""
        delay = min(self.options.max_retry_delay, self.options.retry_delay * 2**self._failures)
        if not self._failures:
            log.warning("the model can't be reached (%s); learning waits, nothing is lost", error)
            await self._log_event(job, error_kind(job.kind), str(error))
        self._failures += 1
        self._failing_kind = job.kind
        self._resume_at = asyncio.get_running_loop().time() + delay
        return await self._retry_later(job, delay, str(error), counted=False)

    async def _retry_later(self, job: Job, seconds: float, error: str, *, counted: bool = True) -> bool:
        due = self._clock() + timedelta(seconds=seconds)
        await self._write(lambda tx: tx.jobs.retry(job.id, self.name, due, error, counted=counted))
        return False

    async def _fail(self, job: Job, error: str) -> bool:
        log.error("%s of %s is put aside: %s; 'recollect jobs' shows it", job.kind, job.queue, error)
        await self._write(lambda tx: tx.jobs.fail(job.id, self.name, error))
        await self._log_event(job, EventKind.JOB_FAILED, error)
        return True

    async def _log_event(self, job: Job, kind: EventKind, error: str) -> None:
        event = Event(kind, self._clock(), "worker", job.queue, detail=error, data={"job": job.id})
        await self._write(lambda tx: tx.events.add(event))


def _result(task: asyncio.Future[UnitOfWork]) -> UnitOfWork:
    """The handler's result; cancellation and exits inside it become ordinary errors, as they end it and not us."""
    if task.cancelled():
        raise ModelError("it was cancelled from inside")
    error = task.exception()
    if error is not None and not isinstance(error, Exception):
        raise ModelError(f"it ended with {type(error).__name__}")
    return task.result()
