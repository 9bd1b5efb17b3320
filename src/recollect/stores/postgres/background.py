"""Maintenance in the background: no one waits for it, and it is canceled when the store is closed."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

import psycopg

from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection
from recollect.stores.postgres.pool import connect

log = logging.getLogger("recollect.stores")

_CONNECT_TIMEOUT_SECONDS = 5.0
_CANCEL_INTERVAL_SECONDS = 0.1


class Chores:
    """One at a time, on a connection of its own outside of any transaction."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recollect-chore")
        self._chore: Future[None] | None = None
        self._connection: Connection | None = None
        self._closed = False

    def begin(self, work: Callable[[Connection], object]) -> bool:
        """Start a chore, unless another one is still running; returns whether it was started."""
        if self._closed or (self._chore is not None and not self._chore.done()):
            return False
        self._chore = self._thread.submit(self._run, work)
        return True

    def close(self) -> None:
        self._closed = True
        while self._chore is not None and not wait([self._chore], _CANCEL_INTERVAL_SECONDS).done:
            if self._connection is not None:  # repeatedly: it may have been between two statements
                with suppress(psycopg.Error):
                    self._connection.cancel_safe(timeout=_CONNECT_TIMEOUT_SECONDS)
        self._thread.shutdown()

    def _run(self, work: Callable[[Connection], object]) -> None:
        try:
            with connect(self._address, _CONNECT_TIMEOUT_SECONDS) as self._connection:
                if not self._closed:
                    work(self._connection)
        except psycopg.Error as error:
            if not self._closed:
                log.warning("%s: %s; trying again later", self._address, " ".join(str(error).split()))
        finally:
            self._connection = None
