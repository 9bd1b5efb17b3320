"""Sections that are lists of their own: jobs and events."""

from collections.abc import Collection, Sequence

from recollect.core.ports.archive import Record
from recollect.stores._sql.archive import EventsSection, JobsSection
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import make_scope


class Jobs(JobsSection[Database], ArchiveSection):
    pass


class Events(EventsSection[Database], ArchiveSection):
    def _make_scopes(self, names: Collection[str]) -> dict[str, int]:
        return {name: make_scope(self._db, name) for name in names}

    def _count_more(self, records: Sequence[Record]) -> None:
        self._db.run(
            "INSERT INTO event_days SELECT kind, at / 86400000, count(*), max(at) FROM events "
            f"WHERE id {self._db.among} GROUP BY 1, 2 "
            "ON CONFLICT (kind, day) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)",
            (self._db.array(record[0] for record in records),),
        )
