"""SQLite files of other programs: read without changing them; written so that the same rows give the same bytes."""

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from recollect.core.errors import BadInput, StoreError
from recollect.transfer.readers.fields import first_bytes
from recollect.workspace.disk import create

MAGIC = b"SQLite format 3\x00"
_DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""Errors that reading a damaged file raises; the second where SQLite quotes it in a message."""
_SIBLING_SUFFIXES = ("-wal", "-journal")
"""What SQLite keeps beside a file while it is written to, or since its program was killed: a part of it."""
_BUSY_TIMEOUT_SECONDS = 0.3
"""Seconds to wait for a program that holds the file."""
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNTRUSTED_SCHEMA = "PRAGMA trusted_schema = OFF;"  # the file comes from another program

Row = Mapping[str, Any]


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite's do; never raises."""
    return first_bytes(path, len(MAGIC)) == MAGIC


def has_table(path: Path, table: str, *columns: str) -> bool:
    """Whether there is such a table with these columns; views are not meant. Never raises."""
    if not is_database(path):
        return False
    try:
        with reading(path) as database:
            return set(columns) <= columns_of(database, table).keys()
    except BadInput:
        return False


def unreadable_reason(path: Path) -> str:
    """Why a file that begins as SQLite's do can't be read; empty for any other."""
    if not is_database(path):
        return ""
    try:
        with reading(path):
            return ""
    except BadInput as error:
        return str(error)


@contextmanager
def reading(path: Path) -> Generator[sqlite3.Connection]:
    """A file that is only read, also while its program writes to it; raises BadInput for what is damaged."""
    try:
        with ExitStack() as stack:
            database = stack.enter_context(closing(_open(path, stack)))
            database.row_factory = sqlite3.Row
            database.text_factory = _text
            yield database
    except _DAMAGED as error:
        raise BadInput(f"{path.name} can't be read: {_reason(error)}") from error


def columns_of(database: sqlite3.Connection, table: str) -> dict[str, str]:
    """The columns of a table with their types; none when there is no such table."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone():
        return {}
    return {
        row["name"]: row["type"] for row in database.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
    }


def count(path: Path, table: str) -> int:
    """How many rows a table has; 0 where that can't be read."""
    try:
        with reading(path) as database:
            columns = columns_of(database, table)
            return database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] if columns else 0  # noqa: S608 - a constant
    except BadInput:
        return 0


def rows(database: sqlite3.Connection, query: str, *values: Any) -> Iterator[Row]:
    """The rows of a query, one by one; raises BadInput where the file is damaged."""
    try:
        for row in database.execute(query, values):
            yield dict(row)
    except _DAMAGED as error:
        raise BadInput(f"the file is damaged from here on: {_reason(error)}") from error


@contextmanager
def writing(path: Path, schema: str) -> Generator[sqlite3.Connection]:
    """A new file with these tables, filled in one transaction; raises BadInput for one that is there, or StoreError."""
    if path.exists():
        raise BadInput(f"{path} exists already; it is not overwritten")
    try:
        create(path, b"")  # for its owner's eyes alone
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.executescript(f"PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY; BEGIN; {schema}")
            yield database
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"cannot write {path}: {error}") from error


def _open(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """Read-only. Where that can't be, the file has to be mended first, which its own program would do: a copy is."""
    name = f"{path.resolve().as_uri()}?mode=ro"
    try:
        return _connect(name)
    except _DAMAGED as error:
        if _primary(error) in _IN_USE:
            raise BadInput(f"{path.name} is in use by another program: stop that, or try again later") from error
        if any(_sibling(path, end).exists() for end in _SIBLING_SUFFIXES):
            return _connect(_copy(path, stack).as_uri())
        if _primary(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            return _connect(f"{name}&immutable=1")  # in a read-only folder
        # Of a file that was cut off, SQLite shows what is left only to those who say that they mend schemas.
        return _connect(name, _UNTRUSTED_SCHEMA + "PRAGMA writable_schema = ON")


def _connect(uri: str, first: str = _UNTRUSTED_SCHEMA) -> sqlite3.Connection:
    database = sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=_BUSY_TIMEOUT_SECONDS)
    try:
        database.executescript(first)
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except _DAMAGED:
        database.close()
        raise
    return database


def _copy(path: Path, stack: ExitStack) -> Path:
    """The file, and what belongs to it, where we may write."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-")))
    try:
        for file in (path, *(_sibling(path, end) for end in _SIBLING_SUFFIXES)):
            if file.exists():
                shutil.copyfile(file, folder / file.name)
    except OSError as error:
        raise BadInput(f"{path.name} can't be copied to be read: {error.strerror}") from error
    return folder / path.name


def _sibling(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _primary(error: Exception) -> int:
    """What SQLite says, without the details."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _text(data: bytes) -> str:
    """Bytes that are no UTF-8 become lone surrogates, which are found out where the text is read."""
    return data.decode("utf-8", "surrogateescape")


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, sqlite3.Error) else "its schema is damaged"
