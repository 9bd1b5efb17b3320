"""Which tenants and queues are due in an SQLite file."""

from recollect.stores._sql.fairness import FIRST_TENANT, NEXT_TENANT, interleave, tenant_share
from recollect.stores.sqlite.database import Database

# Seeks from tenant to tenant; an empty blob sorts after every text.
_DUE_AFTER = f"""
WITH RECURSIVE tenants (name) AS (
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > ?1 ORDER BY tenant LIMIT 1)
    UNION ALL SELECT {NEXT_TENANT} FROM tenants WHERE name < x''
)
SELECT name FROM tenants WHERE name <= x''
AND EXISTS (SELECT 1 FROM jobs WHERE state = 'waiting' AND tenant = name AND due <= ?2) LIMIT ?3
"""
_DUE_UP_TO = f"""
WITH RECURSIVE tenants (name) AS (
    SELECT {FIRST_TENANT} UNION ALL SELECT {NEXT_TENANT} FROM tenants WHERE name < ?1
)
SELECT name FROM tenants WHERE name <= ?1
AND EXISTS (SELECT 1 FROM jobs WHERE state = 'waiting' AND tenant = name AND due <= ?2) LIMIT ?3
"""


def take_turns(db: Database, now: int, limit: int) -> list[int]:
    """The first jobs of up to `limit` queues that are due; moves the round-robin cursor."""
    cursor: str = db.value("SELECT value FROM meta WHERE name = 'turn'")
    tenants = _due_tenants(db, cursor, now, limit)
    most = tenant_share(limit, len(tenants))
    turns = interleave(([(tenant, job) for job in _due_first_jobs(db, tenant, now, most)] for tenant in tenants), limit)
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
