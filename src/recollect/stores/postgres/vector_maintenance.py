"""Maintenance of vectors outside of any unit of work: builds indexes for large scopes, drops tables of past models.

Both may take a while and neither is urgent: without its index a scope is searched row by row. Safe to run at any time
and by several processes; one does it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import LiteralString, cast

from psycopg import errors

from recollect.core.ports import Corpus
from recollect.stores.postgres.database import Connection, Row, Values, lock_key
from recollect.stores.postgres.vectors import MAX_EXACT_ROWS, MAX_INDEXED_DIMS, MAX_INLINE_DIMS, index_name, table_of

RunQuery = Callable[[LiteralString, Values], list[Row]]
"""Runs a statement; the rows that it yields."""
RETIRED_TABLE_GRACE = timedelta(minutes=1)
"""How long readers may still use a set of vectors after it was retired."""
_LOCK = "settling"
_TIMEOUT = "lock_timeout"
_DROP_LOCK_TIMEOUT = "1s"
"""How long to wait for readers of a table to drop, such as a backup; others queue up behind us meanwhile."""


def maintain_vectors(
    connection: Connection, grace: timedelta = RETIRED_TABLE_GRACE, exact: int = MAX_EXACT_ROWS
) -> list[str]:
    """Drop tables that are no longer read and build the indexes that are missing; which ones.

    The connection is outside of a transaction, in autocommit mode, and ours alone.
    """
    if not _value(connection, "SELECT pg_try_advisory_lock(%s)", lock_key(_LOCK)):
        return []
    lock_timeout = _value(connection, "SELECT current_setting(%s)", _TIMEOUT)
    try:
        connection.execute("DELETE FROM commits WHERE at < clock_timestamp() - interval '1 hour'")
        return [*_drop_retired(connection, grace), *_build(connection, exact)]
    finally:
        if not connection.closed:
            connection.execute("SELECT set_config(%s, %s, false)", (_TIMEOUT, lock_timeout))
            connection.execute("SELECT pg_advisory_unlock(%s)", (lock_key(_LOCK),))


def missing_indexes(run: RunQuery, exact: int = MAX_EXACT_ROWS) -> list[tuple[Corpus, int, int, int]]:
    """Corpus, id and dimensions of a set of vectors, and a large scope that has no index in it."""
    missing: list[tuple[Corpus, int, int, int]] = []
    sets = run("SELECT corpus, id, dims FROM embedders WHERE retired IS NULL AND dims <= %s", (MAX_INDEXED_DIMS,))
    for corpus, set_id, dims in sets:
        table = table_of(corpus, set_id)
        scopes = run(
            "SELECT scopes.id FROM scopes WHERE scopes.size > %(exact)s AND %(exact)s < "
            f"(SELECT count(*) FROM {table} WHERE {table}.scope = scopes.id) AND NOT EXISTS "
            "(SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%(name)s || scopes.id) AND indisvalid)",
            {"exact": exact, "name": index_name(table)},
        )
        missing += [(corpus, set_id, dims, scope) for (scope,) in scopes]
    return missing


def _drop_retired(connection: Connection, grace: timedelta) -> list[str]:
    dropped: list[str] = []
    rows = connection.execute("SELECT corpus, id FROM embedders WHERE retired < clock_timestamp() - %s", (grace,))
    for corpus, set_id in rows.fetchall():
        table = table_of(corpus, set_id)
        try:
            # Dropping needs an exclusive lock, so it gives up soon where a reader holds the table.
            with connection.transaction():
                connection.execute("SELECT set_config(%s, %s, true)", (_TIMEOUT, _DROP_LOCK_TIMEOUT))
                connection.execute(f"DROP TABLE IF EXISTS {table}")
                connection.execute("DELETE FROM embedders WHERE id = %s", (set_id,))
        except errors.LockNotAvailable:
            continue
        dropped.append(table)
    return dropped


def _build(connection: Connection, exact: int) -> list[str]:
    built: list[str] = []
    for corpus, set_id, dims, scope in missing_indexes(
        lambda sql, values: connection.execute(sql, values).fetchall(), exact
    ):
        table = table_of(corpus, set_id)
        name = cast("LiteralString", f"{index_name(table)}{scope}")
        size, scope_id = cast("LiteralString", str(dims)), cast("LiteralString", str(scope))
        operator: LiteralString = (
            "embedding vector_ip_ops" if dims <= MAX_INLINE_DIMS else f"(embedding::halfvec({size})) halfvec_ip_ops"
        )
        connection.execute("SELECT set_config(%s, '0', false)", (_TIMEOUT,))  # wait for all current writers
        connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # left by a build that was interrupted
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON {table} USING hnsw ({operator}) WHERE scope = {scope_id}"
        )
        connection.execute(f"ANALYZE {table}")
        built.append(name)
    return built


def _value(connection: Connection, sql: LiteralString, parameter: object) -> object:
    row = connection.execute(sql, (parameter,)).fetchone()
    return None if row is None else row[0]
