"""The word index: one row for each word of a text, in tables that an index keeps by scope, word and key.

A search reads the lists of its own scopes only, newest rows first and no further than it needs to. How a text is cut
into words is the same for every store, and so is the score.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import LiteralString

from recollect.core.ports import Corpus, WordHit
from recollect.core.text import clean, digest
from recollect.stores._sql.scoring import MAX_POSTINGS, Counted, affordable, best_hits, only_common
from recollect.stores._sql.search import Scope, WordQuery
from recollect.stores._sql.stems import query_stems, text_stems
from recollect.stores.postgres.database import Database

TABLE: dict[Corpus, LiteralString] = {"memos": "memo_words", "messages": "message_words"}
ALIVE: dict[Corpus, LiteralString] = {
    "memos": "SELECT scope, key, text || array_to_string(array[''] || tags, ' ') AS text FROM memos "
    "WHERE status = 'active'",
    "messages": "SELECT scope, key, text FROM messages WHERE deleted IS NULL",
}
"""The rows that are in the index, with the text that is indexed of them."""
MAX_COUNTED_ROWS = 10_000
"""Entries of a word that are counted one by one; beyond that its share of the newest rows speaks for all."""
MAX_TERM_CHARS = 100
"""Letters of a word that stand in the index; what is longer is no word, but is found by a fingerprint."""

Row = tuple[int, int, str]
"""Scope, key and text."""


def entries(text: str) -> list[str]:
    """The words of a text as they stand in the index."""
    return list(dict.fromkeys(map(_entry, text_stems(clean(text)))))


def _entry(stem: str) -> str:
    return stem if len(stem) <= MAX_TERM_CHARS else stem[: MAX_TERM_CHARS - 60] + digest(stem)


def rewrite(db: Database, corpus: Corpus, rows: Sequence[Row]) -> None:
    """Index these rows, in place of what the index has of them."""
    remove(db, corpus, [key for _, key, _ in rows])
    add(db, corpus, rows)


def add(db: Database, corpus: Corpus, rows: Sequence[Row]) -> None:
    """Index rows that the index has nothing of."""
    postings = ((scope, term, key) for scope, key, text in rows for term in entries(text))
    db.copy(f"COPY {TABLE[corpus]} (scope, term, key) FROM STDIN", postings)


def remove(db: Database, corpus: Corpus, keys: Sequence[int]) -> None:
    db.run(f"DELETE FROM {TABLE[corpus]} WHERE key = ANY(%s::bigint[])", (list(keys),))


def search(db: Database, corpus: Corpus, scopes: Sequence[Scope], query: WordQuery) -> list[WordHit]:
    """The rows of these scopes that share the rarest words with the query."""
    if not scopes or not query.terms:
        return []
    by_entry = {_entry(stem): term for stem, term in query_stems(query.terms).items()}
    size = sum(scope.size for scope in scopes)
    counted = _row_counts(db, corpus, scopes, list(by_entry), query.max_rows or MAX_COUNTED_ROWS)
    if query.max_rows is not None and only_common(counted, query.max_rows):
        return search(db, corpus, scopes, query._replace(max_rows=None))
    chosen = {entry: rows for rows, entry, _ in affordable(counted, query.candidates, query.max_rows)}
    rows_by_entry = _postings(db, corpus, scopes, chosen, query)
    lists = [(entry, frequency, rows_by_entry[entry]) for entry, frequency in chosen.items()]
    return best_hits(lists, size, by_entry, query.limit, with_parts=query.max_rows is None)


def _row_counts(
    db: Database, corpus: Corpus, scopes: Sequence[Scope], entries: Sequence[str], limit: int
) -> list[Counted]:
    """In how many rows each word stands; where there are more than `limit`, that is an estimate."""
    counted = db.rows(
        "SELECT term, scope, found.rows, found.oldest "
        "FROM unnest(%s::text[]) AS term CROSS JOIN unnest(%s::integer[]) AS scope CROSS JOIN LATERAL ("
        "SELECT count(*) AS rows, min(key) AS oldest FROM ("
        f"SELECT key FROM {TABLE[corpus]} AS posting WHERE posting.scope = scope.scope AND posting.term = term.term "
        "ORDER BY key DESC LIMIT %s) AS newest) AS found WHERE found.rows > 0",
        (list(entries), [scope.id for scope in scopes], limit + 1),
    )
    by_id = {scope.id: scope for scope in scopes}
    frequencies: dict[str, int] = defaultdict(int)
    for entry, scope, rows, oldest in counted:
        frequencies[entry] += rows if rows <= limit else _estimate(db, corpus, by_id[scope], rows, oldest)
    return [(rows, entry, ()) for entry, rows in frequencies.items()]


def _estimate(db: Database, corpus: Corpus, scope: Scope, rows: int, oldest: int) -> int:
    """How many rows have a word that so many have since the row `oldest`, if it was always as common."""
    number: int = db.value(f"SELECT number FROM {corpus} WHERE key = %s", (oldest,)) or 1
    since = max(1, scope.last - number + 1)
    return max(rows, min(scope.size, round(rows * scope.last / since)))


def _postings(
    db: Database, corpus: Corpus, scopes: Sequence[Scope], chosen: Mapping[str, int], query: WordQuery
) -> dict[str, set[int]]:
    """For each word the newest rows that have it."""
    candidates = query.candidates
    narrowed: LiteralString = "" if candidates is None else "AND posting.key = ANY(%(among)s::bigint[]) "
    rows = db.rows(
        "SELECT term, found.key "
        "FROM unnest(%(terms)s::text[]) AS term CROSS JOIN unnest(%(scopes)s::integer[]) AS scope CROSS JOIN LATERAL ("
        f"SELECT key FROM {TABLE[corpus]} AS posting "
        f"WHERE posting.scope = scope.scope AND posting.term = term.term {narrowed}"
        "ORDER BY key DESC LIMIT %(limit)s) AS found",
        {
            "terms": list(chosen),
            "scopes": [scope.id for scope in scopes],
            "among": list(candidates or ()),
            "limit": query.max_rows or MAX_POSTINGS,
        },
    )
    keys_by_entry: dict[str, set[int]] = {entry: set() for entry in chosen}
    for entry, key in rows:
        keys_by_entry[entry].add(key)
    return keys_by_entry


def count_inconsistencies(db: Database, corpus: Corpus) -> tuple[int, int]:
    """How many rows the index lacks, and how many it has that are gone."""
    table, alive = TABLE[corpus], ALIVE[corpus]
    extra = db.value(
        f"SELECT count(*) FROM (SELECT DISTINCT key FROM {table}) AS indexed "
        f"WHERE NOT EXISTS ({alive} AND key = indexed.key)"
    )
    lacking = db.rows(
        f"SELECT text FROM ({alive}) AS row WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.key = row.key)"
    )
    return sum(bool(entries(text)) for (text,) in lacking), extra  # not every text has words


def drop_strays(db: Database, corpus: Corpus) -> int:
    """Take rows out of the index that are gone; how many entries they had."""
    table = TABLE[corpus]
    return db.run(f"DELETE FROM {table} WHERE NOT EXISTS ({ALIVE[corpus]} AND key = {table}.key)")
