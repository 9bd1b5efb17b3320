"""How vectors are copied in PostgreSQL: its tables, and the form in which it sends vectors."""

from array import array
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.ports import Corpus, Vector
from recollect.core.ports.archive import Name, Record
from recollect.stores._sql.archive_vectors import VectorSetsSection, VectorsSection
from recollect.stores.postgres import vectors
from recollect.stores.postgres.archive.section import ArchiveSection, columns_of
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.tables import VIEWS
from recollect.stores.postgres.vectors import add
from recollect.stores.postgres.write_gate import Gate


class VectorSets(VectorSetsSection[Database], ArchiveSection):
    def put(self, records: Sequence[Record]) -> None:
        Gate(self._db).close()
        super().put(records)

    def remove(self, names: Sequence[Name]) -> None:
        Gate(self._db).close()
        super().remove(names)

    def _make(self, corpus: Corpus, model: str, dims: int) -> LiteralString:
        existing = vectors.find(self._db, corpus, model)
        if existing is not None and existing.dims != dims:
            self._drop(corpus, model)
        return vectors.make(self._db, corpus, model, dims).table

    def _drop(self, corpus: Corpus, model: str) -> None:
        """Its table is dropped once no reader can need it."""
        self._db.run(
            "UPDATE embedders SET retired = clock_timestamp(), serving = false "
            "WHERE corpus = %s AND model = %s AND retired IS NULL",
            (corpus, model),
        )
        self._db.seen["embedders"].clear()

    def _show(self) -> None:
        self._db.seen["embedders"].clear()
        serving = self._db.value(
            "SELECT id FROM embedders WHERE corpus = 'memos' AND serving AND retired IS NULL ORDER BY id LIMIT 1"
        )
        self._db.script(VIEWS.vectors(None if serving is None else vectors.table_of("memos", serving)))


_MARKED: dict[Corpus, LiteralString] = {
    "memos": "scopes.mark, memos.id",
    "messages": "messages.platform, messages.id",
}
"""The columns by which a row is found."""


class Vectors(VectorsSection[Database]):
    memo_scope = "memos.scope"
    sent = "vector_send(embedding)"

    def _received(self, sent: bytes) -> Vector:
        """After a header of four bytes, big-endian numbers."""
        numbers = array("f", sent[4:])
        numbers.byteswap()
        return numbers.tobytes()

    def _add(self, model: str, table: LiteralString, vectors: Mapping[int, tuple[int, Vector]]) -> None:
        del table
        add(self._db, self.corpus, model, vectors)

    def _remove(self, table: LiteralString, keys: Sequence[int]) -> None:
        sql: LiteralString = f"DELETE FROM {table} WHERE key = ANY(%s::bigint[]) RETURNING key"
        for (key,) in self._db.rows(sql, (list(keys),)):
            vectors.note_missing(self._db, self.corpus, key)

    def _keys(self, names: Sequence[Name]) -> dict[Name, tuple[int, int]]:
        if not names:
            return {}
        first, second = columns_of(names)
        rows = self._db.rows(
            f"SELECT wanted.number, {self.corpus}.key, {self.corpus}.scope FROM {self.corpus} {self._scopes} "
            "JOIN unnest(%s::text[], %s::text[]) WITH ORDINALITY AS wanted (first, second, number) "
            f"ON ({_MARKED[self.corpus]}) = (wanted.first, wanted.second)",
            ([*map(handle, first)], [*map(handle, second)]),
        )
        return {tuple(names[position - 1]): (key, scope) for position, key, scope in rows}
