"""Messages in PostgreSQL."""

from collections.abc import Collection
from typing import LiteralString

from recollect.core.clock import to_ms
from recollect.core.errors import StoreError
from recollect.core.text import clean, digest, question_share
from recollect.core.types import Message, Place
from recollect.stores._sql.derived import Derived
from recollect.stores._sql.messages import Messages, speakers_by
from recollect.stores._sql.rows import place_json, read_message
from recollect.stores._sql.tombstones import ERASED, message_fingerprint
from recollect.stores.postgres import words
from recollect.stores.postgres.database import Database, handle
from recollect.stores.postgres.rows import make_scope
from recollect.stores.postgres.write_gate import Gate

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
_READ: LiteralString = (
    "SELECT messages.key, messages.id, messages.author, messages.name, messages.text, messages.at, messages.bot, "
    "messages.source, messages.reply_to, places.detail FROM messages JOIN places ON places.id = messages.place"
)
_BEGINNING: LiteralString = "substr(author, 1, 64)"  # as far as it is indexed


class PostgresMessages(Messages[Database]):
    read = _READ
    scope = "scope"
    in_scope = "= (SELECT id FROM scopes WHERE mark = $1)"
    by_keys: LiteralString = f"{_READ} WHERE messages.key = ANY($1::bigint[]) AND deleted IS NULL"
    replies: LiteralString = f"{_READ} WHERE bot AND reply_to = ANY($1::text[]) AND platform = $2 ORDER BY messages.key"
    of_guild: LiteralString = (
        f"{_READ} WHERE messages.key > $1 AND places.guild = $2 AND ($3::text IS NULL "
        "OR (platform = 'local' AND author = $3) OR (platform = $4 AND author = $5)) ORDER BY messages.key LIMIT $6"
    )
    # Each part by an index of its own: with OR, the server reads all messages after the key.
    of_author: LiteralString = (
        f"{_READ} WHERE messages.key > $1 AND messages.key IN ("
        f"SELECT key FROM messages WHERE platform = 'local' AND author = $2 AND {_BEGINNING} = substr($2, 1, 64) "
        f"UNION ALL SELECT key FROM messages WHERE platform = $3 AND author = $4 AND {_BEGINNING} = substr($4, 1, 64) "
        "UNION ALL SELECT said.key FROM places AS theirs JOIN messages AS said ON said.place = theirs.id "
        "WHERE (said.platform = 'local' AND theirs.dm = $2) OR (said.platform = $3 AND theirs.dm = $4)"
        ") ORDER BY messages.key LIMIT $5"
    )
    speaking: LiteralString = speakers_by(_BEGINNING)
    scopes_between: LiteralString = "SELECT name FROM scopes WHERE mark >= $1 AND mark < $2 ORDER BY mark"
    numbers: LiteralString = "SELECT key, number, length, asks FROM messages WHERE key = ANY($1::bigint[])"

    def __init__(self, db: Database, derived: Derived[Database], gate: Gate) -> None:
        super().__init__(db, derived)
        self._gate = gate

    def _scope(self, name: str) -> str:
        return handle(name)

    def _place(self, place: Place) -> int:
        return make_places(self._db, [place])[place]

    def add(self, message: Message) -> bool:
        self._gate.enter()
        values = _message(message)
        refused, counted, key, *place_ids = self._db.row(_ADD, values) or (True, None, None)
        if not refused and counted is None:
            self._create_place(message.place, *place_ids)
            refused, counted, key, *_ = self._db.row(_ADD, values) or (True, None, None)
            if not refused and counted is None:  # rather an error than a lost message
                raise StoreError(f"the place of message {message.id} could not be made")
        # The statement has counted the scope up, behind what this transaction has cached.
        self._db.seen["scopes"].clear()
        if counted is not None and key is None:  # another process added it first, but it was counted
            self._derived.grow(counted, -1)
        return key is not None

    def _create_place(self, place: Place, stream: int | None, session: int | None, place_id: int | None) -> None:
        """Create the missing parts of a place and its scopes."""
        if stream is None:
            make_scope(self._db, place.stream, new=True)
        if session is None and place.session != place.stream:
            make_scope(self._db, place.session, new=True)
        if place_id is None:
            make_places(self._db, [place], new=True)

    def _enter(self) -> None:
        self._gate.enter()

    def _close_gate(self) -> None:
        self._gate.close()

    def get(self, platform: str, message_id: str) -> Message | None:
        """Within a write the message is locked until the end: what is learned from it depends on it."""
        if not self._db.writing:
            return super().get(platform, message_id)
        row = self._db.row(f"{self.by_id} FOR SHARE OF messages", (handle(message_id), handle(platform)))
        return None if row is None else read_message(row)

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        steps: dict[int, list[tuple[int, int]]] = {key: [] for key in keys}
        for key, step, near in self._db.rows(_BESIDE, {"keys": list(keys), "reach": reach}):
            steps[key].append((step, near))
        return steps


def _message(message: Message) -> dict[str, object]:
    """The values for `_ADD`."""
    place, text = message.place, clean(message.text)
    return {
        "erased": ERASED,
        "fingerprint": message_fingerprint(place.platform, message.id),
        "stream": handle(place.stream),
        "session": handle(place.session),
        "place": digest(place_json(place)),
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
    places_by_digest = {digest(place_json(place)): place for place in places}
    find: LiteralString = "SELECT mark, id FROM places WHERE mark = ANY(%s::text[])"
    ids: dict[str, int] = {} if new else dict(db.rows(find, (list(places_by_digest),)))
    # Sorted, so that two transactions insert in the same order, and never wait for each other.
    missing = sorted(places_by_digest.keys() - ids.keys())
    if missing:
        rows = [
            (place_digest, place_json(place), place.guild, place.channel, place.dm)
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
        if len(ids) < len(places_by_digest):  # another process created it first
            ids |= dict(db.rows(find, (missing,)))
    return {place: ids[place_digest] for place_digest, place in places_by_digest.items()}
