"""Messages in SQLite."""

from collections.abc import Collection
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.text import clean, question_share
from recollect.core.types import Message, Place
from recollect.stores._sql.messages import Messages, speakers_by
from recollect.stores._sql.tombstones import ERASED, message_fingerprint
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import make_scope, next_key, place_id, scope_id

_READ = (
    "SELECT key, id, author, name, text, at, bot, source, reply_to, "
    "(SELECT detail FROM places WHERE places.id = messages.place) FROM messages"
)
_IS_KNOWN = (
    "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ? AND platform = ?) "
    "OR EXISTS (SELECT 1 FROM tombstones WHERE scope = ? AND fingerprint = ?)"
)
_INSERT = """
INSERT INTO messages (key, platform, id, session, place, author, name, text, at, bot, source, reply_to, length, asks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# The message before and the one after, of all keys in one query.
_ADJOINING = """
SELECT here.key,
    (SELECT key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) < (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at DESC, m.key DESC LIMIT 1),
    (SELECT key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) > (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at, m.key LIMIT 1)
FROM messages AS here WHERE here.key IN (SELECT value FROM json_each(?))
"""
_BEFORE = """
SELECT key FROM messages WHERE session = ? AND (at, key) < (?, ?) AND deleted IS NULL
ORDER BY at DESC, key DESC LIMIT ?
"""
_AFTER = """
SELECT key FROM messages WHERE session = ? AND (at, key) > (?, ?) AND deleted IS NULL ORDER BY at, key LIMIT ?
"""


class SQLiteMessages(Messages[Database]):
    read = _READ
    scope = "key >> 32"
    in_scope = "= $1"
    by_keys: LiteralString = f"{_READ} WHERE key IN (SELECT value FROM json_each($1)) AND deleted IS NULL"
    replies: LiteralString = (
        f"{_READ} WHERE bot AND reply_to IN (SELECT value FROM json_each($1)) AND platform = $2 ORDER BY key"
    )
    of_guild: LiteralString = (
        f"{_READ} WHERE key > $1 AND place IN (SELECT id FROM places WHERE detail ->> 'guild' = $2) "
        "AND ($3 IS NULL OR (platform = 'local' AND author = $3) OR (platform = $4 AND author = $5)) "
        "ORDER BY key LIMIT $6"
    )
    # Without the plus, all messages after a key would be read in order.
    of_author: LiteralString = (
        f"{_READ} WHERE +key > $1 AND ((platform = 'local' AND author = $2) OR (platform = $3 AND author = $4) "
        "OR (platform = 'local' AND place IN (SELECT id FROM places WHERE detail ->> 'dm' = $2)) "
        "OR (platform = $3 AND place IN (SELECT id FROM places WHERE detail ->> 'dm' = $4))) ORDER BY +key LIMIT $5"
    )
    speaking: LiteralString = speakers_by("author")
    scopes_between: LiteralString = "SELECT name FROM scopes WHERE name >= $1 AND name < $2 ORDER BY name"
    numbers: LiteralString = (
        "SELECT key, key & 4294967295, length, asks FROM messages WHERE key IN (SELECT value FROM json_each($1))"
    )

    def _scope(self, name: str) -> int | None:
        return scope_id(self._db, name)

    def _place(self, place: Place) -> int:
        return place_id(self._db, place)

    def add(self, message: Message) -> bool:
        place = message.place
        fingerprint = message_fingerprint(place.platform, message.id)
        if self._db.value(_IS_KNOWN, (message.id, place.platform, ERASED, fingerprint)):
            return False
        stream, session = place.stream, place.session
        key = next_key(self._db, stream, indexed=True)
        text = clean(message.text)
        self._db.run(
            _INSERT,
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
        self._derived.put_words("messages", key >> 32, key, text, new=True)
        self._derived.note_missing("messages", key)
        return True

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        if reach != 1:
            return {key: self._steps(key, reach) for key in keys}
        return {
            key: [(step, near) for step, near in ((-1, before), (1, after)) if near is not None]
            for key, before, after in self._db.rows(_ADJOINING, (self._db.array(keys),))
        }

    def _steps(self, key: int, reach: int) -> list[tuple[int, int]]:
        row = self._db.row("SELECT session, at FROM messages WHERE key = ?", (key,))
        if row is None:
            return []
        before = self._db.rows(_BEFORE, (*row, key, reach))
        after = self._db.rows(_AFTER, (*row, key, reach))
        steps = [(-distance, near) for distance, (near,) in enumerate(before, 1)]
        return steps + [(distance, near) for distance, (near,) in enumerate(after, 1)]
