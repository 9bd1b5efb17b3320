"""Rolling summaries."""

from collections.abc import Callable
from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Summary
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.messages import prefix_range
from recollect.stores._sql.rows import optional_ms, optional_time, read_audience

_LATEST = """
SELECT session, text, sequence, updated, through, audience FROM summaries WHERE session = $1
ORDER BY sequence DESC LIMIT 1
"""
_HISTORY = """
SELECT session, text, sequence, updated, through, audience FROM summaries WHERE session = $1 AND text IS NOT NULL
ORDER BY sequence DESC LIMIT $2
"""
_INSERT = "INSERT INTO summaries (session, sequence, text, updated, through, audience) VALUES ($1, $2, $3, $4, $5, $6)"
_DELETE_SINCE = "DELETE FROM summaries WHERE session = $1 AND text IS NOT NULL AND coalesce(through, updated) >= $2"
_RENUMBER_LATEST = """
UPDATE summaries SET sequence = $1 WHERE session = $2
AND sequence = (SELECT max(sequence) FROM summaries WHERE session = $2)
"""
_BETWEEN = """
SELECT session, text, sequence, updated, through, audience FROM summaries
WHERE session >= $1 AND session < $2 AND updated >= $3 AND text IS NOT NULL ORDER BY session, sequence
"""
_REPLACE_TEXT = "UPDATE summaries SET text = $1 WHERE session = $2 AND sequence = $3"


class Summaries:
    """Every summary is a row; the highest sequence counts, and an empty one says that it was cleared."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, session: str) -> Summary | None:
        self._lock(session)
        row = self._db.row(_LATEST, (session,))
        return None if row is None or row[1] is None else _summary(row)

    def sequence(self, session: str) -> int:
        self._lock(session)
        return self._db.value("SELECT coalesce(max(sequence), 0) FROM summaries WHERE session = $1", (session,))

    def save(self, summary: Summary) -> bool:
        # Made from an older summary than the present one: it would bring back what was cleared meanwhile.
        if summary.sequence <= self.sequence(summary.session):
            return False
        times = to_ms(summary.updated), optional_ms(summary.through)
        audience = None if summary.audience is None else str(summary.audience)
        self._db.run(_INSERT, (summary.session, summary.sequence, clean(summary.text), *times, audience))
        return True

    def clear(self, session: str, at: datetime) -> bool:
        had_summary = self.get(session) is not None
        sequence = self._unused_sequence(session)
        self.remove(session)
        self._leave_empty(session, sequence, at)
        return had_summary

    def remove(self, session: str) -> None:
        self._lock(session)
        self._db.run("DELETE FROM summaries WHERE session = $1", (session,))

    def rewind(self, session: str, before: datetime, at: datetime) -> bool:
        """The remaining ones are renumbered even if none is dropped: work in flight may cover that time."""
        sequence = self._unused_sequence(session)
        dropped = self._db.run(_DELETE_SINCE, (session, to_ms(before)))
        self._db.run("DELETE FROM summaries WHERE session = $1 AND text IS NULL", (session,))
        # Nothing remains to carry the new number, so an empty row does.
        if not self._db.run(_RENUMBER_LATEST, (sequence, session)):
            self._leave_empty(session, sequence, at)
        return dropped > 0

    def rewrite(self, prefix: str, since: datetime, change: Callable[[Summary], str]) -> list[str]:
        changed: dict[str, None] = {}
        between = *prefix_range(prefix), to_ms(since)
        # A summary that is being saved may repeat what this changes in its predecessor.
        self._db.lock(*(f"summary:{row[0]}" for row in self._db.rows(_BETWEEN, between)))
        for row in self._db.rows(_BETWEEN, between):
            summary = _summary(row)
            text = change(summary)
            if text != summary.text:
                changed[summary.session] = None
                self._db.run(_REPLACE_TEXT, (text.strip() or None, summary.session, summary.sequence))
        for session in changed:
            self._db.run(_RENUMBER_LATEST, (self._unused_sequence(session), session))
        return list(changed)

    def _unused_sequence(self, session: str) -> int:
        """One past the number that work in flight may have taken."""
        return self.sequence(session) + 2

    def _leave_empty(self, session: str, sequence: int, at: datetime) -> None:
        self._db.run(_INSERT, (session, sequence, None, to_ms(at), None, None))

    def sessions(self) -> list[str]:
        return [name for (name,) in self._db.rows("SELECT DISTINCT session FROM summaries ORDER BY session")]

    def history(self, session: str, limit: int = 20) -> list[Summary]:
        self._lock(session)
        return [_summary(row) for row in self._db.rows(_HISTORY, (session, limit))]

    def _lock(self, session: str) -> None:
        """Lock the session: a transaction that reads a summary in order to write must read the latest one."""
        self._db.lock(f"summary:{session}")


def _summary(row: Row) -> Summary:
    audience = None if row[5] is None else read_audience(row[5])
    return Summary(row[0], row[1], row[2], from_ms(row[3]), optional_time(row[4]), audience)
