"""The append-only log of what changed, by whom, why."""

import json
from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event, parse_kind
from recollect.core.reasons import decode_reason, encode_reason
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import make_scope, scope_id, to_json

_SELECT = (
    "SELECT events.id, kind, at, actor, coalesce(name, ''), memo, reason, data "
    "FROM events LEFT JOIN scopes ON scopes.id = events.scope"
)
_EPOCH = date(1970, 1, 1)


class SQLiteEvents:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, event: Event) -> int:
        scope = make_scope(self._db, event.scope) if event.scope else None
        data = to_json(event.data) if event.data else None
        self._db.run(
            "INSERT INTO event_days VALUES (?1, ?2 / 86400000, 1, ?2) ON CONFLICT (kind, day) DO UPDATE "
            "SET count = count + 1, last = max(last, excluded.last)",
            (event.kind, to_ms(event.at)),
        )
        self._db.run(
            "INSERT INTO events (kind, at, actor, scope, memo, reason, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                event.kind,
                to_ms(event.at),
                event.actor,
                scope,
                event.memo,
                encode_reason(event.reason, event.detail),
                data,
            ),
        )
        return self._db.last_insert_rowid()

    def counts(self) -> dict[str, tuple[int, datetime]]:
        rows = self._db.rows("SELECT kind, sum(count), max(last) FROM event_days GROUP BY kind ORDER BY kind")
        return {kind: (count, from_ms(last)) for kind, count, last in rows}

    def after(self, event_id: int, limit: int) -> list[Event]:
        rows = self._db.rows(f"{_SELECT} WHERE events.id > ? ORDER BY events.id LIMIT ?", (event_id, limit))
        return [_event(row) for row in rows]

    def list(
        self,
        scope: str | None = None,
        memo: str | None = None,
        limit: int = 100,
        before: int | None = None,
        kinds: Collection[str] = (),
    ) -> list[Event]:
        conditions: dict[str, object] = {"events.id < ?": (1 << 62) if before is None else before}
        if scope is not None:
            conditions["scope = ?"] = scope_id(self._db, scope) or -1
        if memo is not None:
            conditions["memo = ?"] = memo
        if len(kinds) == 1:  # of one kind the index has them in order
            conditions["kind = ?"] = next(iter(kinds))
        elif kinds:
            conditions["kind IN (SELECT value FROM json_each(?))"] = json.dumps(list(kinds))
        sql = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY events.id DESC LIMIT ?"
        return [_event(row) for row in self._db.rows(sql, (*conditions.values(), limit))]

    def days(self, since: date) -> dict[date, dict[str, int]]:
        first = (since - _EPOCH).days
        counts: dict[date, dict[str, int]] = {}
        rows = self._db.rows("SELECT day, kind, count FROM event_days WHERE day >= ? ORDER BY day, kind", (first,))
        for day, kind, count in rows:
            counts.setdefault(_EPOCH + timedelta(days=day), {})[kind] = count
        return counts

    def redact(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        rows = self._db.rows(
            "SELECT id, memo, reason, data FROM events WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(events)),),
        )
        scrubbed = 0
        for event, memo, reason, data in rows:
            fields: dict[str, Any] = json.loads(data) if data else {}
            retained = {name: value for name, value in fields.items() if name in keep}
            if memo is not None or reason or retained != fields:
                self._db.run(
                    "UPDATE events SET memo = NULL, reason = '', data = ? WHERE id = ?",
                    (to_json(retained) if retained else None, event),
                )
                scrubbed += 1
        return scrubbed


_COUNTS_PER_DAY = "SELECT kind, at / 86400000, count(*), max(at) FROM events GROUP BY 1, 2"


def miscounted(db: Database) -> bool:
    return db.rows(f"{_COUNTS_PER_DAY} ORDER BY 1, 2") != db.rows(
        "SELECT kind, day, count, last FROM event_days ORDER BY 1, 2"
    )


def recount(db: Database) -> None:
    db.run("DELETE FROM event_days")
    db.run(f"INSERT INTO event_days {_COUNTS_PER_DAY}")


def _event(row: Row) -> Event:
    reason, detail = decode_reason(row[6])
    return Event(
        id=row[0],
        kind=parse_kind(row[1]),
        at=from_ms(row[2]),
        actor=row[3],
        scope=row[4],
        memo=row[5],
        reason=reason,
        detail=detail,
        data=json.loads(row[7]) if row[7] else {},
    )
