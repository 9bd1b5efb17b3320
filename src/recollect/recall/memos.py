"""Search candidates among memos: scored roughly by the indexes, so that only the best are read in full."""

from collections.abc import Iterator

from recollect.core.ports import Filters, Tx, WordHit
from recollect.core.ports.ranker import RankItem
from recollect.core.text import words
from recollect.core.types import Memo, Status, Subject
from recollect.language import word_forms
from recollect.recall.query import (
    MAX_INDEX_HITS,
    MAX_RECENT_ROWS,
    Candidates,
    Query,
    VisibilityCheck,
    matching_keys,
    nearest,
)
from recollect.recall.rankers.unified import parse_query

MIN_POOL_ROWS = 20
"""Rows to read, or twice the requested results if that is more."""
MAX_WORD_HITS = 60
"""Best word matches that become candidates."""


MAX_MEMOS_SCANNED = 2_000
"""Newest memos that are checked where most index hits are not visible."""


def find_candidates(tx: Tx, query: Query, is_visible: VisibilityCheck) -> Candidates:
    allowed = matching_keys(tx, query)
    candidates, is_truncated = _collect(tx, query, is_visible, allowed)
    # The index does not know who may see what: its best hits may all be hidden, and visible ones further down.
    if is_truncated and len(candidates.rows) < query.limit:
        visible = {memo.key for memo in _newest(tx, query) if is_visible(memo)}
        candidates, _ = _collect(tx, query, is_visible, visible if allowed is None else visible & allowed)
    return candidates


def _newest(tx: Tx, query: Query) -> Iterator[Memo]:
    for scope in query.scopes:
        yield from tx.memos.list(Subject.of_scope(scope), [Status.ACTIVE], MAX_MEMOS_SCANNED)


def _collect(tx: Tx, query: Query, is_visible: VisibilityCheck, allowed: set[int] | None) -> tuple[Candidates, bool]:
    """Candidates among the allowed rows, and whether an index may have more hits than it returned."""
    terms = parse_query(query.question, ()).terms
    terms = tuple(dict.fromkeys([*terms, *word_forms.search_forms(query.question.text, terms)]))
    hits = {
        hit.key: hit for hit in tx.index.words("memos", query.scopes, terms, max(MAX_WORD_HITS, query.limit), allowed)
    }
    pool = MAX_INDEX_HITS if query.includes_recent else max(MIN_POOL_ROWS, 2 * query.limit)
    cosines = nearest(tx, query, MAX_INDEX_HITS, hits, allowed)
    recent: list[int] = []
    if query.includes_recent or len(hits.keys() | cosines.keys()) < query.limit:
        recent = _recent(tx, query, allowed)
        if missing := [key for key in recent if key not in cosines]:
            cosines |= nearest(tx, query, 0, missing, allowed)
    rows = _read(tx, _best_first(hits, cosines, recent), pool, is_visible)
    items = [_item(memo, hits.get(key), cosines.get(key)) for key, memo in sorted(rows.items())]
    is_truncated = len(hits) >= MAX_WORD_HITS or len(cosines) >= MAX_INDEX_HITS
    size = max(tx.index.size(query.scopes), len(rows))
    return Candidates(rows, items, size, [item.length for item in items]), is_truncated


def _recent(tx: Tx, query: Query, allowed: set[int] | None) -> list[int]:
    limit = MAX_RECENT_ROWS if query.includes_recent else query.limit
    if allowed is not None:  # the newest allowed ones, not the allowed ones among the newest; keys grow with time
        return sorted(allowed, reverse=True)[:limit]
    return tx.index.recent("memos", query.scopes, limit)


def _best_first(hits: dict[int, WordHit], cosines: dict[int, float], recent: list[int]) -> list[int]:
    """Keys by the summed scores of both indexes, then the recent ones as a filler."""
    top = max((hit.score for hit in hits.values()), default=1.0) or 1.0
    high, low = max(cosines.values(), default=1.0), min(cosines.values(), default=0.0)
    spread = high - low or 1.0
    # Both indexes are scaled to 1, as BM25 and cosines have nothing in common.
    scores = {key: hit.score / top for key, hit in hits.items()}
    for key, cosine in cosines.items():
        scores[key] = scores.get(key, 0.0) + (cosine - low) / spread
    ranked = sorted(scores, key=lambda key: (-scores[key], -key))
    return ranked + [key for key in recent if key not in scores]


def _read(tx: Tx, keys: list[int], count: int, is_visible: VisibilityCheck) -> dict[int, Memo]:
    """The first visible memos, at most `count` plus the rest of a chunk."""
    rows: dict[int, Memo] = {}
    for chunk in _chunks(keys, count):
        fetched = tx.memos.fetch(chunk)
        rows |= {key: memo for key, memo in fetched.items() if is_visible(memo)}
        if len(rows) >= count:
            break
    return rows


def _chunks(keys: list[int], size: int) -> Iterator[list[int]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _item(memo: Memo, hit: WordHit | None, cosine: float | None) -> RankItem:
    return RankItem(
        key=memo.key,
        text=memo.text,
        updated=memo.updated,
        kind=memo.kind.value,
        tags=memo.tags,
        evidence=memo.source.evidence or "",
        confidence=memo.confidence,
        happened=memo.happened,
        channel=memo.source.channel,
        length=memo.text.count(" ") + 1,
        hits=memo.hits,
        pinned=memo.pinned,
        shared=hit.parts if hit else {},
        cosine=cosine,
    )


def find_retired_candidates(tx: Tx, query: Query, is_visible: VisibilityCheck) -> Candidates:
    """Retired memos are in no index: all are read, as there are few."""
    memos = [memo for scope in query.scopes for memo in tx.memos.list(Subject.of_scope(scope), [query.status])]
    memos = [memo for memo in memos if _matches_filters(memo, query.filters)]
    terms = set(words(query.question.text))
    rows = {memo.key: memo for memo in memos if is_visible(memo) and terms & set(words(memo.text))}
    items = [_item(memo, None, None) for memo in rows.values()]
    return Candidates(rows, items, len(rows), [item.length for item in items])


def _matches_filters(memo: Memo, filters: Filters) -> bool:
    """The filters that the store applies to active memos."""
    happened = memo.happened
    return (
        (not filters.kinds or memo.kind.value in filters.kinds)
        and (not filters.tags or not set(filters.tags).isdisjoint(memo.tags))
        and (filters.guild is None or memo.source.guild == filters.guild)
        and (filters.channel is None or memo.source.channel == filters.channel)
        and (filters.since is None or happened is None or happened >= filters.since)
        and (filters.until is None or happened is None or happened < filters.until)
    )
