"""Candidates among memos: scored roughly by what the lanes say, and only the best are read in full."""

from collections.abc import Iterator

from recollect.core.ports import Filters, Tx, WordHit
from recollect.core.ports.ranker import RankItem
from recollect.core.text import words
from recollect.core.types import Memo, Status, Subject
from recollect.recall.query import BROWSED, LANE, Candidates, Query, VisibilityCheck, allowed, nearest
from recollect.recall.rankers.unified import parse_query

POOL = 20
"""Rows read at the least; twice the results asked for if that is more."""
WORDED = 60
"""Best rows by words that count."""


CROWDED = 2_000
"""Newest memos that are looked through where most of what the lanes bring may not be heard."""


def gather(tx: Tx, ask: Query, audible: VisibilityCheck) -> Candidates:
    among = allowed(tx, ask)
    found, cut = _gather(tx, ask, audible, among)
    if cut and len(found.rows) < ask.limit:
        heard = {memo.key for memo in _newest(tx, ask) if audible(memo)}
        found, _ = _gather(tx, ask, audible, heard if among is None else heard & among)
    return found


def _newest(tx: Tx, ask: Query) -> Iterator[Memo]:
    for scope in ask.scopes:
        yield from tx.memos.list(Subject.of_scope(scope), [Status.ACTIVE], CROWDED)


def _gather(tx: Tx, ask: Query, audible: VisibilityCheck, among: set[int] | None) -> tuple[Candidates, bool]:
    """Candidates among these rows, and whether a lane may have had more than it brought."""
    terms = parse_query(ask.question, ()).terms
    hits = {hit.key: hit for hit in tx.index.words("memos", ask.scopes, terms, max(WORDED, ask.limit), among)}
    pool = LANE if ask.browses else max(POOL, 2 * ask.limit)
    cosines = nearest(tx, ask, LANE, hits, among)
    recent: list[int] = []
    if ask.browses or len(hits.keys() | cosines.keys()) < ask.limit:
        recent = _recent(tx, ask, among)
        cosines |= nearest(tx, ask, 0, [key for key in recent if key not in cosines], among)
    rows = _read(tx, _best_first(hits, cosines, recent), pool, audible)
    items = [_item(memo, hits.get(key), cosines.get(key)) for key, memo in sorted(rows.items())]
    cut = len(hits) >= WORDED or len(cosines) >= LANE
    size = max(tx.index.size(ask.scopes), len(rows))
    return Candidates(rows, items, size, [item.length for item in items]), cut


def _recent(tx: Tx, ask: Query, among: set[int] | None) -> list[int]:
    keys = tx.index.recent("memos", ask.scopes, BROWSED if ask.browses else ask.limit)
    return keys if among is None else [key for key in keys if key in among]


def _best_first(hits: dict[int, WordHit], cosines: dict[int, float], recent: list[int]) -> list[int]:
    """Keys by the sum of what both lanes say, then the recent ones: something is better than nothing."""
    top = max((hit.score for hit in hits.values()), default=1.0) or 1.0
    high, low = max(cosines.values(), default=1.0), min(cosines.values(), default=0.0)
    height = high - low or 1.0
    rough = {key: hit.score / top for key, hit in hits.items()}
    for key, cosine in cosines.items():
        rough[key] = rough.get(key, 0.0) + (cosine - low) / height
    ranked = sorted(rough, key=lambda key: (-rough[key], -key))
    return ranked + [key for key in recent if key not in rough]


def _read(tx: Tx, keys: list[int], wanted: int, audible: VisibilityCheck) -> dict[int, Memo]:
    """The first memos that may be heard, as many as wanted or as there are."""
    rows: dict[int, Memo] = {}
    for chunk in _chunks(keys, wanted):
        fetched = tx.memos.fetch(chunk)
        rows |= {key: memo for key, memo in fetched.items() if audible(memo)}
        if len(rows) >= wanted:
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


def gather_retired(tx: Tx, ask: Query, audible: VisibilityCheck) -> Candidates:
    """Memos that are out of use, and so in no index: all are read, there are few."""
    memos = [memo for scope in ask.scopes for memo in tx.memos.list(Subject.of_scope(scope), [ask.status])]
    memos = [memo for memo in memos if _passes(memo, ask.filters)]
    asked = set(words(ask.question.text))
    rows = {memo.key: memo for memo in memos if audible(memo) and asked & set(words(memo.text))}
    items = [_item(memo, None, None) for memo in rows.values()]
    return Candidates(rows, items, len(rows), [item.length for item in items])


def _passes(memo: Memo, filters: Filters) -> bool:
    """What the store does for active memos."""
    when = memo.happened
    return (
        (not filters.kinds or memo.kind.value in filters.kinds)
        and (not filters.tags or not set(filters.tags).isdisjoint(memo.tags))
        and (filters.guild is None or memo.source.guild == filters.guild)
        and (filters.channel is None or memo.source.channel == filters.channel)
        and (filters.since is None or when is None or when >= filters.since)
        and (filters.until is None or when is None or when < filters.until)
    )
