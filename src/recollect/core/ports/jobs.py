"""The ports of a store's job queues and persisted state."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from recollect.core.state import Owner, StateKind, StateRow
from recollect.core.types import Metadata

EXTRACT, SUMMARIZE, DAILY_LOG, CONSOLIDATE = "extract", "summarize", "daily_log", "consolidate"
RELEARN = "relearn"
"""Kinds of jobs."""
ACKNOWLEDGE = "acknowledge"
"""The local extractor reads a message at once; the model follows later."""
MODEL_KINDS = frozenset({EXTRACT, SUMMARIZE, CONSOLIDATE, RELEARN})
"""Those that may ask a model, and wait while it can't be reached."""
MIRROR_QUEUE = "mirror"
"""The one queue, and tenant, of jobs that write the mirrored files."""


def consolidation_queue(user: str) -> str:
    """A queue of its own: a consolidation that waits for a quiet period must not hold up learning."""
    return f"{CONSOLIDATE}:{user}"


class JobState(StrEnum):
    """Where a job stands; the values are what stores write."""

    WAITING = "waiting"
    BLOCKED = "blocked"
    """Not the first of its queue. Internal to a store: readers see `WAITING`."""
    CLAIMED = "claimed"
    FAILED = "failed"
    """Given up after repeated failures, until someone requeues or discards it."""


@dataclass(frozen=True, slots=True)
class Job:
    """Background work, persisted until a worker completes it."""

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
    """Unit of fairness, such as a guild: tenants take turns."""


class Jobs(Protocol):
    """Persisted jobs: ordered within a queue, fair between tenants, claimed under a lease."""

    def add(self, job: NewJob, *, postpone: bool = False) -> int | None:
        """Queue a job; None when one with the same dedupe key is already waiting or running.

        With `postpone`, a waiting one gets the new due time instead.
        """
        ...

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        """Claim due jobs: up to `depth` from each of up to `limit` queues, in queue order.

        Tenants take turns; a queue's batch ends before the first job that is not due. A job whose lease expired is free
        again; of a batch only the first can have started, so the others don't lose an attempt.
        """
        ...

    def finish(self, job_id: int, worker: str) -> bool:
        """Delete a completed job; False when the lease was lost to another worker."""
        ...

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        """Let it wait again; with `counted` false, the attempt doesn't count towards the limit."""
        ...

    def fail(self, job_id: int, worker: str, error: str) -> bool: ...
    def requeue(self, job_id: int, due: datetime) -> bool: ...
    def hasten(self, job_id: int, due: datetime) -> bool:
        """Make a job due that waits for later; False when none with this id does."""
        ...

    def extend(self, worker: str, until: datetime) -> int:
        """Renew the leases of all jobs that this worker holds."""
        ...

    def rescue(self, kinds: Collection[str], now: datetime, latest_due: datetime, latest_lease: datetime) -> int:
        """Make waiting jobs of these kinds due now that are due after `latest_due`, and end leases after
        `latest_lease`: a clock that was ahead set these times. Returns how many there were.
        """
        ...

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """Discard the oldest waiting jobs of a kind beyond the `keep` newest; running ones are left alone."""
        ...

    def discard(self, job_id: int) -> bool:
        """Discard a job that is not running."""
        ...

    def erase(self, jobs: Collection[int]) -> int:
        """Remove jobs, running ones too: their worker can't finish them. Returns how many there were."""
        ...

    def find(self, dedupe_key: str, /) -> Job | None:
        """The waiting or running job with this key."""
        ...

    def due(self, dedupe_key: str, /) -> datetime | None:
        """The due time of the waiting or running job with this key."""
        ...

    def next_due(self) -> datetime | None:
        """When the first waiting job is due or the first lease expires, whichever is earlier."""
        ...

    def list(self, state: JobState | None = None, limit: int = 100) -> list[Job]: ...
    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        ...

    def count_delayed(self, now: datetime) -> int:
        """The number of waiting jobs that are not due yet."""
        ...


class State(Protocol):
    """Lists of small records, such as a user's messages since the last extraction. Each record has an owner."""

    def append(self, kind: StateKind, key: str, item: str, owner: Owner) -> None:
        """Append an item to a list unless it is in it."""
        ...

    def items(self, kind: StateKind, key: str = "") -> list[str]: ...
    def count(self, kind: StateKind, key: str = "") -> int: ...
    def remove(self, kind: StateKind, key: str, items: Collection[str]) -> None:
        """Remove items from a list, whoever owns them."""
        ...

    def clear(self, kind: StateKind, key: str = "") -> list[str]:
        """Empty the list and return its items."""
        ...

    def keys(self, kind: StateKind) -> list[str]:
        """Keys of the lists of a kind that are not empty."""
        ...

    def some(self, kind: StateKind, keys: Collection[str]) -> dict[str, list[str]]:
        """The lists of a kind with these keys, by key, in one query; empty ones are left out."""
        ...

    def lists(self, kind: StateKind) -> dict[str, list[str]]:
        """All lists of a kind, by key, in one query."""
        ...

    def owned_by(self, owner: Owner) -> list[StateRow]:
        """All records that are erased with an owner; see `Owner.includes`."""
        ...

    def naming(self, text: str) -> list[StateRow]:
        """Records whose key or item contains a text."""
        ...

    def erase(self, owner: Owner) -> int:
        """Delete all records of an owner, except for kinds in `OUTLASTING`; returns the number of lists."""
        ...
