"""Durable, atomic file operations that never follow a link placed in between.

The files hold what people said, so only their owner may read them, regardless of the umask.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.core.errors import BadInput, StoreUnwritable

MAX_FILE_BYTES = 1_000_000
UPGRADE_COPY = ".before-schema-"
"""Part of the names of copies that are kept beside a store when its tables are upgraded."""

_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO

# Not every system has these. O_NONBLOCK: opening a pipe in the workspace must not block.
_SAFE_FLAGS = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_PATH_ERRORS = {
    *(errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO),
    *(errno.ENOTEMPTY, errno.EINVAL),  # from the target of a move
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder of a workspace; the size of a folder is that of the files in it."""

    name: str
    size: int
    is_folder: bool


@contextmanager
def path_errors(name: str) -> Generator[None]:
    """Raise BadInput for errors that the name itself causes."""
    try:
        yield
    except OSError as error:
        if error.errno in _PATH_ERRORS:
            raise BadInput(f"{name!r} can't be a file here: {error.strerror}") from error
        raise


@contextmanager
def write_errors(name: str) -> Generator[None]:
    """Raise BadInput for errors that the name causes, StoreUnwritable for others."""
    try:
        with path_errors(name):
            yield
    except OSError as error:
        raise StoreUnwritable(f"can't write {name!r}: {error.strerror}") from error


def keep_private(path: Path | int) -> None:
    """Remove group and other permissions from a file or folder, which an earlier version may have created with them;
    does nothing where they can't be changed.
    """
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(path).st_mode)  # noqa: PTH116 - path may be a descriptor
        if mode & _GROUP_AND_OTHERS:
            os.chmod(path, mode & ~_GROUP_AND_OTHERS)  # noqa: PTH101 - path may be a descriptor


@contextmanager
def open_file(path: Path, flags: int) -> Generator[int]:
    """The descriptor of a regular file; a link in its place is not followed."""
    # Checked by the descriptor, not the path: a link could take the file's place in between.
    file = os.open(path, flags | _SAFE_FLAGS, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise BadInput(f"{path.name!r} is not a file")
        if flags & (os.O_WRONLY | os.O_RDWR):
            keep_private(file)
        yield file
    finally:
        os.close(file)


def read(file: int, limit: int) -> bytes:
    """Up to `limit` bytes from the current position."""
    data = bytearray()
    while len(data) < limit and (chunk := os.read(file, limit - len(data))):
        data += chunk
    return bytes(data)


def _write(file: int, data: bytes) -> None:
    """Write in one call, so that lines of concurrent writers don't mix, and sync."""
    # A short write means a full disk; writing the rest would not be one call any more.
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(file)


def append(path: Path, name: str, data: bytes) -> None:
    """Append data on a new line; raises BadInput when the file would become too large."""
    with open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
        size = os.fstat(file).st_size
        if size + len(data) > MAX_FILE_BYTES:
            raise BadInput(f"{name!r} is full: it has {size} bytes, and the limit is {MAX_FILE_BYTES}")
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            data = data if os.read(file, 1) == b"\n" else b"\n" + data
        _write(file, data)
    if not size:
        sync(path.parent)


def replace(path: Path, data: bytes) -> None:
    """Replace or create a file atomically, keeping its owner's permissions."""
    temporary = _write_temporary(path, data)
    try:
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(path.stat().st_mode) & ~_GROUP_AND_OTHERS)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync(path.parent)


def create(path: Path, data: bytes) -> bool:
    """Create a file together with its content; False if it exists."""
    temporary = _write_temporary(path, data)
    try:
        # A link fails where the name is taken, unlike `rename`, and shows the content as a whole.
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:  # no hard links here: another writer's first line may come before the content
        return _create_without_link(path, data)
    finally:
        temporary.unlink(missing_ok=True)
        sync(path.parent)
    return True


def _create_without_link(path: Path, data: bytes) -> bool:
    try:
        with open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL) as file:
            _write(file, data)
    except FileExistsError:
        return False
    return True


def move(old: Path, new: Path) -> None:
    """Rename; a file never replaces another one, even if that was created meanwhile."""
    # Folders can't be linked; renaming one onto an existing folder fails unless that is empty.
    if not old.is_file():
        old.rename(new)
        return
    try:
        new.hardlink_to(old)
    except FileExistsError:
        raise
    except OSError:  # no hard links here
        old.rename(new)
    else:
        old.unlink()


def erase(path: Path) -> None:
    """Delete a file or folder; of a link only the link itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def walk(folder: Path, prefix: str) -> Generator[Entry]:
    """The files and folders below a folder, without links and hidden ones."""
    for item in os.scandir(folder):
        name = prefix + item.name
        if item.name.startswith(".") or item.is_symlink():
            continue
        if item.is_dir():
            inner = list(walk(Path(item.path), f"{name}/"))
            yield Entry(name, sum(entry.size for entry in inner if not entry.is_folder), True)
            yield from inner
        elif item.is_file():
            with suppress(FileNotFoundError):
                yield Entry(name, item.stat().st_size, False)


def _write_temporary(path: Path, data: bytes) -> Path:
    """A new file in the same folder, under a name that is invalid in a workspace."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            _write(file, data)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def make_folder(folder: Path) -> None:
    """Create a folder and its parents; an existing one may belong to somebody else and is left unchanged."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(0o700, exist_ok=True)
        sync(folder.parent)


def is_missing(store: Path) -> bool:
    """Whether there is no file of a store, nor a log that it left behind: opening that says what to do."""
    return not store.exists() and not store.with_name(f"{store.name}-wal").exists()


def upgrade_copies(store: Path) -> list[Path]:
    """The copies of a store that were kept beside it before upgrades."""
    names = sorted(store.parent.iterdir()) if store.parent.is_dir() else []
    return [path for path in names if path.name.startswith(store.name + UPGRADE_COPY) and path.is_file()]


def sync(folder: Path) -> None:
    """Flush a folder to disk, where the system supports that."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
