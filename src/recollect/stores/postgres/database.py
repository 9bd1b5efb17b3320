"""One PostgreSQL connection inside one transaction, and a few ways to run a statement on it.

Every statement is a round trip to the server, which costs more than most statements do. So the transaction begins
together with its first locks, and look-ups are cached until it ends.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import md5
from typing import Any, LiteralString, cast

import psycopg
from psycopg.sql import Composed

from recollect.core.text import clean, digest
from recollect.stores._sql.database import Row

Values = Sequence[object] | Mapping[str, object]
Connection = psycopg.Connection[Row]
Query = LiteralString | Composed

SHARDS = 32
"""Rows that each shared counter is spread over, so that transactions seldom wait for each other."""
MAX_ID_CHARS = 200
"""Longer ids are shortened for the index."""
_BUCKETS = 4096
"""The most locks of one kind, three hexadecimal digits: a server has room for some thousands."""
_COLUMNS = 1_000
"""Locks taken in one statement; PostgreSQL returns at most 1,664 columns."""
_BEGIN: dict[bool, LiteralString] = {
    True: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    False: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}


class Database:
    """Statements have their values at %s or %(name)s, with each percent sign written twice; or at $1, $2 …

    The connection is in autocommit mode: the transaction begins here, and the caller ends it.
    """

    among: LiteralString = "= ANY($1)"
    in_use: LiteralString = "retired IS NULL"
    with_ids: LiteralString = "OVERRIDING SYSTEM VALUE"

    def __init__(self, connection: Connection, writing: bool) -> None:
        self.writing = writing
        self.begun = False
        self.seen: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
        """Lookups of this transaction; code that changes them clears it."""
        self.shard = connection.info.backend_pid % SHARDS
        self._connection = connection
        self._locked: set[int] = set()
        self._shared: set[int] = set()

    def rows(self, sql: Query, params: Values = ()) -> list[Row]:
        return self._execute(sql, params).fetchall()

    def row(self, sql: Query, params: Values = ()) -> Row | None:
        return self._execute(sql, params).fetchone()

    def value(self, sql: Query, params: Values = ()) -> Any:
        """The first value that the statement yields; None when there is none."""
        row = self.row(sql, params)
        return None if row is None else row[0]

    def run(self, sql: Query, params: Values = ()) -> int:
        """How many rows it affected."""
        return self._execute(sql, params).rowcount

    def script(self, sql: LiteralString) -> None:
        """Statements without values, one after the other; a percent sign is written once."""
        self._begin()
        self._connection.execute(sql, prepare=False)

    def many(self, sql: Query, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row, without waiting for an answer in between."""
        self._begin()
        with self._cursor(sql) as cursor:
            cursor.executemany(sql, [tuple(map(_storable, row)) for row in rows])

    def copy(self, sql: LiteralString, rows: Iterable[Sequence[object]]) -> None:
        """Many new rows at once, by a COPY … FROM STDIN: the quickest way in."""
        self._begin()
        with self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(tuple(map(_storable, row)))

    def array(self, values: Iterable[Any]) -> list[Any]:
        return list(values)

    def handle(self, text: str) -> str:
        return handle(text)

    def lock(self, *names: str, shared: Sequence[str] = ()) -> bool:
        """Wait until no other transaction holds these names, and hold them until this one ends; False if it did.

        Those in `shared` may be held by many, unless a transaction takes one exclusively. The part before the first
        colon is the kind; two names of one kind may share a lock. Every transaction takes them in the same order.
        """
        if not self.writing:
            return False
        # Sorted by key: two transactions that lock the same names never wait for each other.
        exclusive_keys = sorted({lock_key(name) for name in names} - self._locked)
        shared_keys = sorted({lock_key(name) for name in shared} - self._locked - self._shared)
        calls = [f"pg_advisory_xact_lock({key})" for key in exclusive_keys]
        calls += [f"pg_advisory_xact_lock_shared({key})" for key in shared_keys]
        if calls:
            # BEGIN and the locks travel together, to save a round trip.
            statements = [] if self.begun else [_BEGIN[True]]
            statements += [f"SELECT {', '.join(calls[n : n + _COLUMNS])}" for n in range(0, len(calls), _COLUMNS)]
            self._connection.execute(cast("LiteralString", "; ".join(statements)), prepare=False)
            self.begun = True
            self._locked.update(exclusive_keys)
            self._shared.update(shared_keys)
        return bool(calls)

    def holds(self, name: str) -> bool:
        """Whether this transaction does, alone or with others."""
        return lock_key(name) in self._locked | self._shared

    def try_locks(self, names: Sequence[str]) -> list[str]:
        """Those of the names that no other transaction holds; this one holds them now."""
        keys = {name: lock_key(name) for name in names}
        sql = "SELECT key, pg_try_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key"
        held = {key for key, locked in self.rows(sql, (sorted(set(keys.values())),)) if locked}
        self._locked |= held
        return [name for name, key in keys.items() if key in held]

    def _begin(self) -> None:
        if not self.begun:
            self._connection.execute(_BEGIN[self.writing], prepare=False)
            self.begun = True

    def _execute(self, sql: Query, params: Values) -> psycopg.Cursor[Row]:
        self._begin()
        cursor = self._cursor(sql)
        try:
            return cursor.execute(sql, params)
        except (UnicodeEncodeError, psycopg.DataError) as error:  # half of a character, or a NUL: sent by chat clients
            if isinstance(error, psycopg.DataError) and error.sqlstate is not None:
                raise  # reported by the server, and the transaction is over
            return cursor.execute(sql, _all_storable(params))

    def _cursor(self, sql: Query) -> psycopg.Cursor[Row]:
        """Shared statements are written with the server's own placeholders, which SQLite reads too."""
        numbered = isinstance(sql, str) and "$1" in sql
        return psycopg.RawCursor(self._connection) if numbered else self._connection.cursor()


def handle(text: str) -> str:
    """An id as it is stored: one too long for an index is cut and ends with a fingerprint.

    The result is longer than any id that is stored as it is, so that no one can choose one of them as an id.
    """
    text = clean(text)
    return text if len(text) <= MAX_ID_CHARS else text[: MAX_ID_CHARS - 60] + digest(text)


def lock_key(name: str) -> int:
    """A range of numbers for each kind, and in it one of so many: three digits of a hash that the server has too."""
    kind = name.partition(":")[0]
    return _first_of(kind) + int(_md5(name)[:3], 16)


def lock_of(kind: LiteralString, column: LiteralString) -> LiteralString:
    """The same as SQL, for names of this kind whose rest stands in a column."""
    first = cast("LiteralString", str(_first_of(kind)))
    return f"{first} + ('x' || left(md5('{kind}:' || {column}), 3))::bit(12)::int"


def _first_of(kind: str) -> int:
    return int(_md5(kind)[:15], 16) // _BUCKETS * _BUCKETS


def _md5(text: str) -> str:
    return md5(clean(text).encode(), usedforsecurity=False).hexdigest()


def _all_storable(params: Values) -> Values:
    if isinstance(params, Mapping):
        return {name: _storable(value) for name, value in params.items()}
    return tuple(map(_storable, params))


def _storable(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_storable(item) for item in cast("list[object]", value)]
    return value
