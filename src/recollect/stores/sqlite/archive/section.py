"""A section of the archive in SQLite: its records are found and removed one by one."""

from collections.abc import Sequence
from typing import LiteralString

from recollect.core.ports.archive import Name, Record
from recollect.core.text import clean
from recollect.stores._sql.archive import RowsSection, TableSection
from recollect.stores._sql.database import Row
from recollect.stores.sqlite.database import Database


class ArchiveSection(RowsSection[Database]):
    @property
    def match(self) -> LiteralString:
        """The condition that finds one record by its name."""
        return " AND ".join(f"{name.split('::')[0]} = ?" for name in self.names)

    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        sql = f"SELECT {self.fields} FROM {self.source} WHERE {self.where} AND {self.match}"
        rows = ((name, self._db.row(sql, name)) for name in names)
        return {name: self.record(row) for name, row in rows if row is not None}

    def record(self, row: Row) -> Record:
        return super().record(tuple(clean(value) if value.__class__ is str else value for value in row))


class Table(TableSection[Database], ArchiveSection):
    def remove(self, names: Sequence[Name]) -> None:
        self._db.many(f"DELETE FROM {self.source} WHERE {self.where} AND {self.match}", names)
