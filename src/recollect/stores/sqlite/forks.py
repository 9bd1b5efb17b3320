"""Makes a fork safe: SQLite keeps locks and the state of its files per process, and a child inherits copies of both.

A fork waits until no thread of ours is inside SQLite, or the child might inherit a mutex that is never released. The
child then closes its copies of the connections: with them, SQLite would believe it holds locks that the parent holds,
and write to a log that others delete. A file whose copies it could not close is not opened in the child.
"""

import os
import threading
from contextlib import suppress

import apsw

from recollect.core.errors import StoreBusy

FORK_TIMEOUT_SECONDS = 5.0
"""How long a fork waits for one thread; also for its own, if a unit of work forks."""

_gate = threading.Lock()
"""Held during a fork: meanwhile no connection is opened, and no waiting thread continues."""


class Usage:
    """Held by a thread while it is inside SQLite."""

    __slots__ = ("_lock", "connection")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.connection: apsw.Connection | None = None
        with _gate:
            _usages.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def let_forks_pass(self) -> None:
        """Called by the holding thread while it waits for another process, so that a fork need not wait, too."""
        # Let the fork take this usage; the gate is free again when the fork is over.
        if _gate.locked():
            self._lock.release()
            with _gate:
                pass
            self._lock.acquire()

    def pause(self) -> bool:
        return self._lock.acquire(timeout=FORK_TIMEOUT_SECONDS)

    def resume(self) -> None:
        self._lock.release()

    def end(self) -> None:
        """The thread has closed its connection."""
        _usages.discard(self)

    def drop_copy(self) -> None:
        """Close the copy of a connection in the child of a fork, and leave the file as it is."""
        if self.connection is not None:
            with suppress(apsw.Error):
                # Closing must not checkpoint: the log belongs to the parent, which still writes it.
                self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                self.connection.close(True)


_usages: set[Usage] = set()
_paused: list[Usage] = []
_inherited: set[str] = set()
"""Files that a thread of the parent was using, for longer than a fork waits."""


def refuse_inherited(name: str) -> None:
    """Raises StoreBusy for a file that this process can't open, as SQLite has the state of its parent for it."""
    if name in _inherited:
        raise StoreBusy(
            f"{name} was in use for more than {FORK_TIMEOUT_SECONDS:g} s when this process was forked, so it can't be "
            "opened here: fork before it is opened, or start processes another way (multiprocessing: 'spawn')"
        )


def _before_fork() -> None:
    # First the gate, then the usages: a thread that waits for the gate holds no usage of its own.
    _gate.acquire()
    # A thread that does not let go in time makes its file unusable in the child, instead of making the parent hang.
    _paused.extend(usage for usage in list(_usages) if usage.pause())


def _resume() -> None:
    for usage in _paused:
        usage.resume()
    _paused.clear()
    _gate.release()


def _after_fork_in_child() -> None:
    for usage in _paused:
        usage.drop_copy()
    # These were inside SQLite during the fork: their state in the child is torn.
    for usage in _usages.difference(_paused):
        if usage.connection is not None:
            _inherited.add(usage.connection.filename)
    # The threads that owned them exist in the parent only.
    _usages.clear()
    _resume()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_resume, after_in_child=_after_fork_in_child)
