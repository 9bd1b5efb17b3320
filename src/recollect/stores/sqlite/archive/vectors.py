"""The sections of vectors: which sets there are, and the vectors of each, under the names of their rows."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.ports import Corpus, Vector
from recollect.core.ports.archive import Name, Record
from recollect.stores._sql.archive import VectorsSection
from recollect.stores._sql.database import Row
from recollect.stores._sql.vectors import ALIVE, table_of
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import scope_id, span
from recollect.stores.sqlite.views import VIEWS

_COMPLETE = "SELECT complete FROM embedders WHERE corpus = ? AND model = ?"


class VectorSets(ArchiveSection):
    columns = "corpus, model, dims, serving, complete"
    source = "embedders"
    order_by = "id"
    match = "corpus = ? AND model = ?"

    def put(self, records: Sequence[Record]) -> None:
        for corpus, model, dims, serving, complete in records:
            table = self._table(corpus, model, dims)
            self._db.run(
                "UPDATE embedders SET serving = ?, complete = ? WHERE corpus = ? AND model = ?",
                (serving, complete, corpus, model),
            )
            if complete:
                self._list_missing(corpus, table)
        self._refresh_view()

    def _table(self, corpus: Corpus, model: str, dims: int) -> str:
        """The set's table, made when there is none or one of another size."""
        stored_dims = self._db.value("SELECT dims FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
        if stored_dims not in (None, dims):
            self.remove([(corpus, model)])
        return vectors.find_table(self._db, corpus, model) or vectors.make_table(self._db, corpus, model, dims)

    def _list_missing(self, corpus: Corpus, table: str) -> None:
        self._db.run(
            f"INSERT OR IGNORE INTO unembedded SELECT ?1, key FROM {corpus} WHERE {ALIVE[corpus]} "
            f"AND NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.key = {corpus}.key)",
            (corpus,),
        )

    def remove(self, names: Sequence[Name]) -> None:
        for corpus, model in names:
            table = vectors.find_table(self._db, corpus, model)
            if table is not None:
                self._db.run("DELETE FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
                self._refresh_view()
                self._db.run(f"DROP TABLE {table}")

    def _refresh_view(self) -> None:
        """The views of the documents show the vectors that serve."""
        self._db.script(VIEWS.vectors(vectors.serving_table(self._db)))


class _Vectors(VectorsSection[Database]):
    identity: LiteralString
    """The columns that name a row of the corpus."""

    @abstractmethod
    def _key(self, row: Sequence[str]) -> int | None: ...

    def _keys(self, names: Sequence[Name]) -> dict[Name, tuple[int, int]]:
        keys = ((name, self._key(name)) for name in names)
        return {name: (key, key >> 32) for name, key in keys if key is not None}

    def _page(self, table: LiteralString, after: int, limit: int) -> list[Row]:
        return self._db.rows(
            f"SELECT vectors.key, {self.identity}, embedding FROM {table} AS vectors "
            f"JOIN {self.corpus} USING (key) WHERE vectors.key > ? ORDER BY vectors.key LIMIT ?",
            (after, limit),
        )

    def _vectors(self, table: LiteralString, keys: Sequence[int]) -> dict[int, Vector]:
        sql = f"SELECT key, embedding FROM {table} WHERE key {self._db.among}"
        return dict(self._db.rows(sql, (self._db.array(keys),)))

    def _add(self, model: str, table: LiteralString, vectors: Mapping[int, tuple[int, Vector]]) -> None:
        """Caches of a scope go by its number of changes, and reload what did not join at the scope's end."""
        of_scope: defaultdict[int, list[int]] = defaultdict(list)
        for key, (scope, _) in vectors.items():
            of_scope[scope].append(key)
        for scope, keys in of_scope.items():
            last = self._db.value(f"SELECT max(key) FROM {table} WHERE key BETWEEN ? AND ?", span(scope)) or -1
            changes: int = self._db.value(
                "UPDATE scopes SET changes = changes + ? WHERE id = ? RETURNING changes", (len(keys), scope)
            )
            edits = [(scope, changes, key) for key in keys if key < last]
            self._db.many("INSERT INTO vector_edits VALUES (?, ?, ?)", edits)
        self._db.changed_scopes.update(of_scope)
        rows = [(key, vector) for key, (_, vector) in vectors.items()]
        self._db.many(f"INSERT OR REPLACE INTO {table} (key, embedding) VALUES (?, ?)", rows)
        if self._db.value(_COMPLETE, (self.corpus, model)):
            self._db.many(
                "DELETE FROM unembedded WHERE corpus = ? AND key = ?", [(self.corpus, key) for key in vectors]
            )

    def _remove(self, table: LiteralString, keys: Sequence[int]) -> None:
        for key in keys:
            if self._db.value(f"DELETE FROM {table} WHERE key = ? RETURNING key", (key,)) is not None:
                changes = self._db.value(
                    "UPDATE scopes SET changes = changes + 1 WHERE id = ? RETURNING changes", (key >> 32,)
                )
                self._db.run("INSERT INTO vector_edits VALUES (?, ?, ?)", (key >> 32, changes, key))
                self._db.changed_scopes.add(key >> 32)
                vectors.note_missing(self._db, self.corpus, key)

    def _sets(self, first: int = 0) -> list[tuple[int, str, LiteralString]]:
        sql = "SELECT id, model FROM embedders WHERE corpus = ? AND id >= ? ORDER BY id"
        rows = self._db.rows(sql, (self.corpus, first))
        return [(set_id, model, table_of(self.corpus, set_id)) for set_id, model in rows]


class MemoVectors(_Vectors):
    corpus = "memos"
    identity = "(SELECT name FROM scopes WHERE scopes.id = vectors.key >> 32), memos.id"

    def _key(self, row: Sequence[str]) -> int | None:
        scope, memo = row
        sql = "SELECT key FROM memos WHERE key >> 32 = ? AND id = ?"
        return self._db.value(sql, (scope_id(self._db, scope), memo))


class MessageVectors(_Vectors):
    corpus = "messages"
    identity = "messages.platform, messages.id"

    def _key(self, row: Sequence[str]) -> int | None:
        return self._db.value("SELECT key FROM messages WHERE platform = ? AND id = ?", tuple(row))
