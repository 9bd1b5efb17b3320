"""Jobs on disk: in order within a lane, realms in turn, claimed under a lease.

Of each lane only the first job is `waiting`, and none while one of the lane is claimed; the others are `behind`,
which nobody outside sees. So the index that claims look into holds one entry a lane, however long lanes grow.
"""

import json
from collections.abc import Collection, Iterable
from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports.jobs import Job, NewJob
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.fairness import first_due, take_turns
from recollect.stores.sqlite.rows import moment, to_json

_COLUMNS = "id, kind, lane, payload, due, attempts, state, error"
_SEEN = "iif(state = 'behind', 'waiting', state)"
_IDLE = "state IN ('waiting', 'behind')"
_ADD = (  # without RETURNING, with which it takes two thirds longer
    "INSERT INTO jobs (kind, lane, payload, state, due, dedupe, realm) VALUES (?1, ?2, ?3, "
    "iif(EXISTS (SELECT 1 FROM jobs WHERE lane = ?2 AND state <> 'parked'), 'behind', 'waiting'), ?4, ?5, ?6) "
    "ON CONFLICT DO NOTHING"
)
_FIRST_OF_LANE = "SELECT id FROM jobs WHERE lane = ?1 AND state <> 'parked' ORDER BY id LIMIT 1"
_SETTLE = (
    f"UPDATE jobs SET state = 'waiting' WHERE id = ({_FIRST_OF_LANE}) AND state = 'behind' "
    "AND NOT EXISTS (SELECT 1 FROM jobs WHERE lane = ?1 AND state = 'claimed')"
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
        """Within a realm the lane that is due for longest comes first; of a lane, what is due up to the first gap."""
        self._free_expired(now)
        chosen = take_turns(self._db, to_ms(now), limit)
        if depth > 1:
            chosen = [job for head in chosen for job in self._run_from(head, now, depth)]
        rows = self._db.rows(
            "UPDATE jobs SET state = 'claimed', worker = ?, until = ?, attempts = attempts + 1 "
            f"WHERE id IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}",
            (worker, to_ms(until), json.dumps(chosen)),
        )
        claimed = {row[0]: _job(row) for row in rows}
        return [claimed[job] for job in chosen]

    def _free_expired(self, now: datetime) -> None:
        """Of each lane only the first job can have been begun: to those behind it the attempt is given back."""
        expired = self._db.rows(
            "SELECT lane, min(id) FROM jobs WHERE state = 'claimed' AND until <= ? GROUP BY lane", (to_ms(now),)
        )
        if not expired:
            return
        self._db.run(
            "UPDATE jobs SET state = 'behind', worker = NULL, until = NULL, "
            "attempts = attempts - (id NOT IN (SELECT value FROM json_each(?))) WHERE state = 'claimed' AND until <= ?",
            (json.dumps([job for _, job in expired]), to_ms(now)),
        )
        settle(self._db, [lane for lane, _ in expired])

    def _run_from(self, head: int, now: datetime, depth: int) -> list[int]:
        """The head of a lane and those behind it, up to the first that is not due."""
        rows = self._db.rows(
            "SELECT id, due FROM jobs WHERE lane = (SELECT lane FROM jobs WHERE id = ?) AND state <> 'parked' "
            "ORDER BY id LIMIT ?",
            (head, depth),
        )
        run: list[int] = []
        for job, due in rows:
            if due > to_ms(now):
                break
            run.append(job)
        return run

    def finish(self, job_id: int, worker: str) -> bool:
        mine = "id = ? AND worker = ? AND state = 'claimed'"
        lanes = self._db.rows(f"SELECT lane FROM jobs WHERE {mine}", (job_id, worker))
        self._db.run(f"DELETE FROM jobs WHERE {mine}", (job_id, worker))
        return self._left(lanes)

    def _left(self, lanes: list[Row]) -> bool:
        """Whether a job of these lanes has left its place; the next one takes it."""
        settle(self._db, (lane for (lane,) in lanes))
        return bool(lanes)

    def retry(self, job_id: int, worker: str, due: datetime, error: str, *, counted: bool = True) -> bool:
        return self._left(
            self._db.rows(
                "UPDATE jobs SET state = 'behind', error = ?, due = ?, attempts = attempts - ?, worker = NULL, "
                "until = NULL WHERE id = ? AND worker = ? AND state = 'claimed' RETURNING lane",
                (error, to_ms(due), int(not counted), job_id, worker),
            )
        )

    def fail(self, job_id: int, worker: str, error: str) -> bool:
        """Put a job aside; its dedupe key is free again."""
        return self._left(
            self._db.rows(
                "UPDATE jobs SET state = 'parked', error = ?, dedupe = NULL, worker = NULL, until = NULL "
                "WHERE id = ? AND worker = ? AND state = 'claimed' RETURNING lane",
                (error, job_id, worker),
            )
        )

    def requeue(self, job_id: int, due: datetime) -> bool:
        """Back to its place in its lane, before the present head if it is older."""
        lane = self._db.value("SELECT lane FROM jobs WHERE id = ? AND state = 'parked'", (job_id,))
        if lane is None:
            return False
        self._db.run(f"UPDATE jobs SET state = 'behind' WHERE id = ({_FIRST_OF_LANE}) AND state = 'waiting'", (lane,))
        self._db.run("UPDATE jobs SET state = 'behind', due = ?, attempts = 0 WHERE id = ?", (to_ms(due), job_id))
        settle(self._db, [lane])
        return True

    def extend(self, worker: str, until: datetime) -> int:
        self._db.run(
            "UPDATE jobs INDEXED BY jobs_in_work SET until = ? WHERE state = 'claimed' AND worker = ?",
            (to_ms(until), worker),
        )
        return self._db.changes()

    def discard_oldest(self, kind: str, keep: int) -> list[Job]:
        """A look at as many entries of an index as are kept, unless there is something to drop."""
        found = self._db.rows(
            f"SELECT id FROM jobs WHERE kind = ? AND {_IDLE} ORDER BY id DESC LIMIT -1 OFFSET ?", (kind, max(keep, 0))
        )
        if not found:
            return []
        rows = self._db.rows(
            f"DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?)) RETURNING {_COLUMNS}",
            (json.dumps([job for (job,) in found]),),
        )
        settle(self._db, {row[2] for row in rows})
        return sorted((_job(row) for row in rows), key=lambda job: job.id)

    def discard(self, job_id: int) -> bool:
        return self._left(
            self._db.rows("DELETE FROM jobs WHERE id = ? AND state <> 'claimed' RETURNING lane", (job_id,))
        )

    def erase(self, jobs: Collection[int]) -> int:
        rows = self._db.rows(
            "DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?)) RETURNING lane", (json.dumps(list(jobs)),)
        )
        settle(self._db, {lane for (lane,) in rows})
        self._db.run("UPDATE meta SET value = '' WHERE name = 'turn'")  # it may name whoever is erased
        return len(rows)

    def find(self, dedupe: str) -> Job | None:
        row = self._db.row(f"SELECT {_COLUMNS} FROM jobs WHERE dedupe = ? AND state <> 'parked'", (dedupe,))
        return None if row is None else _job(row)

    def due(self, dedupe: str) -> datetime | None:
        return moment(self._db.value("SELECT due FROM jobs WHERE dedupe = ? AND state <> 'parked'", (dedupe,)))

    def next_due(self) -> datetime | None:
        """Of each lane only its first job counts: what is behind it can't be claimed before."""
        return moment(first_due(self._db))

    def list(self, state: str | None = None, limit: int = 100) -> list[Job]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM jobs WHERE ?1 IS NULL OR {_SEEN} = ?1 ORDER BY id LIMIT ?2", (state, limit)
        )
        return [_job(row) for row in rows]

    def counts(self) -> dict[str, int]:
        return dict(self._db.rows(f"SELECT {_SEEN}, count(*) FROM jobs GROUP BY 1"))


def settle(db: Database, lanes: Iterable[str]) -> None:
    """Let the first job of each lane be claimed, unless one of the lane still runs."""
    for lane in lanes:
        db.run(_SETTLE, (lane,))


def unsettled(db: Database) -> list[str]:
    """Lanes whose jobs can't be claimed in order, such as those that an older version wrote to meanwhile."""
    rows = db.rows(
        "SELECT lane FROM (SELECT lane, sum(state = 'claimed') AS claimed, sum(state = 'waiting') AS waiting, "
        "min(id) AS first, min(iif(state = 'waiting', id, NULL)) AS head FROM jobs WHERE state <> 'parked' "
        "GROUP BY lane) WHERE iif(claimed, waiting, waiting <> 1 OR head <> first)"
    )
    return [lane for (lane,) in rows]


def mend(db: Database) -> None:
    """Settle the lanes that are not."""
    lanes = unsettled(db)
    for lane in lanes:
        db.run("UPDATE jobs SET state = 'behind' WHERE lane = ? AND state = 'waiting'", (lane,))
    settle(db, lanes)


def _job(row: Row) -> Job:
    return Job(
        id=row[0],
        kind=row[1],
        queue=row[2],
        payload=json.loads(row[3]),
        due=from_ms(row[4]),
        attempts=row[5],
        state="waiting" if row[6] == "behind" else row[6],
        error=row[7],
    )
