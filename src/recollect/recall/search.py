"""Find what fits a question: lanes, audience, ranking, diversity. One read of the store, no model call."""

from collections.abc import Sequence

from recollect.core.ports import Corpus, CorpusSample, Tx
from recollect.core.ports.ranker import RankPool
from recollect.core.types import Status
from recollect.recall import memos, messages
from recollect.recall.diversity import diversify
from recollect.recall.query import EMPTY_SAMPLE, Candidates, Hit, Query, VisibilityCheck
from recollect.recall.rankers.unified import is_assistant

__all__ = ["EMPTY_SAMPLE", "Hit", "Query", "corpus_sample", "search"]

SAMPLE = 300


def corpus_sample(tx: Tx, corpus: Corpus, scopes: Sequence[str]) -> CorpusSample:
    """What kind of texts there are, and who speaks: known before a question can be understood."""
    return tx.index.sample(corpus, scopes, SAMPLE)


def search(tx: Tx, ask: Query, audible: VisibilityCheck) -> list[Hit]:
    """The best results that may be heard here, best first."""
    found = _gather(tx, ask, audible)
    pool = RankPool(found.items, found.size, found.lengths, _people(ask.sample), found.before)
    ranked = ask.ranker.rank(ask.question, pool)
    passing = [one for one in ranked if one.relevant]
    if ask.strict or (ask.ranker.gated and passing):
        ranked = passing
    best = diversify(ranked, ask.limit)
    return [Hit(found.rows[one.item.key], one.score, dict(one.parts)) for one in best]


def _gather(tx: Tx, ask: Query, audible: VisibilityCheck) -> Candidates:
    if ask.corpus == "messages":
        return messages.gather(tx, ask, audible)
    return (memos.gather if ask.status is Status.ACTIVE else memos.gather_retired)(tx, ask, audible)


def _people(kind: CorpusSample) -> int:
    return sum(not is_assistant(name or author) for author, name in kind.speakers.items())
