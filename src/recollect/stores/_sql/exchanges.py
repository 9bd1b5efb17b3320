"""Short-term exchanges of a guild."""

from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean
from recollect.core.types import Exchange
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.rows import read_audience

_INSERT = """
INSERT INTO exchanges (guild, id, channel, channel_name, author, text, at, expires, audience)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
"""
_RECENT = """
SELECT id, guild, channel, channel_name, author, text, at, expires, audience FROM exchanges
WHERE guild = $1 AND expires > $2 AND (CAST($3 AS text) IS NULL OR author = $3)
AND (CAST($4 AS text) IS NULL OR channel <> $4) ORDER BY at DESC, id DESC LIMIT $5
"""
_ASKED_BY = """
SELECT id, guild, channel, channel_name, author, text, at, expires, audience FROM exchanges
WHERE (CAST($1 AS text) IS NULL OR author = $1) AND (CAST($2 AS text) IS NULL OR guild = $2) ORDER BY at, guild, id
"""
# What has expired, and of the rest, or of one author's, all but the newest.
_PRUNE = """
DELETE FROM exchanges WHERE guild = $1 AND (expires <= $2 OR (CAST($3 AS text) IS NULL OR author = $3) AND
    (at, id) NOT IN (SELECT at, id FROM exchanges
        WHERE guild = $1 AND expires > $2 AND (CAST($3 AS text) IS NULL OR author = $3)
        ORDER BY at DESC, id DESC LIMIT $4))
"""
# An id is made of the ids of its two messages: `question/answer`.
_DELETE_QUOTING = """
DELETE FROM exchanges WHERE guild = $1
AND (substr(id, 1, length($2)) = $2 OR substr(id, length(id) - length($3) + 1) = $3)
"""


class Exchanges:
    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, exchange: Exchange) -> bool:
        place = exchange.guild, exchange.id, exchange.channel, exchange.channel_name
        content = exchange.author, clean(exchange.text), to_ms(exchange.at), to_ms(exchange.expires)
        audience = None if exchange.audience is None else str(exchange.audience)
        return self._db.run(_INSERT, (*place, *content, audience)) > 0

    def recent(
        self, guild: str, now: datetime, limit: int, author: str | None = None, besides: str | None = None
    ) -> list[Exchange]:
        return [_exchange(row) for row in self._db.rows(_RECENT, (guild, to_ms(now), author, besides, limit))]

    def by_author(self, author: str | None = None, guild: str | None = None) -> list[Exchange]:
        if author is None and guild is None:
            return []
        return [_exchange(row) for row in self._db.rows(_ASKED_BY, (author, guild))]

    def guilds(self) -> list[str]:
        return [guild for (guild,) in self._db.rows("SELECT DISTINCT guild FROM exchanges ORDER BY guild")]

    def remove(self, exchange: Exchange) -> bool:
        return self._db.run("DELETE FROM exchanges WHERE guild = $1 AND id = $2", (exchange.guild, exchange.id)) > 0

    def prune(self, guild: str, now: datetime, keep: int, author: str | None = None) -> int:
        return self._db.run(_PRUNE, (guild, to_ms(now), author, keep))

    def remove_quoting(self, guild: str, message_id: str) -> int:
        return self._db.run(_DELETE_QUOTING, (guild, f"{message_id}/", f"/{message_id}"))


def _exchange(row: Row) -> Exchange:
    audience = None if row[8] is None else read_audience(row[8])
    return Exchange(*row[:6], at=from_ms(row[6]), expires=from_ms(row[7]), audience=audience)
