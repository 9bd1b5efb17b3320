"""Search candidates among messages: word and vector hits, and their neighbors."""

from collections.abc import Collection, Mapping

from recollect.core.ports import Tx, WordHit
from recollect.core.ports.ranker import STOP_WORDS, RankItem
from recollect.core.text import OPENING_WORDS
from recollect.core.types import Message
from recollect.language import word_forms
from recollect.language.other_words import other_words
from recollect.recall import facts
from recollect.recall.query import (
    MAX_INDEX_HITS,
    MAX_RECENT_ROWS,
    Candidates,
    Query,
    VisibilityCheck,
    matching_keys,
    nearest,
)
from recollect.recall.rankers.unified import parse_query

MAX_WORD_HITS = 600
"""Word hits that are kept to score rows found by other means."""
MAX_MEAN_LENGTH = 2 * OPENING_WORDS
"""Mean length of messages, in words, from which on other words than those of the question are not looked for."""
MAX_HITS_WITH_NEIGHBORS = 60
"""Best hits of each index whose neighbors become candidates."""


def find_candidates(tx: Tx, query: Query, is_visible: VisibilityCheck) -> Candidates:
    allowed = matching_keys(tx, query)
    parsed = parse_query(query.question, query.sample.speakers.values())
    related = _related(query, parsed.terms)
    # The query's words come last, as of words with one stem the last counts.
    terms = (*related, *parsed.terms)
    hits = {hit.key: hit for hit in tx.index.words("messages", query.scopes, terms, MAX_WORD_HITS, allowed)}
    best_by_words = list(hits)[:MAX_INDEX_HITS]
    # "What did you recommend?" has no word of the answer.
    has_recent = query.includes_recent or (parsed.target == "assistant" and query.ranker.follows_links)
    recent = tx.index.recent("messages", query.scopes, MAX_RECENT_ROWS) if has_recent else []
    found_by_facts = facts.message_keys(tx, query, allowed)
    keys = {*best_by_words, *found_by_facts, *(key for key in recent if allowed is None or key in allowed)}
    cosines = nearest(tx, query, MAX_INDEX_HITS, keys, allowed)
    best_by_cosine = sorted(cosines, key=lambda key: -cosines[key])
    previous, neighbors = _read_neighbors(
        tx, {*best_by_words[:MAX_HITS_WITH_NEIGHBORS], *best_by_cosine[:MAX_HITS_WITH_NEIGHBORS]}
    )
    # Filters hold for neighbors, too: they are results, not only context.
    neighbors = neighbors if allowed is None else neighbors & allowed
    cosines |= nearest(tx, query, 0, neighbors - cosines.keys(), allowed)
    rows = {key: row for key, row in tx.messages.fetch(keys | cosines.keys() | neighbors).items() if is_visible(row)}
    positions = tx.messages.positions(rows)
    items = [_item(key, rows[key], positions[key], hits.get(key), cosines.get(key), related) for key in sorted(rows)]
    leads = {key: score for key, score in found_by_facts.items() if key in rows}
    return Candidates(rows, items, query.sample.size, query.sample.lengths, previous, leads, related)


def _related(query: Query, terms: Collection[str]) -> dict[str, str]:
    """Other words to look for: a short line has few ways to say a thing, a long text most of them."""
    lengths = query.sample.lengths
    is_long = bool(lengths) and sum(lengths) > MAX_MEAN_LENGTH * len(lengths)
    if is_long or not query.ranker.follows_links or not word_forms.is_english(query.question.text):
        return {}
    return other_words(terms, {*STOP_WORDS, *terms})


def _read_neighbors(tx: Tx, keys: set[int]) -> tuple[dict[int, int], set[int]]:
    """The predecessor of each message, and all neighbors."""
    previous: dict[int, int] = {}
    for key, steps in tx.messages.neighbors(keys, 1).items():
        for step, other in steps:
            earlier, later = (other, key) if step < 0 else (key, other)
            previous[later] = earlier
    return previous, {*previous, *previous.values()}


def _item(
    key: int,
    message: Message,
    placement: tuple[int, int, float],
    hit: WordHit | None,
    cosine: float | None,
    related: Collection[str],
) -> RankItem:
    position, length, asks = placement
    parts: Mapping[str, int] = hit.parts if hit else {}
    others = {word: rows for word, rows in parts.items() if word in related} if related else {}
    return RankItem(
        key=key,
        text=message.text,
        updated=message.at,
        happened=message.at,
        channel=message.place.channel,
        speaker=message.name or message.author,
        bot=message.bot,
        session=message.place.session,
        position=position,
        length=length,
        asks=asks,
        shared={word: rows for word, rows in parts.items() if word not in others} if others else parts,
        related=others,
        cosine=cosine,
    )
