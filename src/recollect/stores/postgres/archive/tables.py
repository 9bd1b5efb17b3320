"""Sections that are lists of their own, whose ids the server numbers: jobs and events."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import LiteralString

from recollect.core.ports.archive import Record
from recollect.stores._sql.archive import EventsSection, JobsSection
from recollect.stores.postgres.archive.section import ArchiveSection, columns_of
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.events import COUNTING
from recollect.stores.postgres.rows import make_scopes

_DAY = 86_400_000


class Jobs(JobsSection[Database], ArchiveSection):
    def _count_up(self) -> None:
        self._db.run(_COUNT_UP.format(table="jobs"))


class Events(EventsSection[Database], ArchiveSection):
    def _count_up(self) -> None:
        self._db.run(_COUNT_UP.format(table="events"))

    def _make_scopes(self, names: Collection[str]) -> dict[str, int]:
        return make_scopes(self._db, names)

    def _count_more(self, records: Sequence[Record]) -> None:
        counts = Counter((record[1], record[2] // _DAY) for record in records)
        last: dict[tuple[str, int], int] = {}
        for _, kind, at, *_ in records:
            last[kind, at // _DAY] = max(last.get((kind, at // _DAY), at), at)
        rows = [(*day, count, last[day]) for day, count in sorted(counts.items())]
        kinds, days, totals, lasts = columns_of(rows)
        values = {"kinds": kinds, "days": days, "counts": totals, "lasts": lasts, "shard": self._db.shard}
        self._db.run(COUNTING, values)


_COUNT_UP: LiteralString = """
SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest((SELECT max(id) FROM {table}),
nextval(pg_get_serial_sequence('{table}', 'id'))))
"""
