"""The sections of vectors: the sets, and the vectors of each, by the names of their rows."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, TypeVar

from recollect.core.ports import Corpus, Vector
from recollect.core.ports.archive import Cursor, Name, Page, Record
from recollect.stores._sql.archive import RowsSection, Section
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.vectors import list_missing, table_of

D = TypeVar("D", bound=Database)


class VectorSetsSection(RowsSection[D]):
    """The sets of vectors."""

    source = "embedders"
    fields = "corpus, model, dims, CAST(serving AS integer), CAST(complete AS integer)"
    names = ("corpus::text", "model::text")
    order_by = "embedders.id"

    def __init__(self, db: D) -> None:
        super().__init__(db)
        self.where = db.in_use

    @abstractmethod
    def _make(self, corpus: Corpus, model: str, dims: int) -> LiteralString:
        """The table of a set, made when there is none or one of another size."""
        ...

    @abstractmethod
    def _drop(self, corpus: Corpus, model: str) -> None: ...
    @abstractmethod
    def _show(self) -> None:
        """Point the documents' views at the vectors of the active set."""
        ...

    def put(self, records: Sequence[Record]) -> None:
        mark: LiteralString = f"""
        UPDATE embedders SET serving = $1, complete = $2 WHERE corpus = $3 AND model = $4 AND {self._db.in_use}
        """
        for corpus, model, dims, serving, complete in records:
            table = self._make(corpus, model, dims)
            self._db.run(mark, (bool(serving), bool(complete), corpus, model))
            if complete:
                list_missing(self._db, corpus, table)
        self._show()

    def remove(self, names: Sequence[Name]) -> None:
        for corpus, model in names:
            self._drop(corpus, model)
        self._show()


_IDENTITY: dict[Corpus, LiteralString] = {
    "memos": "scopes.name, memos.id",
    "messages": "messages.platform, messages.id",
}
"""The columns that name a row of a corpus."""


class VectorsSection(Section[D]):
    """The vectors of all sets of a corpus, one set after the other."""

    memo_scope: LiteralString
    """The column with the scope of a memo."""
    sent: LiteralString = "embedding"
    """A vector as the store sends it."""

    def __init__(self, db: D, corpus: Corpus) -> None:
        super().__init__(db)
        self.corpus: Corpus = corpus

    @abstractmethod
    def _keys(self, names: Sequence[Name]) -> dict[Name, tuple[int, int]]:
        """Key and scope of each row of the corpus that exists."""
        ...

    @abstractmethod
    def _add(self, model: str, table: LiteralString, vectors: Mapping[int, tuple[int, Vector]]) -> None:
        """Vectors by the keys of their rows, with the scopes of these."""
        ...

    @abstractmethod
    def _remove(self, table: LiteralString, keys: Sequence[int]) -> None: ...
    def _received(self, sent: Any) -> Vector:
        return sent

    @property
    def _scopes(self) -> LiteralString:
        """Adds the scopes of memos, whose names are part of theirs."""
        return f"JOIN scopes ON scopes.id = {self.memo_scope}" if self.corpus == "memos" else ""

    def _sets(self, first: int = 0) -> list[tuple[int, str, LiteralString]]:
        """Id, model and table of each set, by id."""
        sql: LiteralString = f"""
        SELECT id, model FROM embedders WHERE corpus = $1 AND id >= $2 AND {self._db.in_use} ORDER BY id
        """
        rows = self._db.rows(sql, (self.corpus, first))
        return [(set_id, model, table_of(self.corpus, set_id)) for set_id, model in rows]

    def _page(self, table: LiteralString, after: int, limit: int) -> list[Row]:
        """Key, name and vector of the next rows of a set."""
        sql: LiteralString = f"""
        SELECT made.key, {_IDENTITY[self.corpus]}, {self.sent} FROM {table} AS made
        JOIN {self.corpus} ON {self.corpus}.key = made.key {self._scopes} WHERE made.key > $1 ORDER BY made.key LIMIT $2
        """
        return [(*row[:3], self._received(row[3])) for row in self._db.rows(sql, (after, limit))]

    def _vectors(self, table: LiteralString, keys: Sequence[int]) -> dict[int, Vector]:
        sql: LiteralString = f"SELECT key, {self.sent} FROM {table} WHERE key {self._db.among}"
        return {key: self._received(sent) for key, sent in self._db.rows(sql, (self._db.array(keys),))}

    def count(self) -> int:
        return sum(self._count(table) for _, _, table in self._sets())

    def _count(self, table: LiteralString) -> int:
        sql: LiteralString = f"SELECT count(*) FROM {table} JOIN {self.corpus} USING (key)"
        return self._db.value(sql)

    def read(self, after: Cursor | None, limit: int) -> Page:
        first, key = after or (0, -1)
        records: list[Record] = []
        for set_id, model, table in self._sets(first):
            rows = self._page(table, key if set_id == first else -1, limit - len(records))
            records += [(model, *row[1:]) for row in rows]
            if len(records) == limit:
                return Page(records, (set_id, rows[-1][0]))
        return Page(records, None)

    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        records: dict[Name, Record] = {}
        for _, model, table in self._sets():
            keys = {row: key for row, (key, _) in self._keys(_rows_of(model, names)).items()}
            vectors = self._vectors(table, list(keys.values()))
            records |= {(model, *row): (model, *row, vectors[key]) for row, key in keys.items() if key in vectors}
        return records

    def write(self, records: Sequence[Record]) -> list[Record]:
        tables: dict[str, LiteralString] = {model: table for _, model, table in self._sets()}
        keys = self._keys([record[1:3] for record in records])
        by_model: defaultdict[str, dict[int, tuple[int, Vector]]] = defaultdict(dict)
        skipped: list[Record] = []
        for record in records:
            row = keys.get(record[1:3])
            if row is None or record[0] not in tables:
                skipped.append(record)
            else:
                by_model[record[0]][row[0]] = (row[1], record[3])
        for model, vectors in by_model.items():
            self._add(model, tables[model], vectors)
        return skipped

    def put(self, records: Sequence[Record]) -> None:
        self.write(records)

    def remove(self, names: Sequence[Name]) -> None:
        for _, model, table in self._sets():
            self._remove(table, [key for key, _ in self._keys(_rows_of(model, names)).values()])


def _rows_of(model: str, names: Sequence[Name]) -> list[Name]:
    """The names of the rows whose vectors by this model are named."""
    return [name[1:] for name in names if name[0] == model]
