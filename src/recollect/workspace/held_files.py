"""The files that SQLite holds open in this process: nothing else here may open them.

Closing a file releases all locks that the process has on it, however it was opened (so POSIX says). Whoever opens a
store beside SQLite, if only to read its first bytes, takes its locks away; another process that ends may then delete
the log that this one still writes to.
"""

from pathlib import Path
from weakref import ref

Identity = tuple[int, int]

_held: dict[ref[object], Identity] = {}
"""The files by the connection that has them open. Without a lock: the child of a fork could inherit it locked."""


def identity(path: Path) -> Identity | None:
    """Which file lies at a path, if any does."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def hold(holder: object, path: Path) -> None:
    """Note that a connection has opened a file."""
    if (file := identity(path)) is not None:
        _held[ref(holder, _forget)] = file


def release(holder: object) -> None:
    """Note that a connection is closed."""
    _forget(ref(holder))


def is_held(path: Path) -> bool:
    """Whether a connection of this process has the file open."""
    return bool(_held) and identity(path) in tuple(_held.values())


def _forget(holder: ref[object]) -> None:
    _held.pop(holder, None)
