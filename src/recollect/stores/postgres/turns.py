"""Which lanes are served next: realms take turns, and within a realm whoever is due for longest comes first.

A realm is stepped over in one seek, however many jobs it has. The realm that was served last is on disk, so that
workers that claim one job at a time are fair as well, together too. Nobody waits here: what another transaction has
in its hands is passed by.
"""

from itertools import chain, zip_longest
from typing import LiteralString

from recollect.stores.postgres.database import Database, Row

_REALMS: LiteralString = """
WITH RECURSIVE realms (name) AS (
    (SELECT realm FROM jobs WHERE state = 'waiting' AND {beyond} ORDER BY realm LIMIT 1)
    UNION ALL
    SELECT (SELECT realm FROM jobs WHERE state = 'waiting' AND realm > name ORDER BY realm LIMIT 1)
    FROM realms WHERE name IS NOT NULL AND {until}
)
"""
_DUE: LiteralString = """
SELECT name FROM realms WHERE name IS NOT NULL AND {until}
AND (SELECT due FROM jobs WHERE state = 'waiting' AND realm = name ORDER BY due LIMIT 1) <= %(now)s LIMIT %(limit)s
"""
_LATER: LiteralString = (_REALMS + _DUE).format(beyond="realm > %(turn)s", until="true")
_EARLIER: LiteralString = (_REALMS + _DUE).format(beyond="true", until="name <= %(turn)s")
_FIRST_DUE: LiteralString = (
    _REALMS.format(beyond="true", until="true")
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


def take_turns(db: Database, now: int, limit: int) -> list[Head]:
    """The heads of up to so many lanes that are due, held by this transaction, and a note of whose turn it was."""
    turn: str = db.value("SELECT value FROM meta WHERE name = 'turn'") or ""
    last, taken = turn, list[tuple[str, Head]]()
    for _ in range(_ROUNDS):
        wanted = limit - len(taken)
        realms = _due_realms(db, last, now, wanted)
        taken += _heads_of(db, realms, now, wanted, [job for _, (job, _) in taken])
        if len(taken) >= limit or len(realms) < wanted:  # enough, or no realm is left to ask
            break
        last = realms[-1]
    if taken and taken[-1][0] != turn:
        _note(db, taken[-1][0])
    return [head for _, head in taken]


def _heads_of(db: Database, realms: list[str], now: int, limit: int, taken: list[int]) -> list[tuple[str, Head]]:
    share = limit - len(realms) + 1  # each realm gets one at least
    heads = ([(realm, (job, lane)) for job, lane in _due_heads(db, realm, now, share, taken)] for realm in realms)
    return [each for each in chain.from_iterable(zip_longest(*heads)) if each is not None][: max(limit, 0)]


def _note(db: Database, realm: str) -> None:
    """Unless another worker is noting its turn."""
    db.run(
        "UPDATE meta SET value = %s WHERE name = (SELECT name FROM meta WHERE name = 'turn' FOR UPDATE SKIP LOCKED)",
        (realm,),
    )


def _due_realms(db: Database, turn: str, now: int, limit: int) -> list[str]:
    """Up to so many realms with something to do, beginning after the one that was served last."""
    values = {"turn": turn, "now": now, "limit": max(limit, 0)}
    found: list[str] = [name for (name,) in db.rows(_LATER, values)]
    if len(found) < limit:
        found += [name for (name,) in db.rows(_EARLIER, values | {"limit": limit - len(found)})]
    return found


def _due_heads(db: Database, realm: str, now: int, limit: int, taken: list[int]) -> list[Row]:
    return db.rows(
        "SELECT id, lane FROM jobs WHERE state = 'waiting' AND realm = %s AND due <= %s AND id <> ALL(%s::bigint[]) "
        "ORDER BY due, id LIMIT %s FOR UPDATE SKIP LOCKED",
        (realm, now, taken, limit),
    )


def first_due(db: Database) -> int | None:
    """When the first head of a lane is due, or the first lease runs out."""
    return db.value(_FIRST_DUE, {})
