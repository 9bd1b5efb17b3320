"""The word index: FTS5 over our own stems, each written together with the number of its scope.

`12xrust` is the word "rust" in scope 12, so a posting list never mixes scopes and a search costs the same
however many scopes there are. FTS5 keeps the lists; how a text is cut into words is ours, and so is the score.
"""

import json
from collections.abc import Collection, Sequence

from recollect.ports import Corpus, WordCount, WordHit
from recollect.stores._stems import stems
from recollect.stores.sqlite.database import Database
from recollect.text import OPENING, clean, rarity, words

TABLE: dict[Corpus, str] = {"memos": "memo_words", "messages": "message_words"}
Among = Collection[int] | None
POSTINGS = 4_000
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
        """The rows of these scopes, `size` in all, that share the rarest words with the query."""
        self.flush()
        by_stem = dict(zip(stems([clean(term) for term in terms]), terms, strict=True))
        found: dict[int, dict[str, WordCount]] = {}
        for stem, frequency in self._affordable(corpus, scopes, list(by_stem), among):
            read = self._postings if frequency <= POSTINGS else self._newest
            for key, (times, opening) in read(corpus, scopes, stem, among).items():
                if among is None or key in among:
                    found.setdefault(key, {})[by_stem[stem]] = WordCount(times, opening, frequency)
        hits = [WordHit(key, _score(parts, size), parts) for key, parts in found.items()]
        hits.sort(key=lambda hit: (-hit.score, -hit.key))
        return hits[:limit]

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

    def _postings(self, corpus: Corpus, scopes: Sequence[int], term: str, _: Among) -> dict[int, tuple[int, int]]:
        """How often the term stands in each row, and how often in the row's opening."""
        counts: dict[int, tuple[int, int]] = {}
        sql = f"SELECT doc, offset FROM {TABLE[corpus]}_places WHERE term = ?"
        for scope in scopes:
            for key, offset in self._db.rows(sql, (f"{scope}x{term}",)):
                times, opening = counts.get(key, (0, 0))
                counts[key] = times + 1, opening + (offset < OPENING)
        return counts

    def _newest(self, corpus: Corpus, scopes: Sequence[int], term: str, among: Among) -> dict[int, tuple[int, int]]:
        """The newest rows with a term that has more than we read, as if it stood in each once."""
        table = TABLE[corpus]
        narrowed = "" if among is None else "AND rowid IN (SELECT value FROM json_each(?2))"
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ?1 {narrowed} ORDER BY rowid DESC LIMIT {POSTINGS}"
        rest = () if among is None else (json.dumps(list(among)),)
        quoted = term.replace('"', '""')
        found = (self._db.rows(sql, (f'"{scope}x{quoted}"', *rest)) for scope in scopes)
        return {key: (1, 1) for rows in found for (key,) in rows}


def _score(parts: dict[str, WordCount], size: int) -> float:
    return sum(rarity(size, count.frequency) * count.times * (K1 + 1) / (count.times + K1) for count in parts.values())
