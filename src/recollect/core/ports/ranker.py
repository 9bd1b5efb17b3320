"""What every ranker gets and gives: a question, a pool of candidates, and scores that explain themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.core.ports import Corpus
from recollect.core.text import inverse_frequency, query_words, words

K1, B = 1.2, 0.75
BOTH_CORPORA: frozenset[Corpus] = frozenset({"memos", "messages"})


STOP_WORDS = frozenset(
    "a about also am an and any are as at be been being but by can could did do does doing dont during for from had "
    "has have having he her hers him his how i if im in into is it its ive just may me might mine must my no not of "
    "on or our ours shall she should so some than that the their theirs them then there these they this those to "
    "was we were what when where which while who whom whose why will with would you your yours".split()
)


@dataclass(slots=True)  # not frozen: hundreds are made for a search, and a frozen one takes three times as long
class RankItem:
    """A memo or a message, as a ranker sees it."""

    key: int
    text: str
    updated: datetime
    kind: str = ""
    tags: tuple[str, ...] = ()
    evidence: str = ""
    confidence: float = 1.0
    happened: datetime | None = None
    channel: str | None = None
    speaker: str = ""
    session: str = ""
    position: int = 0
    length: int = 1
    asks: float = 0.0
    hits: int = 0
    pinned: bool = False
    shared: Mapping[str, int] = field(default_factory=dict[str, int])
    """Words of the question that stand in it, and in how many rows of the scope each does."""
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class RankQuery:
    """What is asked, when, where and by whom."""

    text: str
    now: datetime
    channel: str | None = None
    asker: str = ""


@dataclass(frozen=True, slots=True)
class RankPool:
    """The candidates that the lanes found, and what their scope is like."""

    items: Sequence[RankItem]
    size: int = 0
    """Rows of the whole scope."""
    lengths: Sequence[int] = ()
    """Words of a sample of them."""
    people: int = 2
    before: Mapping[int, int] = field(default_factory=dict[int, int])
    """Key to the key of what was said just before it."""
    mean_length: float = field(init=False)

    def __post_init__(self) -> None:
        mean = sum(self.lengths) / len(self.lengths) if self.lengths else 1.0
        object.__setattr__(self, "mean_length", max(1.0, mean))

    @property
    def has_vectors(self) -> bool:
        return any(item.cosine is not None for item in self.items)


@dataclass(slots=True)
class Ranked:
    """An item with its score, the named parts of it, and whether it is relevant by the ranker's own gate."""

    item: RankItem
    score: float
    parts: Mapping[str, float]
    relevant: bool = True


def meaningful(text: str) -> list[str]:
    """The words of a question that say what it is about; all of them when none does."""
    found = query_words(text)
    return [word for word in found if word not in STOP_WORDS] or found


def bm25(item: RankItem, pool: RankPool) -> float:
    """Okapi BM25 of an item within its scope, each word counted once."""
    norm = K1 * (1 - B + B * item.length / pool.mean_length)
    return sum(inverse_frequency(pool.size, frequency) for frequency in item.shared.values()) * (K1 + 1) / (1 + norm)


def in_order(ranked: list[Ranked]) -> list[Ranked]:
    """Best first; equal scores go to the newer item, then to the later row."""
    return sorted(ranked, key=lambda one: (one.score, one.item.updated, one.item.key), reverse=True)


def tokens(text: str, shortest: int = 3) -> set[str]:
    """Words of at least this length; in scripts without spaces a pair of characters is a word."""
    return {word for word in words(text) if len(word) >= shortest or (not word.isascii() and len(word) == 2)}


@dataclass(frozen=True, slots=True)
class Ranker:
    """What `create` of a ranker's module returns."""

    rank: Callable[[RankQuery, RankPool], list[Ranked]]
    gated: bool = False
    """What fails the gate is left out as long as anything passes."""
    includes_recent: frozenset[Corpus] = frozenset()
    """Where it looks at recent rows too, not only at those that words and vectors found."""
