"""How jobs are claimed in PostgreSQL, by workers of many processes.

A claim needs no queue's lock: it locks the row of the first job, and no one else can make another job the first.
"""

from collections.abc import Collection
from datetime import datetime
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports.jobs import Job
from recollect.stores._sql.database import Row
from recollect.stores._sql.jobs import COLUMNS, INSERT, Jobs, in_order, lock_name, promote_first
from recollect.stores.postgres.database import Database, lock_of
from recollect.stores.postgres.fairness import FirstJob, take_turns

_INSERT: LiteralString = f"{INSERT} RETURNING id"
# A job is done, and the next one of its queue may be claimed: one statement, as it ends every job.
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
WHERE id = ANY(%(jobs)s::bigint[]) RETURNING {COLUMNS}
"""
"""Claim these jobs and move the round-robin cursor, unless another worker is moving it."""
# Of each queue only the first job can have been started: the others get their attempt back.
_FREE: LiteralString = """
UPDATE jobs SET state = 'blocked', worker = NULL, until = NULL, attempts = attempts - (id NOT IN (
    SELECT min(id) FROM jobs WHERE state = 'claimed' AND until <= %(now)s AND queue = ANY(%(queues)s)
    GROUP BY queue))::int
WHERE state = 'claimed' AND until <= %(now)s AND queue = ANY(%(queues)s)
"""
# The first jobs of a queue; locked, as far as no one else has them.
_RUN: LiteralString = "SELECT id, due FROM jobs WHERE queue = %s AND state <> 'failed' ORDER BY id LIMIT %s"
_FREE_OF_RUN: LiteralString = f"{_RUN} FOR UPDATE SKIP LOCKED"


class PostgresJobs(Jobs[Database]):
    queue_of: LiteralString = (
        f"SELECT queue, pg_advisory_xact_lock({lock_of('queue', 'queue')}) FROM jobs WHERE id = $1"
    )

    def _insert(self, row: Row) -> int | None:
        return self._db.value(_INSERT, row)

    def finish(self, job_id: int, worker: str) -> bool:
        queue = self._db.value(self.queue_of, (job_id,))
        if queue is None:
            return False
        return self._db.value(_FINISH, {"id": job_id, "worker": worker, "queue": queue}) is not None

    def claim(self, worker: str, now: datetime, until: datetime, limit: int, depth: int = 1) -> list[Job]:
        first_jobs, cursor = take_turns(self._db, to_ms(now), limit, lambda expired: self._free(expired, now))
        chosen = [job for first_job in first_jobs for job in self._run_from(first_job, now, depth)]
        # No write at all: idle workers poll often.
        if not chosen:
            return []
        rows = self._db.rows(_CLAIM, {"turn": cursor, "worker": worker, "until": to_ms(until), "jobs": chosen})
        return in_order(rows, chosen)

    def _free(self, expired: Collection[str], now: datetime) -> None:
        # Without waiting: whoever holds a queue's lock is changing it now.
        held = set(self._db.try_locks([lock_name(queue) for queue in expired]))
        queues = [queue for queue in expired if lock_name(queue) in held]
        self._db.run(_FREE, {"now": to_ms(now), "queues": queues})
        promote_first(self._db, queues)

    def _run_from(self, first_job: FirstJob, now: datetime, depth: int) -> list[int]:
        """The first job of a queue and those after it, up to the first that is not due or is locked."""
        job, queue = first_job
        if depth <= 1:
            return [job]
        rows = self._db.rows(_RUN, (queue, depth))
        # Compared with the unlocked list: a job that is skipped must end the run, or the order of the queue breaks.
        free = {job_id for job_id, _ in self._db.rows(_FREE_OF_RUN, (queue, depth))}
        run: list[int] = []
        for job_id, due in rows:
            if due > to_ms(now) or job_id not in free:
                break
            run.append(job_id)
        return run
