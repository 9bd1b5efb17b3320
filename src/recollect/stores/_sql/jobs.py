"""Jobs on disk: in order within a queue, tenants served round-robin, claimed under a lease.

Of each queue only the first job is `waiting`, and none while one of the queue is claimed; the others are `blocked`,
which callers see as `waiting`. So the index used by claims has one entry per queue, however long queues grow.
A change of which job is the first needs the queue's lock.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Generic, LiteralString, TypeVar

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.fairness import FIRST_DUE
from recollect.stores._sql.rows import encode, optional_time

D = TypeVar("D", bound=Database)

COLUMNS = "id, kind, queue, payload, due, attempts, state, error, tenant"
"""What `read_job` reads."""
# It waits if it is the only one of its queue; with a dedupe key that is there already it is not written.
INSERT = """
INSERT INTO jobs (kind, queue, payload, state, due, dedupe, tenant) VALUES ($1, $2, $3,
CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE queue = $2 AND state <> 'failed') THEN 'blocked' ELSE 'waiting' END,
$4, $5, $6) ON CONFLICT DO NOTHING
"""
_POSTPONE = "UPDATE jobs SET due = $1 WHERE dedupe = $2 AND state IN ('waiting', 'blocked')"
# The first job of a queue may be claimed, unless another one of the queue still runs.
_PROMOTE_FIRST = """
UPDATE jobs SET state = 'waiting' WHERE state = 'blocked'
AND id = (SELECT id FROM jobs WHERE queue = $1 AND state <> 'failed' ORDER BY id LIMIT 1)
AND NOT EXISTS (SELECT 1 FROM jobs WHERE queue = $1 AND state = 'claimed')
"""
_BLOCK_ALL = "UPDATE jobs SET state = 'blocked' WHERE queue = $1 AND state = 'waiting'"
_FINISH = "DELETE FROM jobs WHERE id = $1 AND worker = $2 AND state = 'claimed'"
_RETRY = """
UPDATE jobs SET state = 'blocked', error = $1, due = $2, attempts = attempts - $3, worker = NULL, until = NULL
WHERE id = $4 AND worker = $5 AND state = 'claimed'
"""
_FAIL = """
UPDATE jobs SET state = 'failed', error = $1, dedupe = NULL, worker = NULL, until = NULL
WHERE id = $2 AND worker = $3 AND state = 'claimed'
"""
_REQUEUE = "UPDATE jobs SET state = 'blocked', due = $1, attempts = 0 WHERE id = $2 AND state = 'failed'"
_HASTEN = "UPDATE jobs SET due = $1 WHERE id = $2 AND due > $1 AND state IN ('waiting', 'blocked')"
_PULL = "UPDATE jobs SET due = $1 WHERE kind = $2 AND due > $3 AND state <> 'failed'"
_END_LEASES = "UPDATE jobs SET until = $1 WHERE state = 'claimed' AND until > $2"
# Unclaimed jobs of a kind, beyond the newest; SQLite has no OFFSET without a LIMIT.
_EXCESS = """
SELECT id, queue FROM jobs WHERE kind = $1 AND state IN ('waiting', 'blocked')
ORDER BY id DESC LIMIT 4611686018427387904 OFFSET $2
"""
_FIND: LiteralString = f"SELECT {COLUMNS} FROM jobs WHERE dedupe = $1 AND state <> 'failed'"
_LIST: LiteralString = f"""
SELECT {COLUMNS} FROM jobs WHERE CAST($1 AS text) IS NULL
OR CASE state WHEN 'blocked' THEN 'waiting' ELSE state END = $1 ORDER BY id LIMIT $2
"""
_COUNT_DELAYED = "SELECT count(*) FROM jobs WHERE state IN ('waiting', 'blocked') AND due > $1"
_COUNTS = "SELECT CASE state WHEN 'blocked' THEN 'waiting' ELSE state END, count(*) FROM jobs GROUP BY 1"
# Queues with a job that could be claimed beside another one, or without one that can be claimed.
_MISORDERED = """
SELECT queue FROM (
    SELECT queue, count(*) FILTER (WHERE state = 'claimed') AS claimed,
        count(*) FILTER (WHERE state = 'waiting') AS waiting,
        min(id) AS first, min(id) FILTER (WHERE state = 'waiting') AS head
    FROM jobs WHERE state <> 'failed' GROUP BY queue
) AS queues WHERE CASE WHEN claimed > 0 THEN waiting > 0 ELSE waiting <> 1 OR head <> first END ORDER BY queue
"""


class Jobs(ABC, Generic[D]):
    queue_of: LiteralString = "SELECT queue FROM jobs WHERE id = $1"
    """The queue of a job, locked until the transaction ends."""
    extended: LiteralString = "UPDATE jobs SET until = $1 WHERE state = 'claimed' AND worker = $2"
    """Extend the lease of all jobs that a worker has claimed."""

    def __init__(self, db: D) -> None:
        self._db = db

    @abstractmethod
    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]: ...
    @abstractmethod
    def _insert(self, row: Row) -> int | None:
        """The id of the new job; None if its dedupe key is there already."""
        ...

    def add(self, job: NewJob, *, postpone: bool = False) -> int | None:
        """Under the queue's lock, so that later ones of a queue have higher numbers."""
        self._db.lock(lock_name(job.queue))
        due = to_ms(job.due)
        added = self._insert((job.kind, job.queue, encode(job.payload), due, job.dedupe_key, job.tenant))
        # A job that already runs is not postponed: its end decides what comes next.
        if added is None and postpone:
            self._db.run(_POSTPONE, (due, job.dedupe_key))
        return added

    def finish(self, job_id: int, worker: str) -> bool:
        return self._remove_from_queue(job_id, _FINISH, (job_id, worker))

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        return self._remove_from_queue(job_id, _RETRY, (error, to_ms(due), int(not counted), job_id, worker))

    def fail(self, job_id: int, worker: str, error: str) -> bool:
        """Give up on a job; its dedupe key is free again."""
        return self._remove_from_queue(job_id, _FAIL, (error, job_id, worker))

    def _remove_from_queue(self, job_id: int, sql: LiteralString, values: Row) -> bool:
        """Remove a job from the head of its queue, so that the next one moves up; returns whether it was there."""
        queue = self._db.value(self.queue_of, (job_id,))
        if queue is None or not self._db.run(sql, values):
            return False
        promote_first(self._db, [queue])
        return True

    def requeue(self, job_id: int, due: datetime) -> bool:
        """Back to its place in its queue, before the present first job if it is older."""
        queue = self._db.value("SELECT queue FROM jobs WHERE id = $1 AND state = 'failed'", (job_id,))
        if queue is None:
            return False
        self._db.lock(lock_name(queue))
        # The present first job steps back, too: whichever is oldest afterwards is promoted again.
        self._db.run(_BLOCK_ALL, (queue,))
        requeued = self._db.run(_REQUEUE, (to_ms(due), job_id))
        promote_first(self._db, [queue])
        return requeued > 0

    def hasten(self, job_id: int, due: datetime) -> bool:
        return self._db.run(_HASTEN, (to_ms(due), job_id)) > 0

    def extend(self, worker: str, until: datetime) -> int:
        return self._db.run(self.extended, (to_ms(until), worker))

    def rescue(self, kinds: Collection[str], now: datetime, latest_due: datetime, latest_lease: datetime) -> int:
        pulled = sum(self._db.run(_PULL, (to_ms(now), kind, to_ms(latest_due))) for kind in kinds)
        return pulled + self._db.run(_END_LEASES, (to_ms(now), to_ms(latest_lease)))

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """Reads as many index entries as are kept, unless there is something to drop."""
        excess = self._db.rows(_EXCESS, (kind, max(keep, 0)))
        rows = self._remove(excess, "AND state IN ('waiting', 'blocked')")
        return sorted((read_job(row) for row in rows), key=lambda job: job.id)

    def discard(self, job_id: int) -> bool:
        return bool(self._remove(self._with_queues([job_id]), "AND state <> 'claimed'"))

    def erase(self, jobs: Collection[int]) -> int:
        self._db.run("UPDATE meta SET value = '' WHERE name = 'turn'")  # the cursor may name who is erased
        return len(self._remove(self._with_queues(jobs), ""))

    def _with_queues(self, jobs: Collection[int]) -> list[Row]:
        sql: LiteralString = f"SELECT id, queue FROM jobs WHERE id {self._db.among}"
        return self._db.rows(sql, (self._db.array(jobs),))

    def _remove(self, jobs: list[Row], condition: LiteralString) -> list[Row]:
        """Remove these jobs, given with their queues, where the condition still holds once the queues are locked."""
        if not jobs:
            return []
        # In order of name, so that two transactions never wait for each other's locks.
        for queue in sorted({queue for _, queue in jobs}):
            self._db.lock(lock_name(queue))
        sql: LiteralString = f"DELETE FROM jobs WHERE id {self._db.among} {condition} RETURNING {COLUMNS}"
        rows = self._db.rows(sql, (self._db.array(job for job, _ in jobs),))
        promote_first(self._db, {row[2] for row in rows})
        return rows

    def find(self, dedupe: str) -> Job | None:
        row = self._db.row(_FIND, (dedupe,))
        return None if row is None else read_job(row)

    def due(self, dedupe: str) -> datetime | None:
        sql: LiteralString = "SELECT due FROM jobs WHERE dedupe = $1 AND state <> 'failed'"
        return optional_time(self._db.value(sql, (dedupe,)))

    def next_due(self) -> datetime | None:
        """Of each queue only its first job counts: those after it can't be claimed before."""
        return optional_time(self._db.value(FIRST_DUE))

    def list(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        return [read_job(row) for row in self._db.rows(_LIST, (state, limit))]

    def counts(self) -> dict[str, int]:
        return dict(self._db.rows(_COUNTS))

    def count_delayed(self, now: datetime) -> int:
        return self._db.value(_COUNT_DELAYED, (to_ms(now),))


def lock_name(queue: str) -> str:
    return f"queue:{queue}"


def promote_first(db: Database, queues: Iterable[str]) -> None:
    """Let the first job of each queue be claimed, unless one of the queue still runs."""
    for queue in queues:
        db.run(_PROMOTE_FIRST, (queue,))


def misordered_queues(db: Database) -> list[str]:
    """Queues whose jobs can't be claimed in order."""
    return [queue for (queue,) in db.rows(_MISORDERED)]


def repair_queues(db: Database) -> None:
    """Make the first job of each misordered queue the one that can be claimed."""
    restart_queues(db, misordered_queues(db))


def restart_queues(db: Database, queues: Iterable[str]) -> None:
    """Make only the first job of each queue claimable."""
    for queue in queues:
        db.lock(lock_name(queue))
        db.run(_BLOCK_ALL, (queue,))
        promote_first(db, [queue])


def in_order(rows: Iterable[Row], ids: Iterable[int]) -> list[Job]:
    jobs = {row[0]: read_job(row) for row in rows}
    return [jobs[job_id] for job_id in ids]


def read_job(row: Row) -> Job:
    return Job(
        id=row[0],
        kind=row[1],
        queue=row[2],
        payload=json.loads(row[3]),
        due=from_ms(row[4]),
        attempts=row[5],
        state=JobState.WAITING if row[6] == JobState.BLOCKED else JobState(row[6]),
        error=row[7],
        tenant=row[8],
    )
