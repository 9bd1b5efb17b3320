"""Records to rows and back, and the scopes that rows belong to."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, LiteralString

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Memo, Provenance, Subject
from recollect.stores._sql.database import Row
from recollect.stores._sql.rows import (
    KINDS,
    ORIGINS,
    STATUSES,
    content_of,
    encode,
    optional_ms,
    optional_time,
    read_audience,
    source_fields,
)
from recollect.stores._sql.search import Scope
from recollect.stores.postgres.database import Database, handle


def make_scope(db: Database, name: str, *, new: bool = False) -> int:
    """The id of a scope, which is created if it is new."""
    return make_scopes(db, [name], new=new)[name]


def make_scopes(db: Database, names: Collection[str], *, new: bool = False) -> dict[str, int]:
    """The ids of scopes. Missing ones are created, in sorted order to avoid deadlocks; `new` skips the first lookup."""
    ids = db.seen["scope ids"]
    names_by_handle = {handle(name): clean(name) for name in names}
    find: LiteralString = "SELECT mark, id FROM scopes WHERE mark = ANY(%s::text[])"
    make: LiteralString = (
        "INSERT INTO scopes (name, mark) SELECT * FROM unnest(%s::text[], %s::text[]) "
        "ON CONFLICT (mark) DO NOTHING RETURNING mark, id"
    )
    for sql in (make, find) if new else (find, make, find):  # finally those that another process created first
        missing = sorted(names_by_handle.keys() - ids.keys())
        if not missing:
            break
        missing_names = [names_by_handle[scope_handle] for scope_handle in missing]
        ids.update(db.rows(sql, (missing_names, missing) if sql is make else (missing,)))
    return {name: ids[handle(name)] for name in names}


def scope_id(db: Database, name: str) -> int | None:
    return db.value("SELECT id FROM scopes WHERE mark = %s", (handle(name),))


def find_scopes(db: Database, names: Collection[str]) -> list[Scope]:
    """The scopes that exist, each once."""
    scopes: dict[str, Scope | None] = db.seen["scopes"]
    handles = dict.fromkeys(map(handle, names))
    missing = [scope_handle for scope_handle in handles if scope_handle not in scopes]
    if missing:
        rows = db.rows("SELECT mark, id, size, last FROM scopes WHERE mark = ANY(%s::text[])", (missing,))
        scopes |= dict.fromkeys(missing) | {scope_handle: Scope(*columns) for scope_handle, *columns in rows}
    return sorted(scope for scope_handle in handles if (scope := scopes[scope_handle]) is not None)


def grow(db: Database, scope: int, by: int) -> None:
    """Count rows that came or went."""
    grow_all(db, {scope: by})


def grow_all(db: Database, grown: Mapping[int, int]) -> None:
    """For each scope how many rows came or went."""
    changed = sorted((scope, by) for scope, by in grown.items() if by)
    db.seen["scopes"].clear()
    if changed:
        db.run(
            "UPDATE scopes SET size = size + grown.rows FROM unnest(%s::integer[], %s::integer[]) AS grown (id, rows) "
            "WHERE scopes.id = grown.id",
            ([scope for scope, _ in changed], [by for _, by in changed]),
        )


def memo_values(memo: Memo) -> dict[str, object]:
    """A memo's columns by their names."""
    source = memo.source
    return {
        "id": handle(memo.id),
        "kind": memo.kind.value,
        "text": clean(memo.text),
        "content": content_of(memo.text),
        "tags": [clean(tag) for tag in memo.tags],
        "status": memo.status.value,
        "confidence": memo.confidence,
        "pinned": memo.pinned,
        "audience": str(memo.audience),
        "label": memo.label,
        "created": to_ms(memo.created),
        "updated": to_ms(memo.updated),
        "happened": optional_ms(memo.happened),
        "expires": optional_ms(memo.expires),
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "hits": memo.hits,
        "version": memo.version,
        "guild": source.guild,
        "channel": source.channel,
        **source_fields(source),
        "message": None if source.message is None else handle(source.message),
        "metadata": encode(source.metadata) if source.metadata else None,
    }


def read_memo(row: Row, subject: Subject | None = None) -> Memo:
    key, scope, memo_id, kind, text, _, tags, status, confidence, pinned, audience, label, *tail = row
    created, updated, happened, expires, supersedes, superseded_by, hits, version, *source = tail
    return Memo(
        id=memo_id,
        subject=subject or Subject.of_scope(scope),
        kind=KINDS[kind],
        text=text,
        created=from_ms(created),
        updated=from_ms(updated),
        source=_provenance(source),
        audience=read_audience(audience),
        tags=tuple(tags),
        status=STATUSES[status],
        confidence=confidence,
        pinned=pinned,
        label=label,
        happened=optional_time(happened),
        expires=optional_time(expires),
        supersedes=supersedes,
        superseded_by=superseded_by,
        hits=hits,
        version=version,
        key=key,
    )


def _provenance(columns: Sequence[Any]) -> Provenance:
    origin, actor, platform, guild, channel, channel_name, thread, message, evidence, *others = columns
    trace, metadata, audience = others
    return Provenance(
        origin=ORIGINS[origin],
        actor=actor,
        platform=platform,
        guild=guild,
        channel=channel,
        channel_name=channel_name,
        thread=thread,
        message=message,
        evidence=evidence,
        trace=trace,
        metadata=json.loads(metadata) if metadata else {},
        heard=None if audience is None else read_audience(audience),
    )
