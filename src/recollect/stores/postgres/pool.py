"""Connections with our settings, a few of them shared by many threads. A caller that waits in vain gets the reason.

`psycopg_pool` connects in the background and keeps the reason to its log; here the caller decides how long to go on.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import LiteralString

import psycopg

from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection

_SETTINGS: LiteralString = """
SELECT set_config('search_path', concat_ws(', ', quote_ident(%(schema)s), (
        SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
        WHERE extname = 'vector'), 'public'), false),
    set_config('lock_timeout', %(patience)s, false),
    -- A process that was stopped in the middle does not keep its locks for ever.
    set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
        ELSE current_setting('synchronous_commit') END, false),
    set_config('jit', 'off', false),
    -- A planner that knows little of a scope believes it to be small, and would rather read and sort all of it than
    -- read it in the order of its index until there is enough.
    set_config('enable_bitmapscan', 'off', false)
"""
_MAX_PREPARED_STATEMENTS = 500
"""Statements that a connection keeps prepared: more than there are."""
_MIN_CONNECT_TIMEOUT_SECONDS = 2
"""Seconds that connecting gets at least: libpq allows no less."""


class Exhausted(Exception):
    """All connections stay in use."""


def connect(address: Address, seconds: float) -> Connection:
    """A new connection in autocommit mode, established within about so many seconds."""
    timeout = min(int(address.parameters["connect_timeout"]), max(int(seconds), _MIN_CONNECT_TIMEOUT_SECONDS))
    connection = psycopg.connect(address.conninfo, autocommit=True, connect_timeout=timeout)
    try:
        values = {"schema": address.schema, "patience": str(max(int(address.patience * 1000), 1))}
        connection.execute(_SETTINGS, values)
        connection.prepared_max = _MAX_PREPARED_STATEMENTS
    except BaseException:
        connection.close()
        raise
    return connection


class Pool:
    """Up to so many connections, made by `connect` when they are needed."""

    def __init__(self, connect: Callable[[float], Connection], size: int) -> None:
        self._connect = connect
        self._free = threading.Semaphore(size)
        self._idle: deque[Connection] = deque()
        self._closed = False

    def take(self, seconds: float, queue: float) -> Connection:
        """A connection that may have been used before; raises what connecting raises, or Exhausted.

        Others may keep us waiting for `queue` seconds, and the server for `seconds`.
        """
        if not self._free.acquire(timeout=max(queue, 0.001)):
            raise Exhausted
        try:
            # The most recently used one is the most likely to be alive.
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return self._connect(seconds)
        except BaseException:
            self._free.release()
            raise

    def give_back(self, connection: Connection) -> None:
        """Return a connection to the pool, unless it is lost or in the middle of something."""
        unfinished = connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
        if connection.closed or unfinished or self._closed:
            connection.close()
        else:
            self._idle.append(connection)
        self._free.release()

    def drop_idle(self) -> None:
        """Close idle connections: where one was lost, the others are probably lost too."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        self._closed = True
        self.drop_idle()
