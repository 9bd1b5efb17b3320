"""Ways to find rows: recent, by words, by vectors; each within its scopes."""

from collections.abc import Collection, Mapping, Sequence
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Corpus, CorpusSample, Filters, Vector, VectorSet, WordHit
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.rows import Scope, find_scopes, handle
from recollect.stores.postgres.write_gate import Gate

_RECENT: dict[Corpus, LiteralString] = {
    "memos": "SELECT key, updated AS at FROM memos WHERE scope = scopes.id AND status = 'active' "
    "ORDER BY updated DESC, key DESC LIMIT %(limit)s",
    "messages": "SELECT key, at FROM messages WHERE scope = scopes.id AND deleted IS NULL "
    "ORDER BY at DESC, key DESC LIMIT %(limit)s",
}
_SAMPLE: dict[Corpus, LiteralString] = {
    "memos": "SELECT length(text) / 6 + 1, '', '' FROM memos WHERE scope = %s ORDER BY updated DESC, key DESC LIMIT %s",
    "messages": "SELECT length, author, name FROM messages WHERE scope = %s AND deleted IS NULL "
    "ORDER BY at DESC, key DESC LIMIT %s",
}


class PostgresIndex:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._gate = Gate(db)

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]:
        self._hold(corpus, scopes)
        rows = self._db.rows(
            f"SELECT newest.key FROM scopes CROSS JOIN LATERAL ({_RECENT[corpus]}) AS newest "
            "WHERE scopes.mark = ANY(%(scopes)s::text[]) ORDER BY newest.at DESC, newest.key DESC LIMIT %(limit)s",
            {"scopes": [handle(scope) for scope in scopes], "limit": limit},
        )
        return [key for (key,) in rows]

    def words(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        terms: Sequence[str],
        limit: int,
        candidates: Collection[int] | None = None,
    ) -> list[WordHit]:
        self._hold(corpus, scopes)
        return words.search(self._db, corpus, self._scopes(scopes), terms, limit, candidates)

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
        self._hold(corpus, scopes)
        return vectors.nearest(self._db, corpus, self._scopes(scopes), model, vector, limit, also, candidates)

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        self._hold(corpus, scopes)
        where, values = _conditions(corpus, filters)
        table: LiteralString = "memos" if corpus == "memos" else "messages JOIN places ON places.id = messages.place"
        rows = self._db.rows(
            f"SELECT {corpus}.key FROM {table} JOIN scopes ON scopes.id = {corpus}.scope "
            f"WHERE scopes.mark = ANY(%(scopes)s::text[]) AND {where}",
            values | {"scopes": [handle(scope) for scope in scopes]},
        )
        return {key for (key,) in rows}

    def size(self, scopes: Sequence[str]) -> int:
        return sum(scope.size for scope in self._scopes(scopes))

    def row_counts(self) -> dict[Corpus, int]:
        memos, messages = self._db.row(
            "SELECT coalesce(sum(size) FILTER (WHERE owned), 0)::bigint, "
            "coalesce(sum(size) FILTER (WHERE NOT owned), 0)::bigint FROM (SELECT size, "
            "starts_with(name, 'user:') OR starts_with(name, 'lore:') AS owned FROM scopes) AS counted"
        ) or (0, 0)
        return {"memos": memos, "messages": messages}

    def sample(self, corpus: Corpus, scopes: Sequence[str], sample: int) -> CorpusSample:
        lengths: list[int] = []
        speakers: dict[str, str] = {}
        known_scopes = self._scopes(scopes)
        for scope in known_scopes:
            for length, author, name in self._db.rows(_SAMPLE[corpus], (scope.id, sample)):
                lengths.append(length)
                speakers[author] = name
        return CorpusSample(sum(scope.size for scope in known_scopes), lengths, speakers)

    def unembedded(self, corpus: Corpus, model: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        return vectors.missing(self._db, corpus, model, limit, after)

    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None:
        """Rows that are being changed or deleted at this moment are waited for, so that no vector outlives its row."""
        self._gate.enter()
        rows = self._db.rows(
            f"SELECT key, scope FROM {corpus} WHERE key = ANY(%s::bigint[]) AND {vectors.ALIVE[corpus]} "
            "ORDER BY key FOR SHARE",
            (list(embedded),),
        )
        vectors.add(self._db, corpus, model, {key: (scope, embedded[key]) for key, scope in rows})

    def vectors(self, corpus: Corpus, counted: bool = True) -> list[VectorSet]:
        return vectors.sets(self._db, corpus, counted)

    def activate(self, corpus: Corpus, model: str) -> None:
        self._gate.close()
        vectors.activate(self._db, corpus, model)

    def _hold(self, corpus: Corpus, scopes: Sequence[str]) -> None:
        """What a unit that writes finds among someone's memos stays as it is until that ends."""
        if corpus == "memos":
            self._db.lock(*(f"subject:{scope}" for scope in scopes))

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
    return " AND ".join([vectors.ALIVE[corpus], *(condition[0] for condition in used)]), {
        condition[1]: condition[2] for condition in used
    }
