"""The append-only log of what changed, by whom, why."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from recollect.clock import from_ms, to_ms
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import make_scope, scope_id, to_json
from recollect.types import Event

_SELECT = (
    "SELECT events.id, kind, at, actor, coalesce(name, ''), memo, reason, data "
    "FROM events LEFT JOIN scopes ON scopes.id = events.scope"
)


class SQLiteEvents:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, event: Event) -> int:
        scope = make_scope(self._db, event.scope) if event.scope else None
        data = to_json(event.data) if event.data else None
        self._db.run(
            "INSERT INTO event_counts VALUES (?, 1, ?) ON CONFLICT (kind) DO UPDATE "
            "SET count = count + 1, last = max(last, excluded.last)",
            (event.kind, to_ms(event.at)),
        )
        return self._db.value(
            "INSERT INTO events (kind, at, actor, scope, memo, reason, data) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (event.kind, to_ms(event.at), event.actor, scope, event.memo, event.reason, data),
        )

    def counts(self) -> dict[str, tuple[int, datetime]]:
        rows = self._db.rows("SELECT kind, count, last FROM event_counts ORDER BY kind")
        return {kind: (count, from_ms(last)) for kind, count, last in rows}

    def after(self, event_id: int, limit: int) -> list[Event]:
        rows = self._db.rows(f"{_SELECT} WHERE events.id > ? ORDER BY events.id LIMIT ?", (event_id, limit))
        return [_event(row) for row in rows]

    def list(
        self, scope: str | None = None, memo: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[Event]:
        where, values = ["events.id < ?"], [(1 << 62) if before is None else before]
        if scope is not None:
            where.append("scope = ?")
            values.append(scope_id(self._db, scope) or -1)
        sql = f"{_SELECT} WHERE {' AND '.join(where)} {'' if memo is None else 'AND memo = ?'}"
        rest = [] if memo is None else [memo]
        rows = self._db.rows(f"{sql} ORDER BY events.id DESC LIMIT ?", (*values, *rest, limit))
        return [_event(row) for row in rows]

    def scrub(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        rows = self._db.rows(
            "SELECT id, memo, reason, data FROM events WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(events)),),
        )
        scrubbed = 0
        for event, memo, reason, data in rows:
            found: dict[str, Any] = json.loads(data) if data else {}
            kept = {name: value for name, value in found.items() if name in keep}
            if memo is not None or reason or kept != found:
                self._db.run(
                    "UPDATE events SET memo = NULL, reason = '', data = ? WHERE id = ?",
                    (to_json(kept) if kept else None, event),
                )
                scrubbed += 1
        return scrubbed


_COUNTED = "SELECT kind, count(*), max(at) FROM events GROUP BY kind"


def miscounted(db: Database) -> bool:
    return db.rows(f"{_COUNTED} ORDER BY kind") != db.rows("SELECT kind, count, last FROM event_counts ORDER BY kind")


def recount(db: Database) -> None:
    db.run("DELETE FROM event_counts")
    db.run(f"INSERT INTO event_counts {_COUNTED}")


def _event(row: Row) -> Event:
    return Event(
        id=row[0],
        kind=row[1],
        at=from_ms(row[2]),
        actor=row[3],
        scope=row[4],
        memo=row[5],
        reason=row[6],
        data=json.loads(row[7]) if row[7] else {},
    )
