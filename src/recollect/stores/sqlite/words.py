"""The word index: FTS5 over our own stems, each written together with the number of its scope.

`12xrust` is the word "rust" in scope 12, so a posting list never mixes scopes and a search costs the same
however many scopes there are. FTS5 keeps the lists; how a text is cut into words is ours, and so is the score.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from recollect.core.ports import Corpus, WordHit
from recollect.stores._sql.scoring import MAX_POSTINGS, Counted, Postings, affordable, best_hits, estimate, only_common
from recollect.stores._sql.search import WordQuery
from recollect.stores._sql.stems import query_stems, text_stems
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.held_words import HeldWords

TABLE: dict[Corpus, str] = {"memos": "memo_words", "messages": "message_words"}
_PUT = {corpus: f"INSERT OR REPLACE INTO {table} (rowid, terms) VALUES (?, ?)" for corpus, table in TABLE.items()}
_ADD = {corpus: f"INSERT INTO {table} (rowid, terms) VALUES (?, ?)" for corpus, table in TABLE.items()}
"""For rows that were just inserted: there are no old words to look up and replace."""
Candidates = Collection[int] | None
MAX_TERMS_PER_QUERY = 16
"""Terms that one statement looks up."""
MAX_UNCOUNTED_ROWS = 300
"""Entries of a word that are read at once; where there are more, they are counted first."""


class WordIndex:
    """The index as one connection sees it; what is written in a transaction goes in together, at its end.

    FTS5 flushes its buffer whenever another statement opens a savepoint; batched, it writes once.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pending: dict[tuple[Corpus, int], list[str] | None] = {}
        self._new: set[tuple[Corpus, int]] = set()
        """Those of them that were just made."""
        self._held = HeldWords(db)

    def put(self, corpus: Corpus, key: int, text: str, *, replaces: bool = False, new: bool = False) -> None:
        """Index the words of a row; `replaces` others that have to go, and `new` says that it was just made."""
        if new:
            self._new.add((corpus, key))
        self._put(corpus, key, text_stems(text))
        self._db.has_stale_words |= replaces

    def remove(self, corpus: Corpus, key: int) -> None:
        self._put(corpus, key, None)
        self._db.has_stale_words = True

    def _put(self, corpus: Corpus, key: int, terms: list[str] | None) -> None:
        self._pending[corpus, key] = terms
        # Only words of memos are kept in memory: each save searches them for what it repeats.
        if corpus == "memos":
            self._held.put(key, terms)

    def flush(self) -> None:
        """Write what is pending, at the end of a transaction."""
        self._write()
        self._held.end()

    def _write(self) -> None:
        for name, terms in self._pending.items():
            corpus, key = name
            if terms is None:
                self._db.run(f"DELETE FROM {TABLE[corpus]} WHERE rowid = ?", (key,))
            else:
                put = _ADD if name in self._new else _PUT
                self._db.run(put[corpus], (key, _scoped(key >> 32, terms)))
        self._pending.clear()
        self._new.clear()

    def discard(self) -> None:
        """Drop what is pending: the transaction is rolled back."""
        self._pending.clear()
        self._new.clear()
        self._held.clear()
        self._held.end()

    def search(self, corpus: Corpus, scopes: Sequence[int], size: int, query: WordQuery) -> list[WordHit]:
        """The rows of these scopes, `size` in all, that share the rarest words with the query."""
        by_stem = query_stems(query.terms)
        held = self._held.scope(scopes[0], size) if corpus == "memos" and len(scopes) == 1 else None
        # A search of FTS5 sees only what is written, also of this transaction.
        if held is None:
            self._write()
        stems, limit = list(by_stem), query.max_rows
        counted = list(self._counted(corpus, scopes, stems, limit) if held is None else held.counted(stems, limit))
        # Only common words were asked for: then the newest of them must not stand for all.
        if limit is not None and only_common(counted, limit):
            return self.search(corpus, scopes, size, query._replace(max_rows=None))
        lists = self._lists(corpus, scopes, counted, query)
        return best_hits(lists, size, by_stem, query.limit, with_parts=limit is None)

    def _lists(
        self,
        corpus: Corpus,
        scopes: Sequence[int],
        counted: Sequence[Counted],
        query: WordQuery,
    ) -> list[Postings]:
        """The terms worth looking up, rarest first, with the number of rows that have them, and these rows."""
        chosen: list[Postings] = []
        for rows, term, keys in affordable(counted, query.candidates, query.max_rows):
            keys = keys or self._newest(corpus, scopes, term, MAX_POSTINGS, query.candidates)
            row_keys = keys if isinstance(keys, set) else set(keys)
            chosen.append(
                (term, rows, row_keys if query.candidates is None else row_keys.intersection(query.candidates))
            )
        return chosen

    def _counted(
        self, corpus: Corpus, scopes: Sequence[int], terms: Sequence[str], max_rows: int | None = None
    ) -> Iterator[Counted]:
        """How many rows have each term, the term, and all of these rows if they are few, or else none.

        Where more than `max_rows` have it, their number is an estimate, and the rows are the newest.
        """
        most = MAX_UNCOUNTED_ROWS if max_rows is None else max_rows + 1
        pairs = [(scope, term) for scope in scopes for term in terms]
        keys_by_pair: dict[tuple[int, str], list[int]] = {pair: [] for pair in pairs}
        for start in range(0, len(pairs), MAX_TERMS_PER_QUERY):
            chunk = pairs[start : start + MAX_TERMS_PER_QUERY]
            phrases = tuple(_phrase(scope, term) for scope, term in chunk)
            for number, key in self._db.rows(_several(TABLE[corpus], len(chunk), most), phrases):
                keys_by_pair[chunk[number]].append(key)
        sql = f"SELECT doc FROM {TABLE[corpus]}_rows WHERE term = ?"
        for term in terms:
            lists = [keys_by_pair[scope, term] for scope in scopes]
            # One more was read than may be used, to see whether there are more.
            keys = [key for keys in lists for key in keys[:max_rows]]
            if max_rows is not None:
                yield sum(estimate(keys, most) for keys in lists), term, keys
            elif len(keys) < most:
                yield len(keys), term, keys
            else:
                yield sum(self._db.value(sql, (f"{scope}x{term}",)) or 0 for scope in scopes), term, []

    def _newest(
        self, corpus: Corpus, scopes: Sequence[int], term: str, limit: int, candidates: Candidates = None
    ) -> list[int]:
        """The newest rows of each scope that have a term."""
        table = TABLE[corpus]
        narrowed = "" if candidates is None else "AND rowid IN (SELECT value FROM json_each(?3))"
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?1 {narrowed} ORDER BY rowid DESC LIMIT ?2"
        if candidates is None:
            return [key for scope in scopes for (key,) in self._db.rows(sql, (_phrase(scope, term), limit))]
        own: dict[int, list[int]] = {scope: [] for scope in scopes}
        for key in candidates:
            own.get(key >> 32, []).append(key)
        calls = ((_phrase(scope, term), limit, json.dumps(keys)) for scope, keys in own.items() if keys)
        return [key for call in calls for (key,) in self._db.rows(sql, call)]


def is_indexed(db: Database, corpus: Corpus, key: int, text: str) -> bool:
    """Whether a row is found by the first of its words; one without words is."""
    stems, table = text_stems(text), TABLE[corpus]
    sql = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"
    return not stems or db.value(sql, (_phrase(key >> 32, stems[0]), key)) is not None


def _phrase(scope: int, term: str) -> str:
    """A term of a scope as FTS5 looks it up; no part of it is syntax."""
    # Doubling the quotes is all that FTS5's string syntax needs.
    quoted = term.replace('"', '""')
    return f'"{scope}x{quoted}"'


@cache
def _several(table: str, count: int, limit: int) -> str:
    """The newest rows of several terms in one statement, each with the number of its term."""
    newest = f"SELECT {{}}, rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT {limit}"
    return " UNION ALL ".join(f"SELECT * FROM ({newest.format(number)})" for number in range(count))


def _scoped(scope: int, stems: Sequence[str]) -> str:
    """The text for FTS5: each stem with the number of its scope."""
    prefix = f"{scope}x"
    return prefix + f" {prefix}".join(stems) if stems else ""
