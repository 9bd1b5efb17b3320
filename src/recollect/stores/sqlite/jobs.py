"""Jobs on disk: in order within a lane, claimed under a lease."""

import json
from datetime import datetime

from recollect.clock import from_ms, to_ms
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import to_json
from recollect.types import Job, NewJob

_COLUMNS = "id, kind, lane, payload, due, attempts, state, error"


class SQLiteJobs:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, job: NewJob) -> int | None:
        return self._db.value(
            "INSERT INTO jobs (kind, lane, payload, state, due, dedupe) VALUES (?, ?, ?, 'waiting', ?, ?) "
            "ON CONFLICT DO NOTHING RETURNING id",
            (job.kind, job.lane, to_json(job.payload), to_ms(job.due), job.dedupe),
        )

    def claim(self, worker: str, now: datetime, until: datetime, limit: int) -> list[Job]:
        """The first job of each lane that is due, oldest first; a job whose lease ran out is free again."""
        self._db.run(
            "UPDATE jobs SET state = 'waiting', worker = NULL, until = NULL WHERE state = 'claimed' AND until <= ?",
            (to_ms(now),),
        )
        rows = self._db.rows(
            "SELECT id FROM jobs WHERE state = 'waiting' AND due <= ? AND NOT EXISTS (SELECT 1 FROM jobs AS earlier "
            "WHERE earlier.lane = jobs.lane AND earlier.id < jobs.id AND earlier.state <> 'parked') "
            "ORDER BY due, id LIMIT ?",
            (to_ms(now), limit),
        )
        claimed = (
            self._db.row(
                "UPDATE jobs SET state = 'claimed', worker = ?, until = ?, attempts = attempts + 1 WHERE id = ? "
                f"RETURNING {_COLUMNS}",
                (worker, to_ms(until), job),
            )
            for (job,) in rows
        )
        return [_job(row) for row in claimed if row is not None]

    def finish(self, job_id: int, worker: str) -> bool:
        self._db.run("DELETE FROM jobs WHERE id = ? AND worker = ? AND state = 'claimed'", (job_id, worker))
        return self._db.changes() > 0

    def retry(self, job_id: int, worker: str, due: datetime, error: str) -> bool:
        return self._release(job_id, worker, "waiting", error, due)

    def park(self, job_id: int, worker: str, error: str) -> bool:
        """Put a job aside; its dedupe key is free again."""
        released = self._release(job_id, worker, "parked", error)
        if released:
            self._db.run("UPDATE jobs SET dedupe = NULL WHERE id = ?", (job_id,))
        return released

    def _release(self, job_id: int, worker: str, state: str, error: str, due: datetime | None = None) -> bool:
        self._db.run(
            "UPDATE jobs SET state = ?, error = ?, due = coalesce(?, due), worker = NULL, until = NULL "
            "WHERE id = ? AND worker = ? AND state = 'claimed'",
            (state, error, None if due is None else to_ms(due), job_id, worker),
        )
        return self._db.changes() > 0

    def unpark(self, job_id: int, due: datetime) -> bool:
        self._db.run(
            "UPDATE jobs SET state = 'waiting', due = ?, attempts = 0 WHERE id = ? AND state = 'parked'",
            (to_ms(due), job_id),
        )
        return self._db.changes() > 0

    def list(self, state: str | None = None, limit: int = 100) -> list[Job]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM jobs WHERE ?1 IS NULL OR state = ?1 ORDER BY id LIMIT ?2", (state, limit)
        )
        return [_job(row) for row in rows]

    def counts(self) -> dict[str, int]:
        return dict(self._db.rows("SELECT state, count(*) FROM jobs GROUP BY state"))


def _job(row: Row) -> Job:
    return Job(
        id=row[0],
        kind=row[1],
        lane=row[2],
        payload=json.loads(row[3]),
        due=from_ms(row[4]),
        attempts=row[5],
        state=row[6],
        error=row[7],
    )
