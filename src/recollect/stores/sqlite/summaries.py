"""Rolling summaries and short-term exchanges."""

from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Exchange, Summary
from recollect.stores.sqlite.database import Database, Row
from recollect.stores.sqlite.rows import optional_ms, optional_time


class SQLiteSummaries:
    """Every summary is a row; the highest sequence counts, and an empty one says that it was cleared."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, session: str) -> Summary | None:
        row = self._db.row(
            "SELECT session, text, sequence, updated, through FROM summaries WHERE session = ? "
            "ORDER BY sequence DESC LIMIT 1",
            (session,),
        )
        return None if row is None or row[1] is None else _summary(row)

    def sequence(self, session: str) -> int:
        return self._db.value("SELECT coalesce(max(sequence), 0) FROM summaries WHERE session = ?", (session,))

    def save(self, summary: Summary) -> bool:
        if summary.sequence <= self.sequence(summary.session):
            return False
        self._db.run(
            "INSERT INTO summaries (session, sequence, text, updated, through) VALUES (?, ?, ?, ?, ?)",
            (
                summary.session,
                summary.sequence,
                clean(summary.text),
                to_ms(summary.updated),
                optional_ms(summary.through),
            ),
        )
        return True

    def clear(self, session: str, at: datetime) -> bool:
        had_summary = self.get(session) is not None
        sequence = self._unused_sequence(session)
        self._db.run("DELETE FROM summaries WHERE session = ?", (session,))
        self._leave_empty(session, sequence, at)
        return had_summary

    def remove(self, session: str) -> None:
        self._db.run("DELETE FROM summaries WHERE session = ?", (session,))

    def rewind(self, session: str, before: datetime, at: datetime) -> bool:
        """What remains is renumbered even when nothing is dropped: work in flight may cover that time."""
        sequence = self._unused_sequence(session)
        self._db.run(
            "DELETE FROM summaries WHERE session = ? AND text IS NOT NULL AND coalesce(through, updated) >= ?",
            (session, to_ms(before)),
        )
        dropped = self._db.changes() > 0
        self._db.run("DELETE FROM summaries WHERE session = ? AND text IS NULL", (session,))
        self._db.run(
            "UPDATE summaries SET sequence = ?2 WHERE session = ?1 "
            "AND sequence = (SELECT max(sequence) FROM summaries WHERE session = ?1)",
            (session, sequence),
        )
        if not self._db.changes():
            self._leave_empty(session, sequence, at)
        return dropped

    def _unused_sequence(self, session: str) -> int:
        """One past the number that work in flight may have taken."""
        return self.sequence(session) + 2

    def _leave_empty(self, session: str, sequence: int, at: datetime) -> None:
        self._db.run(
            "INSERT INTO summaries (session, sequence, text, updated) VALUES (?, ?, NULL, ?)",
            (session, sequence, to_ms(at)),
        )

    def sessions(self) -> list[str]:
        return [name for (name,) in self._db.rows("SELECT DISTINCT session FROM summaries ORDER BY session")]

    def history(self, session: str, limit: int = 20) -> list[Summary]:
        rows = self._db.rows(
            "SELECT session, text, sequence, updated, through FROM summaries "
            "WHERE session = ? AND text IS NOT NULL ORDER BY sequence DESC LIMIT ?",
            (session, limit),
        )
        return [_summary(row) for row in rows]


def _summary(row: tuple[str, str, int, int, int | None]) -> Summary:
    return Summary(row[0], row[1], row[2], from_ms(row[3]), optional_time(row[4]))


_EXCHANGE = "SELECT id, guild, channel, channel_name, author, text, at, expires FROM exchanges"


def _exchange(row: Row) -> Exchange:
    return Exchange(*row[:6], at=from_ms(row[6]), expires=from_ms(row[7]))


class SQLiteExchanges:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, exchange: Exchange) -> bool:
        self._db.run(
            "INSERT OR IGNORE INTO exchanges VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                exchange.guild,
                exchange.id,
                exchange.channel,
                exchange.channel_name,
                exchange.author,
                clean(exchange.text),
                to_ms(exchange.at),
                to_ms(exchange.expires),
            ),
        )
        return self._db.changes() > 0

    def recent(self, guild: str, now: datetime, limit: int) -> list[Exchange]:
        rows = self._db.rows(
            f"{_EXCHANGE} WHERE guild = ? AND expires > ? ORDER BY at DESC, id DESC LIMIT ?",
            (guild, to_ms(now), limit),
        )
        return [_exchange(row) for row in rows]

    def asked_by(self, author: str | None = None, guild: str | None = None) -> list[Exchange]:
        rows = self._db.rows(
            f"{_EXCHANGE} WHERE (?1 IS NULL OR author = ?1) AND (?2 IS NULL OR guild = ?2) "
            "AND (?1 IS NOT NULL OR ?2 IS NOT NULL) ORDER BY at, guild, id",
            (author, guild),
        )
        return [_exchange(row) for row in rows]

    def guilds(self) -> list[str]:
        return [guild for (guild,) in self._db.rows("SELECT DISTINCT guild FROM exchanges ORDER BY guild")]

    def remove(self, exchange: Exchange) -> bool:
        self._db.run("DELETE FROM exchanges WHERE guild = ? AND id = ?", (exchange.guild, exchange.id))
        return self._db.changes() > 0

    def prune(self, guild: str, now: datetime, keep: int) -> int:
        self._db.run(
            "DELETE FROM exchanges WHERE guild = ?1 AND (expires <= ?2 OR (at, id) NOT IN "
            "(SELECT at, id FROM exchanges WHERE guild = ?1 AND expires > ?2 ORDER BY at DESC, id DESC LIMIT ?3))",
            (guild, to_ms(now), keep),
        )
        return self._db.changes()

    def remove_quoting(self, guild: str, message_id: str) -> int:
        self._db.run(
            "DELETE FROM exchanges WHERE guild = ?1 AND (substr(id, 1, length(?2) + 1) = ?2 || '/' "
            "OR substr(id, -length(?2) - 1) = '/' || ?2)",
            (guild, message_id),
        )
        return self._db.changes()
