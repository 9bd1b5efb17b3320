"""Rankers: five behind one interface, found by name; `unified` is ours, the others are the documents'."""

from recollect.compat.rankers import hybrid, overlap, recency, rrf
from recollect.core.errors import ConfigError
from recollect.core.ports import Corpus
from recollect.core.ports.ranker import Ranker
from recollect.recall.rank import baselines, unified

_BOTH: frozenset[Corpus] = frozenset({"memos", "messages"})


RANKERS = {
    "unified": Ranker(unified.rank),
    "recency": Ranker(recency.rank, browses=_BOTH),
    "overlap": Ranker(overlap.rank, browses=_BOTH),
    "hybrid": Ranker(hybrid.rank, browses=_BOTH, gated=True),
    "rrf": Ranker(rrf.rank),
    "bm25": Ranker(baselines.by_words),
    "cosine": Ranker(baselines.by_vector),
}


def named(name: str) -> Ranker:
    try:
        return RANKERS[name]
    except KeyError:
        raise ConfigError(f"there is no ranker {name!r}; choose one of {', '.join(RANKERS)}") from None
