"""Which queues are served next: tenants take turns, and within a tenant whoever is due for longest comes first.

A tenant is stepped over in one seek, however many jobs it has. The tenant that was served last is on disk, so that
a worker that claims one job at a time is fair as well.
"""

from itertools import chain, zip_longest

from recollect.stores.sqlite.database import Database

_TENANTS = """
WITH RECURSIVE tenants (name) AS (
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant {beyond} ?1 ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
    FROM tenants WHERE name < ?2
)
"""
_DUE = """
SELECT name FROM tenants WHERE name <= ?2
AND EXISTS (SELECT 1 FROM jobs WHERE state = 'waiting' AND tenant = name AND due <= ?3) LIMIT ?4
"""
_DUE_AFTER = _TENANTS.format(beyond=">") + _DUE
_DUE_FROM = _TENANTS.format(beyond=">=") + _DUE
_FIRST_DUE = f"""
{_TENANTS.format(beyond=">=")}
SELECT min(moment) FROM (
    SELECT (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) AS moment FROM tenants
    UNION ALL SELECT min(until) FROM jobs WHERE state = 'claimed'
)
"""
_START, _END = "", b""  # no text is before the one, and all text is before the other


def take_turns(db: Database, now: int, limit: int) -> list[int]:
    """The heads of up to so many queues that are due, and a note of whose turn it was."""
    turn: str = db.value("SELECT value FROM meta WHERE name = 'turn'")
    tenants = _due_tenants(db, turn, now, limit)
    share = limit - len(tenants) + 1  # each tenant gets one at least
    heads = ([(tenant, job) for job in _due_heads(db, tenant, now, share)] for tenant in tenants)
    turns = [each for each in chain.from_iterable(zip_longest(*heads)) if each is not None][: max(limit, 0)]
    if turns and turns[-1][0] != turn:
        db.run("UPDATE meta SET value = ? WHERE name = 'turn'", (turns[-1][0],))
    return [job for _, job in turns]


def _due_tenants(db: Database, turn: str, now: int, limit: int) -> list[str]:
    """Up to so many tenants with something to do, beginning after the one that was served last."""
    found: list[str] = [name for (name,) in db.rows(_DUE_AFTER, (turn, _END, now, max(limit, 0)))]
    if len(found) < limit:
        found += [name for (name,) in db.rows(_DUE_FROM, (_START, turn, now, limit - len(found)))]
    return found


def _due_heads(db: Database, tenant: str, now: int, limit: int) -> list[int]:
    rows = db.rows(
        "SELECT id FROM jobs WHERE state = 'waiting' AND tenant = ? AND due <= ? ORDER BY due, id LIMIT ?",
        (tenant, now, limit),
    )
    return [job for (job,) in rows]


def first_due(db: Database) -> int | None:
    """When the first head of a queue is due, or the first lease runs out."""
    return db.value(_FIRST_DUE, (_START, _END))
