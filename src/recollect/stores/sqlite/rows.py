"""Records to rows and back."""

import json
from dataclasses import asdict
from functools import lru_cache

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Memo, Place, Provenance, Subject
from recollect.stores._sql.database import Row
from recollect.stores._sql.rows import (
    KINDS,
    ORIGINS,
    STATUSES,
    content_of,
    encode,
    optional_ms,
    optional_time,
    place_json,
    read_audience,
    source_fields,
)
from recollect.stores.sqlite.database import Database

_decode = json.JSONDecoder().raw_decode  # faster: doesn't skip surrounding white space, which we never write
_SCOPE_CACHE_SIZE = 20_000
_MEMO_CACHE_SIZE = 8_192
"""A memo takes about a kilobyte, and to make one takes longer than to read its row."""


def scope_id(db: Database, name: str) -> int | None:
    scope = db.scopes.get(name)
    if scope is None:
        scope = db.value("SELECT id FROM scopes WHERE name = ?", (name,))
        if scope is not None:
            if len(db.scopes) >= _SCOPE_CACHE_SIZE:
                db.scopes.clear()
            db.scopes[name] = scope
    return scope


def subject_of_scope(db: Database, scope: int) -> Subject:
    """The subject of a scope's memos."""
    (name,) = db.cached_row("SELECT name FROM scopes WHERE id = ?", (scope,)) or ("",)
    return _subject(name)


_subject = lru_cache(maxsize=_SCOPE_CACHE_SIZE)(Subject.of_scope)


def make_scope(db: Database, name: str) -> int:
    scope = scope_id(db, name)
    if scope is None:
        scope = db.value("INSERT INTO scopes (name) VALUES (?) RETURNING id", (name,))
    return scope


def next_key(db: Database, scope: str, indexed: bool, embedded: bool = False) -> int:
    """The key of a new row of this scope; the scope is created if need be."""
    scope_number = make_scope(db, scope)
    sql = "UPDATE scopes SET last = last + 1, size = size + ?, changes = changes + ? WHERE id = ? RETURNING last"
    return scope_number << 32 | db.value(sql, (int(indexed), int(embedded), scope_number))


def span(scope: int) -> tuple[int, int]:
    """The lowest and the highest key that a row of this scope can have."""
    return scope << 32, (scope + 1 << 32) - 1


_DEFAULTS = asdict(Provenance())
"""Fields of a provenance with these values are not written."""


def memo_row(memo: Memo, key: int) -> Row:
    source = memo.source
    fields = source_fields(source)
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
        encode({name: value for name, value in fields.items() if value != _DEFAULTS[name]}),
        memo.label,
        to_ms(memo.created),
        to_ms(memo.updated),
        optional_ms(memo.happened),
        optional_ms(memo.expires),
        memo.supersedes,
        memo.superseded_by,
        memo.hits,
        memo.version,
    )


def read_memo(row: Row, subject: Subject) -> Memo:
    """The memo of a row; the same rows are read again and again. One with metadata is not shared: callers may change
    those.
    """
    return (_read_memo if '"metadata"' in row[12] else _cached_memo)(row, subject)


def _read_memo(row: Row, subject: Subject) -> Memo:
    detail = row[12]
    read_source = _read_source if '"metadata"' in detail else _cached_source
    return Memo(
        id=row[1],
        subject=subject,
        kind=KINDS[row[2]],
        text=row[3],
        tags=tuple(_decode(row[5])[0]) if row[5] else (),
        status=STATUSES[row[6]],
        confidence=row[7],
        pinned=bool(row[8]),
        audience=read_audience(row[9]),
        source=read_source(detail, row[10], row[11]),
        label=row[13],
        created=from_ms(row[14]),
        updated=from_ms(row[15]),
        happened=optional_time(row[16]),
        expires=optional_time(row[17]),
        supersedes=row[18],
        superseded_by=row[19],
        hits=row[20],
        version=row[21],
        key=row[0],
    )


def _read_source(detail: str, guild: str | None, channel: str | None) -> Provenance:
    source = _decode(detail)[0]
    origin, audience = ORIGINS[source.pop("origin", "manual")], source.pop("heard", None)
    audience = None if audience is None else read_audience(audience)
    return Provenance(origin=origin, guild=guild, channel=channel, heard=audience, **source)


_cached_source = lru_cache(maxsize=4096)(_read_source)
_cached_memo = lru_cache(maxsize=_MEMO_CACHE_SIZE)(_read_memo)


def place_id(db: Database, place: Place) -> int:
    """The id of a place, which is created if need be."""
    detail = place_json(place)
    existing = db.value("SELECT id FROM places WHERE detail = ?", (detail,))
    return existing or db.value("INSERT INTO places (detail) VALUES (?) RETURNING id", (detail,))
