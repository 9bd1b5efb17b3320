"""Records to rows and back."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean, digest, normalize
from recollect.core.types import Audience, Kind, Memo, Message, Origin, Place, Provenance, Status, Subject
from recollect.stores.sqlite.database import Database, Row

MEMO_COLUMNS = (
    "key, id, kind, text, content, tags, status, confidence, pinned, audience, guild, channel, source, label, "
    "created, updated, happened, expires, supersedes, superseded_by, hits"
)
MESSAGE_COLUMNS = "key, id, place, author, name, text, at, bot, source, reply_to"


_SCOPE_CACHE_SIZE = 20_000


def scope_id(db: Database, name: str) -> int | None:
    scope = db.scopes.get(name)
    if scope is None:
        scope = db.value("SELECT id FROM scopes WHERE name = ?", (name,))
        if scope is not None:
            if len(db.scopes) >= _SCOPE_CACHE_SIZE:
                db.scopes.clear()
            db.scopes[name] = scope
    return scope


def make_scope(db: Database, name: str) -> int:
    scope = scope_id(db, name)
    if scope is None:
        scope = db.value("INSERT INTO scopes (name) VALUES (?) RETURNING id", (name,))
    return scope


def next_key(db: Database, scope: str, indexed: bool, embedded: bool = False) -> int:
    """The key of a new row of this scope; the scope is created if need be."""
    scope_number = make_scope(db, scope)
    db.run(
        "UPDATE scopes SET last = last + 1, size = size + ?, changes = changes + ? WHERE id = ?",
        (int(indexed), int(embedded), scope_number),
    )
    return scope_number << 32 | db.value("SELECT last FROM scopes WHERE id = ?", (scope_number,))


def span(scope: int) -> tuple[int, int]:
    """The lowest and the highest key that a row of this scope can have."""
    return scope << 32, (scope + 1 << 32) - 1


def scope_name(db: Database, scope: int) -> str:
    return db.value("SELECT name FROM scopes WHERE id = ?", (scope,))


def content_of(text: str) -> int:
    """A 63-bit fingerprint of the normal text."""
    return int(digest(normalize(text))[:16], 16) >> 1


def optional_ms(time: datetime | None) -> int | None:
    return None if time is None else to_ms(time)


def optional_time(ms: int | None) -> datetime | None:
    return None if ms is None else from_ms(ms)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
_decode = json.JSONDecoder().raw_decode  # doesn't skip white space around it, which we never write


def to_json(value: Mapping[str, Any]) -> str:
    return _encode(value)


_DEFAULTS = asdict(Provenance())
"""Fields of a provenance with these values are not written."""


def memo_row(memo: Memo, key: int) -> Row:
    source = memo.source
    fields = {
        "origin": source.origin.value,
        "actor": source.actor,
        "platform": source.platform,
        "channel_name": source.channel_name,
        "thread": source.thread,
        "message": source.message,
        "evidence": source.evidence,
        "trace": source.trace,
        "metadata": source.metadata,
        "heard": None if source.heard is None else str(source.heard),
    }
    return (
        key,
        memo.id,
        memo.kind.value,
        clean(memo.text),
        content_of(memo.text),
        json.dumps(memo.tags, ensure_ascii=False) if memo.tags else None,
        memo.status.value,
        memo.confidence,
        int(memo.pinned),
        str(memo.audience),
        source.guild,
        source.channel,
        to_json({name: value for name, value in fields.items() if value != _DEFAULTS[name]}),
        memo.label,
        to_ms(memo.created),
        to_ms(memo.updated),
        optional_ms(memo.happened),
        optional_ms(memo.expires),
        memo.supersedes,
        memo.superseded_by,
        memo.hits,
    )


_KINDS = {kind.value: kind for kind in Kind}
_STATUSES = {status.value: status for status in Status}
_ORIGINS = {origin.value: origin for origin in Origin}


@lru_cache(maxsize=4096)
def _audience(text: str) -> Audience:
    return Audience.parse(text)


def read_memo(row: Row, subject: Subject) -> Memo:
    source = _decode(row[12])[0]
    origin, audience = _ORIGINS[source.pop("origin", "manual")], source.pop("heard", None)
    audience = None if audience is None else _audience(audience)
    return Memo(
        id=row[1],
        subject=subject,
        kind=_KINDS[row[2]],
        text=row[3],
        tags=tuple(_decode(row[5])[0]) if row[5] else (),
        status=_STATUSES[row[6]],
        confidence=row[7],
        pinned=bool(row[8]),
        audience=_audience(row[9]),
        source=Provenance(origin=origin, guild=row[10], channel=row[11], heard=audience, **source),
        label=row[13],
        created=from_ms(row[14]),
        updated=from_ms(row[15]),
        happened=optional_time(row[16]),
        expires=optional_time(row[17]),
        supersedes=row[18],
        superseded_by=row[19],
        hits=row[20],
        key=row[0],
    )


@lru_cache(maxsize=4096)
def place_json(place: Place) -> str:
    """A place as it is stored; cached, as few places recur all the time and are slow to serialize."""
    return to_json({name: value for name, value in asdict(place).items() if value not in (None, False)})


def place_id(db: Database, place: Place) -> int:
    """The id of a place, which is created if need be."""
    detail = place_json(place)
    existing = db.value("SELECT id FROM places WHERE detail = ?", (detail,))
    return existing or db.value("INSERT INTO places (detail) VALUES (?) RETURNING id", (detail,))


@lru_cache(maxsize=4096)
def read_place(detail: str) -> Place:
    return Place(**json.loads(detail))


def read_message(row: Row, place: Place) -> Message:
    return Message(
        id=row[1],
        author=row[3],
        place=place,
        text=row[5],
        at=from_ms(row[6]),
        name=row[4],
        bot=bool(row[7]),
        source=row[8],
        reply_to=row[9],
    )
