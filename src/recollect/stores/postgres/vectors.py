"""The vectors of rows, one table per model; a search compares within its scopes only.

A scope is compared row by row, which is exact, as long as it is small. Each scope beyond that gets an HNSW index of
its own, so that nothing has to be filtered out of a search and small scopes pay nothing for it. Indexes are built and
tables of past models dropped by `maintain_vectors`, outside of any unit of work; until then searches stay exact.
"""

import math
import struct
from collections.abc import Collection, Mapping, Sequence
from typing import Any, LiteralString, NamedTuple, cast

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

from recollect.core.errors import BadInput
from recollect.core.ports import Corpus, Vector
from recollect.stores._sql.search import Scope, VectorQuery
from recollect.stores._sql.vectors import check_query, check_vector, list_missing, table_of
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.tables import VIEWS

MAX_EXACT_ROWS = 20_000
"""Vectors of a scope up to which comparing all of them is quick enough."""
MAX_INLINE_DIMS = 2_000
"""Numbers of a vector that fit into a page, and into an index as they are; of longer ones the index has halves."""
MAX_INDEXED_DIMS = 4_000
"""Numbers of a vector beyond which there is no index."""
MAX_DIMS = 16_000
"""The most numbers of a vector that pgvector accepts."""


class Embedding(bytes):
    """A vector in the form in which the server receives it."""

    @classmethod
    def of(cls, vector: Vector) -> "Embedding":
        count = len(vector) // 4
        return cls(struct.pack(f">HH{count}f", count, 0, *struct.unpack(f"<{count}f", vector)))


class _EmbeddingDumper(Dumper):
    """Sends an embedding as it is; the server knows from the cast in the statement what it is."""

    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer | None:
        return bytes(obj)


psycopg.adapters.register_dumper(Embedding, _EmbeddingDumper)


class Embedder(NamedTuple):
    """The set of vectors that one model made of a corpus."""

    id: int
    corpus: Corpus
    dims: int
    complete: bool

    @property
    def table(self) -> LiteralString:
        return table_of(self.corpus, self.id)


def find(db: Database, corpus: Corpus, model: str) -> Embedder | None:
    return _embedders(db).get((corpus, model))


def _embedders(db: Database) -> dict[tuple[Corpus, str], Embedder]:
    """All that are in use, by corpus and model."""
    seen: dict[str, dict[tuple[Corpus, str], Embedder]] = db.seen["embedders"]
    if not seen:
        rows = db.rows("SELECT id, corpus, dims, complete, model FROM embedders WHERE retired IS NULL")
        seen["all"] = {(row[1], row[4]): Embedder(*row[:4]) for row in rows}
    return seen["all"]


def ready(db: Database, corpus: Corpus, model: str, vector: Vector) -> Embedder | None:
    """The set that a vector belongs into, None where it has to be made; refuses a vector that does not fit."""
    embedder = find(db, corpus, model)
    _check(vector, embedder.dims if embedder else len(vector) // 4, model)
    return embedder


def add(db: Database, corpus: Corpus, model: str, vectors: Mapping[int, tuple[int, Vector]]) -> None:
    """Store vectors of rows that exist, with the scopes of these."""
    if not vectors:
        return
    existing = find(db, corpus, model)
    dims = existing.dims if existing else len(next(iter(vectors.values()))[1]) // 4
    for _, vector in vectors.values():
        _check(vector, dims, model)
    embedder = existing or make(db, corpus, model, dims)
    # Sorted by key, so that two writers of the same rows don't deadlock.
    rows = [(key, scope, Embedding.of(vector)) for key, (scope, vector) in sorted(vectors.items())]
    put: LiteralString = (
        f"INSERT INTO {embedder.table} (key, scope, embedding) VALUES (%s, %s, %s::vector) "
        "ON CONFLICT (key) DO UPDATE SET embedding = excluded.embedding"
    )
    if len(rows) == 1:
        db.run(put, rows[0])
    else:
        db.many(put, rows)
    if embedder.complete:  # the list of what is missing is that of the complete set
        db.run("DELETE FROM unembedded WHERE corpus = %s AND key = ANY(%s::bigint[])", (corpus, list(vectors)))


def _check(vector: Vector, dims: int, model: str) -> None:
    check_vector(vector, dims, model)
    if dims > MAX_DIMS:
        raise BadInput(f"{model} gives vectors of {dims} numbers; PostgreSQL's pgvector takes {MAX_DIMS}")
    if not math.isfinite(sum(struct.unpack(f"<{dims}f", vector))):
        raise BadInput(f"{model} gave a vector with a value that is not a number")


def make(db: Database, corpus: Corpus, model: str, dims: int) -> Embedder:
    """The set of a model, made where there is none; the first one of a corpus serves searches."""
    # Locked before looking again: two processes may have found the set missing.
    db.lock(f"embedders:{corpus}")
    db.seen["embedders"].clear()
    existing = find(db, corpus, model)
    if existing is not None:  # another process created it first
        return existing
    first = not db.value("SELECT count(*) FROM embedders WHERE corpus = %s AND retired IS NULL", (corpus,))
    set_id: int = db.value(
        "INSERT INTO embedders (corpus, model, dims, serving) VALUES (%s, %s, %s, %s) RETURNING id",
        (corpus, model, dims, first),
    )
    db.seen["embedders"].clear()
    embedder = Embedder(set_id, corpus, dims, complete=False)
    size = cast("LiteralString", str(dims))
    # Kept in the row where it fits: a vector that is stored apart takes many times as long to compare.
    storage: LiteralString = "STORAGE PLAIN " if dims <= MAX_INLINE_DIMS else ""
    db.run(
        f"CREATE TABLE {embedder.table} (key bigint PRIMARY KEY, scope integer NOT NULL, "
        f"embedding vector({size}) {storage}NOT NULL)"
    )
    db.run(f"CREATE INDEX {embedder.table}_of_scope ON {embedder.table} (scope)")
    if first and corpus == "memos":
        db.script(VIEWS.vectors(embedder.table))
    return embedder


def note_missing(db: Database, corpus: Corpus, key: int) -> None:
    """Record that a row has no vector yet; not needed while no set is complete, as then all rows are scanned."""
    if any(embedder.complete for embedder in _embedders(db).values() if embedder.corpus == corpus):
        db.run("INSERT INTO unembedded VALUES (%s, %s) ON CONFLICT DO NOTHING", (corpus, key))


def remove(db: Database, corpus: Corpus, key: int) -> None:
    """Also out of the sets of past models that are still there."""
    for (set_id,) in db.rows("SELECT id FROM embedders WHERE corpus = %s", (corpus,)):
        db.run(f"DELETE FROM {table_of(corpus, set_id)} WHERE key = %s", (key,))


def activate(db: Database, corpus: Corpus, model: str) -> None:
    """Let a set serve and retire the others. The caller keeps writers of rows out meanwhile."""
    embedder = find(db, corpus, model)
    if embedder is None:
        return
    if corpus == "memos":
        db.script(VIEWS.vectors(embedder.table))
    db.run(
        "UPDATE embedders SET retired = clock_timestamp(), serving = false "
        "WHERE corpus = %s AND model <> %s AND retired IS NULL",
        (corpus, model),
    )
    db.run("UPDATE embedders SET serving = true, complete = true WHERE id = %s", (embedder.id,))
    db.seen["embedders"].clear()
    db.run("DELETE FROM unembedded WHERE corpus = %s", (corpus,))
    list_missing(db, corpus, embedder.table)  # rows added since the caller saw that nothing was missing


def nearest(
    db: Database,
    corpus: Corpus,
    scopes: Sequence[Scope],
    wanted: VectorQuery,
    *,
    exact: int = MAX_EXACT_ROWS,
) -> dict[int, float]:
    """The nearest rows by cosine; a scope with more rows than `exact` through its index."""
    model, vector, limit, also, candidates = wanted
    embedder = find(db, corpus, model)
    if embedder is None:
        return {}
    check_query(vector, embedder.dims, model)
    _check(vector, embedder.dims, model)
    large = _indexed(db, embedder, [scope.id for scope in scopes if scope.size > exact]) if candidates is None else []
    query = Embedding.of(vector)
    similarities = _exact(
        db, embedder, [scope.id for scope in scopes if scope.id not in large], query, limit, candidates
    )
    for scope in large if limit > 0 else ():
        similarities |= _through_index(db, embedder, scope, query, limit)
    if len(similarities) > limit:
        similarities = dict(sorted(similarities.items(), key=lambda hit: -hit[1])[:limit])
    others = [key for key in also if key not in similarities]
    return similarities | _of_rows(db, embedder, scopes, query, others)


def _exact(
    db: Database,
    embedder: Embedder,
    scopes: list[int],
    query: Embedding,
    limit: int,
    candidates: Collection[int] | None,
) -> dict[int, float]:
    if not scopes or limit <= 0:
        return {}
    narrowed: LiteralString = "" if candidates is None else "AND key = ANY(%(among)s::bigint[])"
    rows = db.rows(
        f"SELECT key, -(embedding <#> %(query)s::vector) AS cosine FROM {embedder.table} "
        f"WHERE scope = ANY(%(scopes)s::integer[]) {narrowed} ORDER BY cosine DESC LIMIT %(limit)s",
        {"query": query, "scopes": scopes, "among": list(candidates or ()), "limit": limit},
    )
    return dict(rows)


def _of_rows(
    db: Database, embedder: Embedder, scopes: Sequence[Scope], query: Embedding, keys: list[int]
) -> dict[int, float]:
    if not keys:
        return {}
    rows = db.rows(
        f"SELECT key, -(embedding <#> %s::vector) FROM {embedder.table} "
        "WHERE key = ANY(%s::bigint[]) AND scope = ANY(%s::integer[])",
        (query, keys, [scope.id for scope in scopes]),
    )
    return dict(rows)


def _through_index(db: Database, embedder: Embedder, scope: int, query: Embedding, limit: int) -> dict[int, float]:
    effort = min(1_000, max(200, 4 * limit))
    db.row(
        "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)",
        (str(effort),),
    )
    scope_id = cast("LiteralString", str(scope))  # written out, as only then the index of this scope is considered
    rows = db.rows(
        f"SELECT key, -(embedding <#> %(query)s::vector) FROM {embedder.table} WHERE scope = {scope_id} "
        f"ORDER BY {_distance(embedder.dims)} LIMIT %(limit)s",
        {"query": query, "limit": limit},
    )
    return dict(rows)


def _distance(dims: int) -> LiteralString:
    size = cast("LiteralString", str(dims))
    if dims <= MAX_INLINE_DIMS:
        return "embedding <#> %(query)s::vector"
    return f"embedding::halfvec({size}) <#> %(query)s::vector::halfvec({size})"


def _indexed(db: Database, embedder: Embedder, scopes: list[int]) -> list[int]:
    """Those of these scopes that have an index."""
    if not scopes or embedder.dims > MAX_INDEXED_DIMS:
        return []
    rows = db.rows(
        "SELECT scope FROM unnest(%s::integer[]) AS scope JOIN pg_index "
        "ON indexrelid = to_regclass(%s || scope) WHERE indisvalid",
        (scopes, index_name(embedder.table)),
    )
    return [scope for (scope,) in rows]


def index_name(table: str) -> str:
    """What the names of the indexes of a table's large scopes begin with; the number of the scope follows."""
    return f"{table}_near_"
