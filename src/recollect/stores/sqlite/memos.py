"""Memos in SQLite."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Vector
from recollect.core.types import Memo, Status
from recollect.stores._sql.database import Row
from recollect.stores._sql.memo_statements import MemoColumns, MemoStatements
from recollect.stores._sql.memos import Memos
from recollect.stores._sql.rows import indexed_text
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import memo_row, next_key, read_memo, scope_id, subject_of_scope

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
_COLUMNS = MemoColumns(
    any_subject=_READ,
    one_subject=_READ,
    own="key >> 32 = $1",
    all_own="key BETWEEN $1 << 32 AND ($1 << 32) + 4294967295",
    statuses="status IN (SELECT value FROM json_each($2))",
    keys="key IN (SELECT value FROM json_each($1))",
    message="source ->> 'message'",
    platform="coalesce(source ->> 'platform', 'local')",
    actor="source ->> 'actor'",
    thread="source ->> 'thread'",
    metadata="source ->> 'metadata'",
    scope="key >> 32",
    in_scope="key BETWEEN scopes.id << 32 AND (scopes.id << 32) + 4294967295",
    has_bare_id="substr(name, 6 + instr(substr(name, 6), ':')) = $1",
    mark="name",
    find="instr",
)


class SQLiteMemos(Memos[Database]):
    sql = MemoStatements(_COLUMNS)
    _read = staticmethod(read_memo)

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None, *, new: bool = False) -> int:
        name = memo.subject.scope
        old = None if new else self._db.row(_OLD, (scope_id(self._db, name), memo.id))
        embedded = vector is not None and memo.active
        key = old[0] if old else next_key(self._db, name, indexed=memo.active, embedded=embedded)
        self._db.run(_PUT, memo_row(memo, key))
        if old is not None:
            self._update_derived(key, memo, old)
        elif memo.active:
            self._derived.put_words("memos", key >> 32, key, indexed_text(memo), new=True)
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
        subjects = {scope: subject_of_scope(self._db, scope) for scope in {row[0] >> 32 for row in rows}}
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
