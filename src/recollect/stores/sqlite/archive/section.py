"""One section of the archive on SQL: how its records are counted, read in pages and found by name."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from recollect.core.ports.archive import Cursor, Name, Page, Record, canonical_json
from recollect.core.text import clean
from recollect.stores.sqlite.database import Database, Row


class ArchiveSection(ABC):
    """The rows of a section: `columns` of `source`, read by `order_by`, and one of them found by `match`."""

    columns: str
    source: str
    order_by: str
    """What a cursor is made of."""
    match: str
    """The condition that finds one record by its name."""
    where: str = "TRUE"
    documents: frozenset[int] = frozenset()
    """Columns that hold JSON, by position."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def count(self) -> int:
        return self._db.value(f"SELECT count(*) FROM {self.source} WHERE {self.where}")

    def read(self, after: Cursor | None, limit: int) -> Page:
        width = self.order_by.count(",") + 1
        beyond = "" if after is None else f"AND ({self.order_by}) > ({placeholders(width)})"
        rows = self._db.rows(
            f"SELECT {self.order_by}, {self.columns} FROM {self.source} WHERE {self.where} {beyond} "
            f"ORDER BY {self.order_by} LIMIT ?",
            (*(after or ()), limit),
        )
        return Page([self.record(row[width:]) for row in rows], rows[-1][:width] if len(rows) == limit else None)

    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        sql = f"SELECT {self.columns} FROM {self.source} WHERE {self.where} AND {self.match}"
        rows = ((name, self._db.row(sql, name)) for name in names)
        return {name: self.record(row) for name, row in rows if row is not None}

    def record(self, row: Row) -> Record:
        values = [clean(value) if value.__class__ is str else value for value in row]
        for column in self.documents:
            if values[column] is not None:
                values[column] = canonical_json(values[column])
        return tuple(values)

    def write(self, records: Sequence[Record]) -> list[Record]:
        """Add or replace; returns what had to be left out."""
        self.put(records)
        return []

    @abstractmethod
    def put(self, records: Sequence[Record]) -> None: ...

    @abstractmethod
    def remove(self, names: Sequence[Name]) -> None: ...


class Table(ArchiveSection):
    """A section that is a table with the same columns, named by its primary key."""

    def put(self, records: Sequence[Record]) -> None:
        width = self.columns.count(",") + 1
        self._db.executemany(
            f"INSERT OR REPLACE INTO {self.source} ({self.columns}) VALUES ({placeholders(width)})", records
        )

    def remove(self, names: Sequence[Name]) -> None:
        self._db.executemany(f"DELETE FROM {self.source} WHERE {self.where} AND {self.match}", names)


def placeholders(count: int) -> str:
    return ", ".join("?" * count)
