"""The log in PostgreSQL, with its counts per day.

Ids are given out in the order of writing, not of commits. A follower of the log goes by transactions, and sees none
while an earlier one may still be open: so nothing can appear before what it has seen.
"""

import math
from typing import Any, LiteralString

from recollect.core.events import Event
from recollect.stores._sql.events import INSERT, SELECT, Events, event_row, read_event
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.rows import make_scope, scope_id

_INSERT: LiteralString = f"{INSERT} RETURNING id"
_AFTER: LiteralString = f"""
{SELECT} WHERE (transaction, events.id) > ($1, $2)
AND transaction < pg_snapshot_xmin(pg_current_snapshot())::text::bigint ORDER BY transaction, events.id LIMIT $3
"""
COUNTING: LiteralString = (
    "INSERT INTO event_days (kind, day, shard, count, last) SELECT kind, day, %(shard)s, count, last "
    "FROM unnest(%(kinds)s::text[], %(days)s::int[], %(counts)s::bigint[], %(lasts)s::bigint[]) "
    "AS noted (kind, day, count, last) ON CONFLICT (kind, day, shard) DO UPDATE "
    "SET count = event_days.count + excluded.count, last = greatest(event_days.last, excluded.last)"
)
_PER_DAY: LiteralString = (
    "SELECT kind, floor(at / 86400000.0)::int AS day, count(*)::bigint AS count, max(at) AS last "
    "FROM events GROUP BY 1, 2"
)


class PostgresEvents(Events[Database]):
    """Counts are written at the end of the transaction, so that no one waits for them for long."""

    locked: LiteralString = "ORDER BY id FOR UPDATE"
    per_day: LiteralString = _PER_DAY
    stored_per_day: LiteralString = (
        "SELECT kind, day, sum(count)::bigint AS count, max(last) AS last FROM event_days GROUP BY 1, 2"
    )
    put_per_day: LiteralString = (
        "INSERT INTO event_days (kind, day, shard, count, last) "
        f"SELECT kind, day, 0, count, last FROM ({_PER_DAY}) AS counted"
    )
    whole_days = staticmethod(math.floor)

    def _insert(self, event: Event) -> int:
        scope = make_scope(self._db, event.scope) if event.scope else None
        return self._db.value(_INSERT, event_row(event, scope))

    def counted(self) -> dict[str, list[Any]]:
        """The pending counts in the form of `COUNTING`; clears them.

        Always in the same order, so that two transactions don't deadlock.
        """
        rows = [(*day, *count) for day, count in sorted(self._counted.items())]
        self._counted.clear()
        columns = zip(*rows, strict=True)
        return dict(zip(("kinds", "days", "counts", "lasts"), map(list, columns), strict=False))

    def _lock_counts(self) -> None:
        self._db.run("LOCK TABLE events, event_days IN SHARE ROW EXCLUSIVE MODE")

    def flush(self) -> None:
        counted = self.counted()
        if counted:
            self._db.run(COUNTING, {"shard": self._db.shard} | counted)

    def after(self, event_id: int, limit: int) -> list[Event]:
        """Events of completed transactions, in an order that no later commit can change."""
        seen = self._db.row("SELECT transaction, id FROM events WHERE id = %s", (event_id,))
        rows = self._db.rows(_AFTER, (*(seen or (-(1 << 63), event_id)), limit))
        return [read_event(row) for row in rows]

    def _scope(self, name: str) -> int | None:
        return scope_id(self._db, name)
