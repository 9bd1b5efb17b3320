"""State: lists of small records, each with its owner."""

from collections.abc import Collection
from typing import LiteralString, cast

from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow
from recollect.stores.postgres.database import Database

_APPEND = """
INSERT INTO state (kind, key, number, item, person, guild)
SELECT %(kind)s, %(key)s, coalesce(max(number), 0) + 1, %(item)s, %(person)s, %(guild)s
FROM state WHERE kind = %(kind)s AND key = %(key)s
ON CONFLICT (kind, key, item) DO NOTHING
"""


class PostgresState:
    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, kind: StateKind, key: str, item: str, owner: Owner) -> None:
        self._lock(kind, key)
        owners = {"person": owner.person_id, "guild": owner.guild_id}
        self._db.run(_APPEND, {"kind": kind.value, "key": key, "item": item, **owners})

    def items(self, kind: StateKind, key: str = "") -> list[str]:
        self._db.lock(shared=[_lock_name(kind, key)])  # readers do not block each other
        return self._items(kind, key)

    def _items(self, kind: StateKind, key: str) -> list[str]:
        sql: LiteralString = "SELECT item FROM state WHERE kind = %s AND key = %s ORDER BY number"
        return [item for (item,) in self._db.rows(sql, (kind.value, key))]

    def count(self, kind: StateKind, key: str = "") -> int:
        self._db.lock(shared=[_lock_name(kind, key)])
        return self._db.value("SELECT count(*) FROM state WHERE kind = %s AND key = %s", (kind.value, key))

    def remove(self, kind: StateKind, key: str, items: Collection[str]) -> None:
        self._lock(kind, key)
        sql: LiteralString = "DELETE FROM state WHERE kind = %s AND key = %s AND item = ANY(%s::text[])"
        self._db.run(sql, (kind.value, key, list(items)))

    def clear(self, kind: StateKind, key: str = "") -> list[str]:
        self._lock(kind, key)
        items = self._items(kind, key)
        self._db.run("DELETE FROM state WHERE kind = %s AND key = %s", (kind.value, key))
        return items

    def keys(self, kind: StateKind) -> list[str]:
        rows = self._db.rows("SELECT DISTINCT key FROM state WHERE kind = %s ORDER BY key", (kind.value,))
        return [key for (key,) in rows]

    def owned_by(self, owner: Owner) -> list[StateRow]:
        return self._select(*_owned_by(owner))

    def naming(self, text: str) -> list[StateRow]:
        return self._select("strpos(key, %s) > 0 OR strpos(item, %s) > 0", (text, text))

    def _select(self, condition: LiteralString, values: tuple[str, ...]) -> list[StateRow]:
        rows = self._db.rows(
            f"SELECT kind, key, item, person, guild FROM state WHERE {condition} ORDER BY kind, key, number", values
        )
        return [StateRow(kind, key, item, Owner(person, guild)) for kind, key, item, person, guild in rows]

    def erase(self, owner: Owner) -> int:
        condition, values = _owned_by(owner)
        sql: LiteralString = f"DELETE FROM state WHERE {condition} AND kind <> ALL(%s::text[]) RETURNING kind, key"
        return len(set(self._db.rows(sql, (*values, [kind.value for kind in OUTLASTING]))))

    def _lock(self, kind: StateKind, key: str) -> None:
        """A transaction that counts sees all that was counted before."""
        self._db.lock(_lock_name(kind, key))


def _lock_name(kind: StateKind, key: str) -> str:
    return f"state:{kind}:{key}"


def _owned_by(owner: Owner) -> tuple[LiteralString, tuple[str, ...]]:
    """The condition that finds the rows of an owner, and its values."""
    columns = {"person": owner.person_id, "guild": owner.guild_id}
    named = {column: value for column, value in columns.items() if value is not None}
    condition = " AND ".join(f"{column} = %s" for column in named) or "FALSE"
    return cast("LiteralString", condition), tuple(named.values())
