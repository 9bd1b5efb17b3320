"""The word index: FTS5 over our own stems, each written together with the number of its scope.

`12xrust` is the word "rust" in scope 12, so a posting list never mixes scopes and a search costs the same
however many scopes there are. FTS5 keeps the lists; how a text is cut into words is ours, and so is the score.
"""

import heapq
import json
from collections.abc import Collection, Sequence

from recollect.ports import Corpus, WordCount, WordHit
from recollect.stores._stems import stems
from recollect.stores.sqlite.database import Database
from recollect.text import clean, rarity, words

TABLE: dict[Corpus, str] = {"memos": "memo_words", "messages": "message_words"}
_PUT = {corpus: f"INSERT OR REPLACE INTO {table} (rowid, terms) VALUES (?, ?)" for corpus, table in TABLE.items()}
Among = Collection[int] | None
POSTINGS = 2_500
"""Entries read for one query: the rare words decide, so they come first, and common ones as far as there is room."""
K1 = 0.9


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
                terms = " ".join([f"{key >> 32}x{stem}" for stem in stems(words(text))])
                self._db.run(_PUT[corpus], (key, terms))
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
        """The rows of these scopes, `size` in all, that share the rarest words with the query."""
        self.flush()
        by_stem = dict(zip(stems([clean(term) for term in terms]), terms, strict=True))
        scores: dict[int, float] = {}
        lists: list[tuple[str, int, dict[int, int]]] = []
        for stem, frequency in self._affordable(corpus, scopes, list(by_stem), among):
            read = self._postings if frequency <= POSTINGS else self._newest
            counts = dict(read(corpus, scopes, stem, among))
            if among is not None:
                counts = {key: times for key, times in counts.items() if key in among}
            weight = rarity(size, frequency)
            for key, times in counts.items():  # the innermost loop: most words stand in a row once
                score = weight if times == 1 else weight * times * (K1 + 1) / (times + K1)
                scores[key] = scores.get(key, 0.0) + score
            lists.append((by_stem[stem], frequency, counts))
        best = heapq.nlargest(limit, zip(scores.values(), scores, strict=True))
        return [
            WordHit(key, score, {term: WordCount(counts[key], f) for term, f, counts in lists if key in counts})
            for score, key in best
        ]

    def _affordable(
        self, corpus: Corpus, scopes: Sequence[int], terms: Sequence[str], among: Among
    ) -> list[tuple[str, int]]:
        """The terms worth looking up, rarest first, with the number of rows that have them."""
        sql = f"SELECT doc FROM {TABLE[corpus]}_rows WHERE term = ?"
        counted = [(sum(self._db.value(sql, (f"{scope}x{term}",)) or 0 for scope in scopes), term) for term in terms]
        chosen: list[tuple[str, int]] = []
        room = POSTINGS
        for rows, term in sorted(counted):
            cost = rows if among is None else min(rows, len(among))
            if cost > room and chosen:
                break
            if rows:
                chosen.append((term, rows))
                room -= cost
        return chosen

    def _postings(self, corpus: Corpus, scopes: Sequence[int], term: str, _: Among) -> list[tuple[int, int]]:
        """The rows with a term, and how often it stands in each."""
        sql = f"SELECT doc, count(*) FROM {TABLE[corpus]}_places WHERE term = ? GROUP BY doc"
        return [row for scope in scopes for row in self._db.rows(sql, (f"{scope}x{term}",))]

    def _newest(self, corpus: Corpus, scopes: Sequence[int], term: str, among: Among) -> list[tuple[int, int]]:
        """The newest rows with a term that has more than we read, as if it stood in each once."""
        table = TABLE[corpus]
        narrowed = "" if among is None else "AND rowid IN (SELECT value FROM json_each(?2))"
        sql = f"SELECT rowid, 1 FROM {table} WHERE {table} MATCH ?1 {narrowed} ORDER BY rowid DESC LIMIT {POSTINGS}"
        rest = () if among is None else (json.dumps(list(among)),)
        quoted = term.replace('"', '""')
        return [row for scope in scopes for row in self._db.rows(sql, (f'"{scope}x{quoted}"', *rest))]
