"""Jobs on disk and small persisted lists, as a store keeps them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from recollect.core.types import Metadata

EXTRACT, SUMMARIZE, DAILY_LOG, CONSOLIDATE = "extract", "summarize", "daily_log", "consolidate"
"""Kinds of jobs."""
MIRROR_QUEUE = "mirror"
"""The one queue, and tenant, of jobs that write the mirrored files."""


def consolidation_queue(user: str) -> str:
    """A queue apart from the user's others: what waits for silence must not hold up learning."""
    return f"{CONSOLIDATE}:{user}"


class JobState(StrEnum):
    """Where a job stands; the values are what stores write."""

    WAITING = "waiting"
    BLOCKED = "blocked"
    """Not the first of its queue. A store's own affair: readers see `WAITING`."""
    CLAIMED = "claimed"
    FAILED = "failed"
    """Given up after repeated failures, until someone requeues or discards it."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work that an observed message caused, waiting on disk for a worker."""

    id: int
    kind: str
    queue: str
    """Jobs of one queue run in order; queues run in parallel."""
    payload: Metadata
    due: datetime
    attempts: int = 0
    state: JobState = JobState.WAITING
    error: str | None = None
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class NewJob:
    kind: str
    queue: str
    payload: Metadata
    due: datetime
    dedupe_key: str | None = None
    tenant: str = ""
    """The unit of fairness, such as a guild: tenants are served round-robin."""


class Jobs(Protocol):
    """Work on disk: in order within a queue, fair between tenants, claimed under a lease, failed when hopeless."""

    def add(self, job: NewJob, *, postpone: bool = False) -> int | None:
        """Queue a job; None when one with the same dedupe key waits or runs already.

        With `postpone`, one that waits gets the new due time instead.
        """
        ...

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        """Jobs that are due, of up to `limit` queues and up to `depth` of each queue, in the order of their queues.

        Tenants are served round-robin; a run ends before the first job that is not due. A job whose lease ran out is
        free again; of several in a queue only the first can have been started, so the others lose no attempt.
        """
        ...

    def finish(self, job_id: int, worker: str) -> bool:
        """Done; False when the lease was lost to another worker."""
        ...

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        """Let it wait again; an attempt that is not `counted` was not the job's fault."""
        ...

    def fail(self, job_id: int, worker: str, error: str) -> bool: ...
    def requeue(self, job_id: int, due: datetime) -> bool: ...
    def extend(self, worker: str, until: datetime) -> int:
        """Renew the lease of all jobs that this worker holds."""
        ...

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """Give up the oldest waiting jobs of a kind beyond so many; those that run are left alone."""
        ...

    def discard(self, job_id: int) -> bool:
        """Give up a job that no worker runs."""
        ...

    def erase(self, jobs: Collection[int]) -> int:
        """Remove jobs, also those that run: their worker can't finish them. How many there were."""
        ...

    def find(self, dedupe: str) -> Job | None:
        """The job with this key that waits or runs."""
        ...

    def due(self, dedupe: str) -> datetime | None:
        """When the job with this key that waits or runs is, or was, due."""
        ...

    def next_due(self) -> datetime | None:
        """When the first waiting job is due, or the first lease runs out."""
        ...

    def list(self, state: JobState | None = None, limit: int = 100) -> list[Job]: ...
    def counts(self) -> dict[str, int]:
        """How many jobs are `waiting`, `claimed` and `failed`."""
        ...


class State(Protocol):
    """What has come up since something was last done, such as the messages of a user since the last extraction."""

    def append(self, name: str, item: str) -> int:
        """Add an item to a list, at its end and once; how many there are now."""
        ...

    def items(self, name: str) -> list[str]: ...
    def clear(self, name: str) -> list[str]:
        """Empty the list; what was in it."""
        ...

    def names(self, prefix: str = "") -> list[str]:
        """Lists that are not empty, by name."""
        ...
