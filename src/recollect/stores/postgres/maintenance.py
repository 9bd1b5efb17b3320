"""Maintenance of a database: examine it, rebuild what is derived, clear away what was deleted."""

from collections.abc import Callable, Sequence
from typing import LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

from recollect.core.ports import Corpus, HealthCheck, Progress
from recollect.stores._sql.maintenance import (
    REINDEX_BATCH_ROWS,
    check_budget,
    check_counts,
    check_jobs,
    check_queues,
    check_sizes,
    check_vectors,
    check_word_index,
    end_step,
    repair_counts,
    rows_per_scope,
)
from recollect.stores.postgres import errors, vectors, words
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection, Database
from recollect.stores.postgres.events import PostgresEvents
from recollect.stores.postgres.pool import connect
from recollect.stores.postgres.schema import EXTENSION_ADVICE, MIGRATIONS, version_of
from recollect.stores.postgres.tx import PostgresTx
from recollect.stores.postgres.vector_maintenance import missing_indexes
from recollect.stores.postgres.words import ALIVE

MIN_SERVER_VERSION = 140_000
"""The first server version with every feature used here."""
_HUNG_AFTER_SECONDS = 600
"""A transaction that has waited longer for its client is reported."""
_CONNECT_TIMEOUT_SECONDS = 5.0
_TEXT_COLUMNS = {("memos", "text"), ("messages", "text")}
_ROWS_PER_SCOPE: LiteralString = rows_per_scope(ALIVE["memos"], ALIVE["messages"])


def examine(db: Database) -> list[HealthCheck]:
    """Every check of a store that `recollect doctor` runs; a check that meets damage is a finding too."""
    findings: list[HealthCheck] = []
    for name, check in _CHECKS.items():
        try:
            findings += check(db)
        except psycopg.Error as error:
            return [*findings, HealthCheck(name, False, f"{' '.join(str(error).split())}; restore a backup")]
    return findings


def examine_server(address: Address) -> list[HealthCheck]:
    """Examine a database that may not be a store, or not be there, without writing to it."""
    try:
        connection = connect(address, _CONNECT_TIMEOUT_SECONDS)
    except psycopg.Error as error:
        return [HealthCheck("server answers", False, str(errors.unreachable(address, error)))]
    try:
        findings = _of_server(connection)
        version = version_of(connection, address)
        findings.append(_schema(version, address))
        if version == len(MIGRATIONS):
            findings += examine(Database(connection, writing=False))
    except psycopg.Error as error:
        return [HealthCheck("server answers", False, str(errors.translated(address, error)))]
    else:
        return findings
    finally:
        connection.close()


def _of_server(connection: Connection) -> list[HealthCheck]:
    version = connection.info.server_version
    row = connection.execute(
        "SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if row is None:
        extension = HealthCheck("extension vector", False, f"not there; {EXTENSION_ADVICE}")
    else:
        extension = HealthCheck("extension vector", True, row[0] or f"{row[1]}, made by the first memory")
    detail = f"PostgreSQL {version // 10_000}.{version % 10_000}"
    old = "" if version >= MIN_SERVER_VERSION else f"; recollect needs {MIN_SERVER_VERSION // 10_000} or later"
    return [HealthCheck("server answers", not old, detail + old), extension]


def _schema(version: int | None, address: Address) -> HealthCheck:
    if version is None:
        return HealthCheck("schema", False, f"the tables in {address.schema} are another program's")
    if version == 0:
        return HealthCheck("schema", True, "not there yet; the first memory makes it")
    newer = version > len(MIGRATIONS)
    older = ", brought up to date when it is next opened" if version < len(MIGRATIONS) else ""
    return HealthCheck("schema", not newer, f"version {version}{older}")


def _indexes(db: Database) -> list[HealthCheck]:
    return [check_word_index(corpus, *words.count_inconsistencies(db, corpus)) for corpus in ALIVE]


def _vectors(db: Database) -> list[HealthCheck]:
    findings: list[HealthCheck] = []
    for set_id, corpus, model in _sets(db):
        stray = db.value(f"SELECT count(*) FROM ({_strays(corpus, set_id)}) AS stray")
        lacks = db.value(
            f"SELECT count(*) FROM ({ALIVE[corpus]}) AS alive "
            f"WHERE key NOT IN (SELECT key FROM {vectors.table_of(corpus, set_id)})"
        )
        findings.append(check_vectors(corpus, model, lacks, stray))
    return findings


def _large(db: Database) -> list[HealthCheck]:
    """Scopes that are large enough for an index of their vectors and have none yet."""
    lacking = len(missing_indexes(db.rows))
    detail = f"{lacking} searched row by row until their indexes are built; 'recollect rebuild-index' does it now"
    return [HealthCheck("large scopes", True, detail if lacking else "")]


def _sets(db: Database) -> list[tuple[int, Corpus, str]]:
    rows = db.rows("SELECT id, corpus, model FROM embedders WHERE retired IS NULL ORDER BY id")
    return [(set_id, corpus, model) for set_id, corpus, model in rows]


def _strays(corpus: Corpus, set_id: int) -> LiteralString:
    return f"SELECT key FROM {vectors.table_of(corpus, set_id)} AS v WHERE NOT EXISTS ({ALIVE[corpus]} AND key = v.key)"


def _locks(db: Database) -> list[HealthCheck]:
    """Transactions that block others, or keep deleted rows from being cleared away."""
    hung = db.value(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND state LIKE 'idle in transaction%%' AND state_change < clock_timestamp() - make_interval(secs => %s)",
        (_HUNG_AFTER_SECONDS,),
    )
    waiting = db.value(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND waitstart < clock_timestamp() - make_interval(secs => %s)",
        (_HUNG_AFTER_SECONDS,),
    )
    trouble = [f"{hung} transactions wait for their clients"] * bool(hung) + [f"{waiting} wait for locks"] * bool(
        waiting
    )
    return [HealthCheck("locks", not trouble, f"{' and '.join(trouble)}; see pg_stat_activity" if trouble else "")]


_CHECKS: dict[str, Callable[[Database], list[HealthCheck]]] = {
    "word indexes": _indexes,
    "sizes of scopes": lambda db: [check_sizes(db, _ROWS_PER_SCOPE)],
    "vectors": _vectors,
    "large scopes": _large,
    "jobs": lambda db: [check_jobs(db.value("SELECT count(*) FROM jobs WHERE state = 'failed'"))],
    "budgets": check_budget,
    "queues of jobs": lambda db: [check_queues(db)],
    "counts of events": lambda db: [check_counts(PostgresEvents(db).miscounted())],
    "locks": _locks,
}


def reindex_step(corpus: Corpus, after: int, tx: PostgresTx) -> tuple[int, int]:
    """Rewrite the words of the next rows, locked meanwhile; returns how many, and the last key (0 at the end)."""
    db = tx.db
    rows = db.rows(f"{ALIVE[corpus]} AND key > %s ORDER BY key LIMIT %s FOR SHARE", (after, REINDEX_BATCH_ROWS))
    words.rewrite(db, corpus, [(scope, key, text) for scope, key, text in rows])
    return end_step(db, corpus, rows, lambda: _repair_derived(tx, corpus))


def _repair_derived(tx: PostgresTx, corpus: Corpus) -> None:
    """Drop index entries and vectors without a row while nobody writes, and what `repair_counts` does."""
    db = tx.db
    tx.gate.close()
    words.drop_strays(db, corpus)
    for set_id, set_corpus, _ in _sets(db):
        if set_corpus == corpus:
            db.run(f"DELETE FROM {vectors.table_of(corpus, set_id)} WHERE key IN ({_strays(corpus, set_id)})")
    repair_counts(db, _ROWS_PER_SCOPE, tx.events)


def sweep(connection: Connection, progress: Progress | None) -> None:
    """Clear away what was deleted, table by table, while others go on.

    After that no query returns it. The server's files, log and copies are out of reach from here: what they hold is
    overwritten as the server goes on.
    """
    names: list[tuple[str]] = connection.execute(_TABLES).fetchall()
    for count, (name,) in enumerate(names, 1):
        connection.execute(SQL("VACUUM (ANALYZE) {}").format(Identifier(name)))
        if progress is not None:
            progress(count, len(names))


_TABLES: LiteralString = (
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1"
)
_COLUMNS: LiteralString = (
    "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid "
    "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped "
    "AND atttypid IN ('text'::regtype, 'text[]'::regtype) ORDER BY relname, attnum"
)


def count_rows_with(db: Database, texts: Sequence[str]) -> dict[str, list[int]]:
    """How many rows hold each text: by table for the words of people, else by column; without the zeros."""
    counts_by_place: dict[str, list[int]] = {}
    for table, column in db.rows(_COLUMNS) if texts else ():
        holds = SQL("count(*) FILTER (WHERE strpos({}::text, %s) > 0)").format(Identifier(column))
        query = SQL("SELECT {} FROM {}").format(SQL(", ").join([holds] * len(texts)), Identifier(table))
        counts: list[int] = list(db.row(query, list(texts)) or ())
        place = table if (table, column) in _TEXT_COLUMNS else f"{table}.{column}"
        counts_by_place |= {place: counts} if any(counts) else {}
    return counts_by_place
