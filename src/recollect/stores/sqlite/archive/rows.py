"""The sections of messages and memos; their words and the sizes of their scopes follow what is written."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import LiteralString

from recollect.core.ports.archive import Name, Record, encode_json
from recollect.core.text import clean, question_share
from recollect.core.types import Status
from recollect.stores._sql.archive import CorpusSection, growth, last_numbers, words_of_memo
from recollect.stores._sql.database import Row
from recollect.stores._sql.messages import remove_unused_places
from recollect.stores._sql.rows import content_of, read_place
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.archive.section import ArchiveSection
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import make_scope, place_id, scope_id
from recollect.stores.sqlite.words import WordIndex

_NUMBER = 0xFFFFFFFF
"""The part of a key that is the row's number in its scope."""

_NUL = "\\u0000"


class _Rows(CorpusSection[Database], ArchiveSection):
    order_by = "key"

    def __init__(self, db: Database, index: WordIndex) -> None:
        super().__init__(db)
        self._index = index

    def _update_index(self, words: Mapping[int, str | None], alive: Collection[int]) -> None:
        """Index the words of rows by key, None for rows that are not alive; `alive` are those that were before."""
        for key, text in words.items():
            if text is not None:
                self._index.put(self.corpus, key, text, replaces=key in alive)
            elif key in alive:
                self._index.remove(self.corpus, key)
        grown = growth({key: (key >> 32, text) for key, text in words.items()}, alive)
        self._db.many(
            "UPDATE scopes SET size = size + ? WHERE id = ?", [(by, scope) for scope, by in grown.items() if by]
        )

    def _raise_last_number(self, keys: Iterable[int]) -> None:
        """The next row of each scope comes after these."""
        last = last_numbers((key >> 32, key & _NUMBER) for key in keys)
        self._db.many(
            "UPDATE scopes SET last = max(last, ?) WHERE id = ?", [(number, scope) for scope, number in last.items()]
        )

    def _note_missing_vectors(self, words: Mapping[int, str | None]) -> None:
        """What has no vector yet is embedded later, where a set was complete."""
        if self._db.value("SELECT 1 FROM embedders WHERE corpus = ? AND complete", (self.corpus,)):
            for key in (key for key, text in words.items() if text is not None):
                vectors.note_missing(self._db, self.corpus, key)

    def _remove_vectors(self, keys: Iterable[int]) -> None:
        for key in keys:
            vectors.remove(self._db, self.corpus, key)
            self._db.run("DELETE FROM unembedded WHERE corpus = ? AND key = ?", (self.corpus, key))


_PUT_MESSAGE = """
INSERT INTO messages (
    key, platform, id, session, place, author, name, text, at, bot, source, reply_to, edited, deleted, length, asks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
    platform = excluded.platform, id = excluded.id, session = excluded.session, place = excluded.place,
    author = excluded.author, name = excluded.name, text = excluded.text, at = excluded.at, bot = excluded.bot,
    source = excluded.source, reply_to = excluded.reply_to, edited = excluded.edited, deleted = excluded.deleted,
    length = excluded.length, asks = excluded.asks
"""


class Messages(_Rows):
    """A message keeps its number in its channel, and so its key once the channel has one."""

    corpus = "messages"
    fields = (
        "platform, id, key & 4294967295, (SELECT detail FROM places WHERE places.id = place), author, name, text, at, "
        "bot, source, reply_to, edited, deleted"
    )
    source = "messages"
    names = ("platform::text", "id::text")
    documents = frozenset({3})

    def put(self, records: Sequence[Record]) -> None:
        place_ids: dict[str, tuple[int, int, int]] = {}
        rows = [self._row(record, place_ids) for record in records]
        words: dict[int, str | None] = {row[0]: row[7] if row[13] is None else None for row in rows}
        alive = self._alive(words)
        self._db.many(_PUT_MESSAGE, rows)
        self._update_index(words, alive)
        self._raise_last_number(words)
        self._note_missing_vectors(words)

    def _row(self, record: Record, place_ids: dict[str, tuple[int, int, int]]) -> Row:
        platform, message_id, number, detail, author, name, text, *others = record
        stream, session, place = place_ids.get(detail) or place_ids.setdefault(detail, self._place_ids(detail))
        columns = (author, name, text, *others, text.count(" ") + 1, question_share(text))
        return (stream << 32 | number, platform, message_id, session, place, *columns)

    def _place_ids(self, detail: str) -> tuple[int, int, int]:
        """The ids of a place's channel, of its session and of the place itself."""
        place = read_place(detail)
        stream, session = make_scope(self._db, place.stream), make_scope(self._db, place.session)
        return stream, session, place_id(self._db, place)

    def _alive(self, keys: Iterable[int]) -> set[int]:
        rows = self._db.rows(
            "SELECT key FROM messages WHERE key IN (SELECT value FROM json_each(?)) AND deleted IS NULL",
            (json.dumps(list(keys)),),
        )
        return {key for (key,) in rows}

    def remove(self, names: Sequence[Name]) -> None:
        sql = "DELETE FROM messages WHERE platform = ? AND id = ? RETURNING key, place, deleted IS NULL"
        rows = [row for row in (self._db.row(sql, name) for name in names) if row is not None]
        self._update_index({row[0]: None for row in rows}, {row[0] for row in rows if row[2]})
        self._remove_vectors(row[0] for row in rows)
        remove_unused_places(self._db, [row[1] for row in rows])


_PUT_MEMO = """
INSERT INTO memos (
    key, id, kind, text, tags, status, confidence, pinned, audience, guild, channel, source, label, created, updated,
    happened, expires, supersedes, superseded_by, hits, used, version, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
    id = excluded.id, kind = excluded.kind, text = excluded.text, tags = excluded.tags, status = excluded.status,
    confidence = excluded.confidence, pinned = excluded.pinned, audience = excluded.audience, guild = excluded.guild,
    channel = excluded.channel, source = excluded.source, label = excluded.label, created = excluded.created,
    updated = excluded.updated, happened = excluded.happened, expires = excluded.expires,
    supersedes = excluded.supersedes, superseded_by = excluded.superseded_by, hits = excluded.hits,
    used = excluded.used, version = excluded.version, content = excluded.content
"""


class Memos(_Rows):
    corpus = "memos"
    fields = """
    (SELECT name FROM scopes WHERE scopes.id = key >> 32), id, kind, text, tags, status, confidence, pinned, audience,
    guild, channel, source, label, created, updated, happened, expires, supersedes, superseded_by, hits, used,
    version
    """
    source = "memos"
    documents = frozenset({4, 11})

    @property
    def match(self) -> LiteralString:
        """A bare column's affinity would hide the index."""
        return "key >> 32 = +(SELECT id FROM scopes WHERE name = ?) AND id = ?"

    def record(self, row: Row) -> Record:
        """JSON may hold a NUL, which other stores don't accept in a text."""
        record = super().record(row)
        if _NUL not in f"{record[4]}{record[11]}":
            return record
        tags = None if record[4] is None else encode_json([clean(tag) for tag in json.loads(record[4])])
        source = {
            name: clean(value) if isinstance(value, str) else value for name, value in json.loads(record[11]).items()
        }
        return (*record[:4], tags, *record[5:11], encode_json(source), *record[12:])

    def put(self, records: Sequence[Record]) -> None:
        words: dict[int, str | None] = {}
        alive: set[int] = set()
        rows: list[Row] = []
        next_of: dict[int, int] = {}
        for record in records:
            scope = make_scope(self._db, record[0])
            old = self._db.row("SELECT key, status FROM memos WHERE key >> 32 = ? AND id = ?", (scope, record[1]))
            key = old[0] if old else self._next(scope, next_of)
            if old and old[1] == Status.ACTIVE:
                alive.add(key)
            words[key] = words_of_memo(record)
            rows.append((key, *record[1:], content_of(record[3])))
        self._db.many(_PUT_MEMO, rows)
        self._update_index(words, alive)
        self._raise_last_number(words)
        self._note_missing_vectors(words)

    def _next(self, scope: int, next_of: dict[int, int]) -> int:
        """The key of the next new row of this scope."""
        if scope not in next_of:
            next_of[scope] = self._db.value("SELECT id << 32 | last FROM scopes WHERE id = ?", (scope,))
        next_of[scope] += 1
        return next_of[scope]

    def remove(self, names: Sequence[Name]) -> None:
        sql = "DELETE FROM memos WHERE key >> 32 = ? AND id = ? RETURNING key, status = 'active'"
        matches = (self._db.row(sql, (scope_id(self._db, scope), memo)) for scope, memo in names)
        rows = [row for row in matches if row is not None]
        self._update_index({key: None for key, _ in rows}, {key for key, active in rows if active})
        self._remove_vectors(key for key, _ in rows)
