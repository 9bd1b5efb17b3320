"""Files on a disk: read and written whole, never through a link that came in between, and there to stay.

They hold what people said: only their owner may read them, whatever the umask says.
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

LARGEST = 1_000_000
"""Bytes that one file may have."""

OTHERS = stat.S_IRWXG | stat.S_IRWXO

# Not every system has these; O_NONBLOCK keeps a pipe that lies in the workspace from holding us up.
_CAREFULLY = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_MISPLACED = {
    *(errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO),
    *(errno.ENOTEMPTY, errno.EINVAL),  # where something is moved to
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a workspace, or a folder, whose size is that of the files in it."""

    name: str
    size: int
    is_folder: bool


@contextmanager
def misplaced(name: str) -> Generator[None]:
    """What stands in the way under this name is the name's fault."""
    try:
        yield
    except OSError as error:
        if error.errno in _MISPLACED:
            raise BadInput(f"{name!r} can't be a file here: {error.strerror}") from error
        raise


@contextmanager
def writing(name: str) -> Generator[None]:
    try:
        with misplaced(name):
            yield
    except OSError as error:
        raise StoreUnwritable(f"can't write {name!r}: {error.strerror}") from error


def keep_private(path: Path | int) -> None:
    """Take from others what they may do with a file or folder, also one that an earlier edition made; where that
    can't be changed it stays as it is.
    """
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(path).st_mode)  # noqa: PTH116 - a file may be a number
        if mode & OTHERS:
            os.chmod(path, mode & ~OTHERS)  # noqa: PTH101 - a file may be a number


@contextmanager
def opened(path: Path, how: int) -> Generator[int]:
    """A regular file, by its number; a link that came in its place since is not followed."""
    file = os.open(path, how | _CAREFULLY, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise BadInput(f"{path.name!r} is not a file")
        if how & (os.O_WRONLY | os.O_RDWR):
            keep_private(file)
        yield file
    finally:
        os.close(file)


def read(file: int, limit: int) -> bytes:
    found = bytearray()
    while len(found) < limit and (piece := os.read(file, limit - len(found))):
        found += piece
    return bytes(found)


def _put(file: int, data: bytes) -> None:
    """Write in one go, so that lines of several writers don't mix, and wait for the disk."""
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(file)


def append(path: Path, name: str, data: bytes) -> None:
    with opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
        size = os.fstat(file).st_size
        if size + len(data) > LARGEST:
            raise BadInput(f"{name!r} is full: it has {size} bytes and may have {LARGEST}")
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            data = data if os.read(file, 1) == b"\n" else b"\n" + data
        _put(file, data)
    if not size:
        sync(path.parent)


def replace(path: Path, data: bytes) -> None:
    beside = _beside(path, data)
    try:
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync(path.parent)


def create(path: Path, data: bytes) -> bool:
    """Make a file that has this content from its first moment; False when there is one."""
    beside = _beside(path, data)
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        return False
    except OSError:  # no links here, so another writer's first line may come before the content
        return _create_bare(path, data)
    finally:
        beside.unlink(missing_ok=True)
        sync(path.parent)
    return True


def _create_bare(path: Path, data: bytes) -> bool:
    try:
        with opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL) as file:
            _put(file, data)
    except FileExistsError:
        return False
    return True


def move(old: Path, new: Path) -> None:
    """Rename; a file never takes the place of another that was made meanwhile."""
    if not old.is_file():
        old.rename(new)
        return
    try:
        new.hardlink_to(old)
    except FileExistsError:
        raise
    except OSError:  # no links here
        old.rename(new)
    else:
        old.unlink()


def erase(path: Path) -> None:
    """Delete for good; a link goes, not what it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def walk(folder: Path, prefix: str) -> Generator[Entry]:
    for each in os.scandir(folder):
        name = prefix + each.name
        if each.name.startswith(".") or each.is_symlink():
            continue
        if each.is_dir():
            inner = list(walk(Path(each.path), f"{name}/"))
            yield Entry(name, sum(entry.size for entry in inner if not entry.is_folder), True)
            yield from inner
        elif each.is_file():
            with suppress(FileNotFoundError):
                yield Entry(name, each.stat().st_size, False)


def _beside(path: Path, data: bytes) -> Path:
    """A new file in the same folder; its name is one that nobody can ask for."""
    beside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            _put(file, data)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def make_folder(folder: Path) -> None:
    """Make a folder, and those that it is in; one that is there may be somebody else's, and is left as it is."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(0o700, exist_ok=True)
        sync(folder.parent)


def sync(folder: Path) -> None:
    """Let the folder itself reach the disk, where the system can."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
