"""Jobs on disk: in order within a queue, tenants round-robin, claimed under a lease, by workers of many processes.

Of each queue only the first job is `waiting`, and none while one of the queue is claimed; the others are `blocked`,
which callers see as `waiting`. So the index used by claims has one entry per queue, however long queues grow.
A change of which job is the first needs the queue's lock. A claim does not: it locks the row of the first job, and no
one else can make another job the first.
"""

import json
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import LiteralString

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.stores.postgres.database import Database, Row, lock_of
from recollect.stores.postgres.fairness import FirstJob, first_due, take_turns

_COLUMNS: LiteralString = "id, kind, queue, payload, due, attempts, state, error, tenant"
_VISIBLE_STATE: LiteralString = "CASE state WHEN 'blocked' THEN 'waiting' ELSE state END"
_IDLE: LiteralString = "state IN ('waiting', 'blocked')"
_QUEUE: LiteralString = f"SELECT queue, pg_advisory_xact_lock({lock_of('queue', 'queue')}) FROM jobs WHERE id = %s"
"""The queue of a job, held from now on."""
_FIRST_OF_QUEUE: LiteralString = "SELECT id FROM jobs WHERE queue = %(queue)s AND state <> 'failed' ORDER BY id LIMIT 1"
_PROMOTE_FIRST: LiteralString = (
    f"UPDATE jobs SET state = 'waiting' WHERE id = ({_FIRST_OF_QUEUE}) AND state = 'blocked' "
    "AND NOT EXISTS (SELECT 1 FROM jobs WHERE queue = %(queue)s AND state = 'claimed')"
)
_FINISH: LiteralString = """
WITH gone AS (
    DELETE FROM jobs WHERE id = %(id)s AND worker = %(worker)s AND state = 'claimed' RETURNING id
), next AS (
    UPDATE jobs SET state = 'waiting' FROM gone WHERE state = 'blocked' AND jobs.id = (
        SELECT id FROM jobs WHERE queue = %(queue)s AND state <> 'failed' AND id <> %(id)s ORDER BY id LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM jobs WHERE queue = %(queue)s AND state = 'claimed' AND id <> %(id)s)
)
SELECT 1 FROM gone
"""
_CLAIM: LiteralString = f"""
WITH noted AS (
    UPDATE meta SET value = %(turn)s WHERE name = (
        SELECT name FROM meta WHERE name = 'turn' AND value <> %(turn)s FOR UPDATE SKIP LOCKED)
)
UPDATE jobs SET state = 'claimed', worker = %(worker)s, until = %(until)s, attempts = attempts + 1
WHERE id = ANY(%(jobs)s::bigint[]) RETURNING {_COLUMNS}
"""
"""Claim these jobs and move the round-robin cursor, unless another worker is moving it."""


class PostgresJobs:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, job: NewJob, *, postpone: bool = False) -> int | None:
        """Under the queue's lock, so that later ones of a queue have higher numbers."""
        self._hold(job.queue)
        values = {
            "kind": job.kind,
            "queue": job.queue,
            "payload": _encode(job.payload),
            "due": to_ms(job.due),
            "dedupe": job.dedupe_key,
            "tenant": job.tenant,
        }
        added = self._db.value(
            "INSERT INTO jobs (kind, queue, payload, state, due, dedupe, tenant) "
            "SELECT %(kind)s, %(queue)s, %(payload)s, "
            "CASE WHEN EXISTS (SELECT 1 FROM jobs WHERE queue = %(queue)s AND state <> 'failed') THEN 'blocked' "
            "ELSE 'waiting' END, %(due)s, %(dedupe)s, %(tenant)s "
            "ON CONFLICT (dedupe) WHERE dedupe IS NOT NULL DO NOTHING RETURNING id",
            values,
        )
        if added is None and postpone:
            self._db.run(f"UPDATE jobs SET due = %(due)s WHERE dedupe = %(dedupe)s AND {_IDLE}", values)
        return added

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        """Within a tenant the queue that is due longest comes first; of a queue, what is due up to the first gap."""
        first_jobs, cursor = take_turns(self._db, to_ms(now), limit, lambda expired: self._free(expired, now))
        chosen = [job for first_job in first_jobs for job in self._run_from(first_job, now, depth)]
        if not chosen:
            return []
        rows = self._db.rows(_CLAIM, {"turn": cursor, "worker": worker, "until": to_ms(until), "jobs": chosen})
        claimed = {row[0]: _job(row) for row in rows}
        return [claimed[job] for job in chosen]

    def _free(self, expired: Collection[str], now: datetime) -> None:
        """Of each queue only the first job can have been started: the others get their attempt back."""
        held = set(self._db.try_locks([_lock_name(queue) for queue in expired]))
        queues = [queue for queue in expired if _lock_name(queue) in held]
        self._db.run(
            "UPDATE jobs SET state = 'blocked', worker = NULL, until = NULL, attempts = attempts - (id NOT IN ("
            "SELECT min(id) FROM jobs WHERE state = 'claimed' AND until <= %(now)s AND queue = ANY(%(queues)s) "
            "GROUP BY queue))::int WHERE state = 'claimed' AND until <= %(now)s AND queue = ANY(%(queues)s)",
            {"now": to_ms(now), "queues": queues},
        )
        _promote_first(self._db, queues)

    def _run_from(self, first_job: FirstJob, now: datetime, depth: int) -> list[int]:
        """The first job of a queue and those after it, up to the first that is not due or is locked."""
        job, queue = first_job
        if depth <= 1:
            return [job]
        sql: LiteralString = "SELECT id, due FROM jobs WHERE queue = %s AND state <> 'failed' ORDER BY id LIMIT %s"
        rows = self._db.rows(sql, (queue, depth))
        free = {job_id for job_id, _ in self._db.rows(f"{sql} FOR UPDATE SKIP LOCKED", (queue, depth))}
        run: list[int] = []
        for job_id, due in rows:
            if due > to_ms(now) or job_id not in free:
                break
            run.append(job_id)
        return run

    def finish(self, job_id: int, worker: str) -> bool:
        queue = self._db.value(_QUEUE, (job_id,))
        if queue is None:
            return False
        return self._db.value(_FINISH, {"id": job_id, "worker": worker, "queue": queue}) is not None

    def _leave(self, job_id: int, sql: LiteralString, values: dict[str, object]) -> bool:
        """Let a job leave its place, which the next one of its queue takes; whether it did."""
        queue = self._db.value(_QUEUE, (job_id,))
        if queue is None:
            return False
        has_left = self._db.run(sql, values | {"id": job_id}) > 0
        if has_left:
            _promote_first(self._db, [queue])
        return has_left

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        return self._leave(
            job_id,
            "UPDATE jobs SET state = 'blocked', error = %(error)s, due = %(due)s, attempts = attempts - %(refund)s, "
            "worker = NULL, until = NULL WHERE id = %(id)s AND worker = %(worker)s AND state = 'claimed'",
            {"worker": worker, "error": error, "due": to_ms(due), "refund": int(not counted)},
        )

    def fail(self, job_id: int, worker: str, error: str) -> bool:
        """Give up on a job; its dedupe key is free again."""
        return self._leave(
            job_id,
            "UPDATE jobs SET state = 'failed', error = %(error)s, dedupe = NULL, worker = NULL, until = NULL "
            "WHERE id = %(id)s AND worker = %(worker)s AND state = 'claimed'",
            {"worker": worker, "error": error},
        )

    def requeue(self, job_id: int, due: datetime) -> bool:
        """Back to its place in its queue, before the present first job if it is older."""
        queue = self._db.value("SELECT queue FROM jobs WHERE id = %s AND state = 'failed'", (job_id,))
        if queue is None:
            return False
        self._hold(queue)
        self._db.run(
            f"UPDATE jobs SET state = 'blocked' WHERE id = ({_FIRST_OF_QUEUE}) AND state = 'waiting'", {"queue": queue}
        )
        requeued = self._db.run(
            "UPDATE jobs SET state = 'blocked', due = %s, attempts = 0 WHERE id = %s AND state = 'failed'",
            (to_ms(due), job_id),
        )
        _promote_first(self._db, [queue])
        return requeued > 0

    def extend(self, worker: str, until: datetime) -> int:
        return self._db.run(
            "UPDATE jobs SET until = %s WHERE state = 'claimed' AND worker = %s", (to_ms(until), worker)
        )

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """Reads as many index entries as are kept, unless there is something to drop."""
        excess = self._db.rows(
            f"SELECT id, queue FROM jobs WHERE kind = %s AND {_IDLE} ORDER BY id DESC OFFSET %s", (kind, max(keep, 0))
        )
        rows = self._remove(excess, f"AND {_IDLE}")
        return sorted((_job(row) for row in rows), key=lambda job: job.id)

    def discard(self, job_id: int) -> bool:
        return bool(self._remove(self._queues_of([job_id]), "AND state <> 'claimed'"))

    def erase(self, jobs: Collection[int]) -> int:
        self._db.run("UPDATE meta SET value = '' WHERE name = 'turn'")  # it may name the guild or person that is erased
        return len(self._remove(self._queues_of(jobs), ""))

    def _queues_of(self, jobs: Collection[int]) -> list[Row]:
        return self._db.rows("SELECT id, queue FROM jobs WHERE id = ANY(%s)", (list(jobs),))

    def _remove(self, jobs: list[Row], condition: LiteralString) -> list[Row]:
        """Remove these jobs, given with their queues, where the condition still holds once the queues are locked."""
        if not jobs:
            return []
        for queue in sorted({queue for _, queue in jobs}):
            self._hold(queue)
        rows = self._db.rows(
            f"DELETE FROM jobs WHERE id = ANY(%s) {condition} RETURNING {_COLUMNS}", ([job for job, _ in jobs],)
        )
        _promote_first(self._db, {row[2] for row in rows})
        return rows

    def find(self, dedupe: str) -> Job | None:
        row = self._db.row(f"SELECT {_COLUMNS} FROM jobs WHERE dedupe = %s AND state <> 'failed'", (dedupe,))
        return None if row is None else _job(row)

    def due(self, dedupe: str) -> datetime | None:
        due = self._db.value("SELECT due FROM jobs WHERE dedupe = %s AND state <> 'failed'", (dedupe,))
        return None if due is None else from_ms(due)

    def next_due(self) -> datetime | None:
        """Of each queue only its first job counts: those after it can't be claimed before."""
        ms = first_due(self._db)
        return None if ms is None else from_ms(ms)

    def list(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM jobs WHERE %(state)s::text IS NULL OR {_VISIBLE_STATE} = %(state)s "
            "ORDER BY id LIMIT %(limit)s",
            {"state": state, "limit": limit},
        )
        return [_job(row) for row in rows]

    def counts(self) -> dict[str, int]:
        return dict(self._db.rows(f"SELECT {_VISIBLE_STATE}, count(*) FROM jobs GROUP BY 1"))

    def count_delayed(self, now: datetime) -> int:
        return self._db.value(f"SELECT count(*) FROM jobs WHERE {_IDLE} AND due > %s", (to_ms(now),))

    def _hold(self, queue: str) -> None:
        self._db.lock(_lock_name(queue))


def _lock_name(queue: str) -> str:
    return f"queue:{queue}"


def _promote_first(db: Database, queues: Iterable[str]) -> None:
    """Let the first job of each queue be claimed, unless one of the queue still runs."""
    for queue in queues:
        db.run(_PROMOTE_FIRST, {"queue": queue})


_MISORDERED: LiteralString = """
SELECT queue FROM (
    SELECT queue, count(*) FILTER (WHERE state = 'claimed') AS claimed, count(*) FILTER (WHERE state = 'waiting')
        AS waiting, min(id) AS first, min(id) FILTER (WHERE state = 'waiting') AS head
    FROM jobs WHERE state <> 'failed' GROUP BY queue
) AS queues WHERE CASE WHEN claimed > 0 THEN waiting > 0 ELSE waiting <> 1 OR head <> first END ORDER BY queue
"""


def misordered_queues(db: Database) -> list[str]:
    """Queues whose jobs can't be claimed in order."""
    return [queue for (queue,) in db.rows(_MISORDERED)]


def repair_queues(db: Database) -> None:
    """Make the first job of each misordered queue the one that can be claimed."""
    for queue in misordered_queues(db):
        db.lock(_lock_name(queue))
        db.run("UPDATE jobs SET state = 'blocked' WHERE queue = %s AND state = 'waiting'", (queue,))
        _promote_first(db, [queue])


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def _job(row: Row) -> Job:
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
