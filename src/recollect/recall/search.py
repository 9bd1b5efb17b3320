"""Search: indexes, visibility, ranking, diversity. One read of the store, no model call."""

from collections.abc import Sequence

from recollect.core.ports import Corpus, CorpusSample, Tx
from recollect.core.ports.ranker import RankPool
from recollect.core.types import Status
from recollect.recall import memos, messages
from recollect.recall.diversity import diversify
from recollect.recall.query import EMPTY_SAMPLE, Candidates, Hit, Query, VisibilityCheck
from recollect.recall.rankers.unified import is_assistant

__all__ = ["EMPTY_SAMPLE", "Hit", "Query", "corpus_sample", "search"]

SAMPLE_SIZE = 300


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
    best = diversify(ranked, query.limit)
    return [Hit(candidates.rows[result.item.key], result.score, dict(result.parts)) for result in best]


def _find_candidates(tx: Tx, query: Query, is_visible: VisibilityCheck) -> Candidates:
    if query.corpus == "messages":
        return messages.find_candidates(tx, query, is_visible)
    return (memos.find_candidates if query.status is Status.ACTIVE else memos.find_retired_candidates)(
        tx, query, is_visible
    )


def _count_people(sample: CorpusSample) -> int:
    return sum(not is_assistant(name or author) for author, name in sample.speakers.items())
