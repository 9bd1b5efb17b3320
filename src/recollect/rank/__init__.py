"""Rankers: five behind one interface, found by name; `unified` is ours, the others are the documents'."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.errors import ConfigError
from recollect.ports import Corpus
from recollect.rank import hybrid, overlap, plain, recency, rrf, unified
from recollect.rank.base import Item, Pool, Question, Ranked
from recollect.rank.diversity import diversify

__all__ = ["RANKERS", "Item", "Pool", "Question", "Ranked", "Ranker", "diversify", "named"]


@dataclass(frozen=True, slots=True)
class Ranker:
    rank: Callable[[Question, Pool], list[Ranked]]
    gated: bool = False
    """What fails the gate is left out as long as anything passes."""
    browses: frozenset[Corpus] = frozenset()
    """Where it looks at recent rows too, not only at those that words and vectors found."""


_BOTH: frozenset[Corpus] = frozenset({"memos", "messages"})
RANKERS = {
    "unified": Ranker(unified.rank),
    "recency": Ranker(recency.rank, browses=_BOTH),
    "overlap": Ranker(overlap.rank, browses=_BOTH),
    "hybrid": Ranker(hybrid.rank, browses=_BOTH, gated=True),
    "rrf": Ranker(rrf.rank),
    "bm25": Ranker(plain.by_words),
    "cosine": Ranker(plain.by_vector),
}


def named(name: str) -> Ranker:
    try:
        return RANKERS[name]
    except KeyError:
        raise ConfigError(f"there is no ranker {name!r}; choose one of {', '.join(RANKERS)}") from None
