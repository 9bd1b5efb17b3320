"""The word index: FTS5 over our own words, each written together with the number of its scope.

`12xrust` is the word "rust" in scope 12, so a posting list never mixes scopes and a search costs the same
however many scopes there are. FTS5 counts and stems; BM25's word weights are taken within the scopes asked for.
"""

import math
from collections.abc import Collection, Sequence

from recollect.ports import Corpus, WordHit
from recollect.stores.sqlite.database import Database
from recollect.text import words

TABLE: dict[Corpus, str] = {"memos": "memo_words", "messages": "message_words"}

SMALL = 2_000
"""Rows up to which every word is looked up in full."""
POSTINGS = 3_000
"""Rows of large scopes that are scored for one query: rare words first, common words as far as there is room."""


class WordIndex:
    """The index as one connection sees it; what is written in a transaction goes in together, at its end.

    FTS5 writes out all it has whenever another statement opens a savepoint; together it writes once.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pending: dict[tuple[Corpus, int], str | None] = {}

    def put(self, corpus: Corpus, key: int, text: str) -> None:
        self._pending[corpus, key] = text

    def remove(self, corpus: Corpus, key: int) -> None:
        self._pending[corpus, key] = None

    def flush(self) -> None:
        for (corpus, key), text in self._pending.items():
            if text is None:
                self._db.run(f"DELETE FROM {TABLE[corpus]} WHERE rowid = ?", (key,))
            else:
                terms = " ".join([f"{key >> 32}x{word}" for word in words(text)])
                self._db.run(f"INSERT OR REPLACE INTO {TABLE[corpus]} (rowid, terms) VALUES (?, ?)", (key, terms))
        self._pending.clear()

    def discard(self) -> None:
        """The transaction is undone, and so is what waited in it."""
        self._pending.clear()

    def search(
        self,
        corpus: Corpus,
        scopes: Sequence[int],
        size: int,
        terms: Sequence[str],
        limit: int,
        among: Collection[int] | None = None,
    ) -> list[WordHit]:
        """The best rows by BM25 within these scopes, which hold `size` rows."""
        self.flush()
        found: dict[int, dict[str, float]] = {}
        total = _rows(self._db, TABLE[corpus])
        for term, room in _affordable(self._db, corpus, scopes, size, terms):
            rows = [row for scope in scopes for row in _postings(self._db, corpus, scope, term, room, total)]
            weight = math.log(1 + max(0, size - len(rows) + 0.5) / (len(rows) + 0.5))
            for key, frequency in rows:
                if among is None or key in among:
                    found.setdefault(key, {})[term] = weight * frequency
        hits = [WordHit(key, sum(parts.values()), parts) for key, parts in found.items()]
        hits.sort(key=lambda hit: (-hit.score, -hit.key))
        return hits[:limit]


def _affordable(
    db: Database, corpus: Corpus, scopes: Sequence[int], size: int, terms: Sequence[str]
) -> list[tuple[str, int]]:
    """Which terms to look up, and how many rows of each; in a large scope the rare ones, which decide."""
    if size <= SMALL:
        return [(term, size) for term in terms]
    count = f"SELECT count(*) FROM {TABLE[corpus]} WHERE {TABLE[corpus]} MATCH ?"
    counted = [(sum(db.value(count, (_quote(scope, term),)) for scope in scopes), term) for term in terms]
    counted.sort(key=lambda pair: pair[0])
    chosen: list[tuple[str, int]] = []
    room = POSTINGS
    for rows, term in counted:
        if rows > room and chosen:
            break
        if rows:
            chosen.append((term, POSTINGS))
            room -= rows
    return chosen


def _postings(db: Database, corpus: Corpus, scope: int, term: str, room: int, total: int) -> list[tuple[int, float]]:
    """Rows with this term, newest first, and the term's saturated, length-normalised frequency in each.

    FTS5 gives frequency × its own weight of the word over the whole table; that weight is taken out again.
    """
    table = TABLE[corpus]
    rows = db.rows(
        f"SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT ?",
        (_quote(scope, term), room),
    )
    if not rows:
        return []
    count = len(rows) if len(rows) < room else _count(db, table, scope, term)
    weight = math.log((total - count + 0.5) / (count + 0.5)) if total > count else 0.0
    weight = weight if weight > 0 else 1e-6
    return [(key, score / weight) for key, score in rows]


def _count(db: Database, table: str, scope: int, term: str) -> int:
    return db.value(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (_quote(scope, term),))


def _quote(scope: int, term: str) -> str:
    return f'"{scope}x{term}"'


def _rows(db: Database, table: str) -> int:
    """How many rows the index has, read from FTS5's own record of averages (its first varint)."""
    block: bytes | None = db.value(f"SELECT block FROM {table}_data WHERE id = 1")
    value = 0
    for byte in (block or b"")[:9]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value
