"""A section of the archive in PostgreSQL: its records are found and removed many at once."""

from collections.abc import Sequence
from typing import Any, LiteralString, cast

from recollect.core.ports.archive import Name, Record
from recollect.stores._sql.archive import RowsSection, TableSection
from recollect.stores.postgres.database import Database


class ArchiveSection(RowsSection[Database]):
    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        if not names:
            return {}
        rows = self._db.rows(
            f"SELECT {self.fields} FROM {self.source} JOIN {self._names_join} WHERE {self.where}", columns_of(names)
        )
        records = (self.record(row) for row in rows)
        return {record[: len(self.names)]: record for record in records}

    @property
    def _names_join(self) -> LiteralString:
        """A table of the requested names, and the condition that joins it."""
        numbered = [(*name.split("::"), f"n{index}") for index, name in enumerate(self.names)]
        arrays = ", ".join(f"%s::{kind}[]" for _, kind, _ in numbered)
        aliases = ", ".join(alias for *_, alias in numbered)
        equal = " AND ".join(f"{column} = wanted.{alias}" for column, _, alias in numbered)
        return cast("LiteralString", f"unnest({arrays}) AS wanted ({aliases}) ON {equal}")


class Table(TableSection[Database], ArchiveSection):
    def remove(self, names: Sequence[Name]) -> None:
        using, _, equal = self._names_join.partition(" ON ")
        self._db.run(f"DELETE FROM {self.source} USING {using} WHERE {self.where} AND {equal}", columns_of(names))


def placeholders(count: int) -> LiteralString:
    return cast("LiteralString", ", ".join(["%s"] * count))


def columns_of(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows turned into columns, as `unnest` takes them."""
    return [list(column) for column in zip(*rows, strict=True)]
