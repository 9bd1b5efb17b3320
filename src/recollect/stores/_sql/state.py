"""State: lists of small records, each with its owner."""

from collections.abc import Collection, Iterable
from typing import LiteralString

from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow
from recollect.stores._sql.database import Database, Row

_APPEND = """
INSERT INTO state (kind, key, number, item, person, guild)
SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5 FROM state WHERE kind = $1 AND key = $2
ON CONFLICT DO NOTHING
"""
_ITEMS = "SELECT item FROM state WHERE kind = $1 AND key = $2 ORDER BY number"
_COUNT = "SELECT count(*) FROM state WHERE kind = $1 AND key = $2"
_REMOVE = "DELETE FROM state WHERE kind = $1 AND key = $2 AND item = $3"
_CLEAR = "DELETE FROM state WHERE kind = $1 AND key = $2"
_KEYS = "SELECT DISTINCT key FROM state WHERE kind = $1 ORDER BY key"
_LISTS = "SELECT key, item FROM state WHERE kind = $1 ORDER BY key, number"
_SELECT = "SELECT kind, key, item, person, guild FROM state"
# Both stores have `replace`, and each another function that finds a text in a text.
_NAMING = f"""
{_SELECT} WHERE $1 = '' OR replace(key, $1, '') <> key OR replace(item, $1, '') <> item ORDER BY kind, key, number
"""
_READ_MOSTLY = (
    StateKind.PAUSED,
    StateKind.PAUSED_PLACES,
    StateKind.WITHHELD,
    StateKind.WITHHELD_IN_GUILD,
    StateKind.DISPLAY_NAME,
    StateKind.UNSEEN_DELETION,
    StateKind.RETENTION,
    StateKind.SWITCHED_OFF,
    StateKind.GUILD_SETTINGS,
    StateKind.CONSENT,
    StateKind.OPT_OUTS,
    StateKind.TOKEN_LIMIT,
)
"""Lists that most writes read and hardly any changes. A write that reads another one changes it next, so it takes it
for itself at once: two that hold a list together, and both want to change it, would wait for each other.
"""
_OUTLASTING = [kind.value for kind in OUTLASTING]


class State:
    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, kind: StateKind, key: str, item: str, owner: Owner) -> None:
        self._lock(kind, key)
        self._db.run(_APPEND, (kind.value, key, item, owner.person_id, owner.guild_id))

    def items(self, kind: StateKind, key: str = "") -> list[str]:
        self._lock(kind, key, shared=kind in _READ_MOSTLY)
        return [item for (item,) in self._db.rows(_ITEMS, (kind.value, key))]

    def some(self, kind: StateKind, keys: Collection[str]) -> dict[str, list[str]]:
        for key in sorted(keys):  # in the same order as in all transactions
            self._lock(kind, key, shared=kind in _READ_MOSTLY)
        sql: LiteralString = (
            f"SELECT key, item FROM state WHERE key {self._db.among} AND kind = $2 ORDER BY key, number"
        )
        rows = self._db.rows(sql, (self._db.array(keys), kind.value)) if keys else []
        return _by_key(rows)

    def count(self, kind: StateKind, key: str = "") -> int:
        self._lock(kind, key, shared=kind in _READ_MOSTLY)
        return self._db.value(_COUNT, (kind.value, key))

    def remove(self, kind: StateKind, key: str, items: Collection[str]) -> None:
        self._lock(kind, key)
        for item in items:
            self._db.run(_REMOVE, (kind.value, key, item))

    def clear(self, kind: StateKind, key: str = "") -> list[str]:
        self._lock(kind, key)
        items = [item for (item,) in self._db.rows(_ITEMS, (kind.value, key))]
        self._db.run(_CLEAR, (kind.value, key))
        return items

    def keys(self, kind: StateKind) -> list[str]:
        return [key for (key,) in self._db.rows(_KEYS, (kind.value,))]

    def lists(self, kind: StateKind) -> dict[str, list[str]]:
        return _by_key(self._db.rows(_LISTS, (kind.value,)))

    def owned_by(self, owner: Owner) -> list[StateRow]:
        sql: LiteralString = (
            f"{_SELECT} WHERE NOT (kind {self._db.among}) AND {_owned_by(owner)} ORDER BY kind, key, number"
        )
        return [_row(row) for row in self._db.rows(sql, (self._db.array(()), *_ids(owner)))]

    def naming(self, text: str) -> list[StateRow]:
        return [_row(row) for row in self._db.rows(_NAMING, (text,))]

    def erase(self, owner: Owner) -> int:
        sql: LiteralString = (
            f"DELETE FROM state WHERE NOT (kind {self._db.among}) AND {_owned_by(owner)} RETURNING kind, key"
        )
        return len(set(self._db.rows(sql, (self._db.array(_OUTLASTING), *_ids(owner)))))

    def _lock(self, kind: StateKind, key: str, *, shared: bool = False) -> None:
        """Lock a counter, so that the transaction sees all earlier increments."""
        name = f"state:{kind}:{key}"
        if shared:
            self._db.lock(shared=[name])
        else:
            self._db.lock(name)


def _by_key(rows: Iterable[Row]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for key, item in rows:
        lists.setdefault(key, []).append(item)
    return lists


def _ids(owner: Owner) -> Row:
    return tuple(name for name in (owner.person_id, owner.guild_id) if name is not None)


def _owned_by(owner: Owner) -> LiteralString:
    """The condition that finds the rows of an owner, whose ids are the values from `$2` on."""
    if owner.person_id is None:
        return "false" if owner.guild_id is None else "guild = $2"
    return "person = $2" if owner.guild_id is None else "person = $2 AND guild = $3"


def _row(row: Row) -> StateRow:
    kind, key, item, person, guild = row
    return StateRow(kind, key, item, Owner(person, guild))
