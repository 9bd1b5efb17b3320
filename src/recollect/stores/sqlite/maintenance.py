"""Looking after the file: examine it, rebuild what is derived."""

from contextlib import suppress
from pathlib import Path
from typing import LiteralString

import apsw

from recollect.core.ports import Corpus, HealthCheck
from recollect.stores._sql.maintenance import (
    REINDEX_BATCH_ROWS,
    check_budget,
    check_counts,
    check_index,
    check_jobs,
    check_queues,
    check_sizes,
    check_vectors,
    check_word_index,
    end_step,
    repair_counts,
    rows_per_scope,
)
from recollect.stores._sql.vectors import table_of
from recollect.stores.sqlite import vectors, words
from recollect.stores.sqlite.database import APPLICATION, Database
from recollect.stores.sqlite.events import SQLiteEvents
from recollect.stores.sqlite.schema import MIGRATIONS
from recollect.stores.sqlite.tx import SQLiteTx

ALIVE: dict[Corpus, LiteralString] = {
    "memos": "SELECT key >> 32 AS scope, key, "
    "text || coalesce(' ' || (SELECT group_concat(value, ' ') FROM json_each(tags)), '') "
    "FROM memos WHERE status = 'active'",
    "messages": "SELECT key >> 32 AS scope, key, text FROM messages WHERE deleted IS NULL",
}
"""The rows that are in the word index, with the text that is indexed of them."""
SAMPLE_ROWS = 20
_ROWS_PER_SCOPE = rows_per_scope(ALIVE["memos"], ALIVE["messages"])


def examine(db: Database) -> list[HealthCheck]:
    """All checks of `recollect doctor`; damage that stops a check is a finding, too."""
    findings = [_check_integrity(db)]
    for name, check in (
        ("schema", _schema),
        ("word indexes", _indexes),
        ("sizes of scopes", _sizes),
        ("vectors", _vectors),
        ("jobs", _failed),
        ("budgets", _budgets),
        ("queues of jobs", _queues),
        ("counts of events", _counts),
    ):
        try:
            findings += check(db)
        except apsw.Error as error:
            findings.append(HealthCheck(name, False, f"{error}; restore the file from a backup"))
    return findings


def _schema(db: Database) -> list[HealthCheck]:
    version: int = db.pragma("user_version")
    detail = f"version {version}" + (", brought up to date when it is next opened" if _is_older(db) else "")
    return [HealthCheck("schema", version <= len(MIGRATIONS), detail)]


def _is_older(db: Database) -> bool:
    return db.pragma("user_version") < len(MIGRATIONS)


def _indexes(db: Database) -> list[HealthCheck]:
    return [_index(db, corpus) for corpus in ALIVE]


def _check_integrity(db: Database) -> HealthCheck:
    for table in words.TABLE.values():  # FTS5 checks what it last read of the index: make it read again
        with suppress(apsw.Error):
            db.rows(f"SELECT 1 FROM {table} WHERE {table} MATCH 'x' LIMIT 1")
    try:
        faults: list[str] = [row[0] for row in db.rows("PRAGMA integrity_check(20)")]
    except apsw.Error as error:
        faults = [str(error)]
    if faults == ["ok"]:
        return HealthCheck("file is sound", True)
    if all("fts5" in fault for fault in faults):
        return check_index("file is sound", "; ".join(faults))
    return HealthCheck("file is sound", False, f"{'; '.join(faults)}; restore it from a backup")


def _index(db: Database, corpus: Corpus) -> HealthCheck:
    alive, indexed = ALIVE[corpus], f"SELECT id FROM {words.TABLE[corpus]}_docsize"
    try:
        lacks = db.value(f"SELECT count(*) FROM ({alive}) WHERE key NOT IN ({indexed})")
        extra = db.value(f"SELECT count(*) FROM ({indexed}) WHERE id NOT IN (SELECT key FROM ({alive}))")
        unfound = 0 if lacks or extra else _count_unfindable(db, corpus)
    except apsw.Error as error:
        return check_index(f"word index of {corpus}", str(error))
    if unfound:
        problem = f"{unfound} of the newest {SAMPLE_ROWS} are not found by their words"
        return check_index(f"word index of {corpus}", problem)
    return check_word_index(corpus, lacks, extra)


def _count_unfindable(db: Database, corpus: Corpus) -> int:
    """How many of the newest rows are not found by a word of theirs: an index of zeros passes all of FTS5's checks."""
    rows = db.rows(f"{ALIVE[corpus]} ORDER BY key DESC LIMIT ?", (SAMPLE_ROWS,))
    return sum(not words.is_indexed(db, corpus, key, text) for _, key, text in rows)


def _sizes(db: Database) -> list[HealthCheck]:
    return [check_sizes(db, _ROWS_PER_SCOPE)]


def _vectors(db: Database) -> list[HealthCheck]:
    checks: list[HealthCheck] = []
    for set_id, corpus, model, dims in db.rows("SELECT id, corpus, model, dims FROM embedders"):
        table = table_of(corpus, set_id)
        if damage := _damage(db, table, dims):
            checks.append(check_index(f"vectors of {corpus} by {model}", damage))
            continue
        stray = db.value(f"SELECT count(*) FROM {table} WHERE key NOT IN (SELECT key FROM ({ALIVE[corpus]}))")
        lacks = db.value(f"SELECT count(*) FROM ({ALIVE[corpus]}) WHERE key NOT IN (SELECT key FROM {table})")
        checks.append(check_vectors(corpus, model, lacks, stray))
    return checks


def _damage(db: Database, table: LiteralString, dims: int) -> str:
    if not vectors.has_table(db, table):
        return "their table is gone"
    count = vectors.count_damaged(db, table, dims)
    return f"{count} are damaged" if count else ""


def _failed(db: Database) -> list[HealthCheck]:
    sql = "SELECT count(*) FROM jobs WHERE state IN ('failed', 'parked')"  # the latter in an older file
    return [check_jobs(db.value(sql))]


def _budgets(db: Database) -> list[HealthCheck]:
    return [] if _is_older(db) else check_budget(db)


def _queues(db: Database) -> list[HealthCheck]:
    return [] if _is_older(db) else [check_queues(db)]


def _counts(db: Database) -> list[HealthCheck]:
    return [] if _is_older(db) else [check_counts(SQLiteEvents(db).miscounted())]


def examine_file(path: Path, *, immutable: bool = False) -> list[HealthCheck]:
    """Examine a file that may be too damaged to open as a store, without writing to it."""
    try:
        db = Database(path, read_only=True, immutable=immutable)
    except apsw.Error as error:
        return [HealthCheck("file opens", False, str(error))]
    try:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        if db.pragma("application_id") != APPLICATION:
            detail = "another program's file, or one that lost its log and with it all that it held"
            return [HealthCheck("file is a recollect store", False, detail)]
        return examine(db)
    except apsw.Error as error:
        return [HealthCheck("file is sound", False, str(error))]
    finally:
        db.close()


def reindex_step(corpus: Corpus, after: int, tx: SQLiteTx) -> tuple[int, int]:
    """Rewrite the words of the next rows; returns (rows done, key of the last; 0 at the end)."""
    db = tx.db
    if after == 0:
        _clear_if_broken(db, corpus)
        vectors.discard_damaged(db, corpus, ALIVE[corpus])
    rows = db.rows(f"{ALIVE[corpus]} AND key > ? ORDER BY key LIMIT ?", (after, REINDEX_BATCH_ROWS))
    for _, key, text in rows:
        tx.words.put(corpus, key, text)
    tx.words.flush()
    return end_step(db, corpus, rows, lambda: _repair_derived(db, corpus))


def _repair_derived(db: Database, corpus: Corpus) -> None:
    """Drop index entries and vectors without a row, and what `repair_counts` does."""
    table = words.TABLE[corpus]
    db.run(
        f"DELETE FROM {table} WHERE rowid IN (SELECT id FROM {table}_docsize "
        f"WHERE id NOT IN (SELECT key FROM ({ALIVE[corpus]})))"
    )
    for (set_id,) in db.rows("SELECT id FROM embedders WHERE corpus = ?", (corpus,)):
        alive = f"SELECT key FROM ({ALIVE[corpus]})"
        for (key,) in db.rows(f"SELECT key FROM {corpus[:-1]}_vectors_{set_id} WHERE key NOT IN ({alive})"):
            vectors.remove(db, corpus, key)
    repair_counts(db, _ROWS_PER_SCOPE, SQLiteEvents(db))


def _clear_if_broken(db: Database, corpus: Corpus) -> None:
    table = words.TABLE[corpus]
    try:
        db.run(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
        is_broken = _count_unfindable(db, corpus) > 0
    except apsw.CorruptError:
        is_broken = True
    if is_broken:
        db.run(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
