"""Named lists of what has come up since something was last done."""

from recollect.stores.sqlite.database import Database


class SQLiteState:
    """Lists only grow or are emptied, so an item's number is the length that the list had with it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, name: str, item: str) -> int:
        added = self._db.value(
            "INSERT INTO counters (name, number, item) SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM counters "
            "WHERE name = ?1 ON CONFLICT DO NOTHING RETURNING number",
            (name, item),
        )
        return added or self._db.value("SELECT max(number) FROM counters WHERE name = ?", (name,))

    def items(self, name: str) -> list[str]:
        return [item for (item,) in self._db.rows("SELECT item FROM counters WHERE name = ? ORDER BY number", (name,))]

    def clear(self, name: str) -> list[str]:
        items = self.items(name)
        self._db.run("DELETE FROM counters WHERE name = ?", (name,))
        return items

    def names(self, prefix: str = "") -> list[str]:
        rows = self._db.rows(
            "SELECT DISTINCT name FROM counters WHERE name >= ?1 AND substr(name, 1, length(?1)) = ?1 ORDER BY name",
            (prefix,),
        )
        return [name for (name,) in rows]
