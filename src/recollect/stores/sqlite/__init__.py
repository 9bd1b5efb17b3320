"""SQLite: one file, no server. `sqlite:///path/to/memory.db`, or `sqlite://` for one that lives in memory only.

Maintenance code is imported where it is called, so that opening a store doesn't load it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from recollect.core.errors import ConfigError, StoreUnwritable
from recollect.core.ports import Corpus, HealthCheck, Progress, Tx
from recollect.stores._sql.store import SQLStore
from recollect.stores.sqlite import opening, secure_delete
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.engine import Engine
from recollect.stores.sqlite.errors import translated
from recollect.stores.sqlite.matrix_cache import MatrixCache
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.workspace.disk import make_folder

T = TypeVar("T")


class SQLiteStore(SQLStore[Engine[SQLiteTx]]):
    """The store port on an SQLite file, or on memory when there is no path."""

    def __init__(self, path: Path | None) -> None:
        cache = MatrixCache()
        self._path = self._opened_path = path
        read_only = ""
        if path is not None:
            with translated(path):
                opening.prepare(path)
                if opening.is_read_only(path):
                    self._opened_path = opening.read_copy(path)
                    read_only = f"{path} is read-only: {opening.WRITE_ADVICE}"
        prepare = opening.check_readable if read_only else _migrate
        super().__init__(Engine(self._opened_path, prepare, lambda db: SQLiteTx(db, cache), read_only=read_only))

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        return await self._engine.write(work, background=background)

    async def backup(self, target: Path, progress: Progress | None = None) -> None:
        from recollect.stores.sqlite import backup

        path = self._engine.path
        await self._engine.read(lambda tx: backup.backup(path, tx.db, target, progress))

    async def reindex(self, progress: Progress | None = None) -> int:
        from recollect.stores._sql.maintenance import reindex, reindex_start
        from recollect.stores.sqlite import maintenance

        start = await self._engine.read(lambda tx: reindex_start(tx.db, maintenance.ALIVE))
        return await reindex(start, self._reindex_step, progress)

    def _reindex_step(self, corpus: Corpus, after: int) -> Awaitable[tuple[int, int]]:
        from recollect.stores.sqlite import maintenance

        return self._engine.write(partial(maintenance.reindex_step, corpus, after))

    async def check_health(self) -> list[HealthCheck]:
        from recollect.stores.sqlite import maintenance

        return await self._engine.read(lambda tx: maintenance.examine(tx.db))

    async def purge_deleted(self, progress: Progress | None = None) -> None:
        """Merge the word indexes in steps that others can write between, then rewrite the file without gaps."""
        tables = await self._engine.read(lambda tx: secure_delete.word_tables(tx.db))
        for step, table in enumerate(tables, 1):
            while not await self._engine.write(lambda tx, table=table: secure_delete.merge_step(table, tx.db)):
                pass
            if progress is not None:
                progress(step, len(tables) + 1)
        await self._engine.run_exclusive(secure_delete.rewrite)
        if progress is not None:
            progress(len(tables) + 1, len(tables) + 1)

    async def find_traces(self, texts: Sequence[str]) -> dict[str, list[int]]:
        rows = await self._engine.read(lambda tx: secure_delete.count_rows_with(tx.db, texts))
        path = self._engine.path
        return rows | ({} if path is None else await asyncio.to_thread(secure_delete.in_files, path, texts))

    async def install_memories_fts(self) -> None:
        from recollect.stores.sqlite import memories_fts

        await self._engine.write(lambda tx: memories_fts.install(tx.db))

    async def close(self) -> None:
        await super().close()
        if self._path is not None and self._opened_path is not None:
            opening.drop_copy(self._path, self._opened_path)


def _migrate(db: Database) -> None:
    opening.refuse_emptied(db)
    migrate(db)


def create(spec: str) -> SQLiteStore:
    """Open `sqlite:///file`, creating the file and its folder when they are missing."""
    path = path_of(spec)
    if path is not None and path.is_dir():
        raise StoreUnwritable(f"{path} is a folder: name the file in it, such as {path / 'memory.db'}")
    if path is not None:
        try:
            make_folder(path.parent)
        except OSError as error:
            raise StoreUnwritable(f"cannot make the folder {path.parent}: {error.strerror}") from error
    return SQLiteStore(path)


def examine(spec: str) -> list[HealthCheck]:
    """Examine a file without opening it for writing, whatever state it is in."""
    from recollect.stores.sqlite import maintenance

    path = path_of(spec)
    lost = None if path is None else opening.problem(path)
    if lost is not None:
        return [HealthCheck("file holds a store", False, lost)]
    if path is None or not path.exists():
        return [HealthCheck("file exists", False, f"{path} is not there; the first memory makes it")]
    if not opening.is_read_only(path):
        return maintenance.examine_file(path)
    with translated(path):
        copy = opening.read_copy(path)
    try:
        return maintenance.examine_file(copy, immutable=True)
    finally:
        opening.drop_copy(path, copy)


def path_of(spec: str) -> Path | None:
    scheme, separator, path = spec.partition("://")
    if scheme != "sqlite" or not separator:
        raise ConfigError(f"{spec!r} is not an SQLite address; write sqlite:///folder/memory.db")
    path = path.removeprefix("/")
    return Path(path).expanduser() if path not in ("", ":memory:") else None
