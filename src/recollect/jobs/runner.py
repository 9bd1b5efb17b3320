"""Runs one job: prepares it, completes it in the transaction that finishes it, or decides what follows a failure."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from recollect.core.clock import Clock
from recollect.core.errors import (
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RecollectError,
    StoreBusy,
    StoreUnreachable,
)
from recollect.core.events import Event, EventKind, error_kind
from recollect.core.ports import Handler, PutOff, StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import MODEL_KINDS, Job
from recollect.jobs.backoff import ModelBackoff, retry_delay
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.options import WorkerOptions

log = logging.getLogger("recollect.jobs")


class _LostLease(Exception):
    """Another worker has claimed the job; its result counts, not ours."""


class Runner:
    """Runs jobs that its worker has claimed, with one handler per kind."""

    def __init__(
        self, store: Store, handlers: Mapping[str, Handler], clock: Clock, worker: str, limiter: ModelLimiter
    ) -> None:
        self._store = store
        self._handlers = dict(handlers)
        self._clock = clock
        self._worker = worker
        self._limiter = limiter
        self.backoff = ModelBackoff()

    def add_handler(self, kind: str, handler: Handler) -> None:
        self._handlers[kind] = handler

    async def run(self, job: Job, options: WorkerOptions) -> bool:
        """Run one job; whether its queue may go on to the next one."""
        # Attempts are counted when a job is claimed, so one that kills the process is given up, too.
        if job.attempts > options.max_attempts:
            return await self._fail(job, job.error or "the process ended in the middle of it, again and again")
        handler = self._handlers.get(job.kind)
        if handler is None:
            return await self._fail(job, f"nothing here does jobs of the kind {job.kind!r}")
        # Jobs that need no model go on during an outage.
        pause = self.backoff.remaining(asyncio.get_running_loop().time()) if job.kind in MODEL_KINDS else 0.0
        if pause:
            return await self._retry_at(job, self._after(pause), "the model can't be reached")
        try:
            work = await self._prepare(handler, job, options.job_timeout)
            await self._store.write(lambda tx: self._complete(tx, job, work), background=True)
        except _LostLease:
            log.warning("job %d was taken over by another worker", job.id)
            return False
        except StaleResult:
            return await self._retry_at(job, self._clock(), "what it rests on has changed")
        except PutOff as reason:
            return await self._retry_at(job, reason.until, str(reason))
        except (StoreBusy, StoreUnreachable) as error:  # not the job's fault, and likely temporary
            return await self._retry_at(job, self._after(options.retry_delay), str(error))
        except ModelTimeout as error:  # slow for this job; others may be quick
            return await self._handle_failure(job, error, options)
        except ModelUnavailable as error:
            return await self._handle_unavailable(job, error, options)
        except Exception as error:  # noqa: BLE001 - one job must not stop the others; it is logged
            return await self._handle_failure(job, error, options)
        self.backoff.add_success(job.kind)
        return True

    async def _prepare(self, handler: Handler, job: Job, timeout: float) -> UnitOfWork:
        """The handler's unit of work; a hung handler is abandoned, even when it can't be cancelled."""
        task = asyncio.ensure_future(handler(job))
        try:
            # Not `wait_for`, which waits until the cancelled task ends; some never do.
            await asyncio.wait({task}, timeout=timeout)
            if not task.done():
                raise TimeoutError(f"it took longer than {timeout:.0f} s")
            return _result(task)
        finally:
            task.cancel()
            # An abandoned call must not keep its slot for ever.
            self._limiter.release(task)

    def _complete(self, tx: Tx, job: Job, work: UnitOfWork) -> None:
        # First, in the same transaction: either the job is gone and its result is stored, or neither.
        if not tx.jobs.finish(job.id, self._worker):
            raise _LostLease
        work(tx)

    async def _handle_failure(self, job: Job, error: Exception, options: WorkerOptions) -> bool:
        is_expected = isinstance(error, RecollectError | TimeoutError)
        message = str(error) if is_expected else f"{type(error).__name__}: {error}"
        log.warning("%s of %s failed: %s", job.kind, job.queue, message, exc_info=None if is_expected else error)
        due = self._after(retry_delay(job.attempts, options))  # counted from the failure
        await self._log_event(job, error_kind(job.kind), message)
        if job.attempts >= options.max_attempts:
            return await self._fail(job, message)
        return await self._retry_at(job, due, message, counted=True)

    async def _handle_unavailable(self, job: Job, error: ModelUnavailable, options: WorkerOptions) -> bool:
        """Pause what asks a model, longer each time; the attempt doesn't count, and an outage is logged once."""
        was_failing = self.backoff.is_failing
        delay = self.backoff.add_failure(job.kind, asyncio.get_running_loop().time(), options)
        due = self._after(delay)  # counted from the outage
        if not was_failing:
            log.warning("the model can't be reached (%s); learning waits, nothing is lost", error)
            await self._log_event(job, error_kind(job.kind), str(error))
        return await self._retry_at(job, due, str(error))

    def _after(self, seconds: float) -> datetime:
        return self._clock() + timedelta(seconds=seconds)

    async def _retry_at(self, job: Job, due: datetime, error: str, *, counted: bool = False) -> bool:
        await self._store.write(
            lambda tx: tx.jobs.retry(job.id, self._worker, due, error, counted=counted), background=True
        )
        return False

    async def _fail(self, job: Job, error: str) -> bool:
        log.error("%s of %s failed for good: %s; 'recollect jobs' shows it", job.kind, job.queue, error)
        await self._store.write(lambda tx: tx.jobs.fail(job.id, self._worker, error), background=True)
        await self._log_event(job, EventKind.JOB_FAILED, error)
        return True

    async def _log_event(self, job: Job, kind: EventKind, error: str) -> None:
        trace = {"trace": job.payload["trace"]} if "trace" in job.payload else {}
        event = Event(kind, self._clock(), "worker", job.queue, detail=error, data={"job": job.id, **trace})
        await self._store.write(lambda tx: tx.events.add(event), background=True)


def _result(task: asyncio.Future[UnitOfWork]) -> UnitOfWork:
    """The handler's result; cancellation and exits inside it become ordinary errors, as they end it and not us."""
    if task.cancelled():
        raise ModelError("it was cancelled from inside")
    error = task.exception()
    if error is not None and not isinstance(error, Exception):
        raise ModelError(f"it ended with {type(error).__name__}")
    return task.result()
