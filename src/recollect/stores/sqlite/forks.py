"""Makes a fork safe: SQLite keeps locks and the state of its files per process, and a child inherits copies of both.

A fork waits until no thread of ours is inside SQLite, or the child might inherit a mutex that is never released. The
child then closes its copies of the connections: with them, SQLite would believe it holds locks that the parent holds.
"""

import os
import threading
from contextlib import suppress

import apsw

FORK_TIMEOUT_SECONDS = 5.0
"""How long a fork waits for one thread; also for its own, if a unit of work forks."""


class Usage:
    """Held by a thread while it is inside SQLite."""

    __slots__ = ("_lock", "connection")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.connection: apsw.Connection | None = None
        _usages.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

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
                self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                self.connection.close(True)


_usages: set[Usage] = set()
_paused: list[Usage] = []


def _before_fork() -> None:
    _paused.extend(usage for usage in list(_usages) if usage.pause())


def _resume() -> None:
    for usage in _paused:
        usage.resume()
    _paused.clear()


def _after_fork_in_child() -> None:
    for usage in _paused:
        usage.drop_copy()
    _usages.clear()
    _resume()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_resume, after_in_child=_after_fork_in_child)
