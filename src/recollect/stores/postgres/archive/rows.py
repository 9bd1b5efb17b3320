"""The sections of messages and memos; their words and the sizes of their scopes are updated with them."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, LiteralString

from recollect.core.ports.archive import Name, Record, encode_json
from recollect.core.text import question_share
from recollect.core.types import Provenance
from recollect.stores._sql.archive import CorpusSection, growth, last_numbers, words_of_memo
from recollect.stores._sql.database import Row
from recollect.stores._sql.messages import remove_unused_places
from recollect.stores._sql.rows import content_of, read_place
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.archive.section import ArchiveSection, columns_of, placeholders
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.messages import make_places
from recollect.stores.postgres.rows import grow_all, make_scopes
from recollect.stores.postgres.write_gate import Gate

IndexedTexts = Mapping[int, tuple[int, str | None]]
"""By key: the scope, and the text to index; None for a row that is retired or removed."""


class _Rows(CorpusSection[Database], ArchiveSection):
    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._gate = Gate(db)

    def _store(self, sql: LiteralString, copy: LiteralString, rows: Sequence[Row], fresh: Collection[int]) -> None:
        """Write rows that begin with their keys: new ones in one batch, others in place of what is stored."""
        self._db.copy(copy, [row for row in rows if row[0] in fresh])
        existing = [row for row in rows if row[0] not in fresh]
        if existing:
            self._db.many(sql, existing)

    def _update_derived(self, written: IndexedTexts, alive: Collection[int], fresh: Collection[int] = ()) -> None:
        """Update words, sizes and the rows to embed; `alive` and `fresh` say which rows were alive before, or new."""
        existing = [key for key in written if key not in fresh]
        if existing:
            words.remove(self._db, self.corpus, existing)
        rows = [(scope, key, text) for key, (scope, text) in written.items() if text is not None]
        words.add(self._db, self.corpus, rows)
        grow_all(self._db, growth(written, alive))
        self._queue_embedding([key for _, key, _ in rows])

    def _queue_embedding(self, keys: list[int]) -> None:
        """Rows without a vector are embedded later if a set was complete."""
        self._db.run(
            "INSERT INTO unembedded SELECT %(corpus)s, key FROM unnest(%(keys)s::bigint[]) AS key WHERE EXISTS "
            "(SELECT 1 FROM embedders WHERE corpus = %(corpus)s AND complete AND retired IS NULL) "
            "ON CONFLICT DO NOTHING",
            {"corpus": self.corpus, "keys": keys},
        )

    def _new_keys(self, count: int) -> list[int]:
        return [key for (key,) in self._db.rows("SELECT nextval('row_keys') FROM generate_series(1, %s)", (count,))]

    def _remove_derived(self, rows: Sequence[Row]) -> None:
        """Clean up after removed rows: key, scope and whether they were alive."""
        self._update_derived({key: (scope, None) for key, scope, _ in rows}, {key for key, _, alive in rows if alive})
        keys = [row[0] for row in rows]
        for key in keys:
            vectors.remove(self._db, self.corpus, key)
        self._db.run("DELETE FROM unembedded WHERE corpus = %s AND key = ANY(%s::bigint[])", (self.corpus, keys))


_MESSAGE: tuple[LiteralString, ...] = (
    *("scope", "number", "platform", "id", "session", "place", "author", "name", "text", "at", "bot", "source"),
    *("reply_to", "edited", "deleted", "length", "asks"),
)
_COPY_MESSAGES: LiteralString = f"COPY messages (key, {', '.join(_MESSAGE)}) FROM STDIN"
_PUT_MESSAGE: LiteralString = (
    f"INSERT INTO messages (key, {', '.join(_MESSAGE)}) VALUES ({placeholders(18)}) ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _MESSAGE)
)


class Messages(_Rows):
    """A message keeps its number in its channel."""

    corpus = "messages"
    fields = (
        "messages.platform, messages.id, messages.number, places.detail, author, messages.name, text, at, bot::int, "
        "messages.source, reply_to, edited, deleted"
    )
    source = "messages JOIN places ON places.id = messages.place"
    order_by = "messages.key"
    names = ("messages.platform::text", "messages.id::text")
    documents = frozenset({3})

    def put(self, records: Sequence[Record]) -> None:
        self._gate.enter()
        existing_rows = self._existing([record[:2] for record in records])
        fresh = self._new_keys(len(records) - len(existing_rows))
        place_ids = self._place_ids({record[3] for record in records})
        rows: list[Row] = []
        unused = iter(fresh)
        for record in records:
            existing = existing_rows.get((handle(record[0]), handle(record[1])))
            rows.append((existing[0] if existing else next(unused), *_message(record, *place_ids[record[3]])))
        self._store(_PUT_MESSAGE, _COPY_MESSAGES, rows, set(fresh))
        written = {row[0]: (row[1], row[9] if row[15] is None else None) for row in rows}
        self._update_derived(written, {key for key, alive in existing_rows.values() if alive}, set(fresh))
        self._raise_last_numbers(rows)

    def _existing(self, names: Sequence[Name]) -> dict[Name, tuple[int, bool]]:
        rows = self._db.rows(
            "SELECT platform, id, key, deleted IS NULL FROM messages JOIN unnest(%s::text[], %s::text[]) "
            "AS wanted (first, second) ON platform = wanted.first AND id = wanted.second",
            columns_of([(handle(platform), handle(message)) for platform, message in names]),
        )
        return {(platform, message): (key, alive) for platform, message, key, alive in rows}

    def _place_ids(self, details: Collection[str]) -> dict[str, tuple[int, int, int]]:
        """For each place the ids of its channel, of its session and of itself."""
        places = {detail: read_place(detail) for detail in details}
        scopes = make_scopes(self._db, {name for place in places.values() for name in (place.stream, place.session)})
        numbers = make_places(self._db, set(places.values()))
        return {
            detail: (scopes[place.stream], scopes[place.session], numbers[place]) for detail, place in places.items()
        }

    def _raise_last_numbers(self, rows: Iterable[Row]) -> None:
        """The next message of each channel comes after these."""
        last = last_numbers((scope, number) for _, scope, number, *_ in rows)
        self._db.run(
            "UPDATE scopes SET last = greatest(last, counted.number) "
            "FROM unnest(%s::integer[], %s::bigint[]) AS counted (id, number) WHERE scopes.id = counted.id",
            (list(last), list(last.values())),
        )

    def remove(self, names: Sequence[Name]) -> None:
        self._gate.enter()
        rows = self._db.rows(
            "DELETE FROM messages USING unnest(%s::text[], %s::text[]) AS wanted (first, second) WHERE "
            "platform = wanted.first AND id = wanted.second RETURNING key, scope, deleted IS NULL, place",
            columns_of([(handle(platform), handle(message)) for platform, message in names]),
        )
        self._remove_derived([row[:3] for row in rows])
        remove_unused_places(self._db, [row[3] for row in rows])


def _message(record: Record, stream: int, session: int, place: int) -> Row:
    platform, message, number, _, author, name, text, at, bot, source, reply_to, edited, deleted = record
    answered = None if reply_to is None else handle(reply_to)
    identity = (stream, number, handle(platform), handle(message), session, place)
    content = (author, name, text, at, bool(bot), source, answered, edited, deleted)
    return (*identity, *content, text.count(" ") + 1, question_share(text))


_PROVENANCE: tuple[LiteralString, ...] = (
    *("origin", "actor", "platform", "channel_name", "thread", "message", "evidence", "trace", "metadata", "heard"),
)
_DEFAULTS: dict[str, Any] = asdict(Provenance())
_BEFORE: tuple[LiteralString, ...] = (
    *("id", "kind", "text", "tags", "status", "confidence", "pinned", "audience", "guild", "channel"),
)
_AFTER: tuple[LiteralString, ...] = (
    *("label", "created", "updated", "happened", "expires", "supersedes", "superseded_by", "hits", "used"),
    "version",
)
_MEMO: tuple[LiteralString, ...] = ("key", "scope", "number", "content", *_BEFORE, *_PROVENANCE, *_AFTER)
_COPY_MEMOS: LiteralString = f"COPY memos ({', '.join(_MEMO)}) FROM STDIN"
_PUT_MEMO: LiteralString = (
    f"INSERT INTO memos ({', '.join(_MEMO)}) VALUES ({placeholders(len(_MEMO))}) ON CONFLICT (key) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _MEMO[3:])
)


class Memos(_Rows):
    corpus = "memos"
    fields = ", ".join(("scopes.name", *(f"memos.{name}" for name in (*_BEFORE, *_PROVENANCE, *_AFTER))))
    source = "memos JOIN scopes ON scopes.id = memos.scope"
    order_by = "memos.key"
    names = ("scopes.name::text", "memos.id::text")

    def record(self, row: Row) -> Record:
        scope, memo, kind, text, tags, status, confidence, pinned, audience, guild, channel, *tail = row
        source = dict(zip(_PROVENANCE, tail, strict=False))
        source["metadata"] = json.loads(source["metadata"]) if source["metadata"] else {}
        provenance = encode_json({name: value for name, value in source.items() if value != _DEFAULTS[name]})
        leading = (scope, memo, kind, text, encode_json(tags) if tags else None, status, confidence, int(pinned))
        return (*leading, audience, guild, channel, provenance, *tail[len(_PROVENANCE) :])

    def find(self, names: Sequence[Name]) -> dict[Name, Record]:
        """By the mark of the scope, which is what the index has."""
        if not names:
            return {}
        rows = self._db.rows(
            f"SELECT {self.fields} FROM {self.source} JOIN unnest(%s::text[], %s::text[]) "
            "AS wanted (first, second) ON scopes.mark = wanted.first AND memos.id = wanted.second",
            columns_of([(handle(scope), handle(memo)) for scope, memo in names]),
        )
        return {record[:2]: record for record in map(self.record, rows)}

    def put(self, records: Sequence[Record]) -> None:
        self._gate.enter()
        scopes = make_scopes(self._db, {record[0] for record in records})
        existing_rows = self._existing([(scopes[record[0]], record[1]) for record in records])
        fresh = [record for record in records if (scopes[record[0]], handle(record[1])) not in existing_rows]
        numbers = self._numbers([scopes[record[0]] for record in fresh])
        keys = dict(zip([record[:2] for record in fresh], self._new_keys(len(fresh)), strict=True))
        rows: list[Row] = []
        for record in records:
            scope = scopes[record[0]]
            key = keys.get(record[:2]) or existing_rows[scope, handle(record[1])][0]
            rows.append(_memo(record, key, scope, next(numbers[scope]) if record[:2] in keys else 0))
        new = set(keys.values())
        self._store(_PUT_MEMO, _COPY_MEMOS, rows, new)
        written = {row[0]: (row[1], words_of_memo(record)) for row, record in zip(rows, records, strict=True)}
        self._update_derived(written, {key for key, alive in existing_rows.values() if alive}, new)

    def _existing(self, names: Sequence[tuple[int, str]]) -> dict[tuple[int, str], tuple[int, bool]]:
        rows = self._db.rows(
            "SELECT scope, id, key, status = 'active' FROM memos JOIN unnest(%s::integer[], %s::text[]) "
            "AS wanted (first, second) ON scope = wanted.first AND id = wanted.second",
            columns_of([(scope, handle(memo)) for scope, memo in names]),
        )
        return {(scope, memo): (key, alive) for scope, memo, key, alive in rows}

    def _numbers(self, scopes: Sequence[int]) -> dict[int, Iterator[int]]:
        """For each scope the numbers of its new rows, in order."""
        rows_by_scope: defaultdict[int, int] = defaultdict(int)
        for scope in scopes:
            rows_by_scope[scope] += 1
        rows = self._db.rows(
            "UPDATE scopes SET last = last + wanted.rows "
            "FROM unnest(%s::integer[], %s::integer[]) AS wanted (id, rows) "
            "WHERE scopes.id = wanted.id RETURNING scopes.id, scopes.last, wanted.rows",
            (list(rows_by_scope), list(rows_by_scope.values())),
        )
        return {scope: iter(range(last - count + 1, last + 1)) for scope, last, count in rows}

    def remove(self, names: Sequence[Name]) -> None:
        self._gate.enter()
        rows = self._db.rows(
            "DELETE FROM memos USING scopes, unnest(%s::text[], %s::text[]) AS wanted (first, second) "
            "WHERE scopes.id = memos.scope AND scopes.mark = wanted.first AND memos.id = wanted.second "
            "RETURNING memos.key, memos.scope, memos.status = 'active'",
            columns_of([(handle(scope), handle(memo)) for scope, memo in names]),
        )
        self._remove_derived(rows)


def _memo(record: Record, key: int, scope: int, number: int) -> Row:
    _, memo, kind, text, tags, status, confidence, pinned, audience, guild, channel, provenance, *tail = record
    source = _DEFAULTS | json.loads(provenance)
    message = None if source["message"] is None else handle(source["message"])
    source |= {"message": message, "metadata": encode_json(source["metadata"]) if source["metadata"] else None}
    tag_list: list[str] = json.loads(tags) if tags else []
    leading = (handle(memo), kind, text, tag_list, status, confidence, bool(pinned))
    origin = (audience, guild, channel, *(source[name] for name in _PROVENANCE))
    return (key, scope, number, content_of(text), *leading, *origin, *tail)
