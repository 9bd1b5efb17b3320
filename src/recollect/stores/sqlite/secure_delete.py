"""Make what was deleted unreadable: in word indexes, free pages and the log; and search for what remains.

SQLite only marks what is deleted as free. FTS5 keeps words of deleted rows in its segments until they are merged.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from recollect.stores.sqlite.database import BUSY_TIMEOUT_MS, Database
from recollect.stores.sqlite.files import chunks

MERGE_STEP_PAGES = 500
"""Pages of an index that one step merges."""
CHECKPOINT_TIMEOUT_MS = 100
_TEXT_COLUMNS = {("memos", "text"), ("messages", "text")}


def word_tables(db: Database) -> list[str]:
    """The word indexes, `memories_fts` among them where there is one."""
    rows = db.rows("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%' ORDER BY name")
    return [name for (name,) in rows]


def merge_step(table: str, db: Database) -> bool:
    """Merge a part of an index into one segment without deleted words; whether that is done."""
    before = db.total_changes()
    db.run(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (-MERGE_STEP_PAGES,))
    return db.total_changes() - before < 2  # as FTS5's manual says


def scrub_step(db: Database) -> bool:
    """A part of removing stale words from the indexes; whether that is done, and the log emptied."""
    for table in word_tables(db):
        with db.transaction("BEGIN IMMEDIATE"):
            # One step per transaction, so that a waiting writer gets in between.
            if not merge_step(table, db):
                return False
    db.has_stale_words = False
    if db.filename:
        db.set_busy_timeout(CHECKPOINT_TIMEOUT_MS)  # don't make writers wait for a reader that blocks this
        try:
            db.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def rewrite(db: Database) -> None:
    """Rewrite the file without free pages and gaps, and empty its log."""
    db.run("VACUUM")
    if db.filename:
        db.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def count_rows_with(db: Database, texts: Sequence[str]) -> dict[str, list[int]]:
    """How many rows hold each text, by table for what people said, else by column; only places that have one."""
    counts_by_place: dict[str, list[int]] = {}
    for table, columns in _columns(db).items() if texts else ():
        numbers = range(1, len(texts) + 1)
        sums = ", ".join(f"total(instr({column}, ?{number}) > 0)" for column in columns for number in numbers)
        counts = [int(count) for count in db.row(f"SELECT {sums} FROM {table}", tuple(texts)) or ()]
        for start, column in enumerate(columns):
            of_column = counts[start * len(texts) : (start + 1) * len(texts)]
            place = table if (table, column) in _TEXT_COLUMNS else f"{table}.{column}"
            counts_by_place |= {place: of_column} if any(of_column) else {}
    return counts_by_place


def _columns(db: Database) -> dict[str, list[str]]:
    """Every column that may hold a text, of every table that is no part of an index."""
    tables = db.rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    text_columns: dict[str, list[str]] = {}
    for (table,) in tables:
        rows = db.rows("SELECT name FROM pragma_table_info(?) WHERE type IN ('TEXT', '', 'ANY')", (table,))
        text_columns |= {table: [name for (name,) in rows]} if rows else {}
    return text_columns


def in_files(path: Path, texts: Sequence[str]) -> dict[str, list[int]]:
    """How often the bytes of each text stand in the file and its log."""
    counts_by_place: dict[str, list[int]] = {}
    needles = [text.encode("utf-8", "replace") for text in texts]
    for file in (path, path.with_name(path.name + "-wal")):
        counts = [0] * len(needles)
        for chunk in _chunks(file, max(map(len, needles), default=1)):
            for index, needle in enumerate(needles):
                counts[index] += needle in chunk
        counts_by_place |= {f"bytes of {file.name}": counts} if any(counts) else {}
    return counts_by_place


def _chunks(file: Path, overlap: int) -> Iterator[bytes]:
    """The content in overlapping pieces, so that no text is missed at a boundary."""
    tail = b""
    for piece in chunks(file):
        yield tail + piece
        tail = piece[-overlap:]
