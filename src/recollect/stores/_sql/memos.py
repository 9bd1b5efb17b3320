"""Reading durable memos and tombstones; each store has its own code for writing.

A unit that writes locks each subject whose memos it reads until it ends, as its decisions rest on what it read.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Generic, LiteralString, TypeVar

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports import Vector
from recollect.core.text import clean
from recollect.core.types import Memo, Status, Subject, Tombstone
from recollect.stores._sql import tombstones
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.derived import Derived
from recollect.stores._sql.memo_statements import MemoStatements
from recollect.stores._sql.rows import content_of

D = TypeVar("D", bound=Database)

_ALL = 1 << 62
_ACTIVE = [Status.ACTIVE]


class Memos(ABC, Generic[D]):
    sql: MemoStatements
    """What yields memos yields what `_read` takes."""
    _read: Callable[[Row, Subject], Memo]

    def __init__(self, db: D, derived: Derived[D]) -> None:
        self._db = db
        self._derived = derived

    @abstractmethod
    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None, *, new: bool = False) -> int: ...
    @abstractmethod
    def count_use(self, keys: Collection[int], at: datetime) -> None: ...
    @abstractmethod
    def remove(self, memo: Memo) -> None: ...
    @abstractmethod
    def _scope(self, name: str) -> int | str | None:
        """The value that identifies a scope in statements."""
        ...

    def _stored_scope(self, name: str) -> int | str | None:
        """The same for a name that comes from a row."""
        return self._scope(name)

    @abstractmethod
    def _of_any(self, sql: LiteralString, values: Row) -> list[Memo]:
        """Memos of any subject."""
        ...

    def _of(self, subject: Subject, sql: LiteralString, values: Row = ()) -> list[Memo]:
        scope, read = subject.scope, self._read
        self._db.lock(f"subject:{scope}")
        return [read(row, subject) for row in self._db.rows(sql, (self._scope(scope), *values))]

    def get(self, subject: Subject, memo_id: str) -> Memo | None:
        scope = subject.scope
        self._db.lock(f"subject:{scope}")
        row = self._db.row(self.sql.by_id, (self._scope(scope), self._db.handle(memo_id)))
        return None if row is None else self._read(row, subject)

    def stored(self, scope: str, memo_id: str) -> Memo | None:
        """The memo that a row of another table names."""
        row = self._db.row(self.sql.by_id, (self._stored_scope(scope), memo_id))
        return None if row is None else self._read(row, Subject.of_scope(scope))

    def same_text(self, subject: Subject, text: str) -> list[Memo]:
        return self._of(subject, self.sql.by_text, (content_of(text),))

    def always_relevant(self, subject: Subject) -> list[Memo]:
        return self._of(subject, self.sql.standing)

    def fetch(self, keys: Collection[int]) -> dict[int, Memo]:
        return {memo.key: memo for memo in self._of_any(self.sql.by_keys, (self._db.array(keys),))}

    def texts(self, keys: Collection[int]) -> dict[int, str]:
        sql: LiteralString = f"SELECT key, text FROM memos WHERE key {self._db.among}"
        return dict(self._db.rows(sql, (self._db.array(keys),)))

    def from_message(self, platform: str, message_id: str) -> list[Memo]:
        return self._of_any(self.sql.of_message, (self._db.handle(message_id), platform))

    def stated_by(
        self, actor: str | None = None, guild: str | None = None, before: datetime | None = None
    ) -> list[Memo]:
        if actor is None and guild is None:
            return []
        end = None if before is None else to_ms(before)
        return self._of_any(self.sql.of_speaker, (actor, guild, end))

    def list(
        self, subject: Subject, statuses: Collection[Status] = (), limit: int | None = None, offset: int = 0
    ) -> list[Memo]:
        cut = _ALL if limit is None else limit, offset
        if not statuses:
            return self._of(subject, self.sql.page, cut)
        if [*statuses] == _ACTIVE:
            return self._of(subject, self.sql.page_of_active, cut)
        return self._of(subject, self.sql.page_of_statuses, (self._array(statuses), *cut))

    def count(self, subject: Subject, statuses: Collection[Status] = ()) -> int:
        name = subject.scope
        self._db.lock(f"subject:{name}")
        scope = self._scope(name)
        if not statuses:
            return self._db.value(self.sql.count_all, (scope,))
        if [*statuses] == _ACTIVE:
            return self._db.value(self.sql.count_of_active, (scope,))
        return self._db.value(self.sql.count_of_statuses, (scope, self._array(statuses)))

    def _array(self, statuses: Collection[Status]) -> object:
        return self._db.array(status.value for status in statuses)

    def add_tombstone(self, tombstone: Tombstone) -> None:
        # The same lock as for the subject's memos: a merge reads both.
        self._db.lock(f"subject:{tombstone.scope}")
        handle = self._db.handle
        values = handle(tombstone.scope), handle(tombstone.fingerprint), to_ms(tombstone.at)
        self._db.run(tombstones.PUT, values)

    def remove_tombstone(self, scope: str, fingerprint: str) -> None:
        self._db.lock(f"subject:{scope}")
        self._db.run(tombstones.DELETE, (self._db.handle(scope), self._db.handle(fingerprint)))

    def tombstone(self, scope: str, fingerprint: str) -> Tombstone | None:
        self._db.lock(f"subject:{scope}")
        ms = self._db.value(tombstones.AT, (self._db.handle(scope), self._db.handle(fingerprint)))
        return None if ms is None else Tombstone(scope, fingerprint, from_ms(ms))

    def subjects(self) -> Iterator[Subject]:
        return (Subject.of_scope(name) for (name,) in sorted(self._db.rows(self.sql.names)))

    def namesakes(self, user: str) -> Sequence[Subject]:
        return [Subject.of_scope(name) for (name,) in sorted(self._db.rows(self.sql.same_ids, (user,)))]

    def owners(
        self, part: str = "", after: str = "", limit: int = 100, lore: bool = False
    ) -> Sequence[tuple[Subject, int]]:
        prefix = "lore:" if lore else "user:"
        first = max(self._db.handle(after), prefix)
        rows = self._db.rows(self.sql.sizes, (first, f"{prefix[:-1]};", clean(part).lower(), limit))
        return [(Subject.of_scope(name), size) for name, size in rows]

    def owners_in(
        self, channel: str | None = None, thread: str | None = None, noted: str | None = None
    ) -> Sequence[Subject]:
        rows = self._db.rows(self.sql.in_places, (channel, thread, noted))
        return [Subject.of_scope(name) for (name,) in sorted(rows)]
