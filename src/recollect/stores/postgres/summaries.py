"""Rolling summaries and short-term exchanges."""

from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Exchange, Summary
from recollect.stores.postgres.database import Database, Row
from recollect.stores.postgres.rows import optional_ms


class PostgresSummaries:
    """Every summary is a row; the highest sequence counts, and an empty one says that it was cleared."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, session: str) -> Summary | None:
        self._lock(session)
        row = self._db.row(
            "SELECT session, text, sequence, updated, through FROM summaries WHERE session = %s "
            "ORDER BY sequence DESC LIMIT 1",
            (session,),
        )
        return None if row is None or row[1] is None else _summary(row)

    def sequence(self, session: str) -> int:
        self._lock(session)
        return self._db.value("SELECT coalesce(max(sequence), 0) FROM summaries WHERE session = %s", (session,))

    def save(self, summary: Summary) -> bool:
        if summary.sequence <= self.sequence(summary.session):
            return False
        self._db.run(
            "INSERT INTO summaries (session, sequence, text, updated, through) VALUES (%s, %s, %s, %s, %s)",
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
        had = self.get(session) is not None
        beyond = self._beyond(session)
        self._db.run("DELETE FROM summaries WHERE session = %s", (session,))
        self._leave_empty(session, beyond, at)
        return had

    def remove(self, session: str) -> None:
        self._lock(session)
        self._db.run("DELETE FROM summaries WHERE session = %s", (session,))

    def rewind(self, session: str, before: datetime, at: datetime) -> bool:
        """What remains is renumbered even if nothing was dropped: work in flight may cover that time."""
        beyond = self._beyond(session)
        dropped = self._db.run(
            "DELETE FROM summaries WHERE session = %s AND text IS NOT NULL AND coalesce(through, updated) >= %s",
            (session, to_ms(before)),
        )
        self._db.run("DELETE FROM summaries WHERE session = %s AND text IS NULL", (session,))
        remaining = self._db.run(
            "UPDATE summaries SET sequence = %(beyond)s WHERE session = %(session)s "
            "AND sequence = (SELECT max(sequence) FROM summaries WHERE session = %(session)s)",
            {"session": session, "beyond": beyond},
        )
        if not remaining:
            self._leave_empty(session, beyond, at)
        return dropped > 0

    def _beyond(self, session: str) -> int:
        """One past whatever work in flight may have taken as its number."""
        return self.sequence(session) + 2

    def _leave_empty(self, session: str, sequence: int, at: datetime) -> None:
        self._db.run(
            "INSERT INTO summaries (session, sequence, text, updated) VALUES (%s, %s, NULL, %s)",
            (session, sequence, to_ms(at)),
        )

    def sessions(self) -> list[str]:
        return [name for (name,) in self._db.rows("SELECT DISTINCT session FROM summaries ORDER BY session")]

    def history(self, session: str, limit: int = 20) -> list[Summary]:
        self._lock(session)
        rows = self._db.rows(
            "SELECT session, text, sequence, updated, through FROM summaries "
            "WHERE session = %s AND text IS NOT NULL ORDER BY sequence DESC LIMIT %s",
            (session, limit),
        )
        return [_summary(row) for row in rows]

    def _lock(self, session: str) -> None:
        """A transaction that reads a summary in order to write must read the latest one."""
        self._db.lock(f"summary:{session}")


def _summary(row: Row) -> Summary:
    return Summary(row[0], row[1], row[2], from_ms(row[3]), None if row[4] is None else from_ms(row[4]))


_EXCHANGE = "SELECT id, guild, channel, channel_name, author, text, at, expires FROM exchanges"


def _exchange(row: Row) -> Exchange:
    return Exchange(*row[:6], at=from_ms(row[6]), expires=from_ms(row[7]))


class PostgresExchanges:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, exchange: Exchange) -> bool:
        added = self._db.run(
            "INSERT INTO exchanges (guild, id, channel, channel_name, author, text, at, expires) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
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
        return added > 0

    def recent(self, guild: str, now: datetime, limit: int) -> list[Exchange]:
        rows = self._db.rows(
            f"{_EXCHANGE} WHERE guild = %s AND expires > %s ORDER BY at DESC, id DESC LIMIT %s",
            (guild, to_ms(now), limit),
        )
        return [_exchange(row) for row in rows]

    def asked_by(self, author: str | None = None, guild: str | None = None) -> list[Exchange]:
        if author is None and guild is None:
            return []
        rows = self._db.rows(
            f"{_EXCHANGE} WHERE (%(author)s::text IS NULL OR author = %(author)s) "
            "AND (%(guild)s::text IS NULL OR guild = %(guild)s) ORDER BY at, guild, id",
            {"author": author, "guild": guild},
        )
        return [_exchange(row) for row in rows]

    def guilds(self) -> list[str]:
        return [guild for (guild,) in self._db.rows("SELECT DISTINCT guild FROM exchanges ORDER BY guild")]

    def remove(self, exchange: Exchange) -> bool:
        removed = self._db.run("DELETE FROM exchanges WHERE guild = %s AND id = %s", (exchange.guild, exchange.id))
        return removed > 0

    def prune(self, guild: str, now: datetime, keep: int) -> int:
        return self._db.run(
            "DELETE FROM exchanges WHERE guild = %(guild)s AND (expires <= %(now)s OR (at, id) NOT IN "
            "(SELECT at, id FROM exchanges WHERE guild = %(guild)s AND expires > %(now)s "
            "ORDER BY at DESC, id DESC LIMIT %(keep)s))",
            {"guild": guild, "now": to_ms(now), "keep": keep},
        )

    def remove_quoting(self, guild: str, message_id: str) -> int:
        return self._db.run(
            "DELETE FROM exchanges WHERE guild = %s AND (starts_with(id, %s) OR right(id, length(%s)) = %s)",
            (guild, f"{message_id}/", f"/{message_id}", f"/{message_id}"),
        )
