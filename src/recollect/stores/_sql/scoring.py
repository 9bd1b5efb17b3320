"""How rows that share words with a query are scored."""

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from recollect.core.ports import WordHit
from recollect.core.text import inverse_frequency

MAX_POSTINGS = 2_500
"""Budget of index entries per query: rare words are read first, as they decide, then common ones while it lasts."""

MAX_SORTED_ROWS = 150
"""Up to so many rows, sorting all is quicker than selecting the best."""

_NO_PARTS: Mapping[str, int] = MappingProxyType({})

Postings = tuple[str, int, set[int]]
"""A stem, the number of rows that have it, and the rows that were read of these."""


Counted = tuple[int, str, Collection[int]]
"""The number of rows that have a stem, the stem, and the rows if they were read already."""


ROWS_OF_A_SCOPE = 1 << 32
"""Keys of one scope: the scope is in the upper half of a key."""


def estimate(newest: Sequence[int], limit: int) -> int:
    """The estimated number of rows with a word, from the density of the `limit` newest ones."""
    if len(newest) < limit:
        return len(newest)
    last = newest[0] % ROWS_OF_A_SCOPE
    return round(limit * last / (newest[0] - newest[-1] + 1))


def affordable(
    counted: Iterable[Counted], candidates: Collection[int] | None, max_rows: int | None = None
) -> Iterator[Counted]:
    """The stems worth looking up, rarest first; of each at most `max_rows` rows are read."""
    remaining: int | None = None  # the first one is always looked up
    for entry in sorted((entry for entry in counted if entry[0]), key=lambda entry: entry[:2]):
        cost = entry[0] if candidates is None else min(entry[0], len(candidates))
        cost = cost if max_rows is None else min(cost, max_rows)
        # Rarest first, so whatever follows costs as much and tells less.
        if remaining is not None and cost > remaining:
            break
        remaining = (MAX_POSTINGS if remaining is None else remaining) - cost
        yield entry


def only_common(counted: Iterable[Counted], max_rows: int) -> bool:
    """Whether more than `max_rows` rows have each of the stems: then only together do they tell rows apart."""
    return all(rows > max_rows for rows, *_ in counted if rows)


def best_hits(
    lists: Sequence[Postings], size: int, terms: Mapping[str, str], limit: int, *, with_parts: bool = True
) -> list[WordHit]:
    """The rows that share the rarest words with the query, among `size` rows; `terms` has the query's words by stem."""
    lists = _by_word(lists, terms)
    scores: dict[int, float] = {}
    for _, frequency, keys in lists:
        weight = inverse_frequency(size, frequency)
        for key in keys:  # the innermost loop
            scores[key] = scores.get(key, 0.0) + weight
    pairs = zip(scores.values(), scores, strict=True)
    is_short = len(scores) <= MAX_SORTED_ROWS
    # A few pairs are sorted faster than a heap of them is built.
    best = sorted(pairs, reverse=True)[:limit] if is_short else heapq.nlargest(limit, pairs)
    if not with_parts:
        return [WordHit(key, score, _NO_PARTS) for score, key in best]
    return [
        WordHit(key, score, {word: frequency for word, frequency, keys in lists if key in keys}) for score, key in best
    ]


def _by_word(lists: Sequence[Postings], terms: Mapping[str, str]) -> Sequence[Postings]:
    """The rows of each word of the query; its stems in two languages count as one."""
    merged: dict[str, Postings] = {}
    for stem, frequency, keys in lists:
        word = terms[stem]
        if word in merged:
            _, most, others = merged[word]
            keys = keys | others
            # The rows of both stems overlap by an unknown amount, so their numbers are not added up.
            frequency = max(most, frequency, len(keys))
        merged[word] = word, frequency, keys
    return list(merged.values())
