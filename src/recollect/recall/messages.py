"""Candidates among messages: what words and vectors find, and what was said around it."""

from recollect.core.ports import Tx, WordHit
from recollect.core.ports.ranker import Item
from recollect.core.types import Message
from recollect.recall.query import BROWSED, LANE, Audible, Gathered, Search, allowed, near
from recollect.recall.rankers.unified import understand

LOOKED_UP = 600
"""Word hits kept to know the words of rows that came another way."""
NEIGHBOURS = 60
"""Best hits of each lane whose neighbours are looked at."""


def gather(tx: Tx, ask: Search, audible: Audible) -> Gathered:
    among = allowed(tx, ask)
    terms = understand(ask.question, ask.texture.speakers.values()).terms
    hits = {hit.key: hit for hit in tx.lanes.words("messages", ask.scopes, terms, LOOKED_UP, among)}
    chosen = list(hits)[:LANE]
    recent = tx.lanes.recent("messages", ask.scopes, BROWSED) if ask.browses else []
    also = {*chosen, *(key for key in recent if among is None or key in among)}
    cosines = near(tx, ask, LANE, also, among)
    nearest = sorted(cosines, key=lambda key: -cosines[key])
    before, beside = _beside(tx, {*chosen[:NEIGHBOURS], *nearest[:NEIGHBOURS]})
    beside = beside if among is None else beside & among
    cosines |= near(tx, ask, 0, beside - cosines.keys(), among)
    rows = {key: row for key, row in tx.journal.fetch(also | cosines.keys() | beside).items() if audible(row)}
    shapes = tx.journal.shape(rows)
    items = [_item(key, rows[key], shapes[key], hits.get(key), cosines.get(key)) for key in sorted(rows)]
    return Gathered(rows, items, ask.texture.size, ask.texture.lengths, before)


def _beside(tx: Tx, keys: set[int]) -> tuple[dict[int, int], set[int]]:
    """What was said just before each message, and all neighbours."""
    before: dict[int, int] = {}
    for key, steps in tx.journal.beside(keys, 1).items():
        for step, other in steps:
            earlier, later = (other, key) if step < 0 else (key, other)
            before[later] = earlier
    return before, {*before, *before.values()}


def _item(key: int, said: Message, shape: tuple[int, int, float], hit: WordHit | None, cosine: float | None) -> Item:
    number, length, asks = shape
    return Item(
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
