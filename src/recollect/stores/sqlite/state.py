"""State: lists of small records, each with its owner."""

from collections.abc import Collection

from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow
from recollect.stores.sqlite.database import Database, Row

_APPEND = """
INSERT INTO state (kind, key, number, item, person, guild)
SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5 FROM state WHERE kind = ?1 AND key = ?2
ON CONFLICT DO NOTHING
"""
_OUTLASTING = ", ".join(f"'{kind}'" for kind in OUTLASTING)


class SQLiteState:
    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, kind: StateKind, key: str, item: str, owner: Owner) -> None:
        self._db.run(_APPEND, (kind.value, key, item, owner.person_id, owner.guild_id))

    def items(self, kind: StateKind, key: str = "") -> list[str]:
        rows = self._db.rows("SELECT item FROM state WHERE kind = ? AND key = ? ORDER BY number", (kind.value, key))
        return [item for (item,) in rows]

    def count(self, kind: StateKind, key: str = "") -> int:
        return self._db.value("SELECT count(*) FROM state WHERE kind = ? AND key = ?", (kind.value, key))

    def remove(self, kind: StateKind, key: str, items: Collection[str]) -> None:
        for item in items:
            self._db.run("DELETE FROM state WHERE kind = ? AND key = ? AND item = ?", (kind.value, key, item))

    def clear(self, kind: StateKind, key: str = "") -> list[str]:
        items = self.items(kind, key)
        self._db.run("DELETE FROM state WHERE kind = ? AND key = ?", (kind.value, key))
        return items

    def keys(self, kind: StateKind) -> list[str]:
        rows = self._db.rows("SELECT DISTINCT key FROM state WHERE kind = ? ORDER BY key", (kind.value,))
        return [key for (key,) in rows]

    def owned_by(self, owner: Owner) -> list[StateRow]:
        return self._select(*_owned_by(owner))

    def naming(self, text: str) -> list[StateRow]:
        return self._select("instr(key, ?1) OR instr(item, ?1)", (text,))

    def _select(self, condition: str, values: Row) -> list[StateRow]:
        rows = self._db.rows(
            f"SELECT kind, key, item, person, guild FROM state WHERE {condition} ORDER BY kind, key, number", values
        )
        return [StateRow(kind, key, item, Owner(person, guild)) for kind, key, item, person, guild in rows]

    def erase(self, owner: Owner) -> int:
        condition, values = _owned_by(owner)
        sql = f"DELETE FROM state WHERE {condition} AND kind NOT IN ({_OUTLASTING}) RETURNING kind, key"
        return len(set(self._db.rows(sql, values)))


def _owned_by(owner: Owner) -> tuple[str, Row]:
    """The condition that finds the rows of an owner, and its values."""
    columns = {"person": owner.person_id, "guild": owner.guild_id}
    named = {column: value for column, value in columns.items() if value is not None}
    return " AND ".join(f"{column} = ?" for column in named) or "FALSE", tuple(named.values())
