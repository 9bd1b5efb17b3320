"""One PostgreSQL connection inside one transaction, and a few ways to run a statement on it."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, LiteralString, cast

import psycopg
from psycopg.sql import Composed

from recollect.text import clean

Row = tuple[Any, ...]
Values = Sequence[object] | Mapping[str, object]
Connection = psycopg.Connection[Row]
Query = LiteralString | Composed

SHARDS = 32
"""Rows that what everybody counts is spread over, so that transactions seldom wait for each other's."""
_BUCKETS = 4096
"""Locks of one kind at the most: a server has room for some thousands."""


class Database:
    """Statements have their values at %s or %(name)s; a percent sign is written twice."""

    def __init__(self, connection: Connection, writing: bool) -> None:
        self.writing = writing
        self.shard = connection.info.backend_pid % SHARDS
        self._connection = connection
        self._locked: set[int] = set()

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

    def many(self, sql: Query, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row, without waiting for an answer in between."""
        with self._connection.cursor() as cursor:
            cursor.executemany(sql, [tuple(map(_storable, row)) for row in rows])

    def lock(self, name: str) -> None:
        """Wait until no other transaction holds this name, and hold it until this one ends.

        What is before the first colon is the kind; two names of one kind may share a lock.
        """
        key = lock_key(name)
        if self.writing and key not in self._locked:
            self._execute("SELECT pg_advisory_xact_lock(%s)", (key,))
            self._locked.add(key)

    def try_locks(self, names: Sequence[str]) -> list[str]:
        """Those of the names that nobody else holds; this transaction does now."""
        keys = {name: lock_key(name) for name in names}
        sql = "SELECT key, pg_try_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key"
        held = {key for key, locked in self.rows(sql, (sorted(set(keys.values())),)) if locked}
        self._locked |= held
        return [name for name, key in keys.items() if key in held]

    def _execute(self, sql: Query, params: Values) -> psycopg.Cursor[Row]:
        try:
            return self._connection.execute(sql, params)
        except (UnicodeEncodeError, psycopg.DataError) as error:  # half of a character, or a NUL: sent by chat clients
            if isinstance(error, psycopg.DataError) and error.sqlstate is not None:
                raise  # the server's own word, and the transaction is over
            return self._connection.execute(sql, _all_storable(params))


def lock_key(name: str) -> int:
    kind = name.partition(":")[0]
    return _number(kind) // _BUCKETS * _BUCKETS + _number(name) % _BUCKETS


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def _all_storable(params: Values) -> Values:
    if isinstance(params, Mapping):
        return {name: _storable(value) for name, value in params.items()}
    return tuple(map(_storable, params))


def _storable(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_storable(each) for each in cast("list[object]", value)]
    return value
