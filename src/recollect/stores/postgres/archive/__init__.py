"""The archive of a PostgreSQL database."""

from recollect.stores._sql.archive import Archive
from recollect.stores.postgres.archive.rows import Memos, Messages
from recollect.stores.postgres.archive.section import Table
from recollect.stores.postgres.archive.tables import Events, Jobs
from recollect.stores.postgres.archive.vectors import Vectors, VectorSets
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.events import PostgresEvents


class PostgresArchive(Archive[Database]):
    def __init__(self, db: Database, events: PostgresEvents) -> None:
        of_rows = {"messages": Messages(db), "memos": Memos(db)}
        of_lists = {"jobs": Jobs(db), "events": Events(db, events), "vector sets": VectorSets(db)}
        super().__init__(db, of_rows | of_lists, Vectors, Table)

    def identity(self) -> str:
        """When and where its tables were created: a database made from another one is another store."""
        row = self._db.row(
            "SELECT at, (SELECT oid FROM pg_database WHERE datname = current_database())::text, "
            "current_schema()::regnamespace::oid::text FROM migrations WHERE number = 1"
        )
        return f"postgresql:{':'.join(map(str, row or ()))}"
