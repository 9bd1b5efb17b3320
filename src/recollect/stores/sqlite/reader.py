"""A connection that only reads, and which reads are so short that the caller's thread runs them itself."""

from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, Generic, Protocol, TypeVar

import apsw

from recollect.stores._sql.units import call, read_only
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.errors import translated
from recollect.stores.sqlite.forks import Usage

T = TypeVar("T")

MAX_BRIEF_SECONDS = 0.002
"""Longer reads would hold up the event loop for more than handing them to another thread takes."""
BRIEF_AFTER = 4
"""So many reads of a kind in a row have to be short before the caller's thread runs them."""


class Session(Protocol):
    """What units of work get to see of a connection."""

    def flush(self) -> None:
        """Write what was held back until the end of the transaction."""
        ...

    def discard(self) -> None:
        """Drop it: the transaction is undone."""
        ...


S = TypeVar("S", bound=Session)


class Reader(Generic[S]):
    """It opens its connection when the first work comes."""

    def __init__(self, path: Path | None, open_session: Callable[[Database], S], *, immutable: bool) -> None:
        self._path, self._open_session, self._immutable = path, open_session, immutable
        self._usage = Usage()
        self._connection: Database | None = None
        self._session: S | None = None

    def run(self, work: Callable[[S], T], *, waits: bool = True) -> T:
        """The result of the work on a snapshot; without `waits` it raises StoreBusy at once if it can't have one."""
        with translated(self._path), self._usage:
            if self._connection is None or self._session is None:
                self._connection = Database(self._path, read_only=True, immutable=self._immutable)
                self._usage.connection = self._connection
                self._session = self._open_session(self._connection)
                if not waits:
                    self._connection.set_busy_timeout(0)
            return run_read(self._connection, self._session, work)

    def close(self) -> None:
        if self._connection is not None:
            with self._usage:
                self._connection.close()
        self._usage.end()


class BriefReads:
    """Which kinds of reads have been short lately. A kind is a piece of code, whatever it is called with."""

    def __init__(self) -> None:
        self._short_in_a_row: dict[CodeType, int] = {}

    def includes(self, work: Callable[..., Any]) -> bool:
        code = getattr(work, "__code__", None)
        return code is not None and self._short_in_a_row.get(code, 0) >= BRIEF_AFTER

    def took(self, work: Callable[..., Any], seconds: float) -> None:
        code = getattr(work, "__code__", None)
        if code is not None:
            is_short = seconds <= MAX_BRIEF_SECONDS
            self._short_in_a_row[code] = self._short_in_a_row.get(code, 0) + 1 if is_short else 0


def run_read(connection: Database, session: S, work: Callable[[S], T]) -> T:
    try:
        with connection.transaction("BEGIN"):
            return call(work, session)
    except apsw.ReadOnlyError as error:
        session.discard()
        raise read_only() from error
