"""The log in SQLite, with its counts per day."""

import math
from typing import LiteralString

from recollect.core.events import Event
from recollect.stores._sql.events import INSERT, SELECT, Events, event_row, read_event
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import make_scope, scope_id

_AFTER = f"{SELECT} WHERE events.id > $1 ORDER BY events.id LIMIT $2"
_COUNT: LiteralString = """
INSERT INTO event_days VALUES ($1, $2, $3, $4)
ON CONFLICT (kind, day) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)
"""
_PER_DAY: LiteralString = (
    "SELECT kind, at / 86400000 AS day, count(*) AS count, max(at) AS last FROM events GROUP BY 1, 2"
)


class SQLiteEvents(Events[Database]):
    locked: LiteralString = ""
    per_day: LiteralString = _PER_DAY
    stored_per_day: LiteralString = "SELECT kind, day, count, last FROM event_days"
    put_per_day: LiteralString = f"INSERT INTO event_days {_PER_DAY}"
    count_up: LiteralString = _COUNT
    whole_days = staticmethod(math.trunc)

    def _insert(self, event: Event) -> int:
        scope = make_scope(self._db, event.scope) if event.scope else None
        self._db.run(INSERT, event_row(event, scope))
        return self._db.last_insert_rowid()

    def after(self, event_id: int, limit: int) -> list[Event]:
        return [read_event(row) for row in self._db.rows(_AFTER, (event_id, limit))]

    def _scope(self, name: str) -> int | None:
        return scope_id(self._db, name)
