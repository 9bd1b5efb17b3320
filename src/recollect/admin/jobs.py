"""Background jobs, and the health of the store as the operator's probes ask for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.admin.base import AdminBase, clamp
from recollect.core.ports import Corpus, HealthCheck, Tx
from recollect.core.ports.jobs import Job, JobState
from recollect.jobs.status import WorkerStatus

_ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """What a store holds, for metrics."""

    totals: Mapping[Corpus, int]
    jobs: Mapping[str, int]
    """By state; those that are not due yet count as `later`, not as `waiting`."""
    events: Mapping[str, tuple[int, datetime]]
    """How many there are of each kind, and when the last one was."""


class JobAdmin(AdminBase):
    async def jobs(
        self, state: JobState | None = None, limit: int = 100, after: int = 0
    ) -> tuple[Mapping[str, int], Sequence[Job]]:
        """How many jobs are in each state, and the oldest of one state or of all; those behind the job `after`."""

        def work(tx: Tx) -> tuple[Mapping[str, int], Sequence[Job]]:
            jobs = tx.jobs.list(state, _ALL if after else clamp(limit))
            return tx.jobs.counts(), [job for job in jobs if job.id > after][: clamp(limit)]

        return await self._read(work)

    async def job_status(self, limit: int = 100) -> WorkerStatus:
        """The state of the queue; failed jobs come first."""
        return await self.memory.worker.status(clamp(limit))

    async def retry_jobs(self, job_id: int | None = None) -> int:
        """Requeue a failed job, or all of them; returns how many."""
        return await self.memory.worker.retry(job_id)

    async def hasten_job(self, job_id: int) -> bool:
        """Run a job now: one that failed, or one that is not due yet."""
        return await self.memory.worker.hasten(job_id)

    async def drop_job(self, job_id: int) -> bool:
        """Delete a job that is not running; its messages stay."""
        return await self.memory.worker.discard(job_id)

    async def counts(self) -> StoreCounts:
        now = self._clock()

        def work(tx: Tx) -> StoreCounts:
            jobs, delayed = tx.jobs.counts(), tx.jobs.count_delayed(now)
            waiting = jobs.get(JobState.WAITING, 0) - delayed
            return StoreCounts(
                tx.index.row_counts(), {**jobs, JobState.WAITING: waiting, "later": delayed}, tx.events.counts()
            )

        return await self._read(work)

    async def generation(self) -> int:
        """A number that changes with every write."""
        return await self._read(lambda tx: tx.generation())

    async def check_health(self) -> Sequence[HealthCheck]:
        """Examine the whole store."""
        return await self.memory.store.check_health()

    async def write_problem(self) -> str | None:
        """Why the store can't be written, if so; raises RecollectError when it can't be read."""
        await self._read(lambda tx: tx.generation())
        return await self._write_health.problem(self.memory.engine.write_monitor)
