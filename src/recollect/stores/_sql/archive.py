"""The store's content as neutral records, section by section: see `recollect.core.ports.archive`."""

import json
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, LiteralString, NamedTuple, TypeVar, cast

from recollect.core.ports import Corpus
from recollect.core.ports.archive import Cursor, Name, Page, Record, canonical_json
from recollect.core.types import Status
from recollect.stores._sql import tombstones
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.events import Events
from recollect.stores._sql.jobs import restart_queues

D = TypeVar("D", bound=Database)

_BOOKMARK = "copy"
_PUT_BOOKMARK = """
INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""


def placeholders(count: int) -> LiteralString:
    return cast("LiteralString", ", ".join(f"${number}" for number in range(1, count + 1)))


class Section(ABC, Generic[D]):
    def __init__(self, db: D) -> None:
        self._db = db

    @abstractmethod
    def count(self) -> int: ...
    @abstractmethod
    def read(self, after: Cursor | None, limit: int) -> Page: ...
    @abstractmethod
    def find(self, names: Sequence[Name]) -> dict[Name, Record]: ...
    @abstractmethod
    def put(self, records: Sequence[Record]) -> None: ...
    @abstractmethod
    def remove(self, names: Sequence[Name]) -> None: ...

    def write(self, records: Sequence[Record]) -> list[Record]:
        """Add or replace records; returns those that had to be left out."""
        self.put(records)
        return []


class RowsSection(Section[D]):
    """A section whose records are rows: `fields` of `source`, read by `order_by`."""

    source: LiteralString
    fields: LiteralString
    names: tuple[LiteralString, ...]
    """The columns that identify a record, with the types of PostgreSQL that they are compared as: `id::text`."""
    order_by: LiteralString
    """The columns that make up a cursor."""
    where: LiteralString = "true"
    documents: frozenset[int] = frozenset()
    """Columns that hold JSON, by position."""

    def count(self) -> int:
        sql: LiteralString = f"SELECT count(*) FROM {self.source} WHERE {self.where}"
        return self._db.value(sql)

    def read(self, after: Cursor | None, limit: int) -> Page:
        width = self.order_by.count(",") + 1
        beyond: LiteralString = "" if after is None else f"AND ({self.order_by}) > ({placeholders(width)})"
        number: LiteralString = "$1" if after is None else cast("LiteralString", f"${width + 1}")
        sql: LiteralString = (
            f"SELECT {self.order_by}, {self.fields} FROM {self.source} WHERE {self.where} {beyond} "
            f"ORDER BY {self.order_by} LIMIT {number}"
        )
        rows = self._db.rows(sql, (*(after or ()), limit))
        return Page([self.record(row[width:]) for row in rows], rows[-1][:width] if len(rows) == limit else None)

    def _count_up(self) -> None:
        """Set the next id beyond all stored ones."""

    def record(self, row: Row) -> Record:
        values = list(row)
        for column in self.documents:
            if values[column]:
                values[column] = canonical_json(values[column])
        return tuple(values)


class Columns(NamedTuple):
    """A table that maps directly to a section; its key comes first, with PostgreSQL's types."""

    source: LiteralString
    names: tuple[LiteralString, ...]
    rest: tuple[LiteralString, ...]
    where: LiteralString = "true"
    documents: frozenset[int] = frozenset()

    @property
    def columns(self) -> tuple[LiteralString, ...]:
        return tuple(name.split("::")[0] for name in self.names)


_ERASED_MESSAGES = Columns("tombstones", ("fingerprint::text",), ("at",), where=f"scope = '{tombstones.ERASED}'")
_TABLES: dict[str, Columns] = {
    "erased messages": _ERASED_MESSAGES,
    "tombstones": Columns(
        "tombstones", ("scope::text", "fingerprint::text"), ("at",), where=f"scope <> '{tombstones.ERASED}'"
    ),
    "summaries": Columns(
        "summaries", ("session::text", "sequence::bigint"), ("text", "updated", "through", "audience")
    ),
    "exchanges": Columns(
        "exchanges",
        ("guild::text", "at::bigint", "id::text"),
        ("channel", "channel_name", "author", "text", "expires", "audience"),
    ),
    "state": Columns("state", ("kind::text", "key::text", "item::text"), ("number", "person", "guild")),
    "changes": Columns(
        "changes",
        ("id::bigint",),
        (
            *("scope", "memo", "batch", "before", "after", "reason", "detail", "actor", "at", "message", "shared"),
            *("undoes", "undone", "undoable"),
        ),
        documents=frozenset({4, 5}),
    ),
}


class TableSection(RowsSection[D]):
    """A section that is stored as a table with the same columns, identified by its primary key."""

    def __init__(self, db: D, table: Columns) -> None:
        super().__init__(db)
        self._table = table
        self.source, self.where, self.order_by = table.source, table.where, ", ".join(table.columns)
        self.fields = ", ".join((*table.columns, *table.rest))
        self.names, self.documents = table.names, table.documents

    def put(self, records: Sequence[Record]) -> None:
        if self._table is _ERASED_MESSAGES:
            self._db.many(tombstones.PUT, [(tombstones.ERASED, *record) for record in records])
            return
        columns = (*self._table.columns, *self._table.rest)
        changes = ", ".join(f"{name} = excluded.{name}" for name in columns)
        sql: LiteralString = (
            f"INSERT INTO {self.source} ({self.fields}) VALUES ({placeholders(len(columns))}) "
            f"ON CONFLICT ({self.order_by}) DO UPDATE SET {changes}"
        )
        self._db.many(sql, records)


class JobsSection(RowsSection[D]):
    """Claimed jobs are read as if their lease had expired: only the first job of a queue can have been started."""

    source = "jobs"
    fields = """
    id, kind, queue, tenant, payload, CASE state WHEN 'failed' THEN 'failed' ELSE 'waiting' END, due,
    attempts - CASE WHEN state = 'claimed' AND EXISTS (SELECT 1 FROM jobs AS earlier
        WHERE earlier.queue = jobs.queue AND earlier.state = 'claimed' AND earlier.id < jobs.id) THEN 1 ELSE 0 END,
    dedupe, error
    """
    names = ("id::bigint",)
    order_by = "id"
    documents = frozenset({4})

    def put(self, records: Sequence[Record]) -> None:
        # Replaced instead of updated: a job keeps its id, and so its place in the queue.
        self._delete([record[:1] for record in records])
        rows = [(*record[:5], "failed" if record[5] == "failed" else "blocked", *record[6:]) for record in records]
        put: LiteralString = f"""
        INSERT INTO jobs (id, kind, queue, tenant, payload, state, due, attempts, dedupe, error) {self._db.with_ids}
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """
        self._db.many(put, rows)
        self._count_up()
        # Once per queue, after all its jobs are there.
        restart_queues(self._db, sorted({record[2] for record in records}))

    def remove(self, names: Sequence[Name]) -> None:
        restart_queues(self._db, self._delete(names))

    def _delete(self, names: Sequence[Name]) -> list[str]:
        """Delete jobs; returns their queues."""
        sql: LiteralString = f"DELETE FROM jobs WHERE id {self._db.among} RETURNING queue"
        return sorted({queue for (queue,) in self._db.rows(sql, (self._db.array(job for (job,) in names),))})


class EventsSection(RowsSection[D]):
    """Ids are preserved, because followers of the log store the last id that they saw."""

    source = "events LEFT JOIN scopes ON scopes.id = events.scope"
    fields = "events.id, kind, at, actor, coalesce(scopes.name, ''), memo, reason, data"
    names = ("events.id::bigint",)
    order_by = "events.id"
    documents = frozenset({7})

    def __init__(self, db: D, events: Events[D]) -> None:
        super().__init__(db)
        self._events = events

    @abstractmethod
    def _make_scopes(self, names: Collection[str]) -> Mapping[str, int]:
        """The ids of scopes, which are created if need be."""
        ...

    @abstractmethod
    def _count_more(self, records: Sequence[Record]) -> None:
        """Add new events to the counts of their days."""
        ...

    def _insert(self, records: Sequence[Record]) -> None:
        """Add or replace events."""
        scopes = self._make_scopes({record[4] for record in records} - {""})
        put: LiteralString = f"""
        INSERT INTO events (id, kind, at, actor, scope, memo, reason, data) {self._db.with_ids}
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, at = excluded.at,
        actor = excluded.actor, scope = excluded.scope, memo = excluded.memo, reason = excluded.reason,
        data = excluded.data
        """
        self._db.many(put, [(*record[:4], scopes.get(record[4]), *record[5:]) for record in records])
        self._count_up()

    def put(self, records: Sequence[Record]) -> None:
        ids = self._db.array(record[0] for record in records)
        exists: LiteralString = f"SELECT EXISTS (SELECT 1 FROM events WHERE id {self._db.among})"
        replaces = self._db.value(exists, (ids,))
        self._insert(records)
        # A replaced event may have been of another kind or day, so adding to the counts would not do.
        if replaces:
            self._events.recount()
        else:
            self._count_more(records)

    def remove(self, names: Sequence[Name]) -> None:
        sql: LiteralString = f"DELETE FROM events WHERE id {self._db.among}"
        if self._db.run(sql, (self._db.array(event for (event,) in names),)):
            self._events.recount()


class CorpusSection(RowsSection[D]):
    """Rows with a key; live ones are in the word index."""

    corpus: Corpus


def growth(words: Mapping[int, tuple[int, str | None]], alive: Collection[int]) -> dict[int, int]:
    """The growth of each scope in rows, by the scopes and texts of rows; a row without a text is retired."""
    grown: defaultdict[int, int] = defaultdict(int)
    for key, (scope, text) in words.items():
        grown[scope] += (text is not None) - (key in alive)
    return grown


def last_numbers(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The highest number of each scope."""
    last: dict[int, int] = {}
    for scope, number in rows:
        last[scope] = max(last.get(scope, 0), number)
    return last


def words_of_memo(record: Record) -> str | None:
    """The indexed text of a memo: its text and its tags, while it is active."""
    text, tags, status = record[3:6]
    if status != Status.ACTIVE:
        return None
    return f"{text} {' '.join(json.loads(tags))}" if tags else text


class Archive(ABC, Generic[D]):
    """The sections of a store; `table` is the class of sections that are plain tables."""

    def __init__(
        self,
        db: D,
        sections: Mapping[str, Section[Any]],
        vectors: Callable[[D, Corpus], Section[Any]],
        table: Callable[[D, Columns], Section[Any]],
    ) -> None:
        self._db = db
        self._sections = {
            **sections,
            "memo vectors": vectors(db, "memos"),
            "message vectors": vectors(db, "messages"),
            **{name: table(db, columns) for name, columns in _TABLES.items()},
        }

    @abstractmethod
    def identity(self) -> str: ...

    def put_secret(self, secret: str) -> None:
        self._db.run("UPDATE meta SET value = $1 WHERE name = 'secret'", (secret,))
        self._db.seen["meta"].clear()

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

    def bookmark(self) -> str | None:
        return self._db.value("SELECT value FROM meta WHERE name = $1", (_BOOKMARK,))

    def put_bookmark(self, text: str) -> None:
        self._db.run(_PUT_BOOKMARK, (_BOOKMARK, text))
