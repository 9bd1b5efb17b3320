"""Reading and changing messages; each store has its own code for adding them."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from datetime import datetime
from typing import Generic, LiteralString, TypeVar

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean, question_share
from recollect.core.types import LOCAL, Message, Place, person_key, split_person
from recollect.stores._sql import tombstones
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.derived import Derived
from recollect.stores._sql.rows import read_message

D = TypeVar("D", bound=Database)

_EDIT = """
UPDATE messages SET text = $1, edited = $2, length = $3, asks = $4
WHERE id = $5 AND platform = $6 AND deleted IS NULL AND coalesce(edited, 0) <= $2 RETURNING key
"""
_DELETE = (
    "UPDATE messages SET text = '', deleted = $1 WHERE id = $2 AND platform = $3 AND deleted IS NULL RETURNING key"
)
_MOVE = "UPDATE messages SET place = $1 WHERE id = $2 AND platform = $3"
_ERASE = "DELETE FROM messages WHERE id = $1 AND platform = $2 RETURNING place, deleted IS NULL, key"
# PostgreSQL's index holds this many characters of an id.
_PLATFORMS = """
SELECT DISTINCT platform FROM messages WHERE author = $1 AND substr(author, 1, 64) = substr($1, 1, 64) AND NOT bot
"""
NAMES = """
SELECT name FROM messages WHERE author = $1 AND substr(author, 1, 64) = substr($1, 1, 64) AND platform = $2
ORDER BY key DESC LIMIT $3
"""
_LAST_SAID = """
SELECT max(at) FROM messages
WHERE author = $1 AND substr(author, 1, 64) = substr($1, 1, 64) AND platform = $2 AND NOT bot AND deleted IS NULL
"""


def speakers_by(author: LiteralString) -> LiteralString:
    """Goes from each author to the next in the index over this expression, instead of through all messages."""
    said = f"SELECT key FROM messages WHERE {author} = authors.author AND NOT bot AND deleted IS NULL"
    return f"""
    WITH RECURSIVE authors (author) AS (
        SELECT min({author}) FROM messages
        UNION ALL
        SELECT (SELECT min({author}) FROM messages WHERE {author} > authors.author) FROM authors
        WHERE authors.author IS NOT NULL
    )
    SELECT platform, messages.author, name FROM (
        SELECT coalesce(({said} AND name <> '' ORDER BY key DESC LIMIT 1), ({said} ORDER BY key DESC LIMIT 1)) AS said
        FROM authors WHERE authors.author IS NOT NULL LIMIT $1
    ) AS people JOIN messages ON messages.key = people.said
    """


_FIRST, _LAST = -(1 << 62), 1 << 62


class Messages(ABC, Generic[D]):
    """The statements yield the columns of `read_message`; those that change a message, what its indexes need."""

    read: LiteralString
    scope: LiteralString
    """The column with the scope of a message."""
    in_scope: LiteralString
    """The condition that a column is the scope `$1`."""
    by_keys: LiteralString
    replies: LiteralString
    of_guild: LiteralString
    """After a key, in a guild, by a person or by anyone; a person is a local id, or a platform and an id there."""
    of_author: LiteralString
    """After a key, by a person or in the person's DM."""
    speaking: LiteralString
    """One message of each author: platform, author and name."""
    scopes_between: LiteralString
    """Names of scopes from one name up to another."""
    numbers: LiteralString
    """Key, number in its channel, length and share of questions."""

    def __init_subclass__(cls) -> None:
        read, scope = cls.read, cls.scope
        newest: LiteralString = "AND at < $2 AND deleted IS NULL ORDER BY at DESC, messages.key DESC LIMIT $3"
        cls.edited: LiteralString = f"{_EDIT}, {scope}"
        cls.deleted: LiteralString = f"{_DELETE}, {scope}"
        cls.erased: LiteralString = f"{_ERASE}, {scope}"
        cls.by_id: LiteralString = f"{read} WHERE messages.id = $1 AND messages.platform = $2 AND deleted IS NULL"
        # After a key, by people, from one time up to another.
        cls.of_people: LiteralString = (
            f"{read} WHERE messages.key > $1 AND NOT bot AND deleted IS NULL AND at >= $2 AND at < $3 "
            "ORDER BY messages.key LIMIT $4"
        )
        of_session: LiteralString = f"{read} WHERE session {cls.in_scope}"
        cls.recent_of_session: LiteralString = f"{of_session} {newest}"
        cls.recent_of_stream: LiteralString = f"{read} WHERE {scope} {cls.in_scope} {newest}"
        cls.later: LiteralString = f"{of_session} AND deleted IS NULL AND at > $2 ORDER BY at, messages.key LIMIT $3"
        cls.at_time: LiteralString = (
            f"{of_session} AND deleted IS NULL AND at = $2 AND messages.key > $3 ORDER BY messages.key"
        )

    def __init__(self, db: D, derived: Derived[D]) -> None:
        self._db = db
        self._derived = derived

    @abstractmethod
    def add(self, message: Message) -> bool: ...
    @abstractmethod
    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]: ...
    @abstractmethod
    def _scope(self, name: str) -> int | str | None:
        """The value that identifies a scope in statements."""
        ...

    @abstractmethod
    def _place(self, place: Place) -> int:
        """The id of a place, which is created if need be."""
        ...

    def _enter(self) -> None:
        """Called before a row is written."""

    def _close_gate(self) -> None:
        """Keep rows from being written until the transaction ends."""

    def edit(self, platform: str, message_id: str, text: str, at: datetime) -> bool:
        text = clean(text)
        self._enter()
        content = text, to_ms(at), text.count(" ") + 1, question_share(text)
        row = self._db.row(self.edited, (*content, self._db.handle(message_id), self._db.handle(platform)))
        if row is None:
            return False
        self._derived.rewrite("messages", row[0], row[1], text)
        return True

    def move(self, platform: str, message_id: str, place: Place) -> None:
        self._enter()
        self._db.run(_MOVE, (self._place(place), self._db.handle(message_id), self._db.handle(platform)))

    def delete(self, platform: str, message_id: str, at: datetime) -> bool:
        self._enter()
        row = self._db.row(self.deleted, (to_ms(at), self._db.handle(message_id), self._db.handle(platform)))
        if row is None:
            return False
        self._derived.remove("messages", *row, alive=True)
        return True

    def erase(self, messages: Collection[tuple[str, str]], at: datetime) -> int:
        # A message in flight must not be written between the check of its tombstone and the tombstone.
        self._close_gate()
        places: list[int] = []
        for platform, message_id in messages:
            fingerprint = tombstones.message_fingerprint(platform, message_id)
            # Also for a message that is not here: it may be delivered once more.
            self._db.run(tombstones.PUT, (tombstones.ERASED, fingerprint, to_ms(at)))
            row = self._db.row(self.erased, (self._db.handle(message_id), self._db.handle(platform)))
            if row is not None:
                place, alive, key, scope = row
                self._derived.remove("messages", key, scope, alive=bool(alive))
                places.append(place)
        remove_unused_places(self._db, places)
        return len(places)

    def get(self, platform: str, message_id: str) -> Message | None:
        row = self._db.row(self.by_id, (self._db.handle(message_id), self._db.handle(platform)))
        return None if row is None else read_message(row)

    def key(self, platform: str, message_id: str) -> int | None:
        row = self._db.row(self.by_id, (self._db.handle(message_id), self._db.handle(platform)))
        return None if row is None else row[0]

    def fetch(self, keys: Collection[int]) -> dict[int, Message]:
        return {row[0]: read_message(row) for row in self._db.rows(self.by_keys, (self._db.array(keys),))}

    def positions(self, keys: Collection[int]) -> dict[int, tuple[int, int, float]]:
        rows = self._db.rows(self.numbers, (self._db.array(keys),))
        return {key: (number, length, asks) for key, number, length, asks in rows}

    def written_by(
        self, person: str | None = None, guild: str | None = None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        if guild is not None:
            return _keyed(self._db.rows(self.of_guild, (after, guild, person, *_on_platform(person), limit)))
        return _keyed(self._db.rows(self.of_author, (after, person, *_on_platform(person), limit)))

    def between(
        self, since: datetime | None, until: datetime | None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        first, end = _FIRST if since is None else to_ms(since), _LAST if until is None else to_ms(until)
        return _keyed(self._db.rows(self.of_people, (after, first, end, limit)))

    def platforms_of(self, author: str) -> list[str]:
        rows = self._db.rows(_PLATFORMS, (author,))
        return sorted(platform for (platform,) in rows)

    def names_of(self, person: str, limit: int) -> list[str]:
        rows = [row for author in _authors_of(person) for row in self._db.rows(NAMES, (*author, limit))]
        return list(dict.fromkeys(name for (name,) in rows if name))

    def last_message_time(self, person: str) -> datetime | None:
        times = [at for author in _authors_of(person) if (at := self._db.value(_LAST_SAID, author)) is not None]
        return from_ms(max(times)) if times else None

    def speakers(self, limit: int = 10_000) -> list[tuple[str, str]]:
        rows = self._db.rows(self.speaking, (limit,))
        return [(person_key(platform, author), name) for platform, author, name in rows]

    def streams(self, prefix: str) -> list[str]:
        return [name for (name,) in self._db.rows(self.scopes_between, prefix_range(prefix))]

    def replies_to(self, platform: str, ids: Collection[str]) -> list[tuple[int, Message]]:
        names = self._db.array(map(self._db.handle, ids))
        return _keyed(self._db.rows(self.replies, (names, self._db.handle(platform))))

    def recent(
        self, place: Place, limit: int, before: datetime | None = None, whole_stream: bool = False
    ) -> list[Message]:
        sql, scope = self.recent_of_session, place.session
        if whole_stream:
            sql, scope = self.recent_of_stream, place.stream
        rows = self._db.rows(sql, (self._scope(scope), _LAST if before is None else to_ms(before), limit))
        return [read_message(row) for row in reversed(rows)]

    def after(self, place: Place, since: datetime | None, limit: int) -> list[Message]:
        """Messages of the same time stay together: all that share the last one's time are included.

        So a caller that continues from the time of the last message misses none; a page may exceed its limit.
        """
        if limit < 1:
            return []
        scope = self._scope(place.session)
        rows = self._db.rows(self.later, (scope, _FIRST if since is None else to_ms(since), limit))
        # Only a full page can end in the middle of a moment.
        if len(rows) == limit:
            key, at = rows[-1][0], rows[-1][5]
            rows += self._db.rows(self.at_time, (scope, at, key))
        return [read_message(row) for row in rows]


def prefix_range(prefix: str) -> tuple[str, str]:
    """The range of names with a prefix: from the first value up to the second."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def remove_unused_places(db: Database, places: Collection[int]) -> None:
    """Remove those of the places where no message is left."""
    sql: LiteralString = f"""
    DELETE FROM places WHERE id {db.among} AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.place = places.id)
    """
    db.run(sql, (db.array(set(places)),))


def _on_platform(person: str | None) -> tuple[str | None, str | None]:
    return (None, None) if person is None else split_person(person)


def _authors_of(person: str) -> list[tuple[str, str]]:
    """Author and platform of what a person writes: the library may speak for people of any platform."""
    platform, author = split_person(person)
    return list(dict.fromkeys([(author, platform), (person, LOCAL)]))


def _keyed(rows: list[Row]) -> list[tuple[int, Message]]:
    return [(row[0], read_message(row)) for row in rows]
