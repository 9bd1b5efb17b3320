"""Named lists of what has come up since something was last done."""

from recollect.stores.postgres.database import Database


class PostgresState:
    """Lists only grow or are emptied, so an item's number is the length that the list had with it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, name: str, item: str) -> int:
        self._lock(name)
        values = {"name": name, "item": item}
        added = self._db.value(
            "INSERT INTO counters (name, number, item) SELECT %(name)s, coalesce(max(number), 0) + 1, %(item)s "
            "FROM counters WHERE name = %(name)s ON CONFLICT (name, item) DO NOTHING RETURNING number",
            values,
        )
        return added or self._db.value("SELECT max(number) FROM counters WHERE name = %(name)s", values)

    def items(self, name: str) -> list[str]:
        self._db.lock(shared=[_lock_name(name)])  # readers do not block each other
        return self._items(name)

    def _items(self, name: str) -> list[str]:
        return [item for (item,) in self._db.rows("SELECT item FROM counters WHERE name = %s ORDER BY number", (name,))]

    def clear(self, name: str) -> list[str]:
        self._lock(name)
        items = self._items(name)
        self._db.run("DELETE FROM counters WHERE name = %s", (name,))
        return items

    def names(self, prefix: str = "") -> list[str]:
        rows = self._db.rows(
            "SELECT DISTINCT name FROM counters WHERE name >= %(prefix)s AND starts_with(name, %(prefix)s) "
            "ORDER BY name",
            {"prefix": prefix},
        )
        return [name for (name,) in rows]

    def _lock(self, name: str) -> None:
        """A transaction that counts sees all that was counted before."""
        self._db.lock(_lock_name(name))


def _lock_name(name: str) -> str:
    return f"counter:{name}"
