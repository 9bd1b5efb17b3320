"""The port of rankers: a query and a pool of candidates in, scores with an explanation out."""

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


@dataclass(slots=True)  # not frozen: a search makes hundreds, and a frozen one takes three times as long
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
    bot: bool = False
    session: str = ""
    position: int = 0
    length: int = 1
    asks: float = 0.0
    hits: int = 0
    pinned: bool = False
    shared: Mapping[str, int] = field(default_factory=dict[str, int])
    """Words of the query that it contains, and in how many rows of the scope each occurs."""
    related: Mapping[str, int] = field(default_factory=dict[str, int])
    """The same of other words that stand for one of the query (`RankPool.related`)."""
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
    """The candidates that the indexes returned, and statistics of their scope."""

    items: Sequence[RankItem]
    size: int = 0
    """Number of rows in the whole scope."""
    lengths: Sequence[int] = ()
    """Lengths of a sample of them, in words."""
    people: int = 2
    before: Mapping[int, int] = field(default_factory=dict[int, int])
    """Maps a message to the message before it, by key."""
    facts: Mapping[int, float] = field(default_factory=dict[int, float])
    """Source messages of matching facts, by key, with the fact's score."""
    related: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other forms and synonyms that were searched for, each with the word of the query that it stands for."""
    mean_length: float = field(init=False)

    def __post_init__(self) -> None:
        mean = sum(self.lengths) / len(self.lengths) if self.lengths else 1.0
        object.__setattr__(self, "mean_length", max(1.0, mean))

    @property
    def has_vectors(self) -> bool:
        return any(item.cosine is not None for item in self.items)


@dataclass(slots=True)
class Ranked:
    """An item with its score, the named parts of the score, and whether it passes the ranker's gate."""

    item: RankItem
    score: float
    parts: Mapping[str, float]
    relevant: bool = True


def content_words(text: str) -> list[str]:
    """The words of a query without stop words; all of them if only stop words remain."""
    distinct = query_words(text)
    return [word for word in distinct if word not in STOP_WORDS] or distinct


def bm25(item: RankItem, pool: RankPool) -> float:
    """Okapi BM25 of an item within its scope, counting each word once."""
    norm = K1 * (1 - B + B * item.length / pool.mean_length)
    return sum(inverse_frequency(pool.size, frequency) for frequency in item.shared.values()) * (K1 + 1) / (1 + norm)


def in_order(ranked: list[Ranked]) -> list[Ranked]:
    """Best first; ties go to the newer item, then to the later row."""
    return sorted(ranked, key=lambda entry: (entry.score, entry.item.updated, entry.item.key), reverse=True)


def tokens(text: str, min_chars: int = 3) -> set[str]:
    """Words of at least this length; in scripts without spaces a pair of characters is a word."""
    distinct = set(words(text))
    short = {word for word in distinct if len(word) < min_chars and (word.isascii() or len(word) != 2)}
    return distinct - short if short else distinct


@dataclass(frozen=True, slots=True)
class Ranker:
    """What `create` of a ranker's module returns."""

    rank: Callable[[RankQuery, RankPool], list[Ranked]]
    gated: bool = False
    """Leave out what fails the gate, if anything passes it."""
    includes_recent: frozenset[Corpus] = frozenset()
    """Corpora of which it also ranks recent rows, not only matches of words and vectors."""
    follows_links: bool = False
    """Whether questions about another time also find what a memo replaced, and facts find their source messages."""
    embeds_topic: bool = False
    """Whether a question is embedded without its stop words and the names of speakers; those of earlier designs embed
    it as it was asked.
    """
