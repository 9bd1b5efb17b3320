"""SQLite's errors as ours, with advice."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path

import apsw

from recollect.core.errors import CorruptStore, StoreBusy, StoreError, StoreUnwritable

SHARED_MEMORY_BYTES = 32_768
"""What SQLite needs beside a file to open it."""


@contextmanager
def translated(path: Path | None) -> Generator[None]:
    """Turn SQLite's errors into ours, with advice."""
    try:
        yield
    except apsw.Error as error:
        raise _translate(error, path) from error
    except JSONDecodeError as error:
        raise CorruptStore(
            f"{path} has a damaged row: what should be JSON is not ({error}). It was left as it is: "
            "run 'recollect doctor' for details, or restore it from a backup."
        ) from error


def _translate(error: apsw.Error, path: Path | None) -> StoreError:
    match error:
        case apsw.CorruptError() | apsw.NotADBError():
            return CorruptStore(
                f"{path} is damaged or not a recollect store ({error}). It was left as it is: "
                "run 'recollect doctor' for details, or restore it from a backup."
            )
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(f"{path} is locked by another process; try again, or stop that process.")
        case apsw.FullError():
            return _full(path)
        case apsw.IOError() if path is not None and _is_disk_full(path):  # while it makes the file beside it
            return _full(path)
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.IOError():
            return StoreUnwritable(f"cannot write {path} ({error}); check that folder and file are writable.")
        case apsw.ConstraintError():
            return StoreError(f"{path}: {error}; if that goes on, run 'recollect doctor' to find what is damaged.")
        case apsw.SQLError() if "_vectors_" in str(error):
            return CorruptStore(f"{path} lost a table of vectors ({error}); run 'recollect rebuild-index'.")
        case _:
            return StoreError(f"{path}: {error}")


def _full(path: Path | None) -> StoreUnwritable:
    return StoreUnwritable(f"no space left to write {path}; free some and try again. Nothing stored was lost.")


def _is_disk_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < SHARED_MEMORY_BYTES
    except OSError:
        return False
