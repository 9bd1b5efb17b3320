"""Memos in SQLite."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Vector
from recollect.core.types import Memo, Status, Subject
from recollect.stores._sql.database import Row
from recollect.stores._sql.memos import Memos
from recollect.stores._sql.rows import indexed_text
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import memo_row, next_key, read_memo, scope_id

_READ = """
SELECT key, id, kind, text, content, tags, status, confidence, pinned, audience, guild, channel, source, label, created,
updated, happened, expires, supersedes, superseded_by, hits, version FROM memos
"""
_PUT = """
INSERT INTO memos (key, id, kind, text, content, tags, status, confidence, pinned, audience, guild, channel, source,
    label, created, updated, happened, expires, supersedes, superseded_by, hits, version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET id = excluded.id, kind = excluded.kind, text = excluded.text,
    content = excluded.content, tags = excluded.tags, status = excluded.status, confidence = excluded.confidence,
    pinned = excluded.pinned, audience = excluded.audience, guild = excluded.guild, channel = excluded.channel,
    source = excluded.source, label = excluded.label, created = excluded.created, updated = excluded.updated,
    happened = excluded.happened, expires = excluded.expires, supersedes = excluded.supersedes,
    superseded_by = excluded.superseded_by, hits = excluded.hits,
    version = max(excluded.version, memos.version + 1)
"""
# Key, text, tags and status of the row that a memo replaces.
_OLD = "SELECT key, text, tags, status FROM memos WHERE key >> 32 = ? AND id = ?"
_COUNT_USE = "UPDATE memos SET hits = hits + 1, used = ? WHERE key IN (SELECT value FROM json_each(?))"
_SCOPE_NAME = "SELECT name FROM scopes WHERE id = ?"
_OF_SCOPE = "key BETWEEN $1 << 32 AND ($1 << 32) + 4294967295"
_ACTIVE = "key >> 32 = $1 AND status = 'active'"  # indexed by time
_WITH_STATUS = f"{_OF_SCOPE} AND status IN (SELECT value FROM json_each($2))"
_NEWEST = "ORDER BY updated DESC, key DESC"


class SQLiteMemos(Memos[Database]):
    by_id: LiteralString = f"{_READ} WHERE key >> 32 = $1 AND id = $2"
    by_text: LiteralString = f"{_READ} WHERE key >> 32 = $1 AND content = $2"
    standing: LiteralString = f"{_READ} WHERE {_ACTIVE} AND (pinned OR kind = 'constraint') {_NEWEST}"
    page: LiteralString = f"{_READ} WHERE {_OF_SCOPE} {_NEWEST} LIMIT $2 OFFSET $3"
    page_of_active: LiteralString = f"{_READ} WHERE {_ACTIVE} {_NEWEST} LIMIT $2 OFFSET $3"
    page_of_statuses: LiteralString = f"{_READ} WHERE {_WITH_STATUS} {_NEWEST} LIMIT $3 OFFSET $4"
    count_all: LiteralString = f"SELECT count(*) FROM memos WHERE {_OF_SCOPE}"
    count_of_active: LiteralString = f"SELECT count(*) FROM memos WHERE {_ACTIVE}"
    count_of_statuses: LiteralString = f"SELECT count(*) FROM memos WHERE {_WITH_STATUS}"
    by_keys: LiteralString = f"{_READ} WHERE key IN (SELECT value FROM json_each($1))"
    of_message: LiteralString = (
        f"{_READ} WHERE source ->> 'message' = $1 AND coalesce(source ->> 'platform', 'local') = $2 ORDER BY key"
    )
    of_speaker: LiteralString = (
        f"{_READ} WHERE ($1 IS NULL OR source ->> 'actor' = $1) AND ($2 IS NULL OR guild = $2) ORDER BY key"
    )
    names: LiteralString = """
    SELECT name FROM scopes WHERE (name LIKE 'user:%' OR name LIKE 'lore:%') AND EXISTS
    (SELECT 1 FROM memos WHERE key BETWEEN scopes.id << 32 AND (scopes.id << 32) + 4294967295) ORDER BY name
    """
    same_ids: LiteralString = """
    SELECT name FROM scopes WHERE substr(name, 1, 5) = 'user:' AND substr(name, 6 + instr(substr(name, 6), ':')) = $1
    AND EXISTS (SELECT 1 FROM memos WHERE key BETWEEN scopes.id << 32 AND (scopes.id << 32) + 4294967295) ORDER BY name
    """
    sizes: LiteralString = """
    SELECT name, size FROM scopes WHERE name > $1 AND name < $2 AND size > 0
    AND instr(lower(substr(name, 6)), $3) > 0 ORDER BY name LIMIT $4
    """
    in_places: LiteralString = """
    SELECT name FROM scopes WHERE name LIKE 'user:%' AND id IN (SELECT key >> 32 FROM memos WHERE guild IS NULL AND
    (channel = $1 OR ($2 IS NOT NULL AND source ->> 'thread' = $2) OR instr(source ->> 'metadata', $3) > 0))
    ORDER BY name
    """
    _read = staticmethod(read_memo)

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None) -> int:
        name = memo.subject.scope
        scope = scope_id(self._db, name)
        old = self._db.row(_OLD, (scope, memo.id))
        embedded = vector is not None and memo.active
        key = old[0] if old else next_key(self._db, name, indexed=memo.active, embedded=embedded)
        self._db.run(_PUT, memo_row(memo, key))
        if old is not None:
            self._update_derived(key, memo, old)
        elif memo.active:
            self._derived.put_words("memos", key >> 32, key, indexed_text(memo))
        if vector is not None and embedded:
            vectors.add(self._db, "memos", vector[0], {key: vector[1]}, new=old is None)
        elif memo.active:
            self._derived.note_missing("memos", key)
        return key

    def _update_derived(self, key: int, memo: Memo, old: Row) -> None:
        tags = json.dumps(memo.tags, ensure_ascii=False) if memo.tags else None
        same_text = (old[1], old[2]) == (memo.text, tags)
        self._derived.update(memo, key, key >> 32, was_active=old[3] == Status.ACTIVE, same_text=same_text)

    def _scope(self, name: str) -> int | None:
        return scope_id(self._db, name)

    def _of_any(self, sql: LiteralString, values: Row) -> list[Memo]:
        rows = self._db.rows(sql, values)
        names = {scope: self._db.value(_SCOPE_NAME, (scope,)) for scope in {row[0] >> 32 for row in rows}}
        subjects = {scope: Subject.of_scope(name) for scope, name in names.items()}
        return [read_memo(row, subjects[row[0] >> 32]) for row in rows]

    def count_use(self, keys: Collection[int], at: datetime) -> None:
        self._db.run(_COUNT_USE, (to_ms(at), self._db.array(keys)))

    def remove(self, memo: Memo) -> None:
        row = self._db.row(_OLD, (scope_id(self._db, memo.subject.scope), memo.id))
        if row is None:
            return
        key, status = row[0], row[3]
        self._db.run("DELETE FROM memos WHERE key = ?", (key,))
        self._derived.remove("memos", key, key >> 32, alive=status == Status.ACTIVE)
