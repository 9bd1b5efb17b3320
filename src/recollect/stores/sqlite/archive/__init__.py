"""The archive of an SQLite file."""

from recollect.stores._sql.archive import Archive
from recollect.stores.sqlite.archive.rows import Memos, Messages
from recollect.stores.sqlite.archive.section import Table
from recollect.stores.sqlite.archive.tables import Events, Jobs
from recollect.stores.sqlite.archive.vectors import Vectors, VectorSets
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.events import SQLiteEvents
from recollect.stores.sqlite.words import WordIndex


class SQLiteArchive(Archive[Database]):
    def __init__(self, db: Database, index: WordIndex, events: SQLiteEvents) -> None:
        rows = {"messages": Messages(db, index), "memos": Memos(db, index)}
        lists = {"jobs": Jobs(db), "events": Events(db, events), "vector sets": VectorSets(db)}
        super().__init__(db, rows | lists, Vectors, Table)

    def identity(self) -> str:
        """When its tables were created: a copy of the file is the same store."""
        created = self._db.value("SELECT at FROM migrations WHERE number = 1")
        return f"sqlite:{created}"
