"""What the queue of jobs looks like from outside, and what its operator may do with failed jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.core.ports import Tx
from recollect.core.ports.jobs import Job, JobState


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """Jobs by state, the first of them, and counts and last times of events."""

    counts: Mapping[str, int]
    delayed: int
    """Waiting jobs that are not due yet, as after a silence or until an erasure is final."""
    jobs: Sequence[Job]
    events: Mapping[str, tuple[int, datetime]]


def read_status(tx: Tx, limit: int, now: datetime) -> WorkerStatus:
    """Up to `limit` jobs: failed ones first, then those that run, those that are due, and those for later."""
    failed = tx.jobs.list(JobState.FAILED, limit)
    running = tx.jobs.list(JobState.CLAIMED, limit)
    waiting = sorted(tx.jobs.list(JobState.WAITING, limit), key=lambda job: (max(job.due, now), job.id))
    jobs = [*failed, *running, *waiting][:limit]
    return WorkerStatus(tx.jobs.counts(), tx.jobs.count_delayed(now), jobs, tx.events.counts())


def requeue_failed(tx: Tx, job_id: int | None, now: datetime) -> int:
    """Requeue one failed job, or all of them; returns how many."""
    chosen = [job_id] if job_id is not None else [job.id for job in tx.jobs.list(JobState.FAILED, 1 << 30)]
    return sum(tx.jobs.requeue(failed_id, now) for failed_id in chosen)
