"""How vectors are copied in SQLite: its tables, and what its caches have to know."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.ports import Corpus, Vector
from recollect.core.ports.archive import Name
from recollect.stores._sql.archive_vectors import VectorSetsSection, VectorsSection
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import span
from recollect.stores.sqlite.views import VIEWS

_COMPLETE = "SELECT complete FROM embedders WHERE corpus = ? AND model = ?"


class VectorSets(VectorSetsSection[Database], ArchiveSection):
    def _make(self, corpus: Corpus, model: str, dims: int) -> LiteralString:
        stored_dims = self._db.value("SELECT dims FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
        if stored_dims not in (None, dims):
            self._drop(corpus, model)
        return vectors.find_table(self._db, corpus, model) or vectors.make_table(self._db, corpus, model, dims)

    def _drop(self, corpus: Corpus, model: str) -> None:
        table = vectors.find_table(self._db, corpus, model)
        if table is not None:
            self._db.run("DELETE FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
            self._show()
            self._db.run(f"DROP TABLE {table}")

    def _show(self) -> None:
        self._db.script(VIEWS.vectors(vectors.serving_table(self._db)))


_KEY: dict[Corpus, LiteralString] = {
    "memos": "SELECT key FROM memos WHERE key >> 32 = +(SELECT scopes.id FROM scopes WHERE name = ?) AND memos.id = ?",
    "messages": "SELECT key FROM messages WHERE platform = ? AND id = ?",
}


class Vectors(VectorsSection[Database]):
    memo_scope = "memos.key >> 32"

    def _keys(self, names: Sequence[Name]) -> dict[Name, tuple[int, int]]:
        keys = ((name, self._db.value(_KEY[self.corpus], tuple(name))) for name in names)
        return {name: (key, key >> 32) for name, key in keys if key is not None}

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
