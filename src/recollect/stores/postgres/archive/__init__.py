"""The store's content as neutral records, section by section: see `recollect.core.ports.archive`."""

from collections.abc import Mapping, Sequence

from recollect.core.ports.archive import Cursor, Name, Page, Record
from recollect.stores.postgres.archive.rows import Memos, Messages
from recollect.stores.postgres.archive.section import ArchiveSection
from recollect.stores.postgres.archive.tables import (
    ErasedMessages,
    Events,
    Exchanges,
    Jobs,
    State,
    Summaries,
    Tombstones,
)
from recollect.stores.postgres.archive.vectors import MemoVectors, MessageVectors, VectorSets
from recollect.stores.postgres.database import Database

_BOOKMARK = "copy"


class PostgresArchive:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._sections: Mapping[str, ArchiveSection] = {
            "messages": Messages(db),
            "erased messages": ErasedMessages(db),
            "memos": Memos(db),
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
        """When its tables were made, and where: a database that was made from another one is another store."""
        row = self._db.row(
            "SELECT at, (SELECT oid FROM pg_database WHERE datname = current_database())::text, "
            "current_schema()::regnamespace::oid::text FROM migrations WHERE number = 1"
        )
        return f"postgresql:{':'.join(map(str, row or ()))}"

    def count(self, section: str) -> int:
        return self._sections[section].count()

    def read(self, section: str, after: Cursor | None, limit: int) -> Page:
        return self._sections[section].read(after, limit)

    def find(self, section: str, names: Sequence[Name]) -> dict[Name, Record]:
        return self._sections[section].find(names)

    def write(self, section: str, records: Sequence[Record]) -> list[Record]:
        return self._sections[section].write(records) if records else []

    def remove(self, section: str, names: Sequence[Name]) -> None:
        if names:
            self._sections[section].remove(names)

    def put_secret(self, secret: str) -> None:
        self._db.run("UPDATE meta SET value = %s WHERE name = 'secret'", (secret,))
        self._db.seen["meta"].clear()

    def bookmark(self) -> str | None:
        return self._db.value("SELECT value FROM meta WHERE name = %s", (_BOOKMARK,))

    def put_bookmark(self, text: str) -> None:
        self._db.run(
            "INSERT INTO meta (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_BOOKMARK, text),
        )
