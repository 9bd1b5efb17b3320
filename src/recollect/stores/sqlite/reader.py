"""A connection that only reads; and the statistics by which short reads run in the caller's thread."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic, thread_time
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
BRIEF_AFTER, LONG_READ_COST, MAX_CREDIT = 4, 3, 8
"""So many more short reads of a kind than long ones before the caller's thread runs them; a long one counts as several,
but on a busy machine any read is long now and then, so a few don't count against a kind that is short as a rule.
"""


MAX_WAIT_SECONDS = 0.01
"""A read that took longer, whatever it waited for, is a long one; below, its processor time counts."""


class Session(Protocol):
    """The part of a connection that units of work see."""

    def flush(self) -> None:
        """Write what is pending until the end of the transaction."""
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
                # This reader serves the event loop's thread, which must never sleep in SQLite's busy handler.
                if not waits:
                    self._connection.set_busy_timeout(0)
            return run_read(self._connection, self._session, work)

    def close(self) -> None:
        if self._connection is not None:
            with self._usage:
                self._connection.close()
        self._usage.end()


class Stopwatch:
    """What a read takes: its processor time, since on a busy machine every read takes long, and one that is handed to
    another thread takes even longer; all of its time if it waited, as for the disk.
    """

    def __init__(self, clock: Callable[[], float] = monotonic, processor: Callable[[], float] = thread_time) -> None:
        self._clock, self._processor = clock, processor
        self._began, self._used = clock(), processor()

    @property
    def seconds(self) -> float:
        elapsed = self._clock() - self._began
        return elapsed if elapsed > MAX_WAIT_SECONDS else self._processor() - self._used


class BriefReads:
    """The kinds of reads that have been short lately. A kind is a function's code, whatever its arguments."""

    def __init__(self) -> None:
        self._credit: dict[CodeType, int] = {}

    def includes(self, work: Callable[..., Any]) -> bool:
        code = getattr(work, "__code__", None)
        return code is not None and self._credit.get(code, 0) >= BRIEF_AFTER

    def took(self, work: Callable[..., Any], seconds: float) -> None:
        """Count a read that took so many seconds, see `Stopwatch`."""
        code = getattr(work, "__code__", None)
        if code is not None:
            credit = self._credit.get(code, 0) + (1 if seconds <= MAX_BRIEF_SECONDS else -LONG_READ_COST)
            self._credit[code] = max(0, min(MAX_CREDIT, credit))


def run_read(connection: Database, session: S, work: Callable[[S], T]) -> T:
    try:
        with connection.transaction("BEGIN", reads=True):
            return call(work, session)
    except apsw.ReadOnlyError as error:
        # What the work had collected must not be written by the next transaction of this session.
        session.discard()
        raise read_only() from error
