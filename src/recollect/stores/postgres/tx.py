"""One transaction on a PostgreSQL connection, with all its parts."""

from typing import LiteralString

from recollect.stores._sql.tx import SQLTx
from recollect.stores.postgres.archive import PostgresArchive
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.derived import PostgresDerived
from recollect.stores.postgres.events import COUNTING, PostgresEvents
from recollect.stores.postgres.jobs import PostgresJobs
from recollect.stores.postgres.memos import PostgresMemos
from recollect.stores.postgres.messages import PostgresMessages
from recollect.stores.postgres.search import PostgresIndex
from recollect.stores.postgres.write_gate import Gate

_CLOSING: LiteralString = (
    "ended AS (UPDATE generations SET value = value + 1 WHERE shard = %(shard)s "
    "AND pg_current_xact_id_if_assigned() IS NOT NULL RETURNING shard), "
    "noted AS (INSERT INTO commits (token) SELECT gen_random_uuid() FROM ended RETURNING token) "
    "SELECT pg_current_xact_id()::text, token::text FROM noted"
)


class PostgresTx(SQLTx[Database]):
    def __init__(self, db: Database) -> None:
        self.gate = Gate(db)
        derived = PostgresDerived(db)
        self.messages = PostgresMessages(db, derived, self.gate)
        self.memos = PostgresMemos(db, derived, self.gate)
        self.index = PostgresIndex(db)
        self.jobs = PostgresJobs(db)
        self.events = PostgresEvents(db)
        super().__init__(db, self.memos)

    @property
    def archive(self) -> PostgresArchive:
        """Made when it is asked for, as few units do."""
        return PostgresArchive(self.db, self.events)

    def finish(self) -> tuple[str, str] | None:
        """The last statement of a unit that wrote something: its counts, and the mark that it was committed."""
        if not self.db.begun:
            return None
        counted = self.events.counted()
        if not counted:
            return self.db.row(f"WITH {_CLOSING}", {"shard": self.db.shard})
        return self.db.row(f"WITH counted AS ({COUNTING}), {_CLOSING}", {"shard": self.db.shard} | counted)

    def generation(self) -> int:
        return self.db.value("SELECT sum(value)::bigint FROM generations")
