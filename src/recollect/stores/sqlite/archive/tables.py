"""Sections that are lists of their own: jobs and events."""

from collections.abc import Sequence

from recollect.core.ports.archive import Record
from recollect.stores._sql.archive import EventsSection, JobsSection
from recollect.stores.sqlite import events
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import make_scope


class Jobs(JobsSection[Database], ArchiveSection):
    match = "id = ?"
    inserted = """
    INSERT INTO jobs (id, kind, queue, tenant, payload, state, due, attempts, dedupe, error)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    """


class Events(EventsSection[Database], ArchiveSection):
    match = "events.id = ?"

    def _insert(self, records: Sequence[Record]) -> None:
        self._db.many(_PUT_EVENT, [(*record[:4], self._scope(record[4]), *record[5:]) for record in records])

    def _scope(self, name: str) -> int | None:
        return make_scope(self._db, name) if name else None

    def _recount(self) -> None:
        events.recount(self._db)

    def _count_more(self, records: Sequence[Record]) -> None:
        self._db.run(
            "INSERT INTO event_days SELECT kind, at / 86400000, count(*), max(at) FROM events "
            f"WHERE id {self._db.among} GROUP BY 1, 2 "
            "ON CONFLICT (kind, day) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)",
            (self._db.array(record[0] for record in records),),
        )


_PUT_EVENT = """
INSERT OR REPLACE INTO events (id, kind, at, actor, scope, memo, reason, data) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
