"""The store of messages."""

from collections.abc import Collection
from datetime import datetime
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.errors import StoreError
from recollect.core.text import clean, digest, question_share
from recollect.core.types import Message, Place
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.rows import (
    ADD_TOMBSTONE,
    READ_MESSAGE,
    grow,
    handle,
    make_scope,
    place_detail,
    read_message,
)
from recollect.stores.postgres.write_gate import Gate

ERASED = "erased messages"
"""The scope of the tombstones that keep messages from coming back."""
_ADD: LiteralString = """
WITH known AS (
    SELECT EXISTS (SELECT 1 FROM messages WHERE id = %(id)s AND platform = %(platform)s)
        OR EXISTS (SELECT 1 FROM tombstones WHERE scope = %(erased)s AND fingerprint = %(fingerprint)s) AS refused,
        (SELECT id FROM scopes WHERE mark = %(stream)s) AS scope,
        (SELECT id FROM scopes WHERE mark = %(session)s) AS session, (SELECT id FROM places WHERE mark = %(place)s)
        AS place
), counted AS (
    UPDATE scopes SET last = last + 1, size = size + 1 FROM known
    WHERE scopes.id = known.scope AND NOT known.refused AND known.session IS NOT NULL AND known.place IS NOT NULL
    RETURNING scopes.id, scopes.last
), made AS (
    INSERT INTO messages (key, scope, number, platform, id, session, place, author, name, text, at, bot, source,
        reply_to, length, asks)
    SELECT nextval('row_keys'), counted.id, counted.last, %(platform)s, %(id)s, known.session, known.place, %(author)s,
        %(name)s, %(text)s, %(at)s, %(bot)s, %(source)s, %(reply_to)s, %(length)s, %(asks)s
    FROM counted, known ON CONFLICT (id, platform) DO NOTHING RETURNING key, scope
), indexed AS (
    INSERT INTO message_words (scope, term, key) SELECT made.scope, entry.term, made.key
    FROM made, unnest(%(terms)s::text[]) AS entry (term)
), noted AS (
    INSERT INTO unembedded SELECT 'messages', key FROM made WHERE EXISTS (
        SELECT 1 FROM embedders WHERE corpus = 'messages' AND complete AND retired IS NULL)
)
SELECT refused, (SELECT id FROM counted), (SELECT key FROM made), scope, session, place FROM known
"""
"""Write a message, unless it may not be written or its scopes or its place are still to be made.

It yields whether it was refused, the scope that was counted up and the key; and what there is of scopes and place.
"""
_BESIDE: LiteralString = """
SELECT here.key, near.step, near.key FROM messages AS here CROSS JOIN LATERAL (
    SELECT -row_number() OVER (ORDER BY at DESC, key DESC) AS step, key FROM (
        SELECT m.at, m.key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) < (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at DESC, m.key DESC LIMIT %(reach)s) AS before
    UNION ALL
    SELECT row_number() OVER (ORDER BY at, key) AS step, key FROM (
        SELECT m.at, m.key FROM messages AS m WHERE m.session = here.session AND (m.at, m.key) > (here.at, here.key)
        AND m.deleted IS NULL ORDER BY m.at, m.key LIMIT %(reach)s) AS after
) AS near WHERE here.key = ANY(%(keys)s::bigint[])
"""
_OF_SCOPE: LiteralString = "(SELECT id FROM scopes WHERE mark = %(scope)s) AND deleted IS NULL"
_NAMED: LiteralString = "messages.id = %s AND messages.platform = %s"
_FIRST, _LAST = -(1 << 62), 1 << 62


class PostgresMessages:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._gate = Gate(db)

    def add(self, message: Message) -> bool:
        self._gate.enter()
        values = _message(message)
        refused, counted, key, *place_ids = self._db.row(_ADD, values) or (True, None, None)
        if not refused and counted is None:
            self._create_place(message.place, *place_ids)
            refused, counted, key, *_ = self._db.row(_ADD, values) or (True, None, None)
            if not refused and counted is None:  # better said than lost
                raise StoreError(f"the place of message {message.id} could not be made")
        self._db.seen["scopes"].clear()
        if counted is not None and key is None:  # another process was quicker with it; it was counted all the same
            grow(self._db, counted, -1)
        return key is not None

    def _create_place(self, place: Place, stream: int | None, session: int | None, place_id: int | None) -> None:
        """Make what was not found of a place and its scopes."""
        if stream is None:
            make_scope(self._db, place.stream, new=True)
        if session is None and place.session != place.stream:
            make_scope(self._db, place.session, new=True)
        if place_id is None:
            make_places(self._db, [place], new=True)

    def edit(self, platform: str, message_id: str, text: str, at: datetime) -> bool:
        text = clean(text)
        self._gate.enter()
        row = self._db.row(
            "UPDATE messages SET text = %s, edited = %s, length = %s, asks = %s "
            f"WHERE {_NAMED} AND deleted IS NULL AND coalesce(edited, 0) <= %s RETURNING key, scope",
            (
                text,
                to_ms(at),
                text.count(" ") + 1,
                question_share(text),
                handle(message_id),
                handle(platform),
                to_ms(at),
            ),
        )
        if row is None:
            return False
        key, scope = row
        words.rewrite(self._db, "messages", [(scope, key, text)])
        vectors.remove(self._db, "messages", key)
        vectors.note_missing(self._db, "messages", key)
        return True

    def delete(self, platform: str, message_id: str, at: datetime) -> bool:
        self._gate.enter()
        row = self._db.row(
            f"UPDATE messages SET text = '', deleted = %s WHERE {_NAMED} AND deleted IS NULL RETURNING key, scope",
            (to_ms(at), handle(message_id), handle(platform)),
        )
        if row is None:
            return False
        self._remove_derived(*row, alive=True)
        return True

    def _remove_derived(self, key: int, scope: int, alive: bool) -> None:
        """Remove what is derived from a row."""
        words.remove(self._db, "messages", [key])
        vectors.remove(self._db, "messages", key)
        self._db.run("DELETE FROM unembedded WHERE corpus = 'messages' AND key = %s", (key,))
        if alive:
            grow(self._db, scope, -1)

    def written_by(
        self, author: str | None = None, guild: str | None = None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        if guild is not None:
            condition: LiteralString = "places.guild = %(guild)s AND (%(author)s::text IS NULL OR author = %(author)s)"
        else:
            condition = "(author = %(author)s OR places.dm = %(author)s)"
        rows = self._db.rows(
            f"{READ_MESSAGE} WHERE messages.key > %(after)s AND {condition} ORDER BY messages.key LIMIT %(limit)s",
            {"guild": guild, "author": author, "after": after, "limit": limit},
        )
        return [(row[0], read_message(row)) for row in rows]

    def replies_to(self, platform: str, ids: Collection[str]) -> list[tuple[int, Message]]:
        rows = self._db.rows(
            f"{READ_MESSAGE} WHERE bot AND platform = %s AND reply_to = ANY(%s::text[]) ORDER BY messages.key",
            (handle(platform), [handle(message_id) for message_id in ids]),
        )
        return [(row[0], read_message(row)) for row in rows]

    def erase(self, messages: Collection[tuple[str, str]], at: datetime) -> int:
        self._gate.close()
        erased = [row for platform, message_id in messages for row in self._erase(platform, message_id, at)]
        self._db.run(
            "DELETE FROM places WHERE id = ANY(%s::integer[]) "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.place = places.id)",
            (list(set(erased)),),
        )
        return len(erased)

    def _erase(self, platform: str, message_id: str, at: datetime) -> list[int]:
        """The place of the message, where there is one."""
        self._db.run(ADD_TOMBSTONE, (ERASED, _fingerprint(platform, message_id), to_ms(at)))
        row = self._db.row(
            f"DELETE FROM messages WHERE {_NAMED} RETURNING key, scope, deleted IS NULL, place",
            (handle(message_id), handle(platform)),
        )
        if row is None:
            return []
        self._remove_derived(*row[:3])
        return [row[3]]

    def get(self, platform: str, message_id: str) -> Message | None:
        """Within a write the message stays as it is until that ends: what is learned from it rests on it."""
        lock: LiteralString = "FOR SHARE OF messages" if self._db.writing else ""
        row = self._db.row(
            f"{READ_MESSAGE} WHERE {_NAMED} AND deleted IS NULL {lock}", (handle(message_id), handle(platform))
        )
        return None if row is None else read_message(row)

    def recent(
        self, place: Place, limit: int, before: datetime | None = None, whole_stream: bool = False
    ) -> list[Message]:
        column: LiteralString = "scope" if whole_stream else "session"
        rows = self._db.rows(
            f"{READ_MESSAGE} WHERE {column} = {_OF_SCOPE} AND at < %(before)s "
            "ORDER BY at DESC, messages.key DESC LIMIT %(limit)s",
            {
                "scope": handle(place.stream if whole_stream else place.session),
                "before": _LAST if before is None else to_ms(before),
                "limit": limit,
            },
        )
        return [read_message(row) for row in rows[::-1]]

    def after(self, place: Place, since: datetime | None, limit: int) -> list[Message]:
        """Messages of the same time stay together: all that share the last one's time are included.

        So a caller that continues from the time of the last message misses none; a page may exceed its limit.
        """
        if limit < 1:
            return []
        later: LiteralString = f"{READ_MESSAGE} WHERE session = {_OF_SCOPE}"
        values = {"scope": handle(place.session), "since": _FIRST if since is None else to_ms(since), "limit": limit}
        rows = self._db.rows(f"{later} AND at > %(since)s ORDER BY at, messages.key LIMIT %(limit)s", values)
        if len(rows) == limit:
            values |= {"key": rows[-1][0], "at": rows[-1][5]}
            rows += self._db.rows(f"{later} AND at = %(at)s AND messages.key > %(key)s ORDER BY messages.key", values)
        return [read_message(row) for row in rows]

    def fetch(self, keys: Collection[int]) -> dict[int, Message]:
        rows = self._db.rows(
            f"{READ_MESSAGE} WHERE messages.key = ANY(%s::bigint[]) AND deleted IS NULL", (list(keys),)
        )
        return {row[0]: read_message(row) for row in rows}

    def positions(self, keys: Collection[int]) -> dict[int, tuple[int, int, float]]:
        rows = self._db.rows(
            "SELECT key, number, length, asks FROM messages WHERE key = ANY(%s::bigint[])", (list(keys),)
        )
        return {key: (number, length, asks) for key, number, length, asks in rows}

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        steps: dict[int, list[tuple[int, int]]] = {key: [] for key in keys}
        for key, step, near in self._db.rows(_BESIDE, {"keys": list(keys), "reach": reach}):
            steps[key].append((step, near))
        return steps


def _message(message: Message) -> dict[str, object]:
    """What `_ADD` has to know."""
    place, text = message.place, clean(message.text)
    return {
        "erased": ERASED,
        "fingerprint": _fingerprint(place.platform, message.id),
        "stream": handle(place.stream),
        "session": handle(place.session),
        "place": digest(place_detail(place)),
        "platform": handle(place.platform),
        "id": handle(message.id),
        "author": message.author,
        "name": message.name,
        "text": text,
        "at": to_ms(message.at),
        "bot": message.bot,
        "source": message.source,
        "reply_to": None if message.reply_to is None else handle(message.reply_to),
        "length": text.count(" ") + 1,
        "asks": question_share(text),
        "terms": words.entries(text),
    }


def make_places(db: Database, places: Collection[Place], *, new: bool = False) -> dict[Place, int]:
    """The ids of places, which are created if need be."""
    places_by_digest = {digest(place_detail(place)): place for place in places}
    find: LiteralString = "SELECT mark, id FROM places WHERE mark = ANY(%s::text[])"
    ids: dict[str, int] = {} if new else dict(db.rows(find, (list(places_by_digest),)))
    missing = sorted(places_by_digest.keys() - ids.keys())
    if missing:
        rows = [
            (place_digest, place_detail(place), place.guild, place.channel, place.dm)
            for place_digest in missing
            if (place := places_by_digest[place_digest])
        ]
        created = db.rows(
            "INSERT INTO places (mark, detail, guild, channel, dm) SELECT * FROM "
            "unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[]) ON CONFLICT (mark) DO NOTHING "
            "RETURNING mark, id",
            [list(column) for column in zip(*rows, strict=True)],
        )
        ids |= dict(created)
        if len(ids) < len(places_by_digest):  # another process was quicker
            ids |= dict(db.rows(find, (missing,)))
    return {place: ids[place_digest] for place_digest, place in places_by_digest.items()}


def _fingerprint(platform: str, message_id: str) -> str:
    return digest("message", platform, message_id)
