"""The notes that people and their assistant write as files: `MEMORY.md`, and a daily log `memory/YYYY-MM-DD.md`.

Whatever name is asked for, nothing outside the workspace is read or written. The calls touch the disk and return
when it holds what they wrote, so an event loop runs them in a thread.
"""

import errno
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from recollect.errors import BadInput, StoreError, StoreUnwritable
from recollect.text import digest

NOTES = "MEMORY.md"
LARGEST = 1_000_000
"""Bytes that one file may have."""
LONGEST_NAME, LONGEST_PART = 500, 200
"""Bytes of a name, and of each of its parts."""

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_ID = 150
# Not every system has these; O_NONBLOCK keeps a pipe that lies in the workspace from holding us up.
_CAREFULLY = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_MISPLACED = {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO}


def safe_id(text: str) -> str:
    """A file name for an id, never the same for two: what is not plain becomes %xx, capitals too.

    Some file systems take `Ann` and `ann` for one name. A `%-` begins the name of an id that is empty or too long.
    """
    parts = (chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in text.encode("utf-8", "surrogatepass"))
    name = "".join(parts)
    return name if 0 < len(name) <= _LONGEST_ID else f"%-{digest(text)}"


def daily(at: datetime) -> str:
    """Name of the log of the day, in UTC; a time without a zone is taken as UTC."""
    return f"memory/{_day(at)}.md"


class Workspace:
    """One owner's files in a folder; with a `user`, in that user's own part of it."""

    def __init__(self, folder: Path, user: str | None = None) -> None:
        self._folder = folder
        self._inside = () if user is None else ("users", safe_id(user))

    @property
    def root(self) -> Path:
        """Where the files lie, as the folder was given."""
        return self._folder.joinpath(*self._inside)

    def resolve(self, name: str) -> Path:
        """The real path of a file of the workspace, there or not; raises BadInput for a name that leads outside."""
        parts = _parts(name)
        try:
            home = self._folder.resolve().joinpath(*self._inside)
            path = home.joinpath(*parts).resolve()
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
            raise BadInput(f"{name!r} can't be followed: {error}") from error
        if not path.is_relative_to(home):
            raise BadInput(f"{name!r} leads out of the workspace")
        return path

    def holds(self, name: str) -> bool:
        """Whether there is such a file, and inside the workspace."""
        try:
            return self.resolve(name).is_file()
        except (BadInput, OSError):
            return False

    def read_text(self, name: str, limit: int = LARGEST) -> str | None:
        """The text of a file, None when there is none; raises BadInput when it has more bytes than the limit."""
        path = self.resolve(name)
        try:
            with _misplaced(name), _opened(path, os.O_RDONLY) as file:
                data = _all(file, limit + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"can't read {name!r}: {error.strerror}") from error
        if len(data) > limit:
            raise BadInput(f"{name!r} has more than {limit} bytes")
        return _decoded(name, data)

    def write(self, name: str, text: str) -> None:
        """Replace a file, or make it: whole or not at all, whatever happens meanwhile."""
        path, data = self.resolve(name), _encoded(name, text)
        with _writing(name):
            _make_folder(path.parent)
            if path.exists() and not path.is_file():
                raise BadInput(f"{name!r} is not a file")
            _replace(path, data)

    def append(self, name: str, text: str) -> None:
        """Add lines to the end of a file; none is lost to others who append at the same time."""
        if not text.strip():
            raise BadInput("there is nothing to append")
        path, data = self.resolve(name), _encoded(name, text.rstrip("\n") + "\n")
        with _writing(name):
            _make_folder(path.parent)
            _append(path, name, data)

    def append_daily(self, text: str, at: datetime) -> str:
        """Add lines to the log of that day, which begins with its date; returns the log's name."""
        name = daily(at)
        path = self.resolve(name)
        if text.strip() and not path.exists():
            _encoded(name, text)  # a text that will be refused leaves no empty log behind
            with _writing(name):
                _make_folder(path.parent)
                _create(path, f"# {_day(at)}\n\n".encode())
        self.append(name, text)
        return name


def _day(at: datetime) -> str:
    moment = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return moment.date().isoformat()


def _parts(name: str) -> list[str]:
    """The parts of a name, which only `/` divides; raises BadInput for what no system, or one of them, takes."""
    if not name.strip():
        raise BadInput("a file of the workspace needs a name")
    if not name.isprintable() or "\\" in name or ":" in name:
        raise BadInput(f"{name!r} holds a character that a file's name can't have")
    if name.startswith("/"):
        raise BadInput(f"{name!r} is absolute; name a file inside the workspace")
    parts = name.split("/")
    if len(name.encode()) > LONGEST_NAME or any(len(part.encode()) > LONGEST_PART for part in parts):
        raise BadInput(f"{name[:40]!r}… is too long for a file's name")
    if any(part != part.strip(" .") or not part for part in parts):
        raise BadInput(f"{name!r} has a part that is empty, or begins or ends with a dot or a space")
    return parts


def _encoded(name: str, text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"what should go into {name!r} is not a text: {error.reason}") from error
    if b"\0" in data:
        raise BadInput(f"what should go into {name!r} is binary, not a text")
    if len(data) > LARGEST:
        raise BadInput(f"what should go into {name!r} has {len(data)} bytes; a file may have {LARGEST}")
    return data


def _decoded(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name!r} is not a text in UTF-8") from error
    if "\0" in text:
        raise BadInput(f"{name!r} is binary, not a text")
    return text


@contextmanager
def _misplaced(name: str) -> Generator[None]:
    """What stands in the way under this name is the name's fault."""
    try:
        yield
    except OSError as error:
        if error.errno in _MISPLACED:
            raise BadInput(f"{name!r} can't be a file here: {error.strerror}") from error
        raise


@contextmanager
def _writing(name: str) -> Generator[None]:
    try:
        with _misplaced(name):
            yield
    except OSError as error:
        raise StoreUnwritable(f"can't write {name!r}: {error.strerror}") from error


@contextmanager
def _opened(path: Path, how: int) -> Generator[int]:
    """A regular file, by its number; a link that came in its place since is not followed."""
    file = os.open(path, how | _CAREFULLY, 0o666)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise BadInput(f"{path.name!r} is not a file")
        yield file
    finally:
        os.close(file)


def _all(file: int, limit: int) -> bytes:
    found = bytearray()
    while len(found) < limit and (piece := os.read(file, limit - len(found))):
        found += piece
    return bytes(found)


def _put(file: int, data: bytes) -> None:
    """Write in one go, so that lines of several writers don't mix, and wait for the disk."""
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(file)


def _append(path: Path, name: str, data: bytes) -> None:
    with _opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
        size = os.fstat(file).st_size
        if size + len(data) > LARGEST:
            raise BadInput(f"{name!r} is full: it has {size} bytes and may have {LARGEST}")
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            data = data if os.read(file, 1) == b"\n" else b"\n" + data
        _put(file, data)
    if not size:
        _sync(path.parent)


def _replace(path: Path, data: bytes) -> None:
    beside = _beside(path, data)
    try:
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(path.stat().st_mode))
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync(path.parent)


def _create(path: Path, data: bytes) -> None:
    """Make a file that has this content from its first moment, unless there is one."""
    beside = _beside(path, data)
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        pass
    except OSError:  # no links here, so another writer's first line may come before the content
        with suppress(FileExistsError), _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL) as file:
            _put(file, data)
    finally:
        beside.unlink(missing_ok=True)
    _sync(path.parent)


def _beside(path: Path, data: bytes) -> Path:
    """A new file in the same folder; its name is one that nobody can ask for."""
    beside = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with _opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            _put(file, data)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Let the folder itself reach the disk, where the system can."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
