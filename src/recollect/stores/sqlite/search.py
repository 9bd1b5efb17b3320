"""Ways to find rows: recent, by words, by vectors; each within its scopes."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.core.clock import to_ms
from recollect.core.ports import Corpus, CorpusSample, Filters, Vector, VectorSet, WordHit
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import span
from recollect.stores.sqlite.words import WordIndex

if TYPE_CHECKING:
    from recollect.stores.sqlite.matrix import MatrixCache

_RECENT: dict[Corpus, str] = {
    "memos": "SELECT key, updated FROM memos WHERE key >> 32 = ? AND status = 'active' "
    "ORDER BY updated DESC, key DESC LIMIT ?",
    "messages": "SELECT key, at FROM messages WHERE key >> 32 = ? AND deleted IS NULL "
    "ORDER BY at DESC, key DESC LIMIT ?",
}
_SAMPLE: dict[Corpus, str] = {
    "memos": "SELECT length(text) / 6 + 1, '', '' FROM memos WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT ?",
    "messages": "SELECT length, author, name FROM messages WHERE key >> 32 = ?1 >> 32 "
    "AND deleted IS NULL ORDER BY at DESC LIMIT ?3",
}


class SQLiteIndex:
    def __init__(self, db: Database, index: WordIndex, cache: "MatrixCache | None") -> None:
        self._db = db
        self._words = index
        self._cache = cache

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]:
        rows: list[tuple[int, int]] = []
        for scope, _ in self._scopes(scopes):
            rows += self._db.rows(_RECENT[corpus], (scope, limit))
        rows.sort(key=lambda row: (-row[1], -row[0]))
        return [key for key, _ in rows[:limit]]

    def words(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        terms: Sequence[str],
        limit: int,
        candidates: Collection[int] | None = None,
    ) -> list[WordHit]:
        sizes = self._scopes(scopes)
        size = sum(size for _, size in sizes)
        return self._words.search(corpus, [scope for scope, _ in sizes], size, terms, limit, candidates)

    def nearest(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        model: str,
        vector: Vector,
        limit: int,
        also: Collection[int] = (),
        candidates: Collection[int] | None = None,
    ) -> dict[int, float]:
        scope_ids = [scope for scope, _ in self._scopes(scopes)]
        return vectors.nearest(self._db, self._cache, corpus, scope_ids, model, vector, limit, also, candidates)

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        condition, values = _conditions(corpus, filters)
        table = "memos" if corpus == "memos" else "messages JOIN places ON places.id = messages.place"
        keys: set[int] = set()
        for scope, _ in self._scopes(scopes):
            sql = f"SELECT key FROM {table} WHERE key BETWEEN ? AND ? {condition}"
            rows = self._db.rows(sql, (*span(scope), *values))
            keys.update(key for (key,) in rows)
        return keys

    def size(self, scopes: Sequence[str]) -> int:
        return sum(size for _, size in self._scopes(scopes))

    def row_counts(self) -> dict[Corpus, int]:
        (memos, messages) = self._db.row(
            "SELECT coalesce(sum(size) FILTER (WHERE owned), 0), coalesce(sum(size) FILTER (WHERE NOT owned), 0) "
            "FROM (SELECT size, name LIKE 'user:%' OR name LIKE 'lore:%' AS owned FROM scopes)"
        ) or (0, 0)
        return {"memos": memos, "messages": messages}

    def sample(self, corpus: Corpus, scopes: Sequence[str], sample: int) -> CorpusSample:
        lengths: list[int] = []
        speakers: dict[str, str] = {}
        sizes = self._scopes(scopes)
        for scope, _ in sizes:
            for length, author, name in self._db.rows(_SAMPLE[corpus], (*span(scope), sample)):
                lengths.append(length)
                speakers[author] = name
        return CorpusSample(sum(size for _, size in sizes), lengths, speakers)

    def unembedded(self, corpus: Corpus, model: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        return vectors.missing(self._db, corpus, model, limit, after)

    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None:
        alive = "status = 'active'" if corpus == "memos" else "deleted IS NULL"
        rows = self._db.rows(
            f"SELECT key FROM {corpus} WHERE key IN (SELECT value FROM json_each(?)) AND {alive}",
            (json.dumps(list(embedded)),),
        )
        vectors.add(self._db, corpus, model, {key: embedded[key] for (key,) in rows})

    def vectors(self, corpus: Corpus, counted: bool = True) -> list[VectorSet]:
        return vectors.sets(self._db, corpus, counted)

    def activate(self, corpus: Corpus, model: str) -> None:
        vectors.activate(self._db, corpus, model)

    def _scopes(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Id and size of each scope that exists."""
        rows = (self._db.row("SELECT id, size FROM scopes WHERE name = ?", (name,)) for name in dict.fromkeys(names))
        return [row for row in rows if row is not None]


def _conditions(corpus: Corpus, filters: Filters) -> tuple[str, list[object]]:
    """The filters as SQL; what has no date passes every time window."""
    clauses: list[str] = []
    values: list[object] = []

    def add(clause: str, value: object) -> None:
        clauses.append(f"AND {clause}")
        values.append(value)

    if corpus == "memos":
        clauses.append("AND status = 'active'")
        if filters.kinds:
            add("kind IN (SELECT value FROM json_each(?))", json.dumps(list(filters.kinds)))
        if filters.tags:
            tags = json.dumps(list(filters.tags))
            add("EXISTS (SELECT 1 FROM json_each(tags) JOIN json_each(?) AS wanted USING (value))", tags)
    else:
        clauses.append("AND deleted IS NULL")
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
