"""Removes a person's or a guild's traces from files: records, pages, lines of daily logs, notes, kept copies.

The mirror rewrites files for which the store still has content. What people wrote into shared files themselves is
reported, not changed.
"""

import asyncio
import base64
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from recollect.core.ports import Store, Tx
from recollect.core.state import StateKind
from recollect.core.text import digest
from recollect.core.types import Subject, parse_message_ref, person_key, split_person
from recollect.transfer.mirror import daily_log, disk
from recollect.transfer.mirror.json_files import durable_name, exchanges_name, read_entries, summary_name
from recollect.transfer.mirror.pages.paths import LORE, USERS, PagePaths
from recollect.transfer.mirror.pages.state import Key, Records
from recollect.workspace import Workspace
from recollect.workspace.disk import upgrade_copies
from recollect.workspace.held_files import is_held
from recollect.workspace.names import person_id, safe_id

_LINE = re.compile(r" <!-- (\S+) (\S*) -->$")
_DATABASE = b"SQLite format 3\0"
_MAX_SEARCHED_BYTES = 64 << 20
_MAX_ATTEMPTS = 5
_CHAT_HISTORY = "chat_history"
"""The history of the terminal chat."""
BACKUPS = "backups"


@dataclass(frozen=True, slots=True)
class MirrorFolders:
    """Where files about people are, or were; None for a folder that is not the store's."""

    workspace: Path
    data: Path | None = None
    memory: Path | None = None
    durable: Path | None = None
    rolling: Path | None = None
    shortterm: Path | None = None
    pages: PagePaths | None = None
    store: Path | None = None
    """The file of the store, which may lie in none of the folders."""

    def folders(self) -> list[Path]:
        """All of them, none inside another."""
        named = (self.data, self.memory, self.durable, self.rolling, self.shortterm, self.workspace)
        folders = {folder.absolute() for folder in named if folder is not None}
        return sorted(folder for folder in folders if folders.isdisjoint(folder.parents))


class MirrorPurge:
    """For the files of one store. The methods are idempotent."""

    def __init__(self, store: Store, folders: MirrorFolders) -> None:
        self._store = store
        self._folders = folders
        self._records = Records()

    async def list_files(self, user: str | None, guild: str | None, memos: Collection[Key]) -> list[Path]:
        """Files and folders that are theirs alone, as far as they are there."""
        pages = await self._store.read(lambda tx: self._pages(tx, user, guild, memos))
        return await asyncio.to_thread(self._own_paths, user, guild, pages)

    async def remove(
        self,
        user: str | None,
        guild: str | None,
        memos: Collection[Key],
        people: Collection[str],
        sessions: Collection[str],
        references: Collection[str],
        texts: Sequence[str],
    ) -> int:
        """Remove everything; the number of files and log lines that were removed.

        Pages of these memos go, and of those of these people that are no longer there.
        """
        keys = await self._store.read(lambda tx: [*memos, *self._orphans(tx, user, guild, people)])
        pages = await self._store.read(lambda tx: self._pages(tx, user, guild, keys))
        author = user if guild is None else None
        # Files before records: interrupted, the next run finds the pages by their records.
        removed = await asyncio.to_thread(lambda: self._remove(self._own_paths(user, guild, pages), sessions))
        removed += await asyncio.to_thread(self._remove_exchanges, user, guild, references)
        removed += await asyncio.to_thread(self._remove_log_lines, author, references)
        removed += await asyncio.to_thread(self._remove_copies, texts)
        await self._store.write(lambda tx: self._forget(tx, keys))
        await asyncio.to_thread(_remove_again, pages)
        return removed

    async def find(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Files that hold one of these texts: how many of each, by path."""
        return await asyncio.to_thread(self._find, texts)

    async def resume(self, target: str, texts: Sequence[str]) -> list[str]:
        """Add to the texts to search for after an erasure, and return all of them, from before an interruption too.

        They lie in a file, not in the store: what is erased there stays in its log and free space until it is purged.
        """
        path = self._resume_file(target)
        if path is None:
            return [*texts]
        saved = disk.read(path)
        known: list[str] = [] if saved is None else json.loads(base64.b64decode(saved))
        merged = [*dict.fromkeys([*known, *texts])]
        if merged != known:  # encoded, so that a search for the texts does not find them here
            await asyncio.to_thread(disk.replace, path, base64.b64encode(json.dumps(merged).encode()))
        return merged

    async def end(self, target: str) -> None:
        """The erasure is complete, and nothing has to be searched for again."""
        path = self._resume_file(target)
        if path is not None and path.exists():
            await asyncio.to_thread(disk.remove, path)

    def _resume_file(self, target: str) -> Path | None:
        return None if self._folders.data is None else self._folders.data / f"erasing-{digest(target)[:16]}"

    def backups(self) -> list[Path]:
        """Copies of the store that were made earlier, on request or before an upgrade."""
        folder = None if self._folders.data is None else self._folders.data / BACKUPS
        requested = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
        upgrades = [] if self._folders.store is None else upgrade_copies(self._folders.store)
        return [path for path in (*requested, *upgrades) if path.is_file()]

    def _orphans(self, tx: Tx, user: str | None, guild: str | None, people: Collection[str]) -> list[Key]:
        """Memos that are gone while their pages are known, as after an erasure that was interrupted."""
        subjects = [Subject(person) for person in people if user in (None, person)]
        subjects += [] if guild is None or user is not None else [Subject.lore(guild)]
        recorded = (
            (subject, memo_id)
            for subject in subjects
            for memo_id in tx.state.items(StateKind.PAGE_MEMOS, subject.scope)
        )
        return [key for key in recorded if tx.memos.get(*key) is None]

    def _pages(self, tx: Tx, user: str | None, guild: str | None, memos: Collection[Key]) -> list[Path]:
        """Their pages, including those that were not synced yet."""
        pages = self._folders.pages
        if pages is None:
            return []
        paths = [pages.folder / record.path for key in memos if (record := self._records.get(tx, key)) is not None]
        if user is not None and guild is None and self._records.owner(tx) == user and not pages.per_user:
            paths += [pages.folder / path for path, _ in pages.walk() if not path.startswith((USERS, LORE))]
        return list(dict.fromkeys(paths))

    def _own_paths(self, user: str | None, guild: str | None, pages: Sequence[Path]) -> list[Path]:
        folders = self._folders
        paths = [*pages]
        if user is not None and guild is None:
            paths.append(Workspace(folders.workspace, user).root)
            paths += [folders.durable / durable_name(user)] if folders.durable is not None else []
            paths += [folders.pages.folder / USERS / person_id(user)] if folders.pages is not None else []
        elif guild is not None and user is None:
            paths += [folders.shortterm / exchanges_name(guild)] if folders.shortterm is not None else []
            paths += [folders.pages.folder / LORE / safe_id(guild)] if folders.pages is not None else []
        with_copies = [file for path in paths for file in (path, *_copies(path))]
        return [path for path in dict.fromkeys(with_copies) if path.exists() or path.is_symlink()]

    def _remove(self, paths: Sequence[Path], sessions: Collection[str]) -> int:
        """The mirror rewrites summaries where something is left of them."""
        rolling = self._folders.rolling
        names = [] if rolling is None else [rolling / summary_name(session) for session in sessions]
        summaries = [file for path in names for file in (path, *_copies(path)) if file.exists()]
        return sum(_remove_path(path) for path in (*paths, *summaries))

    def _remove_exchanges(self, user: str | None, guild: str | None, references: Collection[str]) -> int:
        """Files and copies that hold a person's short-term entries; the mirror writes those of others again."""
        folder = self._folders.shortterm
        if user is None or folder is None or not folder.is_dir():
            return 0
        name = "*.json" if guild is None else _literal(exchanges_name(guild))
        ids = frozenset(parse_message_ref(reference)[1] for reference in references)
        paths = sorted([*folder.glob(name), *folder.glob(f"{name}.kept-*")])
        return sum(_remove_path(path) for path in paths if _holds_entry(path, user, ids))

    def _remove_log_lines(self, author: str | None, references: Collection[str]) -> int:
        """Remove lines from the daily logs, by author or message."""
        if self._folders.memory is None:
            return 0
        return sum(_remove_lines(path, author, references) for path in daily_log.days(self._folders.memory))

    def _remove_copies(self, texts: Sequence[str]) -> int:
        """Copies that were kept aside or never put in place, and what was typed at a terminal, if they quote."""
        copies = [path for path in self._files() if _is_copy(path)]
        return sum(_remove_path(path) for path in copies if any(_count_texts(path, texts)))

    def _forget(self, tx: Tx, keys: Collection[Key]) -> None:
        """Drop the records of pages whose memos are gone; last, as the mirror finds pages in writing by them."""
        dropped = {key for key in keys if tx.memos.get(*key) is None}
        for subject, memo_id in dropped:
            self._records.drop(tx, (subject, memo_id))
            tx.state.remove(StateKind.PAGE_MEMOS, subject.scope, [memo_id])

    def _find(self, texts: Sequence[str]) -> dict[str, list[int]]:
        matches = {str(path): _count_texts(path, texts) for path in self._files()}
        return {path: counts for path, counts in matches.items() if any(counts)}

    def _files(self) -> Iterator[Path]:
        """Every file, but for stores and their backups: a store is asked itself."""
        backups = None if self._folders.data is None else (self._folders.data / BACKUPS).absolute()
        for folder in self._folders.folders():
            for path in sorted(_walk(folder)):
                if path.is_file() and not path.is_symlink() and backups not in path.parents and not _is_store(path):
                    yield path


def _walk(folder: Path) -> Iterator[Path]:
    """Every file below a folder; others may come and go meanwhile."""
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)


def _is_store(path: Path) -> bool:
    if path.name.endswith(("-wal", "-shm")) or is_held(path):
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except FileNotFoundError:  # it was a draft, and has been put in its place
        return True


def _is_copy(path: Path) -> bool:
    return ".kept-" in path.name or path.name == _CHAT_HISTORY or _is_draft(path)


def _is_draft(path: Path) -> bool:
    """What is written before it takes a file's place; left behind when the process ended there."""
    return path.name.startswith(".") and path.name.endswith(".tmp")


def _copies(path: Path) -> list[Path]:
    folder = path.parent
    return sorted(folder.glob(f"{_literal(path.name)}.kept-*")) if folder.is_dir() else []


def _literal(name: str) -> str:
    """A name without characters that mean something to `glob`."""
    return re.sub(r"([*?[])", r"[\1]", name)


def _remove_path(path: Path) -> int:
    """The number of removed files; a file that is being written into a folder is removed by the next attempt."""
    if not path.is_dir() or path.is_symlink():
        disk.remove(path)
        return 1
    count = sum(1 for _ in _walk(path))
    for _ in range(_MAX_ATTEMPTS):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return count
    shutil.rmtree(path)
    return count


def _remove_again(pages: Sequence[Path]) -> None:
    """Another process may have finished writing a page after it was removed."""
    for path in pages:
        path.unlink(missing_ok=True)


def _remove_lines(path: Path, author: str | None, references: Collection[str]) -> int:
    """Lines may be added meanwhile: a file that changed since it was read is read again."""
    for _ in range(_MAX_ATTEMPTS):
        before = disk.read(path) or b""
        lines = before.split(b"\n")
        remaining = [line for line in lines if not _is_own_line(line, author, references)]
        if len(remaining) == len(lines):
            return 0
        if disk.read(path) == before:
            disk.replace(path, b"\n".join(remaining))
            return len(lines) - len(remaining)
    raise BlockingIOError(f"{path} is being written all the time")


def _is_own_line(line: bytes, author: str | None, references: Collection[str]) -> bool:
    comment = _LINE.search(line.decode("utf-8", "replace"))
    if comment is None:
        return False
    reference = unquote(comment[1])
    written_by = person_key(parse_message_ref(reference)[0], unquote(comment[2]))
    return (author is not None and written_by == author) or reference in references


def _holds_entry(path: Path, user: str, messages: frozenset[str]) -> bool:
    """Whether a file holds short-term entries of a person, or entries that quote these messages."""
    return any(
        entry.get("author") == split_person(user)[1] or not messages.isdisjoint(_quoted(str(entry.get("id", ""))))
        for entry in read_entries(disk.read(path) or b"")
    )


def _quoted(entry: str) -> Iterator[str]:
    """The messages that an entry may quote: its id is `question/answer`, and either may contain a slash."""
    for slash in (match.start() for match in re.finditer("/", entry)):
        yield from (entry[:slash], entry[slash + 1 :])


def _count_texts(path: Path, texts: Sequence[str]) -> list[int]:
    try:
        data = path.read_bytes() if path.stat().st_size <= _MAX_SEARCHED_BYTES else b""
    except OSError:
        return [0] * len(texts)
    return [int(text.encode("utf-8", "replace") in data) for text in texts]
