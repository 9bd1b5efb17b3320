"""The archive of an SQLite file."""

from recollect.stores._sql.archive import CHANGES, ERASED_MESSAGES, EXCHANGES, STATE, SUMMARIES, TOMBSTONES, Archive
from recollect.stores.sqlite.archive.rows import Memos, Messages
from recollect.stores.sqlite.archive.section import Table
from recollect.stores.sqlite.archive.tables import Events, Jobs
from recollect.stores.sqlite.archive.vectors import MemoVectors, MessageVectors, VectorSets
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.words import WordIndex


class SQLiteArchive(Archive[Database]):
    def __init__(self, db: Database, index: WordIndex) -> None:
        rows = (Messages(db, index), Table(db, ERASED_MESSAGES), Memos(db, index), Table(db, TOMBSTONES))
        lists = (Table(db, SUMMARIES), Table(db, EXCHANGES), Table(db, STATE), Jobs(db), Events(db), Table(db, CHANGES))
        super().__init__(db, (*rows, *lists, VectorSets(db), MemoVectors(db), MessageVectors(db)))

    def identity(self) -> str:
        """When its tables were made: a copy of the file is the same store."""
        created = self._db.value("SELECT at FROM migrations WHERE number = 1")
        return f"sqlite:{created}"

    def put_secret(self, secret: str) -> None:
        self._db.run("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))
