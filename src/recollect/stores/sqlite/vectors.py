"""The vectors of rows, one table per model; a search compares within its scopes only."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, LiteralString

from recollect.core.errors import CorruptStore, MissingExtra
from recollect.core.ports import Corpus, Vector
from recollect.stores._sql.search import Scope, VectorQuery
from recollect.stores._sql.vectors import check_query, check_vector, table_of
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.matrix_cache import MIN_CACHED_ROWS, MatrixCache
from recollect.stores.sqlite.rows import span
from recollect.stores.sqlite.views import VIEWS

if TYPE_CHECKING:
    from recollect.stores.sqlite.matrix import Matrix


def find_table(db: Database, corpus: Corpus, model: str) -> LiteralString | None:
    set_id = db.value("SELECT id FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
    return None if set_id is None else table_of(corpus, set_id)


def add(db: Database, corpus: Corpus, model: str, vectors: Mapping[int, Vector], new: bool = False) -> None:
    """Store vectors of rows that exist; `new` says that the rows were just made, and counted as changed."""
    if not vectors:
        return
    row = db.row("SELECT id, dims, complete FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
    dims = row[1] if row else len(next(iter(vectors.values()))) // 4
    for vector in vectors.values():
        check_vector(vector, dims, model)
    table = table_of(corpus, row[0]) if row else make_table(db, corpus, model, dims)
    for key, vector in vectors.items():
        if new:
            db.changed_scopes.add(key >> 32)
        else:
            # Keys of a scope are consecutive numbers above its id, so this is the last row of the scope.
            last = db.value(f"SELECT max(key) FROM {table} WHERE key < ?", ((key >> 32) + 1 << 32,))
            _note_change(db, key, joins_at_end=last is None or last < key)
        db.run(f"INSERT OR REPLACE INTO {table} (key, embedding) VALUES (?, ?)", (key, vector))
        # A row that was just made is in no list yet.
        if row and row[2] and not new:  # the list of what is missing is that of the complete set
            db.run("DELETE FROM unembedded WHERE corpus = ? AND key = ?", (corpus, key))


def note_missing(db: Database, corpus: Corpus, key: int) -> None:
    """Record that a row has no vector yet; not needed while no set is complete, as then all rows are scanned."""
    db.run(
        "INSERT OR IGNORE INTO unembedded SELECT ?1, ?2 WHERE EXISTS "
        "(SELECT 1 FROM embedders WHERE corpus = ?1 AND complete)",
        (corpus, key),
    )


def _note_change(db: Database, key: int, joins_at_end: bool) -> None:
    """Count a change of the scope; one that is not an addition at the end is recorded for caches."""
    db.run("UPDATE scopes SET changes = changes + 1 WHERE id = ?", (key >> 32,))
    db.changed_scopes.add(key >> 32)
    # Caches take additions from the table itself; only other changes need a list.
    if not joins_at_end:
        db.run("INSERT INTO vector_edits SELECT id, changes, ? FROM scopes WHERE id = ?", (key, key >> 32))


def make_table(db: Database, corpus: Corpus, model: str, dims: int) -> LiteralString:
    """A new set and its table; the first one of a corpus serves searches."""
    first = not db.value("SELECT count(*) FROM embedders WHERE corpus = ?", (corpus,))
    set_id: int = db.value(
        "INSERT INTO embedders (corpus, model, dims, serving) VALUES (?, ?, ?, ?) RETURNING id",
        (corpus, model, dims, int(first)),
    )
    table = table_of(corpus, set_id)
    # Rows are added at the end, however large they are; the index keeps a scope's together.
    db.run(
        f"CREATE TABLE {table} "
        "(number INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, embedding BLOB NOT NULL) STRICT"
    )
    if first and corpus == "memos":
        db.script(VIEWS.vectors(table))
    return table


def serving_table(db: Database) -> LiteralString | None:
    """The table of the vectors that serve searches of memos."""
    set_id = db.value("SELECT id FROM embedders WHERE corpus = 'memos' AND serving")
    return None if set_id is None else table_of("memos", set_id)


def remove(db: Database, corpus: Corpus, key: int) -> None:
    for (set_id,) in db.rows("SELECT id FROM embedders WHERE corpus = ?", (corpus,)):
        if db.value(f"DELETE FROM {table_of(corpus, set_id)} WHERE key = ? RETURNING key", (key,)):
            _note_change(db, key, joins_at_end=False)


_DAMAGED = "length(embedding) <> ? OR embedding = zeroblob(length(embedding))"


def has_table(db: Database, table: str) -> bool:
    return bool(db.value("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)))


def count_damaged(db: Database, table: LiteralString, dims: int) -> int:
    """How many vectors have another size than the set, or nothing but zeros."""
    return db.value(f"SELECT count(*) FROM {table} WHERE {_DAMAGED}", (dims * 4,))


def discard_damaged(db: Database, corpus: Corpus, alive: LiteralString) -> None:
    """Forget sets whose table is gone, and vectors that are none: they are made again, like those that are missing."""
    for set_id, dims in db.rows("SELECT id, dims FROM embedders WHERE corpus = ?", (corpus,)):
        table = table_of(corpus, set_id)
        if not has_table(db, table):
            db.run("DELETE FROM embedders WHERE id = ?", (set_id,))
            continue
        for (key,) in db.rows(f"SELECT key FROM {table} WHERE {_DAMAGED}", (dims * 4,)):
            remove(db, corpus, key)
        if db.value(f"SELECT count(*) FROM ({alive}) WHERE key NOT IN (SELECT key FROM {table})"):
            db.run("UPDATE embedders SET complete = 0 WHERE id = ?", (set_id,))


def activate(db: Database, corpus: Corpus, model: str) -> None:
    table = find_table(db, corpus, model)
    if table is None:
        return
    if corpus == "memos":
        db.script(VIEWS.vectors(table))
    others = db.rows("SELECT id FROM embedders WHERE corpus = ? AND model <> ?", (corpus, model))
    for (set_id,) in others:
        db.run(f"DROP TABLE {table_of(corpus, set_id)}")
        db.run("DELETE FROM embedders WHERE id = ?", (set_id,))
    db.run("UPDATE embedders SET serving = 1, complete = 1 WHERE corpus = ? AND model = ?", (corpus, model))
    db.run("DELETE FROM unembedded WHERE corpus = ?", (corpus,))


def nearest(
    db: Database, cache: MatrixCache, corpus: Corpus, scopes: Sequence[Scope], wanted: VectorQuery
) -> dict[int, float]:
    """The nearest rows by cosine."""
    model, vector, limit, also, candidates = wanted
    row = db.cached_row("SELECT id, dims FROM embedders WHERE corpus = ? AND model = ?", (corpus, model))
    if row is None:
        return {}
    try:
        from recollect.stores.sqlite.matrix import as_query
    except ImportError as error:  # without the `vectors` extra nothing can have made a vector either
        raise MissingExtra("vector search", "vectors") from error
    check_query(vector, row[1], model)
    query = as_query(vector)
    similarities: dict[int, float] = {}
    for scope in scopes:
        matrix = _matrix(db, cache, table_of(corpus, row[0]), scope.id, scope.changes)
        if matrix is not None:
            similarities |= matrix.nearest(query, limit, also, candidates)
    # Each scope brought up to `limit`, so they have to compete once more.
    if len(scopes) > 1 and len(similarities) > limit:
        best = sorted(similarities, key=lambda key: -similarities[key])[:limit]
        chosen = {*best, *(set(also) & similarities.keys())}
        similarities = {key: similarities[key] for key in chosen}
    return similarities


def _matrix(db: Database, cache: MatrixCache, table: str, scope: int, changes: int) -> "Matrix | None":
    """The vectors of a scope after so many changes: a few are read each time, more are cached and kept up to date.

    A transaction's own changes are not cached: they may be rolled back.
    """
    from recollect.stores.sqlite.matrix import Matrix, from_rows

    with cache.lock:
        held = cache.get((table, scope))
        if held is not None and held.changes == changes:
            return held
        # A newer matrix than this snapshot belongs to another reader; this one reads its rows itself.
        if held is not None and held.changes < changes:
            matrix = _refreshed(db, held, table, scope, changes)
            if scope not in db.changed_scopes:
                cache.put((table, scope), matrix)
            return matrix
    rows = db.rows(f"SELECT key, embedding FROM {table} WHERE key BETWEEN ? AND ? ORDER BY key", span(scope))
    if not rows:
        return None
    try:
        matrix = Matrix(*from_rows(rows), changes)
    except ValueError as error:
        raise CorruptStore(f"vectors in {table} are damaged ({error}); run 'recollect rebuild-index'") from error
    if len(matrix) > MIN_CACHED_ROWS and scope not in db.changed_scopes:
        with cache.lock:
            cache.put((table, scope), matrix)
    return matrix


def _refreshed(db: Database, held: "Matrix", table: str, scope: int, changes: int) -> "Matrix":
    from recollect.stores.sqlite.matrix import from_rows

    edited = [
        key
        for (key,) in db.rows(
            "SELECT DISTINCT key FROM vector_edits WHERE scope = ? AND change > ?", (scope, held.changes)
        )
    ]
    retained = held.without(edited)
    added = "key > ? AND key < ?" + (f" OR key IN ({', '.join(map(str, edited))})" if edited else "")
    rows = db.rows(
        f"SELECT key, embedding FROM {table} WHERE {added} ORDER BY key",
        (max(retained.last, (scope << 32) - 1), scope + 1 << 32),
    )
    return retained.extended(*from_rows(rows), changes)
