"""Find what fits a question: lanes, audience, ranking, diversity. One read of the store, no model call."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect import rank
from recollect.ports import Corpus, Filters, Texture, Tx, Vector, WordHit
from recollect.rank import unified
from recollect.rank.base import Item, Pool, Question
from recollect.text import words
from recollect.types import Memo, Message, Status, Subject

LANE = 100
"""Rows that each lane brings at the most."""
NARROWED = 1_000
"""Word hits kept to look up the words of rows that another lane brought."""
BROWSED = 60
NEIGHBOURS = 60
"""Best hits of each lane whose neighbours are looked at."""
SAMPLE = 300


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that one search goes by."""

    question: Question
    corpus: Corpus
    scopes: Sequence[str]
    ranker: str = "unified"
    limit: int = 20
    strict: bool = False
    filters: Filters = field(default_factory=Filters)
    status: Status = Status.ACTIVE
    vector: tuple[str, Vector] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A memo or a message that fits, with its score and what the score is made of."""

    what: Memo | Message
    score: float
    parts: dict[str, float]


def texture(tx: Tx, corpus: Corpus, scopes: Sequence[str]) -> Texture:
    """What kind of texts there are, and who speaks: known before a question can be understood."""
    return tx.lanes.texture(corpus, scopes, SAMPLE)


def search(tx: Tx, ask: Search, audible: Callable[[Memo | Message], bool]) -> list[Found]:
    """The best results that may be heard here, best first."""
    ranker = rank.named(ask.ranker)
    kind = texture(tx, ask.corpus, ask.scopes)
    if ask.status is Status.ACTIVE:
        rows, items, before = _gather(tx, ask, kind, audible, ask.corpus in ranker.browses)
    else:
        rows, items, before = _retired(tx, ask, audible)
    pool = Pool(items, max(kind.size, len(items)), kind.lengths, _people(kind), before)
    ranked = ranker.rank(ask.question, pool)
    passing = [one for one in ranked if one.relevant]
    if ask.strict or (ranker.gated and passing):
        ranked = passing
    return [Found(rows[one.item.key], one.score, dict(one.parts)) for one in rank.diversify(ranked, ask.limit)]


def _people(kind: Texture) -> int:
    return sum(not unified.is_assistant(name or author) for author, name in kind.speakers.items())


def _gather(
    tx: Tx, ask: Search, kind: Texture, audible: Callable[[Any], bool], browses: bool
) -> tuple[dict[int, Any], list[Item], dict[int, int]]:
    """The rows that the lanes bring, as items to rank, and which came just before which."""
    among = None if ask.filters.is_empty else tx.lanes.matching(ask.corpus, ask.scopes, ask.filters)
    terms = unified.understand(ask.question, kind.speakers.values()).terms
    hits = {hit.key: hit for hit in tx.lanes.words(ask.corpus, ask.scopes, terms, NARROWED, among)}
    chosen = list(hits)[:LANE]
    recent = tx.lanes.recent(ask.corpus, ask.scopes, BROWSED if browses else 0)
    also = {*chosen, *(key for key in recent if among is None or key in among)}
    near = _near(tx, ask, also, among)
    keys = also | near.keys()
    before: dict[int, int] = {}
    if ask.corpus == "messages":
        nearest = sorted(near, key=lambda key: -near[key])
        before, beside = _beside(tx, {*chosen[:NEIGHBOURS], *nearest[:NEIGHBOURS]}, among)
        near |= _near(tx, ask, beside - keys, among, limit=0)
        keys |= beside
    fetched: dict[int, Any] = tx.memos.fetch(keys) if ask.corpus == "memos" else tx.journal.fetch(keys)
    rows = {key: row for key, row in fetched.items() if audible(row)}
    if ask.corpus == "memos":
        return rows, [_memo(rows[key], hits.get(key), near.get(key)) for key in sorted(rows)], before
    shapes = tx.journal.shape(rows)
    items = [_message(key, rows[key], shapes[key], hits.get(key), near.get(key)) for key in sorted(rows)]
    return rows, items, before


def _near(
    tx: Tx, ask: Search, also: Collection[int], among: Collection[int] | None, limit: int = LANE
) -> dict[int, float]:
    if ask.vector is None:
        return {}
    model, vector = ask.vector
    return tx.lanes.near(ask.corpus, ask.scopes, model, vector, limit, also, among)


def _beside(tx: Tx, keys: set[int], among: Collection[int] | None) -> tuple[dict[int, int], set[int]]:
    """What was said just before each message, and all neighbours."""
    before: dict[int, int] = {}
    for key, steps in tx.journal.beside(keys, 1).items():
        for step, other in steps:
            earlier, later = (other, key) if step < 0 else (key, other)
            before[later] = earlier
    beside = {*before, *before.values()}
    return before, beside if among is None else beside & set(among)


def _message(key: int, said: Message, shape: tuple[int, float], hit: WordHit | None, cosine: float | None) -> Item:
    return Item(
        key=key,
        text=said.text,
        updated=said.at,
        happened=said.at,
        channel=said.place.channel,
        speaker=said.name or said.author,
        session=said.place.session,
        position=key & 0xFFFFFFFF,
        length=shape[0],
        asks=shape[1],
        counts=hit.parts if hit else {},
        cosine=cosine,
    )


def _memo(memo: Memo, hit: WordHit | None, cosine: float | None) -> Item:
    return Item(
        key=memo.key,
        text=memo.text,
        updated=memo.updated,
        kind=memo.kind.value,
        tags=memo.tags,
        evidence=memo.source.evidence or "",
        confidence=memo.confidence,
        happened=memo.happened,
        channel=memo.source.channel,
        length=memo.text.count(" ") + 1,
        hits=memo.hits,
        pinned=memo.pinned,
        counts=hit.parts if hit else {},
        cosine=cosine,
    )


def _retired(tx: Tx, ask: Search, audible: Callable[[Any], bool]) -> tuple[dict[int, Any], list[Item], dict[int, int]]:
    """Memos that are out of use and so in no index: read them all, there are few."""
    memos = [memo for scope in ask.scopes for memo in tx.memos.list(Subject.of_scope(scope), [ask.status])]
    rows = {memo.key: memo for memo in memos if audible(memo)}
    asked = set(words(ask.question.text))
    rows = {key: memo for key, memo in rows.items() if asked & set(words(memo.text))}
    return rows, [_memo(memo, None, None) for memo in rows.values()], {}
