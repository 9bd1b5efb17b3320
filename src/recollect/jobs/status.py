"""What the queue of jobs looks like from outside: counts, delayed jobs, recent events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.core.ports import Tx
from recollect.core.ports.jobs import Job

MAX_JOBS_COUNTED = 10_000
"""Waiting jobs that are read to count the delayed ones."""


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
    return sum(job.due > moment for job in tx.jobs.list("waiting", MAX_JOBS_COUNTED))
