"""What the queue of jobs looks like from outside: counts, delayed jobs, recent events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.core.ports import Tx
from recollect.core.ports.jobs import Job, JobState

MAX_JOBS_COUNTED = 10_000
"""Waiting jobs that are read to count the delayed ones."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """Jobs by state, the first of them, and counts and last times of events."""

    counts: Mapping[str, int]
    delayed: int
    """Waiting jobs that are not due yet."""
    jobs: Sequence[Job]
    events: Mapping[str, tuple[int, datetime]]


def count_delayed(tx: Tx, now: datetime) -> int:
    """Count waiting jobs that are not due yet, as after a silence or until an erasure is final."""
    return sum(job.due > now for job in tx.jobs.list(JobState.WAITING, MAX_JOBS_COUNTED))
