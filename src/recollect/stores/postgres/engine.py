"""How to talk to PostgreSQL: units of work in threads, each in a transaction of its own on a shared connection.

Failures that are not the unit's fault are retried: a deadlock at once, an unreachable server until the deadline. After
a connection that was lost during COMMIT, the server is asked whether the transaction was committed.
"""

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, LiteralString, Protocol, TypeVar

import psycopg
from psycopg import errors

from recollect.core.errors import StoreError
from recollect.stores._sql.units import call, closed, read_only
from recollect.stores.postgres import errors as faults
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.background import Chores
from recollect.stores.postgres.database import Connection, Database
from recollect.stores.postgres.pool import Exhausted, Pool, connect

T = TypeVar("T")

READ_TIMEOUT_SECONDS = 2.0
"""How long a read waits for an unreachable server: a reply without memory is better than none."""
MAX_CONFLICTS = 20
"""Times that a unit is retried because of conflicts with others."""
_RETRY_DELAY_SECONDS = 0.1
_RESERVED_FOR_READS = 2
"""Connections reserved for reads, if the pool is large enough."""
_OUTCOME: LiteralString = "SELECT pg_xact_status(%s::text::xid8)"
_NOTED: LiteralString = "SELECT EXISTS (SELECT 1 FROM commits WHERE token = %s::text::uuid)"


class Session(Protocol):
    """The part of a connection that units of work see."""

    def finish(self) -> tuple[str, str] | None:
        """Write what was held back until the end of the transaction; its id and token, if it wrote anything."""
        ...


S = TypeVar("S", bound=Session)


class _CommitUnknown(Exception):
    """The connection was lost during COMMIT."""

    def __init__(self, transaction: tuple[str, str], result: Any) -> None:
        super().__init__(transaction)
        self.transaction = transaction
        self.result = result


@dataclass(slots=True)
class _Deadline:
    """How long one unit may still wait, and its conflicts so far."""

    address: Address
    until: float
    conflicts: int = 0

    @property
    def remaining(self) -> float:
        return self.until - time.monotonic()

    def for_server(self, error: psycopg.Error | None) -> None:
        """Back off, or give up."""
        if self.remaining <= 0:
            raise faults.unreachable(self.address, error) from None
        time.sleep(min(_RETRY_DELAY_SECONDS * (0.5 + random.random()), max(self.remaining, 0)))

    def for_others(self, error: psycopg.Error) -> None:
        """The pauses grow, with jitter, so that the same two units don't collide again and again."""
        self.conflicts += 1
        if self.conflicts > MAX_CONFLICTS:
            raise faults.conflicting(self.address, error) from error
        time.sleep(random.random() * 0.002 * self.conflicts)


class Engine(Generic[S]):
    """Runs functions of a session: `write` durably, `read` on a snapshot. A session is made of each transaction."""

    def __init__(
        self,
        address: Address,
        prepare: Callable[[Connection, Address], None],
        open_session: Callable[[Database], S],
    ) -> None:
        self.address = address
        self._prepare = prepare
        self._open_session = open_session
        self._pool = Pool(partial(connect, address), address.pool)
        writers = max(address.pool - _RESERVED_FOR_READS, 1)
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="recollect-write")
        self._readers = ThreadPoolExecutor(address.pool, thread_name_prefix="recollect-read")
        self.chores = Chores(address)
        self._prepared = False
        self._closed = False

    async def write(self, work: Callable[[S], T]) -> T:
        return await self._submit(
            self._writers, lambda connection: self._transact(connection, work), self.address.patience
        )

    async def read(self, work: Callable[[S], T]) -> T:
        patience = min(READ_TIMEOUT_SECONDS, self.address.patience)
        return await self._submit(self._readers, lambda connection: self._run_read(connection, work), patience)

    async def run_outside_transaction(self, work: Callable[[Connection], T]) -> T:
        """Run work outside of any transaction, in autocommit mode."""
        return await self._submit(self._writers, work, self.address.patience)

    async def close(self) -> None:
        """Finish queued work, then disconnect, without waiting for an unreachable server."""
        self._closed = True
        await asyncio.to_thread(self._shut_down)

    def _shut_down(self) -> None:
        self._writers.shutdown()
        self._readers.shutdown()
        self.chores.close()
        self._pool.close()

    async def _submit(self, threads: ThreadPoolExecutor, once: Callable[[Connection], T], patience: float) -> T:
        if self._closed:
            raise closed()
        return await asyncio.get_running_loop().run_in_executor(threads, self._retry, once, patience)

    def _retry(self, once: Callable[[Connection], T], patience: float) -> T:
        """Retry until it succeeds or its time is up."""
        deadline = _Deadline(self.address, time.monotonic() + patience)
        while True:
            try:
                if not self._prepared:
                    self._on_a_connection(self._make_ready, deadline)
                return self._on_a_connection(once, deadline)
            except _CommitUnknown as lost:
                if self._was_committed(lost.transaction, deadline):
                    return lost.result
            except _TryAgain:
                pass

    def _make_ready(self, connection: Connection) -> None:
        self._prepare(connection, self.address)
        self._prepared = True

    def _on_a_connection(self, once: Callable[[Connection], T], deadline: _Deadline) -> T:
        """Run it, or wait a while and ask for another try."""
        try:
            connection = self._pool.take(deadline.remaining, max(deadline.remaining, self.address.patience))
        except Exhausted:
            raise faults.exhausted(self.address, self.address.pool) from None
        except psycopg.Error as error:
            if self._closed or faults.is_refusal(error):
                raise faults.unreachable(self.address, error) from None
            deadline.for_server(error)
            raise _TryAgain from error
        lost: psycopg.Error | None = None
        try:
            return once(connection)
        except psycopg.Error as error:
            if not connection.closed and not faults.is_conflict(error):
                raise faults.translated(self.address, error) from error
            lost = error
        finally:
            self._pool.give_back(connection)
        if faults.is_conflict(lost):
            deadline.for_others(lost)
        else:
            self._pool.drop_idle()
            deadline.for_server(lost)
        raise _TryAgain from lost

    def _transact(self, connection: Connection, work: Callable[[S], T]) -> T:
        """One run of a unit that writes."""
        try:
            session = self._open_session(Database(connection, writing=True))
            result = call(work, session)
            transaction = session.finish()
        except BaseException:
            _roll_back(connection)
            raise
        try:
            connection.commit()
        except psycopg.Error as error:
            if not connection.closed or transaction is None:
                raise
            raise _CommitUnknown(transaction, result) from error
        return result

    def _run_read(self, connection: Connection, work: Callable[[S], T]) -> T:
        """One run of a unit that reads."""
        try:
            return call(work, self._open_session(Database(connection, writing=False)))
        except errors.ReadOnlySqlTransaction as error:
            raise read_only() from error
        finally:
            _end_read(connection)

    def _was_committed(self, transaction: tuple[str, str], deadline: _Deadline) -> bool:
        """Whether a transaction was committed whose end we did not see.

        Its number only tells when it has ended: a server that crashed reuses numbers which it had not
        got to disk. The mark that it wrote decides.
        """
        transaction_id, token = transaction

        def read_outcome(connection: Connection) -> bool | None:
            if _first(connection, _OUTCOME, transaction_id) == "in progress":
                return None
            return _first(connection, _NOTED, token)

        while True:
            try:
                outcome = self._on_a_connection(read_outcome, deadline)
            except _TryAgain:
                continue
            except StoreError as error:
                if isinstance(error.__cause__, errors.InvalidParameterValue):
                    return False  # unknown to the server: another one took over without it
                raise
            if outcome is not None:
                return outcome
            deadline.for_server(None)


def _first(connection: Connection, sql: LiteralString, value: str) -> Any:
    row = connection.execute(sql, (value,)).fetchone()
    return None if row is None else row[0]


class _TryAgain(Exception):
    """The attempt failed for reasons outside of it; it may succeed if repeated."""


def _roll_back(connection: Connection) -> None:
    """End the transaction; where the connection is lost, the server does."""
    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()


def _end_read(connection: Connection) -> None:
    """End a transaction that only read; by a rollback the connection would lose its prepared statements."""
    try:
        connection.commit()
    except psycopg.Error:
        connection.close()
