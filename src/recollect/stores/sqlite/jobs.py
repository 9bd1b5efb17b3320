"""Jobs on disk: in order within a queue, tenants served round-robin, claimed under a lease.

Of each queue only the first job is `waiting`, and none while one of the queue is claimed; the others are `blocked`,
which callers see as `waiting`. So the index used by claims has one entry per queue, however long queues grow.
"""

import json
from collections.abc import Collection, Iterable
from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.fairness import first_due, take_turns
from recollect.stores.sqlite.rows import optional_time, to_json

_COLUMNS = "id, kind, queue, payload, due, attempts, state, error, tenant"
_VISIBLE_STATE = "iif(state = 'blocked', 'waiting', state)"
_IDLE = "state IN ('waiting', 'blocked')"
_ADD = (  # without RETURNING, with which it takes two thirds longer
    "INSERT INTO jobs (kind, queue, payload, state, due, dedupe, tenant) VALUES (?1, ?2, ?3, "
    "iif(EXISTS (SELECT 1 FROM jobs WHERE queue = ?2 AND state <> 'failed'), 'blocked', 'waiting'), ?4, ?5, ?6) "
    "ON CONFLICT DO NOTHING"
)
_FIRST_OF_QUEUE = "SELECT id FROM jobs WHERE queue = ?1 AND state <> 'failed' ORDER BY id LIMIT 1"
_PROMOTE_FIRST = (
    f"UPDATE jobs SET state = 'waiting' WHERE id = ({_FIRST_OF_QUEUE}) AND state = 'blocked' "
    "AND NOT EXISTS (SELECT 1 FROM jobs WHERE queue = ?1 AND state = 'claimed')"
)


class SQLiteJobs:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, job: NewJob, *, postpone: bool = False) -> int | None:
        self._db.run(_ADD, (job.kind, job.queue, to_json(job.payload), to_ms(job.due), job.dedupe_key, job.tenant))
        if self._db.changes():
            return self._db.last_insert_rowid()
        if postpone:
            self._db.run(f"UPDATE jobs SET due = ? WHERE dedupe = ? AND {_IDLE}", (to_ms(job.due), job.dedupe_key))
        return None

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        """Within a tenant the queue that is due longest comes first; of a queue, what is due up to the first gap."""
        self._free_expired(now)
        chosen = take_turns(self._db, to_ms(now), limit)
        if depth > 1:
            chosen = [job for first_job in chosen for job in self._run_from(first_job, now, depth)]
        rows = self._db.rows(
            "UPDATE jobs SET state = 'claimed', worker = ?, until = ?, attempts = attempts + 1 "
            f"WHERE id IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}",
            (worker, to_ms(until), json.dumps(chosen)),
        )
        claimed = {row[0]: _job(row) for row in rows}
        return [claimed[job] for job in chosen]

    def _free_expired(self, now: datetime) -> None:
        """Of each queue only the first job can have been started: the others get their attempt back."""
        expired = self._db.rows(
            "SELECT queue, min(id) FROM jobs WHERE state = 'claimed' AND until <= ? GROUP BY queue", (to_ms(now),)
        )
        if not expired:
            return
        self._db.run(
            "UPDATE jobs SET state = 'blocked', worker = NULL, until = NULL, "
            "attempts = attempts - (id NOT IN (SELECT value FROM json_each(?))) WHERE state = 'claimed' AND until <= ?",
            (json.dumps([job for _, job in expired]), to_ms(now)),
        )
        promote_first(self._db, [queue for queue, _ in expired])

    def _run_from(self, first_job: int, now: datetime, depth: int) -> list[int]:
        """The first job of a queue and those after it, up to the first that is not due."""
        rows = self._db.rows(
            "SELECT id, due FROM jobs WHERE queue = (SELECT queue FROM jobs WHERE id = ?) AND state <> 'failed' "
            "ORDER BY id LIMIT ?",
            (first_job, depth),
        )
        run: list[int] = []
        for job, due in rows:
            if due > to_ms(now):
                break
            run.append(job)
        return run

    def finish(self, job_id: int, worker: str) -> bool:
        is_held = "id = ? AND worker = ? AND state = 'claimed'"
        queues = self._db.rows(f"SELECT queue FROM jobs WHERE {is_held}", (job_id, worker))
        self._db.run(f"DELETE FROM jobs WHERE {is_held}", (job_id, worker))
        return self._promote_next(queues)

    def _promote_next(self, queues: list[Row]) -> bool:
        """Let the next job of these queues be claimed, as the one before it left; whether there was one."""
        promote_first(self._db, (queue for (queue,) in queues))
        return bool(queues)

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        return self._promote_next(
            self._db.rows(
                "UPDATE jobs SET state = 'blocked', error = ?, due = ?, attempts = attempts - ?, worker = NULL, "
                "until = NULL WHERE id = ? AND worker = ? AND state = 'claimed' RETURNING queue",
                (error, to_ms(due), int(not counted), job_id, worker),
            )
        )

    def fail(self, job_id: int, worker: str, error: str) -> bool:
        """Give up on a job; its dedupe key is free again."""
        return self._promote_next(
            self._db.rows(
                "UPDATE jobs SET state = 'failed', error = ?, dedupe = NULL, worker = NULL, until = NULL "
                "WHERE id = ? AND worker = ? AND state = 'claimed' RETURNING queue",
                (error, job_id, worker),
            )
        )

    def requeue(self, job_id: int, due: datetime) -> bool:
        """Back to its place in its queue, before the present first job if it is older."""
        queue = self._db.value("SELECT queue FROM jobs WHERE id = ? AND state = 'failed'", (job_id,))
        if queue is None:
            return False
        self._db.run(
            f"UPDATE jobs SET state = 'blocked' WHERE id = ({_FIRST_OF_QUEUE}) AND state = 'waiting'", (queue,)
        )
        self._db.run("UPDATE jobs SET state = 'blocked', due = ?, attempts = 0 WHERE id = ?", (to_ms(due), job_id))
        promote_first(self._db, [queue])
        return True

    def extend(self, worker: str, until: datetime) -> int:
        self._db.run(
            "UPDATE jobs INDEXED BY jobs_in_work SET until = ? WHERE state = 'claimed' AND worker = ?",
            (to_ms(until), worker),
        )
        return self._db.changes()

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """Reads as many index entries as are kept, unless there is something to drop."""
        excess = self._db.rows(
            f"SELECT id FROM jobs WHERE kind = ? AND {_IDLE} ORDER BY id DESC LIMIT -1 OFFSET ?", (kind, max(keep, 0))
        )
        if not excess:
            return []
        rows = self._db.rows(
            f"DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}",
            (json.dumps([job for (job,) in excess]),),
        )
        promote_first(self._db, {row[2] for row in rows})
        return sorted((_job(row) for row in rows), key=lambda job: job.id)

    def discard(self, job_id: int) -> bool:
        return self._promote_next(
            self._db.rows("DELETE FROM jobs WHERE id = ? AND state <> 'claimed' RETURNING queue", (job_id,))
        )

    def erase(self, jobs: Collection[int]) -> int:
        rows = self._db.rows(
            "DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?)) RETURNING queue", (json.dumps(list(jobs)),)
        )
        promote_first(self._db, {queue for (queue,) in rows})
        self._db.run("UPDATE meta SET value = '' WHERE name = 'turn'")  # it may name the guild or person that is erased
        return len(rows)

    def find(self, dedupe: str) -> Job | None:
        row = self._db.row(f"SELECT {_COLUMNS} FROM jobs WHERE dedupe = ? AND state <> 'failed'", (dedupe,))
        return None if row is None else _job(row)

    def due(self, dedupe: str) -> datetime | None:
        return optional_time(self._db.value("SELECT due FROM jobs WHERE dedupe = ? AND state <> 'failed'", (dedupe,)))

    def next_due(self) -> datetime | None:
        """Of each queue only its first job counts: those after it can't be claimed before."""
        return optional_time(first_due(self._db))

    def list(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM jobs WHERE ?1 IS NULL OR {_VISIBLE_STATE} = ?1 ORDER BY id LIMIT ?2",
            (state, limit),
        )
        return [_job(row) for row in rows]

    def counts(self) -> dict[str, int]:
        return dict(self._db.rows(f"SELECT {_VISIBLE_STATE}, count(*) FROM jobs GROUP BY 1"))

    def count_delayed(self, now: datetime) -> int:
        return self._db.value(f"SELECT count(*) FROM jobs WHERE {_IDLE} AND due > ?", (to_ms(now),))


def promote_first(db: Database, queues: Iterable[str]) -> None:
    """Let the first job of each queue be claimed, unless one of the queue still runs."""
    for queue in queues:
        db.run(_PROMOTE_FIRST, (queue,))


def misordered_queues(db: Database) -> list[str]:
    """Queues whose jobs can't be claimed in order."""
    rows = db.rows(
        "SELECT queue FROM (SELECT queue, sum(state = 'claimed') AS claimed, sum(state = 'waiting') AS waiting, "
        "min(id) AS first, min(iif(state = 'waiting', id, NULL)) AS head FROM jobs WHERE state <> 'failed' "
        "GROUP BY queue) WHERE iif(claimed, waiting, waiting <> 1 OR head <> first)"
    )
    return [queue for (queue,) in rows]


def repair_queues(db: Database) -> None:
    """Make the first job of each misordered queue the one that can be claimed."""
    queues = misordered_queues(db)
    for queue in queues:
        db.run("UPDATE jobs SET state = 'blocked' WHERE queue = ? AND state = 'waiting'", (queue,))
    promote_first(db, queues)


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
