"""One transaction on an SQLite connection, with all its parts."""

from recollect.stores._sql.tx import SQLTx
from recollect.stores.sqlite.archive import SQLiteArchive
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.derived import SQLiteDerived
from recollect.stores.sqlite.events import SQLiteEvents
from recollect.stores.sqlite.jobs import SQLiteJobs
from recollect.stores.sqlite.matrix_cache import MatrixCache
from recollect.stores.sqlite.memos import SQLiteMemos
from recollect.stores.sqlite.messages import SQLiteMessages
from recollect.stores.sqlite.search import SQLiteIndex
from recollect.stores.sqlite.words import WordIndex


class SQLiteTx(SQLTx[Database]):
    def __init__(self, db: Database, cache: MatrixCache) -> None:
        self.words = WordIndex(db)
        derived = SQLiteDerived(db, self.words)
        self.messages = SQLiteMessages(db, derived)
        self.memos = SQLiteMemos(db, derived)
        self.index = SQLiteIndex(db, self.words, cache)
        self.jobs = SQLiteJobs(db)
        self.events = SQLiteEvents(db)
        super().__init__(db, self.memos)
        self.archive = SQLiteArchive(db, self.words, self.events)

    def flush(self) -> None:
        self.words.flush()
        self.events.flush()

    def discard(self) -> None:
        self.words.discard()
        self.events.discard()

    def generation(self) -> int:
        return self.db.value("SELECT value FROM meta WHERE name = 'generation'")
