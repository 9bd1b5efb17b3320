"""The search of rows in PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Corpus, Filters, Vector, WordHit
from recollect.stores._sql.search import Index, Scope, VectorQuery, WordQuery
from recollect.stores._sql.vectors import ALIVE
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.rows import find_scopes
from recollect.stores.postgres.write_gate import Gate

_RECENT: dict[Corpus, LiteralString] = {
    "memos": "SELECT key, updated AS at FROM memos WHERE scope = scopes.id AND status = 'active' "
    "ORDER BY updated DESC, key DESC LIMIT %(limit)s",
    "messages": "SELECT key, at FROM messages WHERE scope = scopes.id AND deleted IS NULL "
    "ORDER BY at DESC, key DESC LIMIT %(limit)s",
}


class PostgresIndex(Index[Database]):
    samples: Mapping[Corpus, LiteralString] = {
        "memos": "SELECT length(text) / 6 + 1, '', '' FROM memos WHERE scope = $1 "
        "ORDER BY updated DESC, key DESC LIMIT $2",
        "messages": "SELECT length, author, name FROM messages WHERE scope = $1 AND deleted IS NULL "
        "ORDER BY at DESC, key DESC LIMIT $2",
    }

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._gate = Gate(db)

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]:
        self._lock_memos(corpus, scopes)
        rows = self._db.rows(
            f"SELECT newest.key FROM scopes CROSS JOIN LATERAL ({_RECENT[corpus]}) AS newest "
            "WHERE scopes.mark = ANY(%(scopes)s::text[]) ORDER BY newest.at DESC, newest.key DESC LIMIT %(limit)s",
            {"scopes": [handle(scope) for scope in scopes], "limit": limit},
        )
        return [key for (key,) in rows]

    def _by_words(self, corpus: Corpus, scopes: list[Scope], query: WordQuery) -> list[WordHit]:
        return words.search(self._db, corpus, scopes, query)

    def _by_vector(self, corpus: Corpus, scopes: list[Scope], query: VectorQuery) -> dict[int, float]:
        return vectors.nearest(self._db, corpus, scopes, query)

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        self._lock_memos(corpus, scopes)
        where, values = _conditions(corpus, filters)
        table: LiteralString = "memos" if corpus == "memos" else "messages JOIN places ON places.id = messages.place"
        rows = self._db.rows(
            f"SELECT {corpus}.key FROM {table} JOIN scopes ON scopes.id = {corpus}.scope "
            f"WHERE scopes.mark = ANY(%(scopes)s::text[]) AND {where}",
            values | {"scopes": [handle(scope) for scope in scopes]},
        )
        return {key for (key,) in rows}

    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None:
        """Rows that are being changed or deleted at this moment are waited for, so that no vector outlives its row."""
        self._gate.enter()
        rows = self._db.rows(
            f"SELECT key, scope FROM {corpus} WHERE key = ANY(%s::bigint[]) AND {ALIVE[corpus]} ORDER BY key FOR SHARE",
            (list(embedded),),
        )
        vectors.add(self._db, corpus, model, {key: (scope, embedded[key]) for key, scope in rows})

    def activate(self, corpus: Corpus, model: str) -> None:
        self._gate.close()
        vectors.activate(self._db, corpus, model)

    def _scopes(self, names: Sequence[str]) -> list[Scope]:
        return find_scopes(self._db, names)


def _conditions(corpus: Corpus, filters: Filters) -> tuple[LiteralString, dict[str, object]]:
    """The filters as SQL; what has no date passes every time window."""
    of_memos = corpus == "memos"
    time: LiteralString = "memos.happened" if of_memos else "messages.at"
    place: LiteralString = "memos" if of_memos else "places"
    conditions: list[tuple[LiteralString, str, object]] = [
        (f"{place}.guild = %(guild)s", "guild", filters.guild),
        (f"{place}.channel = %(channel)s", "channel", filters.channel),
        (f"({time} IS NULL OR {time} >= %(since)s)", "since", filters.since and to_ms(filters.since)),
        (f"({time} IS NULL OR {time} < %(until)s)", "until", filters.until and to_ms(filters.until)),
    ]
    if of_memos:
        kinds, tags = [str(kind) for kind in filters.kinds], list(filters.tags)
        conditions.append(("memos.kind = ANY(%(kinds)s::text[])", "kinds", kinds or None))
        conditions.append(("memos.tags && %(tags)s::text[]", "tags", tags or None))
    used = [condition for condition in conditions if condition[2] is not None]
    return " AND ".join([ALIVE[corpus], *(condition[0] for condition in used)]), {
        condition[1]: condition[2] for condition in used
    }
