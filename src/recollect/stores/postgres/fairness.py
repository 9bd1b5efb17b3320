"""Which queues are served next: tenants take turns, and within a tenant whoever is due for longest comes first.

A tenant is stepped over in one seek, however many jobs it has. The tenant that was served last is on disk, so that
workers that claim one job at a time are fair as well, together too. Nobody waits here: what another transaction has
in its hands is passed by.
"""

from collections.abc import Callable
from itertools import chain, zip_longest
from operator import itemgetter
from typing import LiteralString

from recollect.stores.postgres.database import Database

_TENANTS: LiteralString = """
{tenants} (name) AS (
    (SELECT tenant FROM jobs WHERE state = 'waiting' AND {beyond} ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
    FROM {tenants} WHERE name IS NOT NULL AND {until}
)
"""
_DUE: LiteralString = """
(SELECT {part}, name FROM {tenants} WHERE name IS NOT NULL AND {until}
AND (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) <= %(now)s LIMIT %(limit)s)
"""
_TURN: LiteralString = "(SELECT turn FROM start)"
_UP_TO: LiteralString = f"name <= {_TURN}"
_NEXT: LiteralString = (
    "WITH RECURSIVE start (turn) AS MATERIALIZED ("
    "SELECT coalesce(%(turn)s::text, (SELECT value FROM meta WHERE name = 'turn'), '')), "
    + _TENANTS.format(tenants="later", beyond=f"tenant > {_TURN}", until="true")
    + ", "
    + _TENANTS.format(tenants="earlier", beyond="true", until=_UP_TO)
    + "(SELECT 0, queue FROM jobs WHERE state = 'claimed' AND until <= %(now)s GROUP BY queue) UNION ALL "
    + _DUE.format(tenants="later", part="1", until="true")
    + " UNION ALL "
    + _DUE.format(tenants="earlier", part="2", until=_UP_TO)
)
"""Queues whose lease ran out (0), then the next tenants with something to do, after the last one (1) and around (2)."""
_HEADS: LiteralString = """
SELECT tenant.name, head.id, head.queue FROM unnest(%s::text[]) AS tenant (name) CROSS JOIN LATERAL (
    SELECT id, queue, due FROM jobs WHERE state = 'waiting' AND jobs.tenant = tenant.name AND due <= %s
    AND id <> ALL(%s::bigint[]) ORDER BY due, id LIMIT %s FOR UPDATE SKIP LOCKED
) AS head ORDER BY head.due, head.id
"""
_FIRST_DUE: LiteralString = (
    "WITH RECURSIVE "
    + _TENANTS.format(tenants="tenants", beyond="true", until="true")
    + """
SELECT min(moment) FROM (
    SELECT (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) AS moment FROM tenants
    UNION ALL SELECT min(until) FROM jobs WHERE state = 'claimed'
) AS moments
"""
)
_ROUNDS = 4
"""How often to look on when all that was found is in other hands."""

Head = tuple[int, str]
"""The first job of a queue, and the queue."""


def take_turns(db: Database, now: int, limit: int, free: Callable[[list[str]], None]) -> tuple[list[Head], str]:
    """The heads of up to so many queues that are due, held by this transaction, and whose turn it was last.

    Queues whose lease ran out are handed to `free` first.
    """
    turn, taken = None, list[tuple[str, Head]]()
    for _ in range(_ROUNDS):
        wanted = limit - len(taken)
        expired, tenants = _next(db, turn, now, wanted)
        if expired and turn is None:
            free(expired)
            _, tenants = _next(db, turn, now, wanted)
        taken += _heads_of(db, tenants, now, wanted, [job for _, (job, _) in taken])
        if len(taken) >= limit or len(tenants) < wanted:  # enough, or no tenant is left to ask
            break
        turn = tenants[-1]
    return [head for _, head in taken], taken[-1][0] if taken else ""


def _next(db: Database, turn: str | None, now: int, limit: int) -> tuple[list[str], list[str]]:
    """Queues whose lease ran out; and up to so many tenants with something to do, beginning after this one.

    None stands for the one that was served last.
    """
    rows = db.rows(_NEXT, {"turn": turn, "now": now, "limit": max(limit, 0)})
    tenants = [name for part, name in sorted(rows, key=itemgetter(0)) if part > 0]
    return sorted(name for part, name in rows if part == 0), tenants[: max(limit, 0)]


def _heads_of(db: Database, tenants: list[str], now: int, limit: int, taken: list[int]) -> list[tuple[str, Head]]:
    share = limit - len(tenants) + 1  # each tenant gets one at least
    found: dict[str, list[tuple[str, Head]]] = {tenant: [] for tenant in tenants}
    for tenant, job, queue in db.rows(_HEADS, (tenants, now, taken, share)) if tenants else ():
        found[tenant].append((tenant, (job, queue)))
    return [each for each in chain.from_iterable(zip_longest(*found.values())) if each is not None][: max(limit, 0)]


def first_due(db: Database) -> int | None:
    """When the first head of a queue is due, or the first lease runs out."""
    return db.value(_FIRST_DUE, {})
