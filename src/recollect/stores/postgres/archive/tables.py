"""Sections that are lists of their own: jobs and events."""

from collections import Counter
from collections.abc import Sequence
from typing import LiteralString

from recollect.core.ports.archive import Record
from recollect.stores._sql.archive import EventsSection, JobsSection
from recollect.stores.postgres import events
from recollect.stores.postgres.archive.section import ArchiveSection, columns_of
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.rows import make_scopes

_DAY = 86_400_000


class Jobs(JobsSection[Database], ArchiveSection):
    names = ("id::bigint",)
    inserted = """
    INSERT INTO jobs (id, kind, queue, tenant, payload, state, due, attempts, dedupe, error) OVERRIDING SYSTEM VALUE
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    """

    def _count_up(self) -> None:
        self._db.run(_COUNT_UP_JOBS)


class Events(EventsSection[Database], ArchiveSection):
    names = ("events.id::bigint",)

    def _insert(self, records: Sequence[Record]) -> None:
        scopes = make_scopes(self._db, {record[4] for record in records} - {""})
        self._db.many(_PUT_EVENT, [(*record[:4], scopes.get(record[4]), *record[5:]) for record in records])
        self._db.run(_COUNT_UP_EVENTS)

    def _recount(self) -> None:
        events.recount(self._db)

    def _count_more(self, records: Sequence[Record]) -> None:
        counts = Counter((record[1], record[2] // _DAY) for record in records)
        last: dict[tuple[str, int], int] = {}
        for _, kind, at, *_ in records:
            last[kind, at // _DAY] = max(last.get((kind, at // _DAY), at), at)
        rows = [(*day, count, last[day]) for day, count in sorted(counts.items())]
        kinds, days, totals, lasts = columns_of(rows)
        values = {"kinds": kinds, "days": days, "counts": totals, "lasts": lasts, "shard": self._db.shard}
        self._db.run(events.COUNTING, values)


_PUT_EVENT: LiteralString = """
INSERT INTO events (id, kind, at, actor, scope, memo, reason, data) OVERRIDING SYSTEM VALUE
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, at = excluded.at,
actor = excluded.actor, scope = excluded.scope, memo = excluded.memo, reason = excluded.reason, data = excluded.data
"""
# The next id is beyond all stored ones.
_COUNT_UP_JOBS: LiteralString = """
SELECT setval(pg_get_serial_sequence('jobs', 'id'), greatest((SELECT max(id) FROM jobs),
nextval(pg_get_serial_sequence('jobs', 'id'))))
"""
_COUNT_UP_EVENTS: LiteralString = """
SELECT setval(pg_get_serial_sequence('events', 'id'), greatest((SELECT max(id) FROM events),
nextval(pg_get_serial_sequence('events', 'id'))))
"""
