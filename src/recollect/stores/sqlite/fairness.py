"""Which queues are served next: tenants round-robin, and within a tenant the queue that is due longest.

A tenant is skipped in one seek, however many jobs it has. The round-robin cursor is persisted, so that a worker that
claims one job at a time is fair as well.
"""

from itertools import chain, zip_longest
from typing import LiteralString

from recollect.stores.sqlite.database import Database

# Tenants are skipped to one after the other; an empty blob sorts after every text.
_DUE_AFTER = """
WITH RECURSIVE tenants (name) AS (
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > ?1 ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
    FROM tenants WHERE name < x''
)
SELECT name FROM tenants WHERE name <= x''
AND EXISTS (SELECT 1 FROM jobs WHERE state = 'waiting' AND tenant = name AND due <= ?2) LIMIT ?3
"""
_DUE_UP_TO = """
WITH RECURSIVE tenants (name) AS (
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant >= '' ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
    FROM tenants WHERE name < ?1
)
SELECT name FROM tenants WHERE name <= ?1
AND EXISTS (SELECT 1 FROM jobs WHERE state = 'waiting' AND tenant = name AND due <= ?2) LIMIT ?3
"""
FIRST_DUE: LiteralString = """
WITH RECURSIVE tenants (name) AS (
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant >= '' ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
    FROM tenants WHERE name < x''
)
SELECT min(time) FROM (
    SELECT (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) AS time FROM tenants
    UNION ALL SELECT min(until) FROM jobs WHERE state = 'claimed'
)
"""


def take_turns(db: Database, now: int, limit: int) -> list[int]:
    """The first jobs of up to `limit` queues that are due; moves the round-robin cursor."""
    cursor: str = db.value("SELECT value FROM meta WHERE name = 'turn'")
    tenants = _due_tenants(db, cursor, now, limit)
    share = limit - len(tenants) + 1  # each tenant gets at least one
    first_jobs = ([(tenant, job) for job in _due_first_jobs(db, tenant, now, share)] for tenant in tenants)
    turns = [turn for turn in chain.from_iterable(zip_longest(*first_jobs)) if turn is not None][: max(limit, 0)]
    if turns and turns[-1][0] != cursor:
        db.run("UPDATE meta SET value = ? WHERE name = 'turn'", (turns[-1][0],))
    return [job for _, job in turns]


def _due_tenants(db: Database, cursor: str, now: int, limit: int) -> list[str]:
    """Up to `limit` tenants with something to do, beginning after the cursor."""
    tenants: list[str] = [name for (name,) in db.rows(_DUE_AFTER, (cursor, now, max(limit, 0)))]
    if len(tenants) < limit:
        tenants += [name for (name,) in db.rows(_DUE_UP_TO, (cursor, now, limit - len(tenants)))]
    return tenants


def _due_first_jobs(db: Database, tenant: str, now: int, limit: int) -> list[int]:
    rows = db.rows(
        "SELECT id FROM jobs WHERE state = 'waiting' AND tenant = ? AND due <= ? ORDER BY due, id LIMIT ?",
        (tenant, now, limit),
    )
    return [job for (job,) in rows]
