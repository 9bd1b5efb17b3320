"""PostgreSQL: for several processes and machines at once. `postgresql://user:password@host:5432/database`."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TypeVar

from recollect.core.errors import MissingExtra
from recollect.core.ports import HealthCheck, Progress, Tx

if find_spec("psycopg") is None:
    raise MissingExtra("the store 'postgresql'", "postgres")

from recollect.stores._sql.maintenance import reindex, reindex_start
from recollect.stores._sql.store import SQLStore
from recollect.stores.postgres import backup as dump
from recollect.stores.postgres import maintenance, words
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.engine import Engine
from recollect.stores.postgres.schema import migrate
from recollect.stores.postgres.tx import PostgresTx
from recollect.stores.postgres.vector_maintenance import maintain_vectors

T = TypeVar("T")

VECTOR_MAINTENANCE_INTERVAL_SECONDS = 300.0


class PostgresStore(SQLStore[Engine[PostgresTx]]):
    """The store port on a PostgreSQL server; it connects when the first unit of work comes.

    `tools` is the folder of PostgreSQL's client programs, where they are not on the PATH.
    """

    def __init__(self, address: Address, tools: Path | None = None) -> None:
        super().__init__(Engine(address, migrate, PostgresTx))
        self._tools = tools
        self._maintained_at = monotonic()

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        """Connections commit independently, so `patient` has no effect."""
        del background
        result = await self._engine.write(work)
        if monotonic() - self._maintained_at > VECTOR_MAINTENANCE_INTERVAL_SECONDS:
            self._maintained_at = monotonic()
            self._engine.chores.begin(maintain_vectors)
        return result

    async def backup(self, target: Path, progress: Progress | None = None) -> None:
        """A file of `pg_dump`; bring it back with `pg_restore --dbname=<an empty database>`."""
        address = self._engine.address
        await self._engine.run_outside_transaction(
            lambda connection: dump.backup(connection, address, self._tools, target, progress)
        )

    async def reindex(self, progress: Progress | None = None) -> int:
        start = await self._engine.read(lambda tx: reindex_start(tx.db, words.ALIVE))
        rows = await reindex(
            start,
            lambda corpus, after: self._engine.write(lambda tx: maintenance.reindex_step(corpus, after, tx)),
            progress,
        )
        await self._engine.run_outside_transaction(maintain_vectors)
        return rows

    async def check_health(self) -> list[HealthCheck]:
        return await self._engine.read(lambda tx: maintenance.examine(tx.db))

    async def purge_deleted(self, progress: Progress | None = None) -> None:
        """Includes the vectors of past models; readers that are using them retry."""
        await self._engine.run_outside_transaction(lambda connection: maintain_vectors(connection, timedelta(0)))
        await self._engine.run_outside_transaction(lambda connection: maintenance.sweep(connection, progress))

    async def find_traces(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """In the rows of all tables; the server's files are out of reach."""
        return await self._engine.read(lambda tx: maintenance.count_rows_with(tx.db, texts))


def create(spec: str) -> PostgresStore:
    return PostgresStore(Address.of(spec))


def examine(spec: str) -> list[HealthCheck]:
    """Examine a database without writing to it, whatever state it is in."""
    return maintenance.examine_server(Address.of(spec))
