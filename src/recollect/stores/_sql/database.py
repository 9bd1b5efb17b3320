"""What the shared code needs of a connection, inside one transaction.

A statement has its values at `$1`, `$2` … in the order in which they first appear: SQLite and PostgreSQL both read
that, so one text serves both.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, LiteralString, Protocol

Row = tuple[Any, ...]


class Database(Protocol):
    among: LiteralString
    """The condition that a column has one of the values of the array `$1`."""
    in_use: LiteralString
    """The condition that a set of vectors is in use."""
    with_ids: LiteralString
    """Allows an INSERT to set ids that the store would number itself."""
    seen: defaultdict[str, dict[Any, Any]]
    """Lookups of this transaction; code that changes them clears it."""

    def run(self, sql: LiteralString, values: Row = (), /) -> int:
        """Run a statement; returns the number of affected rows."""
        ...

    def script(self, sql: LiteralString, /) -> None:
        """Run several statements without values."""
        ...

    def value(self, sql: LiteralString, values: Row = (), /) -> Any:
        """The first value that the statement yields; None when there is none."""
        ...

    def row(self, sql: LiteralString, values: Row = (), /) -> Row | None: ...
    def rows(self, sql: LiteralString, values: Row = (), /) -> list[Row]: ...
    def many(self, sql: LiteralString, rows: Sequence[Row], /) -> None:
        """Run the statement once for each row."""
        ...

    def array(self, values: Iterable[Any], /) -> object:
        """Values as one value of a statement."""
        ...

    def handle(self, text: str, /) -> str:
        """An id as it is stored."""
        ...

    def lock(self, *names: str, shared: Sequence[str] = ()) -> bool:
        """Hold these names until the transaction ends, where others can write at the same time; False if it did.

        Those in `shared` may be held by many, unless a transaction takes one exclusively.
        """
        ...
