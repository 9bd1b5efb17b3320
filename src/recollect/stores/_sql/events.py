"""The append-only log of what changed, by whom, why."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta
from typing import Any, Generic, LiteralString, TypeVar

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event, parse_kind
from recollect.core.reasons import decode_reason, encode_reason
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.rows import encode

D = TypeVar("D", bound=Database)

SELECT = (
    "SELECT events.id, kind, at, actor, coalesce(name, ''), memo, reason, data "
    "FROM events LEFT JOIN scopes ON scopes.id = events.scope"
)
INSERT = "INSERT INTO events (kind, at, actor, scope, memo, reason, data) VALUES ($1, $2, $3, $4, $5, $6, $7)"
_COUNTS = "SELECT kind, CAST(sum(count) AS bigint), max(last) FROM event_days GROUP BY kind ORDER BY kind"
_DAYS = "SELECT day, kind, CAST(sum(count) AS bigint) FROM event_days WHERE day >= $1 GROUP BY 1, 2 ORDER BY 1, 2"
_REDACT = "UPDATE events SET memo = NULL, reason = '', data = $1 WHERE id = $2"
_PLACEHOLDERS: tuple[LiteralString, ...] = ("$1", "$2", "$3", "$4", "$5")
_EPOCH = date(1970, 1, 1)
_DAY_MS = 86_400_000


class Events(ABC, Generic[D]):
    locked: LiteralString
    """The clause that locks rows which are read to be changed."""
    per_day: LiteralString
    """Kind, day, count and last time of the events of each day."""
    stored_per_day: LiteralString
    """The stored counts in the same form."""
    put_per_day: LiteralString
    """Store what `per_day` yields."""
    count_up: LiteralString
    """Add to the counts: kind, day, how many there are more, and when the last one was."""
    whole_days: Callable[[float], int]
    """How `per_day` rounds."""

    def __init__(self, db: D) -> None:
        self._db = db
        self._counted: dict[tuple[str, int], tuple[int, int]] = {}
        """What this transaction adds to the counts: for a kind and day how many, and when the last one was."""

    @abstractmethod
    def _insert(self, event: Event) -> int: ...
    @abstractmethod
    def after(self, event_id: int, limit: int) -> list[Event]: ...
    @abstractmethod
    def _scope(self, name: str) -> int | None:
        """The id of a scope, if it exists."""
        ...

    def add(self, event: Event) -> int:
        number, at = self._insert(event), to_ms(event.at)
        count, last = self._counted.get(day := (event.kind, self.whole_days(at / _DAY_MS)), (0, at))
        # Written at the end: one row per kind and day, which every writing transaction would otherwise hold locked.
        self._counted[day] = count + 1, max(last, at)
        return number

    def flush(self) -> None:
        """Write what was counted but held back until the end of the transaction."""
        if self._counted:
            self._db.many(self.count_up, [(*day, *count) for day, count in self._counted.items()])
            self._counted.clear()

    def discard(self) -> None:
        """Drop it: the transaction is undone."""
        self._counted.clear()

    def counts(self) -> dict[str, tuple[int, datetime]]:
        self.flush()
        return {kind: (count, from_ms(last)) for kind, count, last in self._db.rows(_COUNTS)}

    def days(self, since: date) -> dict[date, dict[str, int]]:
        self.flush()
        counts: dict[date, dict[str, int]] = {}
        for day, kind, count in self._db.rows(_DAYS, ((since - _EPOCH).days,)):
            counts.setdefault(_EPOCH + timedelta(days=day), {})[kind] = count
        return counts

    def miscounted(self) -> bool:
        sql: LiteralString = f"""
        SELECT count(*) FROM ({self.per_day}) AS a FULL JOIN ({self.stored_per_day}) AS b
        USING (kind, day, count, last) WHERE a.kind IS NULL OR b.kind IS NULL
        """
        return bool(self._db.value(sql))

    def _lock_counts(self) -> None:
        """Lock out writers: events that are committed during the count would be missed."""

    def recount(self) -> None:
        self.discard()  # what is held back is among the events already
        self._lock_counts()
        self._db.run("DELETE FROM event_days")
        self._db.run(self.put_per_day)

    def list(
        self,
        scope: str | None = None,
        memo: str | None = None,
        limit: int = 100,
        before: int | None = None,
        kinds: Collection[str] = (),
    ) -> list[Event]:
        conditions: list[LiteralString] = []
        values: list[object] = []
        if len(kinds) == 1:  # the index has the events of one kind in order
            conditions.append("kind = $1")
            values.append(next(iter(kinds)))
        elif kinds:
            conditions.append(f"kind {self._db.among}")
            values.append(self._db.array(kinds))
        scope_id = None if scope is None else self._scope(scope) or -1
        more: tuple[tuple[LiteralString, object], ...] = (
            ("events.id < ", before),
            ("scope = ", scope_id),
            ("memo = ", memo),
        )
        for condition, value in more:
            if value is not None:
                conditions.append(condition + _PLACEHOLDERS[len(values)])
                values.append(value)
        where = " AND ".join(conditions) if conditions else "true"
        sql: LiteralString = f"{SELECT} WHERE {where} ORDER BY events.id DESC LIMIT {_PLACEHOLDERS[len(values)]}"
        return [read_event(row) for row in self._db.rows(sql, (*values, limit))]

    def redact(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        sql: LiteralString = f"SELECT id, memo, reason, data FROM events WHERE id {self._db.among} {self.locked}"
        redacted = 0
        for event, memo, reason, data in self._db.rows(sql, (self._db.array(events),)):
            fields: dict[str, Any] = json.loads(data) if data else {}
            retained = {name: value for name, value in fields.items() if name in keep}
            if memo is not None or reason or retained != fields:
                redacted += self._db.run(_REDACT, (encode(retained) if retained else None, event))
        return redacted


def event_row(event: Event, scope: int | None) -> Row:
    data = encode(event.data) if event.data else None
    reason = encode_reason(event.reason, event.detail)
    return event.kind, to_ms(event.at), event.actor, scope, event.memo, reason, data


def read_event(row: Row) -> Event:
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
