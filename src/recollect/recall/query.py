"""What a search goes by, and what it gives."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.core.ports import Corpus, CorpusSample, Filters, Tx, Vector
from recollect.core.ports.ranker import Ranker, RankItem, RankQuery
from recollect.core.types import Memo, Message, Status

LANE = 100
"""Rows that each lane brings at the most."""
BROWSED = 60
"""Recent rows that are looked at where a ranker browses."""

EMPTY_SAMPLE = CorpusSample(0, (), {})


@dataclass(frozen=True, slots=True)
class Query:
    """Everything that one search goes by."""

    question: RankQuery
    corpus: Corpus
    scopes: Sequence[str]
    ranker: Ranker
    limit: int = 20
    strict: bool = False
    filters: Filters = field(default_factory=Filters)
    status: Status = Status.ACTIVE
    vector: tuple[str, Vector] | None = None
    sample: CorpusSample = EMPTY_SAMPLE

    @property
    def browses(self) -> bool:
        return self.corpus in self.ranker.includes_recent


@dataclass(frozen=True, slots=True)
class Hit:
    """A memo or a message that fits, with its score and what the score is made of."""

    item: Memo | Message
    score: float
    parts: dict[str, float]

    @property
    def text(self) -> str:
        return self.item.text

    @property
    def memo(self) -> Memo | None:
        """What was found, unless it is a message."""
        return self.item if isinstance(self.item, Memo) else None

    @property
    def message(self) -> Message | None:
        """What was found, unless it is a memo."""
        return self.item if isinstance(self.item, Message) else None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates: the rows themselves, as a ranker sees them, and which came just before which."""

    rows: dict[int, Any]
    items: list[RankItem]
    size: int
    lengths: Sequence[int]
    before: dict[int, int] = field(default_factory=dict[int, int])


VisibilityCheck = Callable[[Any], bool]


def allowed(tx: Tx, ask: Query) -> set[int] | None:
    """The rows that pass the filters; None when there are none to pass."""
    return None if ask.filters.is_empty else tx.index.matching(ask.corpus, ask.scopes, ask.filters)


def nearest(tx: Tx, ask: Query, limit: int, also: Collection[int], among: Collection[int] | None) -> dict[int, float]:
    """Cosines of the nearest rows and of `also`; none without a vector of the query."""
    if ask.vector is None:
        return {}
    model, vector = ask.vector
    return tx.index.nearest(ask.corpus, ask.scopes, model, vector, limit, also, among)
