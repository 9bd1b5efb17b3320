"""The append-only log of what changed, by whom, why.

Ids are given out in the order of writing, not of commits. A follower of the log goes by transactions, and sees none
while an earlier one may still be open: so nothing can appear before what it has seen.
"""

import json
from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any, LiteralString

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event, parse_kind
from recollect.core.reasons import decode_reason, encode_reason
from recollect.stores.postgres.database import Database, Row
from recollect.stores.postgres.rows import make_scope, scope_id

_EPOCH = date(1970, 1, 1)
_DAY = 86_400_000
_SELECT: LiteralString = (
    "SELECT events.id, kind, at, actor, coalesce(name, ''), memo, reason, data "
    "FROM events LEFT JOIN scopes ON scopes.id = events.scope"
)
_COMMITTED_BEFORE_ALL: LiteralString = "transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
COUNTING: LiteralString = (
    "INSERT INTO event_days (kind, day, shard, count, last) SELECT kind, day, %(shard)s, count, last "
    "FROM unnest(%(kinds)s::text[], %(days)s::int[], %(counts)s::bigint[], %(lasts)s::bigint[]) "
    "AS noted (kind, day, count, last) ON CONFLICT (kind, day, shard) DO UPDATE "
    "SET count = event_days.count + excluded.count, last = greatest(event_days.last, excluded.last)"
)


class PostgresEvents:
    """Counts are written at the end of the transaction, so that no one waits for them for long."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._counted: dict[tuple[str, int], tuple[int, int]] = {}

    def add(self, event: Event) -> int:
        at = to_ms(event.at)
        count, last = self._counted.get((event.kind, at // _DAY), (0, at))
        self._counted[event.kind, at // _DAY] = count + 1, max(last, at)
        return self._db.value(
            "INSERT INTO events (kind, at, actor, scope, memo, reason, data) VALUES (%s, %s, %s, %s, %s, %s, %s) "
            "RETURNING id",
            (
                event.kind,
                at,
                event.actor,
                make_scope(self._db, event.scope) if event.scope else None,
                event.memo,
                encode_reason(event.reason, event.detail),
                _encode(event.data) if event.data else None,
            ),
        )

    def counted(self) -> dict[str, list[Any]]:
        """What is still to be written of the counts, as `COUNTING` takes it; nothing is left then.

        Always in the same order, so that two transactions don't deadlock.
        """
        rows = [(*day, *count) for day, count in sorted(self._counted.items())]
        self._counted.clear()
        columns = zip(*rows, strict=True)
        return dict(zip(("kinds", "days", "counts", "lasts"), map(list, columns), strict=False))

    def _flush(self) -> None:
        counted = self.counted()
        if counted:
            self._db.run(COUNTING, {"shard": self._db.shard} | counted)

    def counts(self) -> dict[str, tuple[int, datetime]]:
        self._flush()
        rows = self._db.rows("SELECT kind, sum(count)::bigint, max(last) FROM event_days GROUP BY kind ORDER BY kind")
        return {kind: (count, from_ms(last)) for kind, count, last in rows}

    def days(self, since: date) -> dict[date, dict[str, int]]:
        self._flush()
        rows = self._db.rows(
            "SELECT day, kind, sum(count)::bigint FROM event_days WHERE day >= %s GROUP BY 1, 2 ORDER BY 1, 2",
            ((since - _EPOCH).days,),
        )
        counts: dict[date, dict[str, int]] = {}
        for day, kind, count in rows:
            counts.setdefault(_EPOCH + timedelta(days=day), {})[kind] = count
        return counts

    def after(self, event_id: int, limit: int) -> list[Event]:
        """Those of transactions that are over, in an order that no later commit can change."""
        seen = self._db.row("SELECT transaction, id FROM events WHERE id = %s", (event_id,))
        rows = self._db.rows(
            f"{_SELECT} WHERE (transaction, events.id) > (%s, %s) AND {_COMMITTED_BEFORE_ALL} "
            "ORDER BY transaction, events.id LIMIT %s",
            (*(seen or (-(1 << 63), event_id)), limit),
        )
        return [_event(row) for row in rows]

    def list(
        self,
        scope: str | None = None,
        memo: str | None = None,
        limit: int = 100,
        before: int | None = None,
        kinds: Collection[str] = (),
    ) -> list[Event]:
        conditions: dict[LiteralString, object] = {"events.id < %s": (1 << 62) if before is None else before}
        if scope is not None:
            conditions["scope = %s"] = scope_id(self._db, scope) or -1
        if memo is not None:
            conditions["memo = %s"] = memo
        if len(kinds) == 1:  # of one kind the index has them in order
            conditions["kind = %s"] = next(iter(kinds))
        elif kinds:
            conditions["kind = ANY(%s)"] = list(kinds)
        sql: LiteralString = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY events.id DESC LIMIT %s"
        return [_event(row) for row in self._db.rows(sql, (*conditions.values(), limit))]

    def redact(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        rows = self._db.rows(
            "SELECT id, memo, reason, data FROM events WHERE id = ANY(%s) ORDER BY id FOR UPDATE", (list(events),)
        )
        scrubbed = 0
        for event, memo, reason, data in rows:
            fields: dict[str, Any] = json.loads(data) if data else {}
            retained = {name: value for name, value in fields.items() if name in keep}
            if memo is not None or reason or retained != fields:
                self._db.run(
                    "UPDATE events SET memo = NULL, reason = '', data = %s WHERE id = %s",
                    (_encode(retained) if retained else None, event),
                )
                scrubbed += 1
        return scrubbed


_COUNTS_PER_DAY: LiteralString = (
    "SELECT kind, floor(at / 86400000.0)::int AS day, count(*)::bigint AS count, max(at) AS last "
    "FROM events GROUP BY 1, 2"
)
_STORED_COUNTS: LiteralString = (
    "SELECT kind, day, sum(count)::bigint AS count, max(last) AS last FROM event_days GROUP BY 1, 2"
)


def miscounted(db: Database) -> bool:
    return bool(
        db.value(
            f"SELECT count(*) FROM ({_COUNTS_PER_DAY}) AS a FULL JOIN ({_STORED_COUNTS}) AS b "
            "USING (kind, day, count, last) WHERE a.kind IS NULL OR b.kind IS NULL"
        )
    )


def recount(db: Database) -> None:
    """No one may write meanwhile: what is committed during the count would be lost to it."""
    db.run("LOCK TABLE events, event_days IN SHARE ROW EXCLUSIVE MODE")
    db.run("DELETE FROM event_days")
    db.run(
        "INSERT INTO event_days (kind, day, shard, count, last) "
        f"SELECT kind, day, 0, count, last FROM ({_COUNTS_PER_DAY}) AS counted"
    )


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


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
