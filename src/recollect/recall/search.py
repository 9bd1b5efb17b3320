"""Search for a viewer: parse the query, embed it, read the store once, rank, and count the results as used.

No model call. `Searcher` is the whole path; `search` is the part within one read.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, TypedDict, TypeVar

from recollect.core.clock import Clock
from recollect.core.ports import Corpus, CorpusSample, Filters, Store, Tx
from recollect.core.ports.ranker import Ranked, Ranker, RankPool, RankQuery
from recollect.core.types import Memo, Status
from recollect.language import past
from recollect.language.past import TimeQuestion
from recollect.policy.viewer import Viewer, search_scopes
from recollect.recall import facts, lineage, memos, messages, withheld
from recollect.recall.diversity import diversify
from recollect.recall.listing import without_hidden_links
from recollect.recall.query import EMPTY_SAMPLE, Candidates, FactSearch, Hit, MemoSet, Query, VisibilityCheck
from recollect.recall.rankers.unified import is_assistant, parse_query
from recollect.recall.reranking import RERANKED_HITS, Reranking
from recollect.recall.usage import UsageCounter
from recollect.recall.vectors.index import VectorIndexer

R = TypeVar("R", Ranked, Hit)

SAMPLE_SIZE = 300
USED_RESULTS = 5
"""Results of a search, best first, that count as used."""


OUR_RANKER = "unified"
"""The ranker whose order may be reranked; others keep the order of their designs."""


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
        self,
        store: Store,
        vectors: VectorIndexer,
        usage: UsageCounter,
        ranker: Callable[[str], Ranker],
        clock: Clock,
        reranking: Reranking | None = None,
    ) -> None:
        self._store, self._vectors, self._usage, self._ranker, self._clock = store, vectors, usage, ranker, clock
        self._reranking = reranking

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
        among: MemoSet | None = None,
    ) -> list[Hit]:
        """The best matches that the viewer may see, best first; see `AsyncMemory.search`. With `among`, of these memos
        instead.
        """
        user, place = viewer.user, viewer.place
        scopes, question = (
            search_scopes(user, place, over, subject) if among is None else among.scopes,
            RankQuery(text, self._clock(), place.channel, user),
        )
        # Memos have no speakers, so parsing the question needs no read.
        sample = EMPTY_SAMPLE
        if over == "messages":
            sample = await self._store.read(lambda tx: corpus_sample(tx, over, scopes))
        parsed = parse_query(question, sample.speakers.values())
        chosen = self._ranker(ranker)
        topic = parsed.topic if chosen.embeds_topic else text
        query = Query(
            question=question,
            corpus=over,
            scopes=scopes,
            sample=sample,
            ranker=chosen,
            limit=limit,
            strict=strict,
            min_score=min_score,
            filters=filters,
            keys=None if among is None else among.keys,
            status=status,
            vector=await self._vectors.embed_query(topic, over),
        )
        if over == "messages" and query.ranker.follows_links:
            vector = await self._vectors.embed_query(topic, "memos")
            scopes = facts.scopes(viewer, parsed, [*sample.speakers.items()])
            query = replace(query, facts=FactSearch(scopes, vector, partial(facts.is_visible_to, viewer)))
        reranking = self._reranking if ranker == OUR_RANKER else None
        # The reranker scores anew, so the caller's limits apply to its scores, not to ours.
        found = replace(query, limit=max(limit, RERANKED_HITS), strict=False, min_score=None) if reranking else query
        accepts = None if among is None else among.accepts
        hits = await self._store.read(lambda tx: search(tx, found, accepts or withheld.search_filter(tx, viewer, over)))
        if reranking:
            hits = await reranking.order(text, hits)
            hits = [hit for hit in hits if (hit.relevant or not strict) and hit.score >= (min_score or 0.0)][:limit]
        # In the background: a search must not wait for a write.
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
        candidates.items,
        candidates.size,
        candidates.lengths,
        _count_people(query.sample),
        candidates.before,
        candidates.facts,
        candidates.related,
    )
    ranked = query.ranker.rank(query.question, pool)
    best = diversify(_accepted(query, ranked, query.ranker.gated), query.limit)
    hits = [_hit(candidates, result) for result in best]
    asked = _time_question(query)
    if asked is not None and asked.is_as_of:
        # Also what is not relevant now: a predecessor may answer where its successor does not.
        all_hits = [_hit(candidates, result) for result in diversify(ranked, query.limit)]
        hits = _accepted(query, lineage.with_predecessors(tx, all_hits, asked, is_visible))[: query.limit]
    return [_shown(tx, hit, is_visible) for hit in hits]


def _accepted(query: Query, results: list[R], gated: bool = False) -> list[R]:
    """The results without those that the caller excluded: merely near ones, or those with too low a score."""
    relevant = [result for result in results if result.relevant]
    if query.strict or (gated and relevant):
        results = relevant
    return results if query.min_score is None else [item for item in results if item.score >= query.min_score]


def _hit(candidates: Candidates, result: Ranked) -> Hit:
    row, previous = candidates.rows[result.item.key], candidates.before.get(result.item.key)
    before = None if previous is None else candidates.rows.get(previous)
    return Hit(row, result.score, dict(result.parts), result.relevant, previous=before)


def _time_question(query: Query) -> TimeQuestion | None:
    """What the question says about time, if past facts may answer it."""
    is_plain = query.corpus == "memos" and query.status is Status.ACTIVE and query.filters.is_empty
    if not is_plain or not query.ranker.follows_links:
        return None
    return past.parse(query.question.text, query.question.now.date())


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
