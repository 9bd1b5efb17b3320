"""Durable memos and the tombstones of forgotten ones."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports import Vector
from recollect.core.types import Memo, Provenance, Status, Subject, Tombstone
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import (
    MEMO_COLUMNS,
    content_of,
    memo_row,
    next_key,
    read_memo,
    scope_id,
    scope_name,
    span,
)
from recollect.stores.sqlite.words import WordIndex

_PLACEHOLDERS = ", ".join("?" * len(MEMO_COLUMNS.split(",")))
_ASSIGNMENTS = ", ".join(f"{name.strip()} = excluded.{name.strip()}" for name in MEMO_COLUMNS.split(",")[1:])
_PUT = f"INSERT INTO memos ({MEMO_COLUMNS}) VALUES ({_PLACEHOLDERS}) ON CONFLICT (key) DO UPDATE SET {_ASSIGNMENTS}"


class SQLiteMemos:
    def __init__(self, db: Database, index: WordIndex) -> None:
        self._db = db
        self._words = index

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None) -> int:
        name = memo.subject.scope
        scope = scope_id(self._db, name)
        old = self._find(scope, memo)
        embedded = vector is not None and memo.active
        key = old[0] if old else next_key(self._db, name, indexed=memo.active, embedded=embedded)
        self._db.run(_PUT, memo_row(memo, key))
        self._index(key, memo, old)
        if vector is not None and embedded:
            vectors.add(self._db, "memos", vector[0], {key: vector[1]}, new=old is None)
        elif memo.active:
            vectors.note_missing(self._db, "memos", key)
        return key

    def _find(self, scope: int | None, memo: Memo) -> Row | None:
        """Key, text, tags and status of the row this memo replaces."""
        return self._db.row(
            "SELECT key, text, tags, status FROM memos WHERE key >> 32 = ? AND id = ?", (scope, memo.id)
        )

    def _index(self, key: int, memo: Memo, old: Row | None) -> None:
        """Only active memos are in the indexes; an unchanged text is not written again."""
        was_active = old is not None and old[3] == Status.ACTIVE
        tags = json.dumps(memo.tags, ensure_ascii=False) if memo.tags else None
        if was_active and memo.active and old is not None and (old[1], old[2]) == (memo.text, tags):
            return
        if was_active:
            vectors.remove(self._db, "memos", key)
        if memo.active:
            self._words.put("memos", key, f"{memo.text} {' '.join(memo.tags)}" if memo.tags else memo.text)
        elif was_active:
            self._words.remove("memos", key)
        if old is not None and was_active != memo.active:
            self._db.run("UPDATE scopes SET size = size + ? WHERE id = ?", (1 if memo.active else -1, key >> 32))

    def get(self, subject: Subject, memo_id: str) -> Memo | None:
        row = self._db.row(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE key >> 32 = ? AND id = ?",
            (scope_id(self._db, subject.scope), memo_id),
        )
        return None if row is None else read_memo(row, subject)

    def same_text(self, subject: Subject, text: str) -> list[Memo]:
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE key >> 32 = ? AND content = ?",
            (scope_id(self._db, subject.scope), content_of(text)),
        )
        return [read_memo(row, subject) for row in rows]

    def from_message(self, platform: str, message_id: str) -> list[Memo]:
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE source ->> 'message' = ? "
            "AND coalesce(source ->> 'platform', ?) = ? ORDER BY key",
            (message_id, Provenance().platform, platform),
        )
        subjects = self._subjects(rows)
        return [read_memo(row, subjects[row[0] >> 32]) for row in rows]

    def stated_by(self, actor: str | None = None, guild: str | None = None) -> list[Memo]:
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE (?1 IS NULL OR source ->> 'actor' = ?1) "
            "AND (?2 IS NULL OR guild = ?2) AND (?1 IS NOT NULL OR ?2 IS NOT NULL) ORDER BY key",
            (actor, guild),
        )
        subjects = self._subjects(rows)
        return [read_memo(row, subjects[row[0] >> 32]) for row in rows]

    def always_relevant(self, subject: Subject) -> list[Memo]:
        scope = scope_id(self._db, subject.scope)
        if scope is None:
            return []
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE key >> 32 = ? AND status = 'active' "
            "AND (pinned OR kind = 'constraint') ORDER BY updated DESC, key DESC",
            (scope,),
        )
        return [read_memo(row, subject) for row in rows]

    def list(
        self, subject: Subject, statuses: Collection[Status] = (), limit: int | None = None, offset: int = 0
    ) -> list[Memo]:
        scope = scope_id(self._db, subject.scope)
        if scope is None:
            return []
        condition, values = _with_status(scope, statuses)
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE {condition} ORDER BY updated DESC, key DESC LIMIT ? OFFSET ?",
            (*values, -1 if limit is None else limit, offset),
        )
        return [read_memo(row, subject) for row in rows]

    def count(self, subject: Subject, statuses: Collection[Status] = ()) -> int:
        scope = scope_id(self._db, subject.scope)
        if scope is None:
            return 0
        condition, values = _with_status(scope, statuses)
        return self._db.value(f"SELECT count(*) FROM memos WHERE {condition}", values)

    def fetch(self, keys: Collection[int]) -> dict[int, Memo]:
        rows = self._db.rows(
            f"SELECT {MEMO_COLUMNS} FROM memos WHERE key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
        subjects = self._subjects(rows)
        return {row[0]: read_memo(row, subjects[row[0] >> 32]) for row in rows}

    def _subjects(self, rows: Iterable[Row]) -> dict[int, Subject]:
        """The subjects of these rows, by the id of their scope."""
        scopes = {row[0] >> 32 for row in rows}
        return {scope: Subject.of_scope(scope_name(self._db, scope)) for scope in scopes}

    def count_use(self, keys: Collection[int], at: datetime) -> None:
        self._db.run(
            "UPDATE memos SET hits = hits + 1, used = ? WHERE key IN (SELECT value FROM json_each(?))",
            (to_ms(at), json.dumps(list(keys))),
        )

    def remove(self, memo: Memo) -> None:
        row = self._find(scope_id(self._db, memo.subject.scope), memo)
        if row is None:
            return
        key, status = row[0], row[3]
        self._db.run("DELETE FROM memos WHERE key = ?", (key,))
        vectors.remove(self._db, "memos", key)
        if status == Status.ACTIVE:
            self._words.remove("memos", key)
            self._db.run("UPDATE scopes SET size = size - 1 WHERE id = ?", (key >> 32,))

    def add_tombstone(self, tombstone: Tombstone) -> None:
        self._db.run(
            "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)",
            (tombstone.scope, tombstone.fingerprint, to_ms(tombstone.at)),
        )

    def remove_tombstone(self, scope: str, fingerprint: str) -> None:
        self._db.run("DELETE FROM tombstones WHERE scope = ? AND fingerprint = ?", (scope, fingerprint))

    def tombstone(self, scope: str, fingerprint: str) -> Tombstone | None:
        ms = self._db.value("SELECT at FROM tombstones WHERE scope = ? AND fingerprint = ?", (scope, fingerprint))
        return None if ms is None else Tombstone(scope, fingerprint, from_ms(ms))

    def subjects(self) -> Iterator[Subject]:
        names = self._db.rows(
            "SELECT name FROM scopes WHERE (name LIKE 'user:%' OR name LIKE 'lore:%') AND EXISTS "
            "(SELECT 1 FROM memos WHERE key BETWEEN scopes.id << 32 AND (scopes.id << 32) + 4294967295) ORDER BY name"
        )
        return (Subject.of_scope(name) for (name,) in names)

    def owners(
        self, part: str = "", after: str = "", limit: int = 100, lore: bool = False
    ) -> Sequence[tuple[Subject, int]]:
        prefix = "lore:" if lore else "user:"
        rows = self._db.rows(
            "SELECT name, size FROM scopes WHERE name > ? AND name < ? AND size > 0 "
            "AND (? = '' OR instr(lower(substr(name, 6)), ?)) ORDER BY name LIMIT ?",
            (max(after, prefix), f"{prefix[:-1]};", part, part.lower(), limit),
        )
        return [(Subject.of_scope(name), size) for name, size in rows]


def _with_status(scope: int, statuses: Collection[Status]) -> tuple[str, tuple[object, ...]]:
    if [*statuses] == [Status.ACTIVE]:
        return "key >> 32 = ? AND status = 'active'", (scope,)  # indexed by time
    condition = "key BETWEEN ? AND ?"
    values: tuple[object, ...] = span(scope)
    if statuses:
        condition += " AND status IN (SELECT value FROM json_each(?))"
        values += (json.dumps([status.value for status in statuses]),)
    return condition, values
