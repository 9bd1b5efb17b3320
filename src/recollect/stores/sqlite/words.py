"""The word index: FTS5 over our own stems, each written together with the number of its scope.

`12xrust` is the word "rust" in scope 12, so a posting list never mixes scopes and a search costs the same
however many scopes there are. FTS5 keeps the lists; how a text is cut into words is ours, and so is the score.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from recollect.core.ports import Corpus, WordHit
from recollect.stores._sql.scoring import MAX_POSTINGS, Postings, best_hits, cost
from recollect.stores._sql.stems import query_stems, text_stems
from recollect.stores.sqlite.database import Database

TABLE: dict[Corpus, str] = {"memos": "memo_words", "messages": "message_words"}
_PUT = {corpus: f"INSERT OR REPLACE INTO {table} (rowid, terms) VALUES (?, ?)" for corpus, table in TABLE.items()}
Candidates = Collection[int] | None
MAX_TERMS_PER_QUERY = 16
"""Terms that one statement looks up."""
MAX_UNCOUNTED_ROWS = 300
"""Entries of a word that are read at once; where there are more, they are counted first."""


class WordIndex:
    """The index as one connection sees it; what is written in a transaction goes in together, at its end.

    FTS5 writes out all it has whenever another statement opens a savepoint; together it writes once.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pending: dict[tuple[Corpus, int], str | None] = {}

    def put(self, corpus: Corpus, key: int, text: str, *, replaces: bool = False) -> None:
        """Index the words of a row; `replaces` others that have to go."""
        self._pending[corpus, key] = text
        self._db.has_stale_words |= replaces

    def remove(self, corpus: Corpus, key: int) -> None:
        self._pending[corpus, key] = None
        self._db.has_stale_words = True

    def flush(self) -> None:
        for (corpus, key), text in self._pending.items():
            if text is None:
                self._db.run(f"DELETE FROM {TABLE[corpus]} WHERE rowid = ?", (key,))
            else:
                self._db.run(_PUT[corpus], (key, _scoped(key >> 32, text_stems(text))))
        self._pending.clear()

    def discard(self) -> None:
        """Drop what is pending: the transaction is rolled back."""
        self._pending.clear()

    def search(
        self,
        corpus: Corpus,
        scopes: Sequence[int],
        size: int,
        terms: Sequence[str],
        limit: int,
        candidates: Collection[int] | None = None,
    ) -> list[WordHit]:
        """The rows of these scopes, `size` in all, that share the rarest words with the query."""
        self.flush()
        by_stem = query_stems(terms)
        lists = self._lists(corpus, scopes, list(by_stem), candidates)
        return best_hits(lists, size, by_stem, limit)

    def _lists(
        self, corpus: Corpus, scopes: Sequence[int], terms: Sequence[str], candidates: Candidates
    ) -> list[Postings]:
        """The terms worth looking up, rarest first, with the number of rows that have them, and these rows."""
        chosen: list[Postings] = []
        remaining = MAX_POSTINGS
        for rows, term, keys in sorted(self._counted(corpus, scopes, terms)):
            if cost(rows, candidates) > remaining and chosen:
                break
            if rows > len(keys):
                keys = self._newest(corpus, scopes, term, MAX_POSTINGS, candidates)
            if rows:
                chosen.append((term, rows, set(keys) if candidates is None else {*keys}.intersection(candidates)))
                remaining -= cost(rows, candidates)
        return chosen

    def _counted(
        self, corpus: Corpus, scopes: Sequence[int], terms: Sequence[str]
    ) -> Iterator[tuple[int, str, list[int]]]:
        """How many rows have each term, the term, and all of these rows if they are few."""
        keys: dict[str, list[int]] = {term: [] for term in terms}
        pairs = [(scope, term) for scope in scopes for term in keys]
        for start in range(0, len(pairs), MAX_TERMS_PER_QUERY):
            chunk = pairs[start : start + MAX_TERMS_PER_QUERY]
            phrases = tuple(_phrase(scope, term) for scope, term in chunk)
            for number, key in self._db.rows(_several(TABLE[corpus], len(chunk)), phrases):
                keys[chunk[number][1]].append(key)
        sql = f"SELECT doc FROM {TABLE[corpus]}_rows WHERE term = ?"
        for term, found in keys.items():
            if len(found) < MAX_UNCOUNTED_ROWS:
                yield len(found), term, found
            else:
                yield sum(self._db.value(sql, (f"{scope}x{term}",)) or 0 for scope in scopes), term, []

    def _newest(
        self, corpus: Corpus, scopes: Sequence[int], term: str, limit: int, candidates: Candidates = None
    ) -> list[int]:
        """The newest rows of each scope that have a term."""
        table = TABLE[corpus]
        narrowed = "" if candidates is None else "AND rowid IN (SELECT value FROM json_each(?3))"
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?1 {narrowed} ORDER BY rowid DESC LIMIT ?2"
        extra = () if candidates is None else (json.dumps(list(candidates)),)
        return [key for scope in scopes for (key,) in self._db.rows(sql, (_phrase(scope, term), limit, *extra))]


def _phrase(scope: int, term: str) -> str:
    """A term of a scope as FTS5 looks it up; no part of it is syntax."""
    quoted = term.replace('"', '""')
    return f'"{scope}x{quoted}"'


@cache
def _several(table: str, count: int) -> str:
    """The newest rows of several terms in one statement, each with the number of its term."""
    newest = f"SELECT {{}}, rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT {MAX_UNCOUNTED_ROWS}"
    return " UNION ALL ".join(f"SELECT * FROM ({newest.format(number)})" for number in range(count))


def _scoped(scope: int, stems: Sequence[str]) -> str:
    """What FTS5 is given of a text: each stem with the number of its scope."""
    prefix = f"{scope}x"
    return prefix + f" {prefix}".join(stems) if stems else ""
