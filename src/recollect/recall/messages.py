"""Candidates among messages: what words and vectors find, and what was said around it."""

from recollect.core.ports import Tx, WordHit
from recollect.core.ports.ranker import RankItem
from recollect.core.types import Message
from recollect.recall.query import BROWSED, LANE, Candidates, Query, VisibilityCheck, allowed, nearest
from recollect.recall.rankers.unified import parse_query

LOOKED_UP = 600
"""Word hits kept to know the words of rows that came another way."""
NEIGHBOURS = 60
"""Best hits of each lane whose neighbours are looked at."""


def gather(tx: Tx, ask: Query, audible: VisibilityCheck) -> Candidates:
    among = allowed(tx, ask)
    terms = parse_query(ask.question, ask.sample.speakers.values()).terms
    hits = {hit.key: hit for hit in tx.index.words("messages", ask.scopes, terms, LOOKED_UP, among)}
    chosen = list(hits)[:LANE]
    recent = tx.index.recent("messages", ask.scopes, BROWSED) if ask.browses else []
    also = {*chosen, *(key for key in recent if among is None or key in among)}
    cosines = nearest(tx, ask, LANE, also, among)
    by_cosine = sorted(cosines, key=lambda key: -cosines[key])
    before, beside = _beside(tx, {*chosen[:NEIGHBOURS], *by_cosine[:NEIGHBOURS]})
    beside = beside if among is None else beside & among
    cosines |= nearest(tx, ask, 0, beside - cosines.keys(), among)
    rows = {key: row for key, row in tx.messages.fetch(also | cosines.keys() | beside).items() if audible(row)}
    shapes = tx.messages.positions(rows)
    items = [_item(key, rows[key], shapes[key], hits.get(key), cosines.get(key)) for key in sorted(rows)]
    return Candidates(rows, items, ask.sample.size, ask.sample.lengths, before)


def _beside(tx: Tx, keys: set[int]) -> tuple[dict[int, int], set[int]]:
    """What was said just before each message, and all neighbours."""
    before: dict[int, int] = {}
    for key, steps in tx.messages.neighbors(keys, 1).items():
        for step, other in steps:
            earlier, later = (other, key) if step < 0 else (key, other)
            before[later] = earlier
    return before, {*before, *before.values()}


def _item(
    key: int, said: Message, shape: tuple[int, int, float], hit: WordHit | None, cosine: float | None
) -> RankItem:
    number, length, asks = shape
    return RankItem(
        key=key,
        text=said.text,
        updated=said.at,
        happened=said.at,
        channel=said.place.channel,
        speaker=said.name or said.author,
        session=said.place.session,
        position=number,
        length=length,
        asks=asks,
        shared=hit.parts if hit else {},
        cosine=cosine,
    )
