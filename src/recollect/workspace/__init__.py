"""Notes of people and their assistant as files: `MEMORY.md`, and a daily log `memory/YYYY-MM-DD.md`.

No name leads to a file outside the workspace. Calls block until the data is on disk, so an event loop has to run them
in a thread.
"""

import os
import secrets
from datetime import datetime
from pathlib import Path

from recollect.core.errors import BadInput, StoreError
from recollect.workspace import disk
from recollect.workspace.disk import MAX_FILE_BYTES, Entry
from recollect.workspace.names import (
    MAX_NAME_BYTES,
    MAX_PART_BYTES,
    context_files,
    daily,
    day,
    parts_of,
    person_id,
    safe_id,
)

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_NAME_BYTES",
    "MAX_PART_BYTES",
    "NOTES",
    "Entry",
    "Workspace",
    "context_files",
    "daily",
    "person_id",
    "safe_id",
]

NOTES = "MEMORY.md"


class Workspace:
    """The files of one owner in a folder, or of one `user` in that user's own part of it."""

    def __init__(self, folder: Path, user: str | None = None) -> None:
        self._folder = folder
        self._subfolder = () if user is None else ("users", person_id(user))

    @property
    def root(self) -> Path:
        """The folder of the files, with links unresolved."""
        return self._folder.joinpath(*self._subfolder)

    def resolve(self, name: str) -> Path:
        """The real path of a file, existing or not; raises BadInput for a name that leads outside the workspace."""
        parts = parts_of(name)
        try:
            root = self._real_root()
            path = root.joinpath(*parts).resolve()
        except (OSError, RuntimeError) as error:  # RuntimeError: circular links
            raise BadInput(f"{name!r} can't be followed: {error}") from error
        if not path.is_relative_to(root):
            raise BadInput(f"{name!r} leads out of the workspace")
        return path

    def contains(self, name: str) -> bool:
        """Whether the workspace contains this file."""
        try:
            return self.resolve(name).is_file()
        except (BadInput, OSError):
            return False

    def read_text(self, name: str, limit: int = MAX_FILE_BYTES) -> str | None:
        """The text of a file, None if it does not exist; raises BadInput if it has more bytes than the limit."""
        path = self.resolve(name)
        try:
            with disk.path_errors(name), disk.open_file(path, os.O_RDONLY) as file:
                data = disk.read(file, limit + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"can't read {name!r}: {error.strerror}") from error
        if len(data) > limit:
            raise BadInput(f"{name!r} has more than {limit} bytes")
        return _decode(name, data)

    def write(self, name: str, text: str) -> None:
        """Replace or create a file, atomically."""
        path, data = self.resolve(name), _encode(name, text)
        with disk.write_errors(name):
            disk.make_folder(path.parent)
            if path.exists() and not path.is_file():
                raise BadInput(f"{name!r} is not a file")
            disk.replace(path, data)

    def create(self, name: str, text: str) -> None:
        """Create a file together with its content; raises BadInput if it exists."""
        path, data = self.resolve(name), _encode(name, text)
        with disk.write_errors(name):
            disk.make_folder(path.parent)
            if not disk.create(path, data):
                raise BadInput(f"{name!r} already exists")

    def entries(self, name: str) -> list[Entry] | None:
        """The content of a folder and its subfolders, by name; None if it does not exist.

        Links and hidden files, which have no valid name, are left out.
        """
        path = self.resolve(name)
        try:
            entries = list(disk.walk(path, "")) if path.is_dir() else None
        except OSError as error:
            raise StoreError(f"can't read {name!r}: {error.strerror}") from error
        return entries and sorted(entries, key=lambda entry: entry.name.split("/"))

    def remove(self, name: str) -> bool:
        """Delete a file or a whole folder, atomically; False if it does not exist."""
        path = self._unresolved(name)
        trash = path.with_name(f".{secrets.token_hex(8)}.tmp")
        with disk.write_errors(name):
            try:
                path.rename(trash)  # so that no reader finds half a folder
            except FileNotFoundError:
                return False
            disk.sync(path.parent)
            disk.erase(trash)
            disk.sync(path.parent)
        return True

    def move(self, name: str, to: str) -> bool:
        """Rename a file or a folder; False if it does not exist. Raises BadInput if the new name is taken."""
        old, new = self._unresolved(name), self._unresolved(to)
        if old.is_symlink():
            raise BadInput(f"{name!r} is a link")
        if not old.exists():
            return False
        with disk.write_errors(to):
            if os.path.lexists(new):
                raise BadInput(f"{to!r} already exists")
            disk.make_folder(new.parent)
            disk.move(old, new)
            disk.sync(new.parent)
            disk.sync(old.parent)
        return True

    def append(self, name: str, text: str) -> None:
        """Append lines to a file; concurrent appends don't lose any."""
        if not text.strip():
            raise BadInput("there is nothing to append")
        path, data = self.resolve(name), _encode(name, text.rstrip("\n") + "\n")
        with disk.write_errors(name):
            disk.make_folder(path.parent)
            disk.append(path, name, data)

    def append_daily(self, text: str, at: datetime) -> str:
        """Append lines to the log of a day, creating it with its date as title; returns its name."""
        name = daily(at)
        path = self.resolve(name)
        if text.strip() and not path.exists():
            _encode(name, text)  # so that a refused text leaves no empty log behind
            with disk.write_errors(name):
                disk.make_folder(path.parent)
                disk.create(path, f"# {day(at)}\n\n".encode())
        self.append(name, text)
        return name

    def _real_root(self) -> Path:
        return self._folder.resolve().joinpath(*self._subfolder)

    def _unresolved(self, name: str) -> Path:
        """The path of this name, which may itself be a link: only its parent folders are resolved."""
        *folders, last = parts_of(name)
        return (self.resolve("/".join(folders)) if folders else self._real_root()) / last


def _encode(name: str, text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"the content for {name!r} is not a text: {error.reason}") from error
    if b"\0" in data:
        raise BadInput(f"the content for {name!r} is binary, not a text")
    if len(data) > MAX_FILE_BYTES:
        raise BadInput(f"the content for {name!r} has {len(data)} bytes; the limit is {MAX_FILE_BYTES}")
    return data


def _decode(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name!r} is not a text in UTF-8") from error
    if "\0" in text:
        raise BadInput(f"{name!r} is binary, not a text")
    return text
