"""The store of messages."""

import json
from collections.abc import Collection
from datetime import datetime

from recollect.core.clock import to_ms
from recollect.core.text import clean, digest, question_share
from recollect.core.types import Message, Place
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import (
    MESSAGE_COLUMNS,
    make_scope,
    next_key,
    place_id,
    read_message,
    read_place,
    scope_id,
)
from recollect.stores.sqlite.words import WordIndex

_ADJOINING = """
SELECT here.key,
    (SELECT key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) < (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at DESC, m.key DESC LIMIT 1),
    (SELECT key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) > (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at, m.key LIMIT 1)
FROM messages AS here WHERE here.key IN (SELECT value FROM json_each(?))
"""

_ROW = f"SELECT {MESSAGE_COLUMNS}, (SELECT detail FROM places WHERE places.id = messages.place) FROM messages"
_LATER = f"{_ROW} WHERE session = ? AND deleted IS NULL"
_PLACES = "SELECT id FROM places WHERE detail ->> '{}' = ?1"
ERASED = "erased messages"
"""The scope of the tombstones that keep messages from coming back."""
_IS_KNOWN = (
    "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ? AND platform = ?) "
    "OR EXISTS (SELECT 1 FROM tombstones WHERE scope = ? AND fingerprint = ?)"
)


class SQLiteMessages:
    def __init__(self, db: Database, index: WordIndex) -> None:
        self._db = db
        self._index = index

    def add(self, message: Message) -> bool:
        place = message.place
        fingerprint = _fingerprint(place.platform, message.id)
        if self._db.value(_IS_KNOWN, (message.id, place.platform, ERASED, fingerprint)):
            return False
        stream, session = place.stream, place.session
        key = next_key(self._db, stream, indexed=True)
        text = clean(message.text)
        self._db.run(
            "INSERT INTO messages (key, platform, id, session, place, author, name, text, at, bot, source, reply_to, "
            "length, asks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                key,
                place.platform,
                message.id,
                key >> 32 if session == stream else make_scope(self._db, session),
                place_id(self._db, place),
                message.author,
                clean(message.name),
                text,
                to_ms(message.at),
                int(message.bot),
                message.source,
                message.reply_to,
                text.count(" ") + 1,
                question_share(text),
            ),
        )
        self._index.put("messages", key, text)
        vectors.note_missing(self._db, "messages", key)
        return True

    def edit(self, platform: str, message_id: str, text: str, at: datetime) -> bool:
        row = self._db.row(
            "UPDATE messages SET text = ?, edited = ?, length = ?, asks = ? WHERE id = ? AND platform = ? "
            "AND deleted IS NULL AND coalesce(edited, 0) <= ? RETURNING key",
            (clean(text), to_ms(at), text.count(" ") + 1, question_share(text), message_id, platform, to_ms(at)),
        )
        if row is None:
            return False
        self._index.put("messages", row[0], text)
        vectors.remove(self._db, "messages", row[0])
        vectors.note_missing(self._db, "messages", row[0])
        return True

    def delete(self, platform: str, message_id: str, at: datetime) -> bool:
        row = self._db.row(
            "UPDATE messages SET text = '', deleted = ? WHERE id = ? AND platform = ? AND deleted IS NULL "
            "RETURNING key",
            (to_ms(at), message_id, platform),
        )
        if row is None:
            return False
        self._index.remove("messages", row[0])
        vectors.remove(self._db, "messages", row[0])
        self._db.run("UPDATE scopes SET size = size - 1 WHERE id = ?", (row[0] >> 32,))
        return True

    def written_by(
        self, author: str | None = None, guild: str | None = None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        if guild is not None:
            condition = f"place IN ({_PLACES.format('guild')}) AND (?2 IS NULL OR author = ?2)"
        else:
            condition = f"(author = ?2 OR place IN ({_PLACES.format('dm')}))"
        named = guild if guild is not None else author
        rows = self._db.rows(
            f"{_ROW} WHERE key > ?3 AND {condition} ORDER BY key LIMIT ?4", (named, author, after, limit)
        )
        return list(zip((row[0] for row in rows), _read(rows), strict=True))

    def replies_to(self, platform: str, ids: Collection[str]) -> list[tuple[int, Message]]:
        rows = self._db.rows(
            f"{_ROW} WHERE bot AND platform = ? AND reply_to IN (SELECT value FROM json_each(?)) ORDER BY key",
            (platform, json.dumps(list(ids))),
        )
        return list(zip((row[0] for row in rows), _read(rows), strict=True))

    def erase(self, messages: Collection[tuple[str, str]], at: datetime) -> int:
        places: set[int] = set()
        erased = 0
        for platform, message_id in messages:
            self._db.run(
                "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)",
                (ERASED, _fingerprint(platform, message_id), to_ms(at)),
            )
            row = self._db.row(
                "DELETE FROM messages WHERE id = ? AND platform = ? RETURNING key, place, deleted IS NULL",
                (message_id, platform),
            )
            if row is not None:
                self._remove_derived(row[0], bool(row[2]))
                places.add(row[1])
                erased += 1
        self._db.run(
            "DELETE FROM places WHERE id IN (SELECT value FROM json_each(?)) "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.place = places.id)",
            (json.dumps(sorted(places)),),
        )
        return erased

    def _remove_derived(self, key: int, alive: bool) -> None:
        """Remove what is derived from a row."""
        self._index.remove("messages", key)
        vectors.remove(self._db, "messages", key)
        self._db.run("DELETE FROM unembedded WHERE corpus = 'messages' AND key = ?", (key,))
        if alive:
            self._db.run("UPDATE scopes SET size = size - 1 WHERE id = ?", (key >> 32,))

    def get(self, platform: str, message_id: str) -> Message | None:
        row = self._db.row(
            f"{_ROW} WHERE id = ? AND platform = ? AND deleted IS NULL",
            (message_id, platform),
        )
        return None if row is None else _read([row])[0]

    def recent(
        self, place: Place, limit: int, before: datetime | None = None, whole_stream: bool = False
    ) -> list[Message]:
        scope = scope_id(self._db, place.stream if whole_stream else place.session)
        if scope is None:
            return []
        latest = (1 << 62) if before is None else to_ms(before)
        column = "key >> 32" if whole_stream else "session"
        rows = self._db.rows(
            f"{_ROW} WHERE {column} = ? AND at < ? AND deleted IS NULL ORDER BY at DESC, key DESC LIMIT ?",
            (scope, latest, limit),
        )
        return _read(rows[::-1])

    def after(self, place: Place, since: datetime | None, limit: int) -> list[Message]:
        """Messages of the same time stay together: all that share the last one's time are included.

        So a caller that continues from the time of the last message misses none; a page may exceed its limit.
        """
        scope = scope_id(self._db, place.session)
        if scope is None or limit < 1:
            return []
        earliest = -(1 << 62) if since is None else to_ms(since)
        rows = self._db.rows(f"{_LATER} AND at > ? ORDER BY at, key LIMIT ?", (scope, earliest, limit))
        if len(rows) == limit:
            key, at = rows[-1][0], rows[-1][6]
            rows += self._db.rows(f"{_LATER} AND at = ? AND key > ? ORDER BY key", (scope, at, key))
        return _read(rows)

    def fetch(self, keys: Collection[int]) -> dict[int, Message]:
        rows = self._db.rows(
            f"{_ROW} WHERE key IN (SELECT value FROM json_each(?)) AND deleted IS NULL",
            (json.dumps(list(keys)),),
        )
        return dict(zip((row[0] for row in rows), _read(rows), strict=True))

    def positions(self, keys: Collection[int]) -> dict[int, tuple[int, int, float]]:
        rows = self._db.rows(
            "SELECT key, length, asks FROM messages WHERE key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
        return {key: (key & 0xFFFFFFFF, length, asks) for key, length, asks in rows}

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        return self._adjoining(keys) if reach == 1 else {key: self._steps(key, reach) for key in keys}

    def _adjoining(self, keys: Collection[int]) -> dict[int, list[tuple[int, int]]]:
        """The message before and the one after, of all keys in one query."""
        rows = self._db.rows(_ADJOINING, (json.dumps(list(keys)),))
        return {
            key: [(step, near) for step, near in ((-1, before), (1, after)) if near is not None]
            for key, before, after in rows
        }

    def _steps(self, key: int, reach: int) -> list[tuple[int, int]]:
        row = self._db.row("SELECT session, at FROM messages WHERE key = ?", (key,))
        if row is None:
            return []
        session, at = row
        steps: list[tuple[int, int]] = []
        for sign, compare, direction in ((-1, "<", "DESC"), (1, ">", "ASC")):
            rows = self._db.rows(
                f"SELECT key FROM messages WHERE session = ? AND (at, key) {compare} (?, ?) AND deleted IS NULL "
                f"ORDER BY at {direction}, key {direction} LIMIT ?",
                (session, at, key, reach),
            )
            steps += [(sign * distance, row[0]) for distance, row in enumerate(rows, 1)]
        return steps


def _fingerprint(platform: str, message_id: str) -> str:
    return digest("message", platform, message_id)


def _read(rows: list[Row]) -> list[Message]:
    return [read_message(row, read_place(row[-1])) for row in rows]
