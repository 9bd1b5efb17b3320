"""Opening the file. The rest of a store that lost its file or its log is refused, a new store appears complete, and a
store that can't be written can be read.
"""

import os
import shlex
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.core.errors import CorruptStore, StoreUnwritable
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.schema import MIGRATIONS, create_tables
from recollect.workspace.disk import sync

WRITE_ADVICE = "it can be read; to change it, copy it to a place that can be written, or change its permissions"


def log_of(path: Path) -> Path:
    """The write-ahead log, which holds the last writes."""
    return path.with_name(path.name + "-wal")


def problem(path: Path) -> str | None:
    """The problem of a file that lost its content; None where there is no file yet, or it has content.

    A store appears under its name only when it is whole, so an empty file is never a new one.
    """
    log_bytes = _size(log_of(path)) or 0
    size = _size(path)
    if size or (size is None and not log_bytes):
        return None
    state = "is not there" if size is None else "is empty"
    log = f", though {log_of(path)} holds {log_bytes:,} bytes that were written to it" if log_bytes else ""
    return f"{path} {state}{log}: {advice(path)}"


def advice(path: Path) -> str:
    """What to do about a store that lost its data."""
    names = " ".join(shlex.quote(f"{path}{end}") for end in ("", "-wal", "-shm"))
    return (
        "what it held was lost or moved. Put the file back, or restore a backup by copying it there; to start with an "
        f"empty memory instead, move the rest away: rm -f {names}"
    )


def prepare(path: Path) -> None:
    """Make sure that there is a store to open; raises CorruptStore where one lost its data."""
    lost = problem(path)
    if lost is not None:
        raise CorruptStore(lost)
    if not path.exists():
        _create(path)


def _create(path: Path) -> None:
    """Create a new store under another name first, so that nobody ever sees half of one."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    except OSError as error:
        raise StoreUnwritable(f"cannot make {path}: {error.strerror}. Check that its folder is writable") from error
    os.close(handle)
    new = Path(name)
    try:
        db = Database(new)
        try:
            create_tables(db)
        finally:
            db.close()
        sync(path.parent)
        with suppress(FileExistsError):  # another process created it first
            _put_in_place(new, path)
        sync(path.parent)
    finally:
        for end in ("", "-journal", "-wal", "-shm"):
            new.with_name(new.name + end).unlink(missing_ok=True)


def _put_in_place(new: Path, path: Path) -> None:
    try:
        # Unlike `rename`, a link never replaces a store that another process has created meanwhile.
        path.hardlink_to(new)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if not path.exists():
            new.rename(path)


def is_read_only(path: Path) -> bool:
    """Whether a store can only be read: the file or its folder can't be written, or the whole mount."""
    if not os.access(path, os.W_OK):
        return True
    # SQLite has to create the log beside the file, unless it is there already.
    return not os.access(path.parent, os.W_OK | os.X_OK) and not os.access(log_of(path), os.W_OK)


def read_copy(path: Path) -> Path:
    """The file to read in place of one that can't be written: a copy where its log has to be taken in first."""
    if not _size(log_of(path)):
        return path
    copy = Path(tempfile.mkdtemp(prefix="recollect-read-")) / path.name
    # The shared-memory file is left out: SQLite rebuilds it from the log.
    shutil.copyfile(path, copy)
    shutil.copyfile(log_of(path), log_of(copy))
    db = Database(copy)
    try:
        db.pragma("journal_mode", "delete")  # takes the log in
    finally:
        db.close()
    return copy


def drop_copy(path: Path, copy: Path) -> None:
    if copy != path:
        shutil.rmtree(copy.parent, ignore_errors=True)


def check_readable(db: Database) -> None:
    """Refuse a store of an earlier version: it would have to be upgraded first."""
    if db.pragma("user_version") != len(MIGRATIONS):
        raise StoreUnwritable(
            f"{db.filename} has to be upgraded before it can be read, and can't be written: {WRITE_ADVICE}"
        )


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def refuse_emptied(db: Database) -> None:
    """Refuse a file without any table: its log, which held them, is gone."""
    if db.filename and not db.value("SELECT count(*) FROM sqlite_schema"):
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # whatever is left of the log stays as it is
        raise CorruptStore(f"{db.filename} holds no tables: {advice(Path(db.filename))}")
