"""Durable memos and the tombstones of forgotten ones.

A unit that writes locks each subject whose memos it reads until it ends, as its decisions rest on what it read.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, LiteralString

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports import Vector
from recollect.core.text import clean
from recollect.core.types import Memo, Status, Subject, Tombstone
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database, Row
from recollect.stores.postgres.rows import (
    ADD_TOMBSTONE,
    MEMO_COLUMNS,
    OF_SUBJECT,
    READ_MEMO,
    READ_OWN_MEMO,
    Scope,
    content_of,
    grow,
    handle,
    memo_values,
    read_memo,
)
from recollect.stores.postgres.write_gate import Gate

_OLD: LiteralString = """
SELECT scopes.id, memos.key, memos.text, memos.tags, memos.status FROM scopes
LEFT JOIN memos ON memos.scope = scopes.id AND memos.id = %s WHERE scopes.mark = %s
"""
_INSERT: LiteralString = f"""
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
    INSERT INTO memos (key, scope, number, {", ".join(MEMO_COLUMNS)})
    SELECT nextval('row_keys'), here.id, here.last, {", ".join(f"%({name})s" for name in MEMO_COLUMNS)}
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
"""A memo that is new, with its scope where that is new too, its words and its vector; nothing if it is there."""
_UPDATE: LiteralString = (
    f"UPDATE memos SET {', '.join(f'{name} = %({name})s' for name in MEMO_COLUMNS)} WHERE key = %(key)s"
)
_NEWEST: LiteralString = "ORDER BY memos.updated DESC, memos.key DESC"


class PostgresMemos:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._gate = Gate(db)
        self._without_tombstone: set[tuple[str, str]] = set()

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None) -> int:
        """What has no key yet is probably new: then one statement does it all."""
        self._gate.enter(f"subject:{memo.subject.scope}")
        embedding = vector if memo.active else None
        old = self._find(memo) if memo.key else None
        while old is None or old[1] is None:
            key = self._insert(memo, embedding)
            if key is not None:
                return key
            old = self._find(memo)  # it is there after all; or another process has just made its scope
        self._replace(memo, embedding, *old)
        return old[1]

    def _hold(self, subject: Subject) -> None:
        self._db.lock(f"subject:{subject.scope}")

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
            "terms": words.entries(_indexed(memo)) if memo.active else [],
            "lacking": memo.active and vector is None,
        }
        if embedder is None or vector is None:
            row = self._db.row(_INSERT + _MADE, values)
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
            vectors.note_missing(self._db, "memos", key)

    def _update(self, memo: Memo, scope: int, key: int, text: str, tags: list[str], status: str) -> None:
        """Only active memos are in the indexes; an unchanged text is not written again."""
        values = memo_values(memo)
        self._db.run(_UPDATE, values | {"key": key})
        was_active = status == Status.ACTIVE
        if was_active and memo.active and (text, tags) == (values["text"], values["tags"]):
            return
        if was_active:
            vectors.remove(self._db, "memos", key)
        if memo.active:
            words.rewrite(self._db, "memos", [(scope, key, _indexed(memo))])
        elif was_active:
            words.remove(self._db, "memos", [key])
        if was_active != memo.active:
            grow(self._db, scope, 1 if memo.active else -1)

    def get(self, subject: Subject, memo_id: str) -> Memo | None:
        memos = self._of(subject, "AND memos.id = %(id)s", id=handle(memo_id))
        return memos[0] if memos else None

    def same_text(self, subject: Subject, text: str) -> list[Memo]:
        return self._of(subject, "AND memos.content = %(content)s ORDER BY memos.key", content=content_of(text))

    def from_message(self, platform: str, message_id: str) -> list[Memo]:
        return self._select("memos.message = %s AND memos.platform = %s", (handle(message_id), platform))

    def stated_by(self, actor: str | None = None, guild: str | None = None) -> list[Memo]:
        if actor is None and guild is None:
            return []
        condition: LiteralString = "(%s::text IS NULL OR memos.actor = %s) AND (%s::text IS NULL OR memos.guild = %s)"
        return self._select(condition, (actor, actor, guild, guild))

    def always_relevant(self, subject: Subject) -> list[Memo]:
        condition: LiteralString = "AND memos.status = 'active' AND (memos.pinned OR memos.kind = 'constraint')"
        return self._of(subject, f"{condition} {_NEWEST}")

    def count(self, subject: Subject, statuses: Collection[Status] = ()) -> int:
        self._hold(subject)
        named = [status.value for status in statuses]
        return self._db.value(
            f"SELECT count(*) FROM memos WHERE {OF_SUBJECT} {_with_status(named)}",
            {"scope": handle(subject.scope), "statuses": named},
        )

    def _of(self, subject: Subject, clauses: LiteralString, **values: Any) -> list[Memo]:
        self._hold(subject)
        values["scope"] = handle(subject.scope)
        return [read_memo(row, subject) for row in self._db.rows(f"{READ_OWN_MEMO} {clauses}", values)]

    def fetch(self, keys: Collection[int]) -> dict[int, Memo]:
        return {memo.key: memo for memo in self._select("memos.key = ANY(%s::bigint[])", (list(keys),))}

    def _select(self, condition: LiteralString, values: tuple[object, ...]) -> list[Memo]:
        """Memos of any subject, by key."""
        sql: LiteralString = f"{READ_MEMO} WHERE {condition} ORDER BY memos.key"
        rows = self._db.rows(sql, values)
        while self._db.lock(*(f"subject:{row[1]}" for row in rows)):
            rows = self._db.rows(sql, values)  # again, now that no one else can change them
        return [read_memo(row) for row in rows]

    def list(
        self, subject: Subject, statuses: Collection[Status] = (), limit: int | None = None, offset: int = 0
    ) -> list[Memo]:
        page: LiteralString = f"{_NEWEST} LIMIT %(limit)s OFFSET %(offset)s"
        named = [status.value for status in statuses]
        return self._of(subject, f"{_with_status(named)} {page}", statuses=named, limit=limit, offset=offset)

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
        self._db.run("DELETE FROM unembedded WHERE corpus = 'memos' AND key = %s", (key,))
        vectors.remove(self._db, "memos", key)
        if status == Status.ACTIVE:
            words.remove(self._db, "memos", [key])
            grow(self._db, scope, -1)

    def add_tombstone(self, tombstone: Tombstone) -> None:
        self._db.lock(f"subject:{tombstone.scope}")
        self._without_tombstone.discard((tombstone.scope, tombstone.fingerprint))
        self._db.run(
            ADD_TOMBSTONE,
            (handle(tombstone.scope), handle(tombstone.fingerprint), to_ms(tombstone.at)),
        )

    def remove_tombstone(self, scope: str, fingerprint: str) -> None:
        self._db.lock(f"subject:{scope}")
        if (scope, fingerprint) in self._without_tombstone:
            return
        self._db.run(
            "DELETE FROM tombstones WHERE scope = %s AND fingerprint = %s", (handle(scope), handle(fingerprint))
        )

    def tombstone(self, scope: str, fingerprint: str) -> Tombstone | None:
        self._db.lock(f"subject:{scope}")
        ms = self._db.value(
            "SELECT at FROM tombstones WHERE scope = %s AND fingerprint = %s", (handle(scope), handle(fingerprint))
        )
        if ms is None:
            self._without_tombstone.add((scope, fingerprint))
            return None
        return Tombstone(scope, fingerprint, from_ms(ms))

    def subjects(self) -> Iterator[Subject]:
        names = self._db.rows(
            "SELECT name FROM scopes WHERE (starts_with(name, 'user:') OR starts_with(name, 'lore:')) "
            'AND EXISTS (SELECT 1 FROM memos WHERE memos.scope = scopes.id) ORDER BY name COLLATE "C"'
        )
        return (Subject.of_scope(name) for (name,) in names)

    def owners(
        self, part: str = "", after: str = "", limit: int = 100, lore: bool = False
    ) -> Sequence[tuple[Subject, int]]:
        prefix = "lore:" if lore else "user:"
        rows = self._db.rows(
            "SELECT name, size FROM scopes WHERE mark > %s AND mark < %s AND size > 0 "
            "AND strpos(lower(substr(name, 6)), lower(%s)) > 0 ORDER BY mark LIMIT %s",
            (max(handle(after), prefix), f"{prefix[:-1]};", clean(part), limit),
        )
        return [(Subject.of_scope(name), size) for name, size in rows]


def _indexed(memo: Memo) -> str:
    return f"{memo.text} {' '.join(memo.tags)}" if memo.tags else memo.text


def _with_status(statuses: Collection[str]) -> LiteralString:
    return "AND memos.status = ANY(%(statuses)s::text[])" if statuses else ""
