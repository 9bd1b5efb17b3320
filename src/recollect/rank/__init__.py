"""Rankers: five behind one interface, found by name; `unified` is ours, the others are the documents'."""

from collections.abc import Callable
from dataclasses import dataclass

from recollect.errors import ConfigError
from recollect.rank import hybrid, overlap, plain, recency, rrf, unified
from recollect.rank.base import Item, Pool, Question, Ranked
from recollect.rank.diversity import diversify

__all__ = ["RANKERS", "Item", "Pool", "Question", "Ranked", "Ranker", "diversify", "named"]


@dataclass(frozen=True, slots=True)
class Ranker:
    rank: Callable[[Question, Pool], list[Ranked]]
    gated: bool = False
    """What fails the gate is left out as long as anything passes."""
    browses: bool = True
    """Looks at recent rows too, not only at those that words and vectors found."""


RANKERS = {
    "unified": Ranker(unified.rank),
    "recency": Ranker(recency.rank),
    "overlap": Ranker(overlap.rank),
    "hybrid": Ranker(hybrid.rank, gated=True),
    "rrf": Ranker(rrf.rank, browses=False),
    "bm25": Ranker(plain.by_words, browses=False),
    "cosine": Ranker(plain.by_vector, browses=False),
}


def named(name: str) -> Ranker:
    try:
        return RANKERS[name]
    except KeyError:
        raise ConfigError(f"there is no ranker {name!r}; choose one of {', '.join(RANKERS)}") from None
