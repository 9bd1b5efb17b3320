"""One transaction on a PostgreSQL connection, with all its parts."""

from recollect.stores.postgres.archive import PostgresArchive
from recollect.stores.postgres.counters import PostgresCounters
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.events import PostgresEvents
from recollect.stores.postgres.gate import Gate
from recollect.stores.postgres.jobs import PostgresJobs
from recollect.stores.postgres.journal import PostgresJournal
from recollect.stores.postgres.lanes import PostgresLanes
from recollect.stores.postgres.memos import PostgresMemos
from recollect.stores.postgres.sessions import PostgresExchanges, PostgresSummaries


class PostgresTx:
    def __init__(self, db: Database) -> None:
        self.db = db
        self.gate = Gate(db)
        self.journal = PostgresJournal(db)
        self.memos = PostgresMemos(db)
        self.lanes = PostgresLanes(db)
        self.summaries = PostgresSummaries(db)
        self.exchanges = PostgresExchanges(db)
        self.jobs = PostgresJobs(db)
        self.counters = PostgresCounters(db)
        self.events = PostgresEvents(db)
        self.archive = PostgresArchive(db)

    def flush(self) -> None:
        self.events.flush()

    def generation(self) -> int:
        return self.db.value("SELECT sum(value)::bigint FROM generations")
