"""The input and the results of a search."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.core.ports import Corpus, CorpusSample, Filters, Tx, Vector
from recollect.core.ports.ranker import Ranker, RankItem, RankQuery
from recollect.core.types import Memo, Message, Status

MAX_INDEX_HITS = 100
"""Hits that each index returns at most."""
MAX_RECENT_ROWS = 60
"""Recent rows that become candidates where a ranker includes them."""

EMPTY_SAMPLE = CorpusSample(0, (), {})


VisibilityCheck = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class FactSearch:
    """Where to look for facts that lead to messages."""

    scopes: Sequence[str]
    vector: tuple[str, Vector] | None
    is_visible: VisibilityCheck


@dataclass(frozen=True, slots=True)
class MemoSet:
    """The memos that a program searches in its own name, whoever they belong to."""

    scopes: Sequence[str]
    accepts: VisibilityCheck
    keys: Collection[int] | None = None
    """Those in use that are accepted, where these are few among many; None for any of the scopes."""


@dataclass(frozen=True, slots=True)
class Query:
    """All inputs of one search."""

    question: RankQuery
    corpus: Corpus
    scopes: Sequence[str]
    ranker: Ranker
    limit: int = 20
    strict: bool = False
    min_score: float | None = None
    filters: Filters = field(default_factory=Filters)
    keys: Collection[int] | None = None
    """The rows to which it is restricted, besides the filters; None for all."""
    status: Status = Status.ACTIVE
    vector: tuple[str, Vector] | None = None
    sample: CorpusSample = EMPTY_SAMPLE
    facts: FactSearch | None = None
    """Only in searches over messages."""

    @property
    def includes_recent(self) -> bool:
        return self.corpus in self.ranker.includes_recent


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching memo or message, with its score and the parts of the score."""

    item: Memo | Message
    score: float
    """From 0 to 1, and comparable between queries, so that it can be cut off (`min_score`); a ranker of an earlier
    design has its own scale.
    """
    parts: dict[str, float]
    relevant: bool = True
    """False for what is merely nearest: its score is below one half."""
    since: datetime | None = None
    """For a question about another time: since when it was true, as far as that is known."""
    until: datetime | None = None
    """Until when it was true; None if it still is."""
    previous: Message | None = None
    """The message before a message hit in its session, if the viewer may read it."""

    def __repr__(self) -> str:
        return f"Hit({self.text!r}, score={self.score:.2f}, relevant={self.relevant}, id={self.item.id!r})"

    @property
    def text(self) -> str:
        return self.item.text

    @property
    def why(self) -> str:
        """The parts of the score, the largest first."""
        parts = sorted(self.parts.items(), key=lambda part: -abs(part[1]))
        return ", ".join(f"{name} {value:.2f}" for name, value in parts if value)

    @property
    def memo(self) -> Memo | None:
        """The item, unless it is a message."""
        return self.item if isinstance(self.item, Memo) else None

    @property
    def message(self) -> Message | None:
        """The item, unless it is a memo."""
        return self.item if isinstance(self.item, Message) else None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows, their form for rankers, and the predecessor of each message."""

    rows: dict[int, Any]
    items: list[RankItem]
    size: int
    lengths: Sequence[int]
    before: dict[int, int] = field(default_factory=dict[int, int])
    facts: dict[int, float] = field(default_factory=dict[int, float])
    related: dict[str, str] = field(default_factory=dict[str, str])


def matching_keys(tx: Tx, query: Query) -> set[int] | None:
    """Keys of the rows that pass the filters; None without filters."""
    keys = None if query.keys is None else set(query.keys)
    if query.filters.is_empty:
        return keys
    matching = tx.index.matching(query.corpus, query.scopes, query.filters)
    return matching if keys is None else matching & keys


def nearest(
    tx: Tx, query: Query, limit: int, also: Collection[int], allowed: Collection[int] | None
) -> dict[int, float]:
    """Cosines of the nearest rows and of `also`; empty without a query vector."""
    if query.vector is None:
        return {}
    model, vector = query.vector
    return tx.index.nearest(query.corpus, query.scopes, model, vector, limit, also, allowed)
