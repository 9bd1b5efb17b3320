"""One section of the archive on SQL: how its records are counted, read in pages and found by name."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, LiteralString, cast

from recollect.core.ports.archive import Cursor, Name, Page, Record, canonical_json
from recollect.stores.postgres.database import Database, Row


class ArchiveSection(ABC):
    """A section's rows: `columns` of `source`, read by `order_by`."""

    columns: tuple[LiteralString, ...]
    source: LiteralString
    order_by: LiteralString
    """The columns that make up a cursor."""
    names: tuple[LiteralString, ...]
    """The columns that identify a record, with the types they are compared as: `id::text`."""
    where: LiteralString = "true"
    documents: frozenset[int] = frozenset()
    """Columns that hold JSON, by number."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def count(self) -> int:
        return self._db.value(f"SELECT count(*) FROM {self.source} WHERE {self.where}")

    def read(self, after: Cursor | None, limit: int) -> Page:
        width = self.order_by.count(",") + 1
        beyond: LiteralString = "" if after is None else f"AND ({self.order_by}) > ({placeholders(width)})"
        rows = self._db.rows(
            f"SELECT {self.order_by}, {', '.join(self.columns)} FROM {self.source} WHERE {self.where} {beyond} "
            f"ORDER BY {self.order_by} LIMIT %s",
            (*(after or ()), limit),
        )
        return Page([self.record(row[width:]) for row in rows], rows[-1][:width] if len(rows) == limit else None)

    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        if not names:
            return {}
        rows = self._db.rows(
            f"SELECT {', '.join(self.columns)} FROM {self.source} JOIN {self._names_join} WHERE {self.where}",
            columns_of(names),
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

    def record(self, row: Row) -> Record:
        values = list(row)
        for index in self.documents:
            if values[index] is not None:
                values[index] = canonical_json(values[index])
        return tuple(values)

    def write(self, records: Sequence[Record]) -> list[Record]:
        """Add or replace; returns the skipped records."""
        self.put(records)
        return []

    @abstractmethod
    def put(self, records: Sequence[Record]) -> None: ...

    @abstractmethod
    def remove(self, names: Sequence[Name]) -> None: ...


class Table(ArchiveSection):
    """A section that is a table with the same columns, named by its primary key."""

    def put(self, records: Sequence[Record]) -> None:
        fields = ", ".join(self.columns)
        key = ", ".join(name.split("::")[0] for name in self.names)
        changed = ", ".join(f"{column} = excluded.{column}" for column in self.columns)
        self._db.many(
            f"INSERT INTO {self.source} ({fields}) VALUES ({placeholders(len(self.columns))}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {changed}",
            records,
        )

    def remove(self, names: Sequence[Name]) -> None:
        using, _, equal = self._names_join.partition(" ON ")
        self._db.run(f"DELETE FROM {self.source} USING {using} WHERE {self.where} AND {equal}", columns_of(names))


def placeholders(count: int) -> LiteralString:
    return cast("LiteralString", ", ".join(["%s"] * count))


def columns_of(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows turned into columns, as `unnest` takes them."""
    return [list(column) for column in zip(*rows, strict=True)]
