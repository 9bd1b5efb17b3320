"""An SQLite connection with our settings, and a few ways to run a statement on it."""

import json
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, LiteralString

import apsw

from recollect.core.text import clean
from recollect.stores._sql.database import Row
from recollect.stores.sqlite.files import chunks
from recollect.stores.sqlite.forks import refuse_inherited
from recollect.workspace import held_files
from recollect.workspace.disk import keep_private

APPLICATION = 0x52454343
"""SQLite's application id, which marks the file as ours (`RECC`)."""
_APPLICATION_ID_END = 72
"""Offset of its end in the file."""
PAGE_SIZE = 4096
BUSY_TIMEOUT_MS = 15_000
BUSY_TURN_MS = 100
CACHE_KIB = 16_384
MAX_JOURNAL_BYTES = 64 << 20
CHECKPOINT_PAGES = 8_000
"""Pages of the log after which it is copied back: rarely, so that a busy page is copied once and not many times."""


def _make_private(path: Path) -> None:
    """Only the owner may read the file; SQLite gives the files beside it the same mode. A file that a group may write
    is shared on purpose, and stays so, and one of another program is left alone.
    """
    try:
        # O_EXCL creates it with the mode in one step: a chmod afterwards leaves a moment in which others can open it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if not _is_ours(path):
            return
        for part in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            with suppress(OSError):
                if not part.stat().st_mode & stat.S_IWGRP:
                    keep_private(part)
    except OSError:
        pass  # it can't be created: SQLite reports why


def _is_ours(path: Path) -> bool:
    start = next(chunks(path, _APPLICATION_ID_END), b"")
    return int.from_bytes(start[-4:]) == APPLICATION


class Database(apsw.Connection):
    """A connection; with `path` None it lives in memory."""

    among: LiteralString = "IN (SELECT value FROM json_each($1))"
    in_use: LiteralString = "true"
    with_ids: LiteralString = ""

    def __init__(self, path: Path | None, read_only: bool = False, immutable: bool = False) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if read_only else apsw.SQLITE_OPEN_CREATE)
        name = ":memory:" if path is None else str(path)
        if immutable and path is not None:  # without locks and log: nobody writes it
            name, flags = f"{path.absolute().as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        elif path is not None:
            refuse_inherited(str(path.absolute()))
            if not read_only:
                _make_private(path)
        super().__init__(name, flags=flags, statementcachesize=256)
        if path is not None:
            held_files.hold(self, path)
        self.changed_scopes: set[int] = set()
        """Scopes whose vectors the running transaction changed: caches must not keep what it sees of them."""
        self.scopes: dict[str, int] = {}
        """Ids of scopes by name: they never change once committed."""
        self.seen = defaultdict[str, dict[Any, Any]](dict)
        """Lookups of the running transaction; code that changes them clears it."""
        self._snapshot: dict[tuple[str, Row], Row | None] | None = None
        """What `cached_row` has read in the running transaction, if it only reads."""
        self.writes = not (read_only or immutable)
        self.has_stale_words = False
        """Whether a word index still holds words of rows that were deleted or edited; see `secure_delete`."""
        self.set_busy_timeout(BUSY_TIMEOUT_MS)
        # Plans hold for every value: without this, queries of a table with a partial index are planned at each run.
        self.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if read_only or immutable:
            self.pragma("query_only", True)
        else:
            # Only effective on a new file, and before the log is switched on.
            self.pragma("page_size", PAGE_SIZE)
            self.pragma("secure_delete", True)  # deleted and edited data is overwritten, not only marked as free
        # In WAL mode `normal` may lose committed transactions when the power fails.
        self.pragma("synchronous", "full")
        self.pragma("cache_size", -CACHE_KIB)
        self.pragma("journal_size_limit", MAX_JOURNAL_BYTES)

    def close(self, force: bool = False) -> None:
        super().close(force)
        held_files.release(self)

    def use_log(self) -> None:
        """Switch to write-ahead logging, so that readers and the writer don't wait for each other; changes the file."""
        self.pragma("journal_mode", "wal" if self.filename else "memory")
        self.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)

    def run(self, sql: str, values: Row = ()) -> int:
        """How many rows it affected."""
        self._execute(sql, values)
        return self.changes()

    def script(self, sql: str) -> None:
        self.execute(sql)

    def value(self, sql: str, values: Row = ()) -> Any:
        """The one value that the statement yields; None when there is none."""
        return self._execute(sql, values).get

    def row(self, sql: str, values: Row = ()) -> Row | None:
        return self._execute(sql, values).fetchone()

    def cached_row(self, sql: str, values: Row = ()) -> Row | None:
        """Like `row`, but cached within a transaction that only reads: a search needs such a row at every step."""
        if self._snapshot is None:
            return self.row(sql, values)
        # Within a snapshot nothing changes, so a row once read stays true until its end.
        key = sql, values
        if key not in self._snapshot:
            self._snapshot[key] = self.row(sql, values)
        return self._snapshot[key]

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        return self._execute(sql, values).fetchall()

    def many(self, sql: str, rows: Sequence[Row]) -> None:
        """The statement once for each row."""
        for row in rows:  # `executemany` would leave half of them done at a text that can't be encoded
            self._execute(sql, row)

    def array(self, values: Iterable[Any]) -> str:
        """Values as `json_each` reads them."""
        return json.dumps(list(values))

    def handle(self, text: str) -> str:
        """An id as it is stored: unchanged."""
        return text

    def lock(self, *names: str, shared: Sequence[str] = ()) -> bool:
        """Nothing to do: there is only one writer."""
        del names, shared
        return False

    def _execute(self, sql: str, values: Row) -> apsw.Cursor:
        try:
            return self.execute(sql, values)
        except UnicodeEncodeError:  # half of a character, as chat clients send it now and then
            return self.execute(sql, tuple(clean(value) if isinstance(value, str) else value for value in values))

    def _begin(self, begin: str, give_way: Callable[[], None]) -> None:
        """Begin, waiting in turns while another process writes."""
        deadline = monotonic() + BUSY_TIMEOUT_MS / 1000
        # SQLite's own wait would keep `Usage` locked for its full length, and a fork with it.
        self.set_busy_timeout(BUSY_TURN_MS)
        try:
            while True:
                try:
                    self.execute(begin)
                except apsw.BusyError:
                    if monotonic() > deadline:
                        raise
                    give_way()
                else:
                    return
        finally:
            self.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextmanager
    def transaction(
        self, begin: str, *, reads: bool = False, give_way: Callable[[], None] | None = None
    ) -> Generator[None]:
        """`give_way` is called now and then while another process writes."""
        if give_way is None:
            self.execute(begin)
        else:
            self._begin(begin, give_way)
        # Only for reads: a unit that writes must see its own changes.
        self._snapshot = {} if reads else None
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            # Ids of scopes created in this transaction are gone with it, and may be given to others.
            self.scopes.clear()
            # Some errors (disk full, I/O) have rolled back by themselves; a second ROLLBACK would hide the first error.
            if self.in_transaction:
                self.execute("ROLLBACK")
            raise
        finally:
            self._snapshot = None
            self.seen.clear()
            self.changed_scopes.clear()
