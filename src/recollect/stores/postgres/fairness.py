"""Which lanes are served next: realms take turns, and within a realm whoever is due for longest comes first.

A realm is stepped over in one seek, however many jobs it has. The realm that was served last is on disk, so that
workers that claim one job at a time are fair as well, together too. Nobody waits here: what another transaction has
in its hands is passed by.
"""

from collections.abc import Callable
from itertools import chain, zip_longest
from operator import itemgetter
from typing import LiteralString

from recollect.stores.postgres.database import Database

_REALMS: LiteralString = """
{realms} (name) AS (
    (SELECT realm FROM jobs WHERE state = 'waiting' AND {beyond} ORDER BY realm LIMIT 1)
    UNION ALL
    SELECT (SELECT realm FROM jobs WHERE state = 'waiting' AND realm > name ORDER BY realm LIMIT 1)
    FROM {realms} WHERE name IS NOT NULL AND {until}
)
"""
_DUE: LiteralString = """
(SELECT {part}, name FROM {realms} WHERE name IS NOT NULL AND {until}
AND (SELECT due FROM jobs WHERE state = 'waiting' AND realm = name ORDER BY due LIMIT 1) <= %(now)s LIMIT %(limit)s)
"""
_TURN: LiteralString = "(SELECT turn FROM start)"
_UP_TO: LiteralString = f"name <= {_TURN}"
_NEXT: LiteralString = (
    "WITH RECURSIVE start (turn) AS MATERIALIZED ("
    "SELECT coalesce(%(turn)s::text, (SELECT value FROM meta WHERE name = 'turn'), '')), "
    + _REALMS.format(realms="later", beyond=f"realm > {_TURN}", until="true")
    + ", "
    + _REALMS.format(realms="earlier", beyond="true", until=_UP_TO)
    + "(SELECT 0, lane FROM jobs WHERE state = 'claimed' AND until <= %(now)s GROUP BY lane) UNION ALL "
    + _DUE.format(realms="later", part="1", until="true")
    + " UNION ALL "
    + _DUE.format(realms="earlier", part="2", until=_UP_TO)
)
"""Lanes whose lease ran out (0), then the next realms with something to do, after the last one (1) and around (2)."""
_HEADS: LiteralString = """
SELECT realm.name, head.id, head.lane FROM unnest(%s::text[]) AS realm (name) CROSS JOIN LATERAL (
    SELECT id, lane, due FROM jobs WHERE state = 'waiting' AND jobs.realm = realm.name AND due <= %s
    AND id <> ALL(%s::bigint[]) ORDER BY due, id LIMIT %s FOR UPDATE SKIP LOCKED
) AS head ORDER BY head.due, head.id
"""
_FIRST_DUE: LiteralString = (
    "WITH RECURSIVE "
    + _REALMS.format(realms="realms", beyond="true", until="true")
    + """
SELECT min(moment) FROM (
    SELECT (SELECT due FROM jobs WHERE state = 'waiting' AND realm = name ORDER BY due LIMIT 1) AS moment FROM realms
    UNION ALL SELECT min(until) FROM jobs WHERE state = 'claimed'
) AS moments
"""
)
_ROUNDS = 4
"""How often to look on when all that was found is in other hands."""

Head = tuple[int, str]
"""The first job of a lane, and the lane."""


def take_turns(db: Database, now: int, limit: int, free: Callable[[list[str]], None]) -> tuple[list[Head], str]:
    """The heads of up to so many lanes that are due, held by this transaction, and whose turn it was last.

    Lanes whose lease ran out are handed to `free` first.
    """
    turn, taken = None, list[tuple[str, Head]]()
    for _ in range(_ROUNDS):
        wanted = limit - len(taken)
        expired, realms = _next(db, turn, now, wanted)
        if expired and turn is None:
            free(expired)
            _, realms = _next(db, turn, now, wanted)
        taken += _heads_of(db, realms, now, wanted, [job for _, (job, _) in taken])
        if len(taken) >= limit or len(realms) < wanted:  # enough, or no realm is left to ask
            break
        turn = realms[-1]
    return [head for _, head in taken], taken[-1][0] if taken else ""


def _next(db: Database, turn: str | None, now: int, limit: int) -> tuple[list[str], list[str]]:
    """Lanes whose lease ran out; and up to so many realms with something to do, beginning after this one.

    None stands for the one that was served last.
    """
    rows = db.rows(_NEXT, {"turn": turn, "now": now, "limit": max(limit, 0)})
    realms = [name for part, name in sorted(rows, key=itemgetter(0)) if part > 0]
    return sorted(name for part, name in rows if part == 0), realms[: max(limit, 0)]


def _heads_of(db: Database, realms: list[str], now: int, limit: int, taken: list[int]) -> list[tuple[str, Head]]:
    share = limit - len(realms) + 1  # each realm gets one at least
    found: dict[str, list[tuple[str, Head]]] = {realm: [] for realm in realms}
    for realm, job, lane in db.rows(_HEADS, (realms, now, taken, share)) if realms else ():
        found[realm].append((realm, (job, lane)))
    return [each for each in chain.from_iterable(zip_longest(*found.values())) if each is not None][: max(limit, 0)]


def first_due(db: Database) -> int | None:
    """When the first head of a lane is due, or the first lease runs out."""
    return db.value(_FIRST_DUE, {})
