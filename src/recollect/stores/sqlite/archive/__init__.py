"""The store's content as neutral records, section by section: see `recollect.core.ports.archive`."""

from collections.abc import Mapping, Sequence

from recollect.core.ports.archive import Cursor, Name, Page, Record
from recollect.stores.sqlite.archive.rows import Memos, Messages
from recollect.stores.sqlite.archive.section import Shelf
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
        self._shelves: Mapping[str, Shelf] = {
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
        made = self._db.value("SELECT at FROM migrations WHERE number = 1")
        return f"sqlite:{made}"

    def count(self, section: str) -> int:
        return self._shelves[section].count()

    def read(self, section: str, after: Cursor | None, limit: int) -> Page:
        return self._shelves[section].read(after, limit)

    def find(self, section: str, names: Sequence[Name]) -> dict[Name, Record]:
        return self._shelves[section].find(names)

    def write(self, section: str, records: Sequence[Record]) -> list[Record]:
        return self._shelves[section].write(records)

    def remove(self, section: str, names: Sequence[Name]) -> None:
        self._shelves[section].remove(names)

    def bookmark(self) -> str | None:
        return self._db.value("SELECT value FROM meta WHERE name = ?", (_BOOKMARK,))

    def put_bookmark(self, text: str) -> None:
        self._db.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_BOOKMARK, text))
