"""Memos in PostgreSQL."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, LiteralString

from recollect.core.clock import to_ms
from recollect.core.ports import Vector
from recollect.core.text import clean
from recollect.core.types import Memo, Status
from recollect.stores._sql.database import Row
from recollect.stores._sql.derived import Derived
from recollect.stores._sql.memo_statements import MemoColumns, MemoStatements
from recollect.stores._sql.memos import Memos
from recollect.stores._sql.rows import indexed_text
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.rows import Scope, memo_values, read_memo
from recollect.stores.postgres.write_gate import Gate

_OLD: LiteralString = """
SELECT scopes.id, memos.key, memos.text, memos.tags, memos.status FROM scopes
LEFT JOIN memos ON memos.scope = scopes.id AND memos.id = %s WHERE scopes.mark = %s
"""
# A new memo and what is derived from it, up to its vector, whose table depends on the model.
_INSERT: LiteralString = """
WITH counted AS (
    UPDATE scopes SET last = last + 1, size = size + %(indexed)s WHERE mark = %(mark)s AND NOT EXISTS (
        SELECT 1 FROM memos WHERE memos.scope = scopes.id AND memos.id = %(id)s)
    RETURNING id, size, last
), opened AS (
    INSERT INTO scopes (name, mark, size, last) SELECT %(name)s, %(mark)s, %(indexed)s, 1
    WHERE NOT EXISTS (SELECT 1 FROM scopes WHERE mark = %(mark)s) ON CONFLICT (mark) DO NOTHING RETURNING id, size, last
), here AS (
    SELECT * FROM counted UNION ALL SELECT * FROM opened
), made AS (
    INSERT INTO memos (key, scope, number,
        id, kind, text, content, tags, status, confidence, pinned, audience, label, created, updated, happened,
        expires, supersedes, superseded_by, hits, version, origin, actor, platform, guild, channel, channel_name,
        thread, message, evidence, trace, metadata, heard)
    SELECT nextval('row_keys'), here.id, here.last,
        %(id)s, %(kind)s, %(text)s, %(content)s, %(tags)s, %(status)s, %(confidence)s, %(pinned)s, %(audience)s,
        %(label)s, %(created)s, %(updated)s, %(happened)s, %(expires)s, %(supersedes)s, %(superseded_by)s, %(hits)s,
        %(version)s, %(origin)s, %(actor)s, %(platform)s, %(guild)s, %(channel)s, %(channel_name)s, %(thread)s,
        %(message)s, %(evidence)s, %(trace)s, %(metadata)s, %(heard)s
    FROM here RETURNING key, scope
), noted AS (
    INSERT INTO memo_words (scope, term, key) SELECT made.scope, entry.term, made.key
    FROM made, unnest(%(terms)s::text[]) AS entry (term)
), lacking AS (
    INSERT INTO unembedded SELECT 'memos', key FROM made WHERE %(lacking)s AND EXISTS (
        SELECT 1 FROM embedders WHERE corpus = 'memos' AND complete AND retired IS NULL)
)"""
_EMBED: LiteralString = (
    ", embedded AS (INSERT INTO {table} (key, scope, embedding) SELECT key, scope, %(embedding)s::vector FROM made)"
)
_MADE: LiteralString = " SELECT made.key, here.id, here.size, here.last FROM made, here"
_INSERT_PLAIN: LiteralString = _INSERT + _MADE
"""A memo that is new, with its scope where that is new too, and its words; nothing if it is there."""
_UPDATE: LiteralString = """
UPDATE memos SET
    id = %(id)s, kind = %(kind)s, text = %(text)s, content = %(content)s, tags = %(tags)s, status = %(status)s,
    confidence = %(confidence)s, pinned = %(pinned)s, audience = %(audience)s, label = %(label)s,
    created = %(created)s, updated = %(updated)s, happened = %(happened)s, expires = %(expires)s,
    supersedes = %(supersedes)s, superseded_by = %(superseded_by)s, hits = %(hits)s,
    version = greatest(%(version)s, version + 1), origin = %(origin)s,
    actor = %(actor)s, platform = %(platform)s, guild = %(guild)s, channel = %(channel)s,
    channel_name = %(channel_name)s, thread = %(thread)s, message = %(message)s, evidence = %(evidence)s,
    trace = %(trace)s, metadata = %(metadata)s, heard = %(heard)s
WHERE key = %(key)s
"""
# What `read_memo` reads.
_COLUMNS: LiteralString = """
memos.id, memos.kind, memos.text, memos.content, memos.tags, memos.status, memos.confidence, memos.pinned,
memos.audience, memos.label, memos.created, memos.updated, memos.happened, memos.expires, memos.supersedes,
memos.superseded_by, memos.hits, memos.version, memos.origin, memos.actor, memos.platform, memos.guild, memos.channel,
memos.channel_name, memos.thread, memos.message, memos.evidence, memos.trace, memos.metadata, memos.heard
"""
_READ: LiteralString = f"SELECT memos.key, scopes.name, {_COLUMNS} FROM memos JOIN scopes ON scopes.id = memos.scope"
_OWN: LiteralString = "memos.scope = (SELECT id FROM scopes WHERE mark = $1)"


class PostgresMemos(Memos[Database]):
    sql = MemoStatements(
        MemoColumns(
            any_subject=_READ,
            one_subject=f"SELECT memos.key, NULL, {_COLUMNS} FROM memos",  # an index gives the rows in their order
            own=_OWN,
            all_own=_OWN,
            statuses="memos.status = ANY($2::text[])",
            keys="memos.key = ANY($1::bigint[])",
            message="memos.message",
            platform="memos.platform",
            actor="memos.actor",
            thread="memos.thread",
            metadata="memos.metadata",
            scope="memos.scope",
            in_scope="memos.scope = scopes.id",
            has_bare_id="starts_with(name, 'user:') AND md5(substr(name, 6 + strpos(substr(name, 6), ':'))) = md5($1)",
            mark="mark",
            find="strpos",
        )
    )
    _read = staticmethod(read_memo)

    def __init__(self, db: Database, derived: Derived[Database], gate: Gate) -> None:
        super().__init__(db, derived)
        self._gate = gate

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None, *, new: bool = False) -> int:
        """What has no key yet is probably new: then one statement does it all."""
        self._gate.enter(f"subject:{memo.subject.scope}")
        embedding = vector if memo.active else None
        old = self._find(memo) if memo.key and not new else None
        while old is None or old[1] is None:
            key = self._insert(memo, embedding)
            if key is not None:
                return key
            old = self._find(memo)  # it is there after all; or another process has just made its scope
        self._replace(memo, embedding, *old)
        return old[1]

    def _find(self, memo: Memo) -> Row | None:
        """Id of the scope where there is one, and key, text, tags and status of the memo where there is one."""
        return self._db.row(_OLD, (handle(memo.id), handle(memo.subject.scope)))

    def _insert(self, memo: Memo, vector: tuple[str, Vector] | None) -> int | None:
        """The key; None if there is such a memo."""
        embedder = vectors.ready(self._db, "memos", *vector) if vector is not None else None
        values = memo_values(memo) | {
            "name": clean(memo.subject.scope),
            "mark": handle(memo.subject.scope),
            "indexed": int(memo.active),
            "terms": words.entries(indexed_text(memo)) if memo.active else [],
            "lacking": memo.active and vector is None,
        }
        if embedder is None or vector is None:
            row = self._db.row(_INSERT_PLAIN, values)
        else:
            values["embedding"] = vectors.Embedding.of(vector[1])
            row = self._db.row(_INSERT + _EMBED.format(table=embedder.table) + _MADE, values)
        if row is None:
            return None
        key, *scope = row
        self._db.seen["scopes"][values["mark"]] = Scope(*scope)
        self._db.seen["scope ids"][values["mark"]] = scope[0]
        if vector is not None and embedder is None:
            vectors.add(self._db, "memos", vector[0], {key: (scope[0], vector[1])})
        return key

    def _replace(self, memo: Memo, vector: tuple[str, Vector] | None, scope: int, key: int, *old: Any) -> None:
        self._update(memo, scope, key, *old)
        if vector is not None:
            vectors.add(self._db, "memos", vector[0], {key: (scope, vector[1])})
        elif memo.active:
            self._derived.note_missing("memos", key)

    def _update(self, memo: Memo, scope: int, key: int, text: str, tags: list[str], status: str) -> None:
        values = memo_values(memo)
        self._db.run(_UPDATE, values | {"key": key})
        same_text = (text, tags) == (values["text"], values["tags"])
        self._derived.update(memo, key, scope, was_active=status == Status.ACTIVE, same_text=same_text)

    def _scope(self, name: str) -> str:
        return handle(name)

    def _stored_scope(self, name: str) -> str:
        return name

    def _of_any(self, sql: LiteralString, values: Row) -> list[Memo]:
        rows = self._db.rows(sql, values)
        while self._db.lock(*(f"subject:{row[1]}" for row in rows)):
            rows = self._db.rows(sql, values)  # again, now that no one else can change them
        return [read_memo(row) for row in rows]

    def count_use(self, keys: Collection[int], at: datetime) -> None:
        names = self._db.rows(
            "SELECT DISTINCT name FROM scopes JOIN memos ON memos.scope = scopes.id "
            "WHERE memos.key = ANY(%s::bigint[])",
            (list(keys),),
        )
        self._db.lock(*(f"subject:{name}" for (name,) in names))
        self._db.run(
            "UPDATE memos SET hits = hits + 1, used = %s WHERE key = ANY(%s::bigint[])", (to_ms(at), list(keys))
        )

    def remove(self, memo: Memo) -> None:
        self._gate.enter(f"subject:{memo.subject.scope}")
        scope, key, *_, status = self._find(memo) or (None, None, None)
        if scope is None or key is None:
            return
        self._db.run("DELETE FROM memos WHERE key = %s", (key,))
        self._derived.remove("memos", key, scope, alive=status == Status.ACTIVE)
