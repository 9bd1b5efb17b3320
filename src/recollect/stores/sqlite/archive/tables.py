"""Sections that are lists of their own: jobs and events."""

import json
from collections.abc import Sequence

from recollect.core.ports.archive import Name, Record
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

    def put(self, records: Sequence[Record]) -> None:
        replaced = self._take_out([record[:1] for record in records])
        self._db.executemany(
            "INSERT INTO events (id, kind, at, actor, scope, memo, reason, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*record[:4], self._scope(record[4]), *record[5:]) for record in records],
        )
        if replaced:
            events.recount(self._db)
        else:
            self._add_to_counts(records)

    def _scope(self, name: str) -> int | None:
        return make_scope(self._db, name) if name else None

    def _add_to_counts(self, records: Sequence[Record]) -> None:
        self._db.run(
            "INSERT INTO event_days SELECT kind, at / 86400000, count(*), max(at) FROM events "
            "WHERE id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 "
            "ON CONFLICT (kind, day) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)",
            (json.dumps([record[0] for record in records]),),
        )

    def remove(self, names: Sequence[Name]) -> None:
        if self._take_out(names):
            events.recount(self._db)

    def _take_out(self, names: Sequence[Name]) -> bool:
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM events WHERE id = ?", names)
        return self._db.total_changes() > before
