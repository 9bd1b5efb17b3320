"""The notes that people and their assistant write as files: `MEMORY.md`, and a daily log `memory/YYYY-MM-DD.md`.

Whatever name is asked for, nothing outside the workspace is read or written. The calls touch the disk and return
when it holds what they wrote, so an event loop runs them in a thread.
"""

import os
import secrets
from datetime import datetime
from pathlib import Path

from recollect.core.errors import BadInput, StoreError
from recollect.workspace import disk
from recollect.workspace.disk import LARGEST, Entry
from recollect.workspace.names import LONGEST_NAME, LONGEST_PART, context_files, daily, day, parts_of, safe_id

__all__ = [
    "LARGEST",
    "LONGEST_NAME",
    "LONGEST_PART",
    "NOTES",
    "Entry",
    "Workspace",
    "context_files",
    "daily",
    "safe_id",
]

NOTES = "MEMORY.md"


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
        parts = parts_of(name)
        try:
            home = self._home()
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
            with disk.misplaced(name), disk.opened(path, os.O_RDONLY) as file:
                data = disk.read(file, limit + 1)
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
        with disk.writing(name):
            disk.make_folder(path.parent)
            if path.exists() and not path.is_file():
                raise BadInput(f"{name!r} is not a file")
            disk.replace(path, data)

    def create(self, name: str, text: str) -> None:
        """Make a file that has this content from its first moment; raises BadInput when there is one."""
        path, data = self.resolve(name), _encoded(name, text)
        with disk.writing(name):
            disk.make_folder(path.parent)
            if not disk.create(path, data):
                raise BadInput(f"{name!r} is there already")

    def entries(self, name: str) -> list[Entry] | None:
        """What lies in a folder and below it, by name; None when there is no such folder.

        Links and hidden files, which nobody can name, are left out.
        """
        path = self.resolve(name)
        try:
            found = list(disk.walk(path, "")) if path.is_dir() else None
        except OSError as error:
            raise StoreError(f"can't read {name!r}: {error.strerror}") from error
        return found and sorted(found, key=lambda entry: entry.name.split("/"))

    def remove(self, name: str) -> bool:
        """Delete a file, or a folder with all that is in it, at one go; False when there is none."""
        path = self._itself(name)
        gone = path.with_name(f".{secrets.token_hex(8)}.tmp")
        with disk.writing(name):
            try:
                path.rename(gone)  # so that nobody finds half a folder
            except FileNotFoundError:
                return False
            disk.sync(path.parent)
            disk.erase(gone)
            disk.sync(path.parent)
        return True

    def move(self, name: str, to: str) -> bool:
        """Give a file or a folder another name; False when there is none. Raises BadInput when the name is taken."""
        old, new = self._itself(name), self._itself(to)
        if old.is_symlink():
            raise BadInput(f"{name!r} is a link")
        if not old.exists():
            return False
        with disk.writing(to):
            if os.path.lexists(new):
                raise BadInput(f"{to!r} is there already")
            disk.make_folder(new.parent)
            disk.move(old, new)
            disk.sync(new.parent)
            disk.sync(old.parent)
        return True

    def append(self, name: str, text: str) -> None:
        """Add lines to the end of a file; none is lost to others who append at the same time."""
        if not text.strip():
            raise BadInput("there is nothing to append")
        path, data = self.resolve(name), _encoded(name, text.rstrip("\n") + "\n")
        with disk.writing(name):
            disk.make_folder(path.parent)
            disk.append(path, name, data)

    def append_daily(self, text: str, at: datetime) -> str:
        """Add lines to the log of that day, which begins with its date; returns the log's name."""
        name = daily(at)
        path = self.resolve(name)
        if text.strip() and not path.exists():
            _encoded(name, text)  # a text that will be refused leaves no empty log behind
            with disk.writing(name):
                disk.make_folder(path.parent)
                disk.create(path, f"# {day(at)}\n\n".encode())
        self.append(name, text)
        return name

    def _home(self) -> Path:
        return self._folder.resolve().joinpath(*self._inside)

    def _itself(self, name: str) -> Path:
        """The path of what bears this name, be it a link: only the folders before it are followed."""
        *folders, last = parts_of(name)
        return (self.resolve("/".join(folders)) if folders else self._home()) / last


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
