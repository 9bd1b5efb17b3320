"""What a search goes by, and what it gives."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.core.ports import Corpus, Filters, Texture, Tx, Vector
from recollect.core.ports.ranker import Item, Question, Ranker
from recollect.core.types import Memo, Message, Status

LANE = 100
"""Rows that each lane brings at the most."""
BROWSED = 60
"""Recent rows that are looked at where a ranker browses."""

NO_TEXTURE = Texture(0, (), {})


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that one search goes by."""

    question: Question
    corpus: Corpus
    scopes: Sequence[str]
    ranker: Ranker
    limit: int = 20
    strict: bool = False
    filters: Filters = field(default_factory=Filters)
    status: Status = Status.ACTIVE
    vector: tuple[str, Vector] | None = None
    texture: Texture = NO_TEXTURE

    @property
    def browses(self) -> bool:
        return self.corpus in self.ranker.browses


@dataclass(frozen=True, slots=True)
class Found:
    """A memo or a message that fits, with its score and what the score is made of."""

    what: Memo | Message
    score: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates: the rows themselves, as a ranker sees them, and which came just before which."""

    rows: dict[int, Any]
    items: list[Item]
    size: int
    lengths: Sequence[int]
    before: dict[int, int] = field(default_factory=dict[int, int])


Audible = Callable[[Any], bool]


def allowed(tx: Tx, ask: Search) -> set[int] | None:
    """The rows that pass the filters; None when there are none to pass."""
    return None if ask.filters.is_empty else tx.lanes.matching(ask.corpus, ask.scopes, ask.filters)


def near(tx: Tx, ask: Search, limit: int, also: Collection[int], among: Collection[int] | None) -> dict[int, float]:
    """Cosines of the nearest rows and of `also`; none without a vector of the query."""
    if ask.vector is None:
        return {}
    model, vector = ask.vector
    return tx.lanes.near(ask.corpus, ask.scopes, model, vector, limit, also, among)
