"""How jobs are claimed in SQLite, where there is one writer."""

from datetime import datetime
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports.jobs import Job
from recollect.stores._sql.database import Row
from recollect.stores._sql.jobs import COLUMNS, INSERT, Jobs, in_order, promote_first
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.fairness import take_turns

_CLAIM = f"""
UPDATE jobs SET state = 'claimed', worker = ?, until = ?, attempts = attempts + 1
WHERE id IN (SELECT value FROM json_each(?)) RETURNING {COLUMNS}
"""
_EXPIRED = "SELECT queue, min(id) FROM jobs WHERE state = 'claimed' AND until <= ? GROUP BY queue"
# Of each queue only the first job can have been started: the others get their attempt back.
_FREE = """
UPDATE jobs SET state = 'blocked', worker = NULL, until = NULL,
attempts = attempts - (id NOT IN (SELECT value FROM json_each(?))) WHERE state = 'claimed' AND until <= ?
"""
# The first job of a queue and those after it.
_RUN = """
SELECT id, due FROM jobs WHERE queue = (SELECT queue FROM jobs WHERE id = ?) AND state <> 'failed' ORDER BY id LIMIT ?
"""


class SQLiteJobs(Jobs[Database]):
    extended: LiteralString = (
        "UPDATE jobs INDEXED BY jobs_in_work SET until = $1 WHERE state = 'claimed' AND worker = $2"
    )

    def _insert(self, row: Row) -> int | None:
        """Without RETURNING, with which it takes two thirds longer."""
        return self._db.last_insert_rowid() if self._db.run(INSERT, row) else None

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        """Within a tenant the queue that is due longest comes first; of a queue, what is due up to the first gap."""
        self._free_expired(now)
        chosen = take_turns(self._db, to_ms(now), limit)
        if depth > 1:
            chosen = [job for first_job in chosen for job in self._run_from(first_job, now, depth)]
        rows = self._db.rows(_CLAIM, (worker, to_ms(until), self._db.array(chosen)))
        return in_order(rows, chosen)

    def _free_expired(self, now: datetime) -> None:
        expired = self._db.rows(_EXPIRED, (to_ms(now),))
        if expired:
            self._db.run(_FREE, (self._db.array(job for _, job in expired), to_ms(now)))
            promote_first(self._db, [queue for queue, _ in expired])

    def _run_from(self, first_job: int, now: datetime, depth: int) -> list[int]:
        """The first job of a queue and those after it, up to the first that is not due."""
        run: list[int] = []
        for job, due in self._db.rows(_RUN, (first_job, depth)):
            if due > to_ms(now):
                break
            run.append(job)
        return run
