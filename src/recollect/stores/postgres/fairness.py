"""Which tenants and queues are due in a PostgreSQL database.

Workers of many processes are fair together. No one waits here: rows that another transaction has locked are skipped.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import LiteralString

from recollect.stores._sql.fairness import FIRST_TENANT, NEXT_TENANT, interleave, tenant_share
from recollect.stores.postgres.database import Database

# Queues whose lease ran out (0), then the next tenants with something to do, after the last one (1) and around (2).
_NEXT: LiteralString = f"""
WITH RECURSIVE start (turn) AS MATERIALIZED (
    SELECT coalesce(%(turn)s::text, (SELECT value FROM meta WHERE name = 'turn'), '')
), later (name) AS (
    (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > (SELECT turn FROM start) ORDER BY tenant LIMIT 1)
    UNION ALL SELECT {NEXT_TENANT} FROM later WHERE name IS NOT NULL
), earlier (name) AS (
    SELECT {FIRST_TENANT} UNION ALL SELECT {NEXT_TENANT} FROM earlier WHERE name <= (SELECT turn FROM start)
)
(SELECT 0, queue FROM jobs WHERE state = 'claimed' AND until <= %(now)s GROUP BY queue)
UNION ALL
(SELECT 1, name FROM later WHERE name IS NOT NULL
AND (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) <= %(now)s LIMIT %(limit)s)
UNION ALL
(SELECT 2, name FROM earlier WHERE name <= (SELECT turn FROM start)
AND (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) <= %(now)s LIMIT %(limit)s)
"""
_HEADS: LiteralString = """
SELECT tenant.name, head.id, head.queue FROM unnest(%s::text[]) AS tenant (name) CROSS JOIN LATERAL (
    SELECT id, queue, due FROM jobs WHERE state = 'waiting' AND jobs.tenant = tenant.name AND due <= %s
    AND id <> ALL(%s::bigint[]) ORDER BY due, id LIMIT %s FOR UPDATE SKIP LOCKED
) AS head ORDER BY head.due, head.id
"""
_MAX_ROUNDS = 4
"""Attempts to find more when other workers have locked what was found."""

FirstJob = tuple[int, str]
"""The first job of a queue, and the queue."""


def take_turns(db: Database, now: int, limit: int, free: Callable[[list[str]], None]) -> tuple[list[FirstJob], str]:
    """The first jobs of up to `limit` queues that are due, locked by this transaction, and the new cursor.

    Queues whose lease ran out are handed to `free` first.
    """
    cursor, chosen = None, list[tuple[str, FirstJob]]()
    for _ in range(_MAX_ROUNDS):
        remaining = limit - len(chosen)
        expired, tenants = _next(db, cursor, now, remaining)
        if expired and cursor is None:
            # Their jobs can be claimed now, so the tenants are read again.
            free(expired)
            _, tenants = _next(db, cursor, now, remaining)
        chosen += _first_jobs(db, tenants, now, remaining, [job for _, (job, _) in chosen])
        if len(chosen) >= limit or len(tenants) < remaining:  # enough, or no tenant remains
            break
        # Go on behind these: their jobs were locked by other workers.
        cursor = tenants[-1]
    return [first_job for _, first_job in chosen], chosen[-1][0] if chosen else ""


def _next(db: Database, cursor: str | None, now: int, limit: int) -> tuple[list[str], list[str]]:
    """Queues whose lease ran out; and up to `limit` tenants with something to do, beginning after the cursor.

    None stands for the persisted one.
    """
    rows = db.rows(_NEXT, {"turn": cursor, "now": now, "limit": max(limit, 0)})
    tenants = [name for part, name in sorted(rows, key=itemgetter(0)) if part > 0]
    return sorted(name for part, name in rows if part == 0), tenants[: max(limit, 0)]


def _first_jobs(
    db: Database, tenants: list[str], now: int, limit: int, chosen: list[int]
) -> list[tuple[str, FirstJob]]:
    by_tenant: dict[str, list[tuple[str, FirstJob]]] = {tenant: [] for tenant in tenants}
    for tenant, job, queue in (
        db.rows(_HEADS, (tenants, now, chosen, tenant_share(limit, len(tenants)))) if tenants else ()
    ):
        by_tenant[tenant].append((tenant, (job, queue)))
    return interleave(by_tenant.values(), limit)
