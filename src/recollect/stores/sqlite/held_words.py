"""A cache of a scope's words for the writing connection, which looks up what a new statement repeats.

It has the words of the rows, so a look-up finds what the index would. Writes of this connection update it; after writes
of another one, all is read again.
"""

import json
from bisect import bisect_left, insort
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator, Sequence

from recollect.stores._sql.scoring import MAX_POSTINGS, Counted, estimate
from recollect.stores._sql.stems import text_stems
from recollect.stores.sqlite.database import Database

MAX_HELD_ROWS = 20_000
"""Rows of all scopes that stay in memory from one transaction to the next; each takes about a kilobyte."""
MAX_ROWS_READ_FOR_ONE_SAVE = 2_000
"""A larger scope is only loaded by a transaction with many look-ups: saving one statement must not wait for it."""
ROWS_PER_SEARCH = 40
"""Rows whose text can be split into words again in the time of a search of the index."""
_MAX_COUNTED_SCOPES = 10_000
_ACTIVE_TEXTS = "SELECT key, text, tags FROM memos WHERE key >> 32 = ? AND status = 'active' ORDER BY key"


class HeldScope:
    """The words of the memos of one scope."""

    def __init__(self) -> None:
        self._keys: dict[str, list[int]] = {}
        """The rows that have a word, oldest first."""
        self._terms: dict[int, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def put(self, key: int, terms: Collection[str] | None) -> None:
        for term in self._terms.pop(key, ()):
            keys = self._keys[term]
            # The list is sorted by key, which also is the order of age.
            del keys[bisect_left(keys, key)]
        if terms is None:
            return
        self._terms[key] = distinct = tuple(dict.fromkeys(terms))  # a third of a set's size
        for term in distinct:
            keys = self._keys.setdefault(term, [])
            if keys and keys[-1] > key:
                insort(keys, key)
            else:
                keys.append(key)

    def counted(self, terms: Sequence[str], max_rows: int | None = None) -> Iterator[Counted]:
        """As the index counts them: where more than `max_rows` have a word, their number is an estimate."""
        limit = max_rows or MAX_POSTINGS
        for term in terms:
            keys = self._keys.get(term, [])
            if len(keys) <= limit:
                yield len(keys), term, keys
            else:
                rows = len(keys) if max_rows is None else estimate(keys[: -limit - 2 : -1], limit + 1)
                yield rows, term, keys[-limit:]


class HeldWords:
    """The scopes in memory, least recently used out first."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._scopes: OrderedDict[int, HeldScope] = OrderedDict()
        self._rows = 0
        self._searches: Counter[int] = Counter()
        """Searches of scopes that are not in memory."""
        self._searches_now: Counter[int] = Counter()
        """Those of this transaction."""
        self._version: int | None = None
        """The file's version as of this transaction; it changes when another connection writes."""
        self._seen_version: int | None = None

    def put(self, key: int, terms: Collection[str] | None) -> None:
        if (scope := self._scopes.get(key >> 32)) is not None:
            self._rows -= len(scope)
            scope.put(key, terms)
            self._rows += len(scope)

    def scope(self, scope: int, size: int) -> HeldScope | None:
        """The scope's words, once reading them is less work than the searches that were made of it."""
        if not self._db.writes:
            return None
        self._forget_if_changed()
        held = self._scopes.get(scope)
        if held is not None:
            self._scopes.move_to_end(scope)
            return held
        searches = self._searches if size <= MAX_ROWS_READ_FOR_ONE_SAVE else self._searches_now
        searches[scope] += 1
        if searches[scope] * ROWS_PER_SEARCH < size:
            return None
        del searches[scope]
        held = self._scopes[scope] = self._read(scope)
        self._rows += len(held)
        return held

    def _read(self, scope: int) -> HeldScope:
        held = HeldScope()
        for key, text, tags in self._db.rows(_ACTIVE_TEXTS, (scope,)):
            held.put(key, text_stems(f"{text} {' '.join(json.loads(tags))}" if tags else text))
        return held

    def _forget_if_changed(self) -> None:
        # Once per transaction: within one, no other connection's write becomes visible.
        if self._version is None:
            self._version = self._db.pragma("data_version")
            if self._version != self._seen_version:
                self.clear()
            self._seen_version = self._version

    def end(self) -> None:
        """The transaction ends; what was read in it stays, as far as there is room."""
        self._version = None
        self._searches_now.clear()
        while self._rows > MAX_HELD_ROWS:
            self._rows -= len(self._scopes.popitem(last=False)[1])
        if len(self._searches) > _MAX_COUNTED_SCOPES:
            self._searches.clear()

    def clear(self) -> None:
        self._scopes.clear()
        self._rows = 0
