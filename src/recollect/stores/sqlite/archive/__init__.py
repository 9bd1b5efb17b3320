"""The store's content as neutral records, section by section: see `recollect.core.ports.archive`."""

from collections.abc import Mapping, Sequence

from recollect.core.ports.archive import Cursor, Name, Page, Record
from recollect.stores.sqlite.archive.rows import Memos, Messages
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.archive.tables import (
    ErasedMessages,
    Events,
    Exchanges,
    Jobs,
    State,
    Summaries,
    Tombstones,
)
from recollect.stores.sqlite.archive.vectors import MemoVectors, MessageVectors, VectorSets
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.words import WordIndex

_BOOKMARK = "copy"


class SQLiteArchive:
    def __init__(self, db: Database, index: WordIndex) -> None:
        self._db = db
        self._sections: Mapping[str, ArchiveSection] = {
            "messages": Messages(db, index),
            "erased messages": ErasedMessages(db),
            "memos": Memos(db, index),
            "tombstones": Tombstones(db),
            "summaries": Summaries(db),
            "exchanges": Exchanges(db),
            "state": State(db),
            "jobs": Jobs(db),
            "events": Events(db),
            "vector sets": VectorSets(db),
            "memo vectors": MemoVectors(db),
            "message vectors": MessageVectors(db),
        }

    def identity(self) -> str:
        """When its tables were made: a copy of the file is the same store."""
        created = self._db.value("SELECT at FROM migrations WHERE number = 1")
        return f"sqlite:{created}"

    def count(self, section: str) -> int:
        return self._sections[section].count()

    def read(self, section: str, after: Cursor | None, limit: int) -> Page:
        return self._sections[section].read(after, limit)

    def find(self, section: str, names: Sequence[Name]) -> dict[Name, Record]:
        return self._sections[section].find(names)

    def write(self, section: str, records: Sequence[Record]) -> list[Record]:
        return self._sections[section].write(records)

    def remove(self, section: str, names: Sequence[Name]) -> None:
        self._sections[section].remove(names)

    def put_secret(self, secret: str) -> None:
        self._db.run("UPDATE meta SET value = ? WHERE name = 'secret'", (secret,))

    def bookmark(self) -> str | None:
        return self._db.value("SELECT value FROM meta WHERE name = ?", (_BOOKMARK,))

    def put_bookmark(self, text: str) -> None:
        self._db.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_BOOKMARK, text))
