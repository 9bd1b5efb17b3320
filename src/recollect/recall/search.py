"""Search for a viewer: parse the query, embed it, read the store once, rank, and count the results as used.

No model call. `Searcher` is the whole path; `search` is the part within one read.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypedDict

from recollect.core.clock import Clock
from recollect.core.ports import Corpus, CorpusSample, Filters, Store, Tx
from recollect.core.ports.ranker import Ranker, RankPool, RankQuery
from recollect.core.types import Memo, Status
from recollect.policy.viewer import Viewer, search_scopes
from recollect.recall import memos, messages, withheld
from recollect.recall.diversity import diversify
from recollect.recall.listing import without_hidden_links
from recollect.recall.query import EMPTY_SAMPLE, Candidates, Hit, Query, VisibilityCheck
from recollect.recall.rankers.unified import is_assistant, parse_query
from recollect.recall.usage import UsageCounter
from recollect.recall.vectors.index import VectorIndexer

SAMPLE_SIZE = 300
USED_RESULTS = 5
"""Results of a search, best first, that count as used."""


class SearchOptions(TypedDict, total=False):
    """How to search; see `AsyncMemory.search`."""

    over: Corpus
    subject: Literal["mine", "lore", "both"]
    filters: Filters | None
    status: Status
    limit: int | None
    ranker: str | None
    strict: bool
    min_score: float | None
    count_use: bool


class Searcher:
    def __init__(
        self, store: Store, vectors: VectorIndexer, usage: UsageCounter, ranker: Callable[[str], Ranker], clock: Clock
    ) -> None:
        self._store, self._vectors, self._usage, self._ranker, self._clock = store, vectors, usage, ranker, clock

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        over: Corpus,
        subject: Literal["mine", "lore", "both"],
        filters: Filters,
        status: Status,
        limit: int,
        ranker: str,
        strict: bool,
        min_score: float | None,
        count_use: bool,
    ) -> list[Hit]:
        """The best matches that the viewer may see, best first; see `AsyncMemory.search`."""
        user, place = viewer.user, viewer.place
        scopes, question = (
            search_scopes(user, place, over, subject),
            RankQuery(text, self._clock(), place.channel, user),
        )
        sample = EMPTY_SAMPLE
        if over == "messages":
            sample = await self._store.read(lambda tx: corpus_sample(tx, over, scopes))
        topic = parse_query(question, sample.speakers.values()).topic
        query = Query(
            question=question,
            corpus=over,
            scopes=scopes,
            sample=sample,
            ranker=self._ranker(ranker),
            limit=limit,
            strict=strict,
            min_score=min_score,
            filters=filters,
            status=status,
            vector=await self._vectors.embed_query(topic, over),
        )
        hits = await self._store.read(lambda tx: search(tx, query, withheld.search_filter(tx, viewer, over)))
        if count_use:
            used = (hit for hit in hits[:USED_RESULTS] if hit.score > 0)
            self._usage.add(hit.item.key for hit in used if isinstance(hit.item, Memo))
        return hits


def corpus_sample(tx: Tx, corpus: Corpus, scopes: Sequence[str]) -> CorpusSample:
    """Text lengths and speakers of a corpus: needed to parse a query."""
    return tx.index.sample(corpus, scopes, SAMPLE_SIZE)


def search(tx: Tx, query: Query, is_visible: VisibilityCheck) -> list[Hit]:
    """The best visible results, best first."""
    candidates = _find_candidates(tx, query, is_visible)
    pool = RankPool(
        candidates.items, candidates.size, candidates.lengths, _count_people(query.sample), candidates.before
    )
    ranked = query.ranker.rank(query.question, pool)
    relevant = [result for result in ranked if result.relevant]
    if query.strict or (query.ranker.gated and relevant):
        ranked = relevant
    if query.min_score is not None:
        ranked = [result for result in ranked if result.score >= query.min_score]
    best = diversify(ranked, query.limit)
    hits = (Hit(candidates.rows[result.item.key], result.score, dict(result.parts), result.relevant) for result in best)
    return [_shown(tx, hit, is_visible) for hit in hits]


def _shown(tx: Tx, hit: Hit, is_visible: VisibilityCheck) -> Hit:
    memo = hit.memo
    shown = None if memo is None else without_hidden_links(tx, memo, is_visible)
    return hit if shown is None or shown is memo else replace(hit, item=shown)


def _find_candidates(tx: Tx, query: Query, is_visible: VisibilityCheck) -> Candidates:
    if query.corpus == "messages":
        return messages.find_candidates(tx, query, is_visible)
    return (memos.find_candidates if query.status is Status.ACTIVE else memos.find_retired_candidates)(
        tx, query, is_visible
    )


def _count_people(sample: CorpusSample) -> int:
    return sum(not is_assistant(name or author) for author, name in sample.speakers.items())
