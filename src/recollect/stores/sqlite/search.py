"""The search of rows in SQLite."""

import json
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Corpus, Filters, Vector, WordHit
from recollect.stores._sql.search import Index, Scope, VectorQuery, WordQuery
from recollect.stores._sql.vectors import ALIVE
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.matrix_cache import MatrixCache
from recollect.stores.sqlite.rows import span
from recollect.stores.sqlite.words import WordIndex

_RECENT: dict[Corpus, str] = {
    "memos": "SELECT key, updated FROM memos WHERE key >> 32 = ? AND status = 'active' "
    "ORDER BY updated DESC, key DESC LIMIT ?",
    "messages": "SELECT key, at FROM messages WHERE key >> 32 = ? AND deleted IS NULL "
    "ORDER BY at DESC, key DESC LIMIT ?",
}
_SCOPE = "SELECT id, size, last, changes FROM scopes WHERE name = ?"


class SQLiteIndex(Index[Database]):
    samples: Mapping[Corpus, LiteralString] = {
        "memos": "SELECT length(text) / 6 + 1, '', '' FROM memos "
        "WHERE key BETWEEN $1 << 32 AND ($1 << 32) + 4294967295 ORDER BY key DESC LIMIT $2",
        "messages": "SELECT length, author, name FROM messages WHERE key >> 32 = $1 "
        "AND deleted IS NULL ORDER BY at DESC LIMIT $2",
    }

    def __init__(self, db: Database, index: WordIndex, cache: MatrixCache) -> None:
        super().__init__(db)
        self._words = index
        self._cache = cache

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]:
        rows: list[tuple[int, int]] = []
        for scope in self._scopes(scopes):
            rows += self._db.rows(_RECENT[corpus], (scope.id, limit))
        rows.sort(key=lambda row: (-row[1], -row[0]))
        return [key for key, _ in rows[:limit]]

    def _by_words(self, corpus: Corpus, scopes: list[Scope], query: WordQuery) -> list[WordHit]:
        size = sum(scope.size for scope in scopes)
        return self._words.search(corpus, [scope.id for scope in scopes], size, query)

    def _by_vector(self, corpus: Corpus, scopes: list[Scope], query: VectorQuery) -> dict[int, float]:
        return vectors.nearest(self._db, self._cache, corpus, scopes, query)

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        condition, values = _conditions(corpus, filters)
        table = "memos" if corpus == "memos" else "messages JOIN places ON places.id = messages.place"
        keys: set[int] = set()
        for scope in self._scopes(scopes):
            sql = f"SELECT key FROM {table} WHERE key BETWEEN ? AND ? {condition}"
            rows = self._db.rows(sql, (*span(scope.id), *values))
            keys.update(key for (key,) in rows)
        return keys

    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None:
        sql = f"SELECT key FROM {corpus} WHERE key IN (SELECT value FROM json_each(?)) AND {ALIVE[corpus]}"
        rows = self._db.rows(sql, (self._db.array(embedded),))
        vectors.add(self._db, corpus, model, {key: embedded[key] for (key,) in rows})

    def activate(self, corpus: Corpus, model: str) -> None:
        vectors.activate(self._db, corpus, model)

    def _scopes(self, names: Sequence[str]) -> list[Scope]:
        rows = (self._db.cached_row(_SCOPE, (name,)) for name in dict.fromkeys(names))
        return [Scope(*row) for row in rows if row is not None]


def _conditions(corpus: Corpus, filters: Filters) -> tuple[str, list[object]]:
    """The filters as SQL; what has no date passes every time window."""
    clauses: list[str] = []
    values: list[object] = []

    def add(clause: str, value: object) -> None:
        clauses.append(f"AND {clause}")
        values.append(value)

    clauses.append(f"AND {ALIVE[corpus]}")
    if corpus == "memos":
        if filters.kinds:
            add("kind IN (SELECT value FROM json_each(?))", json.dumps(list(filters.kinds)))
        if filters.tags:
            tags = json.dumps(list(filters.tags))
            add("EXISTS (SELECT 1 FROM json_each(tags) JOIN json_each(?) AS wanted USING (value))", tags)
    time = "happened" if corpus == "memos" else "at"
    guild, channel = ("guild", "channel") if corpus == "memos" else ("detail ->> 'guild'", "detail ->> 'channel'")
    if filters.guild is not None:
        add(f"{guild} = ?", filters.guild)
    if filters.channel is not None:
        add(f"{channel} = ?", filters.channel)
    if filters.since is not None:
        add(f"({time} IS NULL OR {time} >= ?)", to_ms(filters.since))
    if filters.until is not None:
        add(f"({time} IS NULL OR {time} < ?)", to_ms(filters.until))
    return " ".join(clauses), values
