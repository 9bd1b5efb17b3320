"""Ways to find rows: recent, by words, by vectors; each within its scopes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Generic, LiteralString, NamedTuple, TypeVar

from recollect.core.ports import Corpus, CorpusSample, Filters, Vector, VectorSet, WordHit
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.vectors import missing, table_of

D = TypeVar("D", bound=Database)

# Memos belong to persons and to lore, messages to all other scopes.
_ROW_COUNTS = """
SELECT CAST(coalesce(sum(size) FILTER (WHERE owned), 0) AS bigint),
    CAST(coalesce(sum(size) FILTER (WHERE NOT owned), 0) AS bigint)
FROM (SELECT size, substr(name, 1, 5) IN ('user:', 'lore:') AS owned FROM scopes) AS counted
"""


class Scope(NamedTuple):
    """A scope that exists: how many rows it holds, how many it was ever given, and how often its vectors changed, where
    those are held in memory.
    """

    id: int
    size: int
    last: int
    changes: int = 0


class WordQuery(NamedTuple):
    """The rows that share the rarest of these words are wanted; among the candidates, if there are some."""

    terms: Sequence[str]
    limit: int
    candidates: Collection[int] | None = None
    max_rows: int | None = None
    """Of words that more rows have, only the newest of these are read, unless there is no rarer word."""


class VectorQuery(NamedTuple):
    """The nearest rows are wanted, and the similarity of those in `also`; among the candidates, if there are some."""

    model: str
    vector: Vector
    limit: int
    also: Collection[int]
    candidates: Collection[int] | None


class Index(ABC, Generic[D]):
    samples: Mapping[Corpus, LiteralString]
    """Length, author and name of the newest rows of a scope."""

    def __init__(self, db: D) -> None:
        self._db = db

    @abstractmethod
    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]: ...
    @abstractmethod
    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]: ...
    @abstractmethod
    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None: ...
    @abstractmethod
    def activate(self, corpus: Corpus, model: str) -> None: ...
    @abstractmethod
    def _scopes(self, names: Sequence[str]) -> list[Scope]:
        """The scopes that exist, each once."""
        ...

    @abstractmethod
    def _by_words(self, corpus: Corpus, scopes: list[Scope], query: WordQuery) -> list[WordHit]: ...
    @abstractmethod
    def _by_vector(self, corpus: Corpus, scopes: list[Scope], query: VectorQuery) -> dict[int, float]: ...

    def _lock_memos(self, corpus: Corpus, scopes: Sequence[str]) -> None:
        """Lock someone's memos that a writing unit has read until it ends."""
        if corpus == "memos":
            self._db.lock(*(f"subject:{scope}" for scope in scopes))

    def words(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        terms: Sequence[str],
        limit: int,
        candidates: Collection[int] | None = None,
        max_rows: int | None = None,
    ) -> list[WordHit]:
        self._lock_memos(corpus, scopes)
        return self._by_words(corpus, self._scopes(scopes), WordQuery(terms, limit, candidates, max_rows))

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
        self._lock_memos(corpus, scopes)
        return self._by_vector(corpus, self._scopes(scopes), VectorQuery(model, vector, limit, also, candidates))

    def unembedded(self, corpus: Corpus, model: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        sets = {row[1]: row for row in self._embedders(corpus)}
        set_id, *_, complete = sets.get(model, (None, False))
        table = None if set_id is None else table_of(corpus, set_id)
        return missing(self._db, corpus, table, bool(complete), limit, after)

    def vectors(self, corpus: Corpus) -> list[VectorSet]:
        rows = self._embedders(corpus)
        return [VectorSet(model, dims, bool(serving), bool(complete)) for _, model, dims, serving, complete in rows]

    def _embedders(self, corpus: Corpus) -> list[Row]:
        """Id, model, dimensions, whether it serves and whether it is complete, of each set of vectors."""
        sql: LiteralString = f"""
        SELECT id, model, dims, serving, complete FROM embedders WHERE corpus = $1 AND {self._db.in_use} ORDER BY id
        """
        return self._db.rows(sql, (corpus,))

    def size(self, scopes: Sequence[str]) -> int:
        return sum(scope.size for scope in self._scopes(scopes))

    def row_counts(self) -> dict[Corpus, int]:
        memos, messages = self._db.row(_ROW_COUNTS) or (0, 0)
        return {"memos": memos, "messages": messages}

    def sample(self, corpus: Corpus, scopes: Sequence[str], sample: int) -> CorpusSample:
        lengths: list[int] = []
        speakers: dict[str, str] = {}
        known_scopes = self._scopes(scopes)
        for scope in known_scopes:
            for length, author, name in self._db.rows(self.samples[corpus], (scope.id, sample)):
                lengths.append(length)
                speakers[author] = name
        return CorpusSample(sum(scope.size for scope in known_scopes), lengths, speakers)
