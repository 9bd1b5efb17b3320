"""The sections of vectors: which sets there are, and the vectors of each, under the names of their rows."""

from array import array
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.ports import Corpus, Vector
from recollect.core.ports.archive import Name, Record
from recollect.stores._sql.archive import VectorsSection
from recollect.stores._sql.database import Row
from recollect.stores.postgres import vectors
from recollect.stores.postgres.archive.section import ArchiveSection, columns_of
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.tables import VIEWS
from recollect.stores.postgres.vectors import add
from recollect.stores.postgres.write_gate import Gate


class VectorSets(ArchiveSection):
    columns = ("corpus", "model", "dims", "serving::int", "complete::int")
    source = "embedders"
    order_by = "embedders.id"
    names = ("corpus::text", "model::text")
    where = "retired IS NULL"

    def put(self, records: Sequence[Record]) -> None:
        Gate(self._db).close()
        for corpus, model, dims, serving, complete in records:
            existing = vectors.find(self._db, corpus, model)
            if existing is not None and existing.dims != dims:
                self._retire(corpus, model)
            embedder = vectors.make(self._db, corpus, model, dims)
            self._db.run(
                "UPDATE embedders SET serving = %s, complete = %s WHERE id = %s",
                (bool(serving), bool(complete), embedder.id),
            )
            self._db.seen["embedders"].clear()
            if complete:
                vectors.list_missing(self._db, embedder)
        self._show()

    def remove(self, names: Sequence[Name]) -> None:
        Gate(self._db).close()
        for corpus, model in names:
            self._retire(corpus, model)
        self._show()

    def _retire(self, corpus: Corpus, model: str) -> None:
        """Its table is dropped once no reader can need it."""
        self._db.run(
            "UPDATE embedders SET retired = clock_timestamp(), serving = false "
            "WHERE corpus = %s AND model = %s AND retired IS NULL",
            (corpus, model),
        )
        self._db.seen["embedders"].clear()

    def _show(self) -> None:
        """The views of the documents show the vectors that serve."""
        serving = self._db.value(
            "SELECT id FROM embedders WHERE corpus = 'memos' AND serving AND retired IS NULL ORDER BY id LIMIT 1"
        )
        self._db.script(VIEWS.vectors(None if serving is None else vectors.table_of("memos", serving)))


class _Vectors(VectorsSection[Database]):
    rows: LiteralString
    """The rows of the corpus, with what their names are made of."""
    identity: LiteralString
    """The columns that name a row of the corpus."""
    marked: LiteralString
    """The columns by which a row is found."""

    def _page(self, table: LiteralString, after: int, limit: int) -> list[Row]:
        rows = self._db.rows(
            f"SELECT made.key, {self.identity}, vector_send(made.embedding) FROM {table} AS made "
            f"JOIN {self.rows} ON {self.corpus}.key = made.key WHERE made.key > %s ORDER BY made.key LIMIT %s",
            (after, limit),
        )
        return [(*row[:3], _vector(row[3])) for row in rows]

    def _vectors(self, table: LiteralString, keys: Sequence[int]) -> dict[int, Vector]:
        sql: LiteralString = f"SELECT key, vector_send(embedding) FROM {table} WHERE key = ANY(%s::bigint[])"
        return {key: _vector(sent) for key, sent in self._db.rows(sql, (list(keys),))}

    def _add(self, model: str, table: LiteralString, vectors: Mapping[int, tuple[int, Vector]]) -> None:
        del table
        add(self._db, self.corpus, model, vectors)

    def _remove(self, table: LiteralString, keys: Sequence[int]) -> None:
        sql: LiteralString = f"DELETE FROM {table} WHERE key = ANY(%s::bigint[]) RETURNING key"
        for (key,) in self._db.rows(sql, (list(keys),)):
            vectors.note_missing(self._db, self.corpus, key)

    def _sets(self, first: int = 0) -> list[tuple[int, str, LiteralString]]:
        rows = self._db.rows(
            "SELECT id, model FROM embedders WHERE corpus = %s AND retired IS NULL AND id >= %s ORDER BY id",
            (self.corpus, first),
        )
        return [(set_id, model, vectors.table_of(self.corpus, set_id)) for set_id, model in rows]

    def _keys(self, names: Sequence[Name]) -> dict[Name, tuple[int, int]]:
        if not names:
            return {}
        first, second = columns_of(names)
        rows = self._db.rows(
            f"SELECT wanted.number, {self.corpus}.key, {self.corpus}.scope FROM {self.rows} "
            "JOIN unnest(%s::text[], %s::text[]) WITH ORDINALITY AS wanted (first, second, number) "
            f"ON ({self.marked}) = (wanted.first, wanted.second)",
            ([*map(handle, first)], [*map(handle, second)]),
        )
        return {tuple(names[position - 1]): (key, scope) for position, key, scope in rows}


class MemoVectors(_Vectors):
    corpus = "memos"
    rows = "memos JOIN scopes ON scopes.id = memos.scope"
    identity = "scopes.name, memos.id"
    marked = "scopes.mark, memos.id"


class MessageVectors(_Vectors):
    corpus = "messages"
    rows = "messages"
    identity = "messages.platform, messages.id"
    marked = "messages.platform, messages.id"


def _vector(sent: bytes) -> Vector:
    """A vector as the server sends it: after a header of four bytes, big-endian numbers."""
    numbers = array("f", sent[4:])
    numbers.byteswap()
    return numbers.tobytes()
