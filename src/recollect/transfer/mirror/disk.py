"""A file is replaced whole or not at all; what others wrote in its place is moved aside, never overwritten.

The calls touch the disk and return when it holds what they wrote, so an event loop runs them in a thread.
"""

import os
from itertools import count
from pathlib import Path

from recollect.workspace import disk

_BINARY = getattr(os, "O_BINARY", 0)


def read(path: Path) -> bytes | None:
    """What a file holds; None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def replace(path: Path, data: bytes) -> None:
    """Replace the content of a file atomically: readers see the old content or the new one."""
    disk.make_folder(path.parent)
    disk.replace(path, data)


def append(path: Path, data: bytes) -> None:
    """Add to the end of a file, all of it or nothing."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
    try:
        disk.keep_private(file)
        _write(file, data)
    finally:
        os.close(file)


def set_aside(path: Path) -> Path:
    """Keep a copy of a file as `<name>.kept-<n>`, with the first free number; the path of the copy."""
    content = path.read_bytes()
    names = (path.with_name(f"{path.name}.kept-{index}") for index in count(1))
    return next(copy for copy in names if _is_kept_copy(copy, path, content))


def _is_kept_copy(copy: Path, path: Path, content: bytes) -> bool:
    """Whether this is now, or was before, a copy of the file."""
    if not copy.exists():
        try:
            copy.hardlink_to(path)
        except FileExistsError:
            return False
        except OSError:  # no links here
            path.rename(copy)
        disk.keep_private(copy)
        return True
    return read(copy) == content


def remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    disk.sync(path.parent)


def _write(file: int, data: bytes) -> None:
    size, remaining = os.fstat(file).st_size, memoryview(data)
    try:
        while remaining:
            remaining = remaining[os.write(file, remaining) :]
        os.fsync(file)
    except OSError:
        # Half a line would otherwise be read as one, and the rest appended behind it.
        os.ftruncate(file, size)
        raise
