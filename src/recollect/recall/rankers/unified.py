"""`unified`, the default: words and vectors, and the conversation around each hit.

    strength = (words + vector + around + session + fact) × speaker × date × statement × standing × answer × substance
    score = match × strength ÷ the best strength (for messages its square root: an answer takes several of them)

`match` is the confidence that anything was found, which makes scores of different queries comparable.

A line of a conversation is rarely understood alone: a word of the question may stand in the line before, the
answer follows the question, and good hits come together. What speaks against an item lowers it; nothing is hidden.
"""

import heapq
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from recollect.core.ports.ranker import STOP_WORDS, Ranked, Ranker, RankItem, RankPool, RankQuery, in_order
from recollect.core.text import OPENING_WORDS, inverse_frequency, query_words, words
from recollect.core.types import Kind
from recollect.language import requests
from recollect.language.dates import days
from recollect.language.lexicon import Patterns
from recollect.recall import answers, calibration

K1, B = 0.9, 0.8
VECTOR_WEIGHT, LONG_TEXT_VECTOR_WEIGHT = 1.0, 0.5
"""Weight of the vector part for short texts, and for long ones, whose mean vector is blurred."""
FROM_PREVIOUS, FROM_NEXT, FROM_SESSION = 0.6, 0.4, 0.1
"""Weight of a query word in the line before, the line after, or elsewhere in the session."""
PREVIOUS_SHARE, NEXT_SHARE, ANSWER_SHARE, SESSION_SHARE = 0.1, 0.2, 0.25, 0.3
"""Share of the score of the line before, the line after, a question just answered, the session's best."""
OTHER_SPEAKER_FACTOR, MENTION_FACTOR, ASSISTANT_FACTOR = 0.6, 0.7, 0.7
"""Factors for messages of people whom the query is not about."""
RELATED_SHARE = 0.5
"""Weight of another form or a synonym of a query word."""
FACT_SHARE = 0.4
"""Share of the score of the fact that leads to a message."""
DATE_BONUS, QUESTION_PENALTY = 1.5, 0.2
"""Bonus for the days asked about, penalty for a text that only asks."""
SESSION_REACH, SESSION_BEST_COUNT = 40, 3
"""Distance within which the best items of a session are averaged, and how many count."""
SUBSTANCE_EXPONENT, MIN_SUBSTANCE, MAX_SUBSTANCE = 0.15, 0.25, 2.0
"""Among short lines a longer one says more: its share of the mean length, within these bounds, to this power."""
FLOOR_RANK, MIN_SAMPLES = 200, 20
"""Rank by cosine of an unremarkable item; fewer than `MIN_SAMPLES` cosines say little about that."""
UNRELATED_COSINE = 0.1
"""Cosine of unrelated texts."""
FRESH_BONUS, USED_BONUS, PINNED_BONUS, GRACE_DAYS = 0.10, 0.05, 0.10, 7
"""Bonuses of a memo: new, used (a new one gets the benefit of the doubt for days), pinned."""
_DAY = timedelta(days=1).total_seconds()
MAX_TELLING_DELAY = timedelta(days=10)
ALL_SCORE = 0.8
"""Strength of each memo, before bonuses, when a person asks for everything."""
MAX_QUESTION_CHARS = 400
"""A longer text is not taken as a question about what the assistant said."""

_ASSISTANTS = frozenset("agent ai assistant bot chatbot gpt model system".split())
_ROLES = _ASSISTANTS | {"human", "me", "user"}
_FIRST_PERSON = frozenset("i im ive me mine my myself".split())
_ABOUT_BOTH = re.compile(r"\b(?:we|us|summar\w+|recap|overview)\b", re.IGNORECASE)
_PATTERNS = Patterns(re.IGNORECASE)
_NO_WEIGHTS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query: its topic, and whose words are meant."""

    terms: tuple[str, ...]
    """Its words without stop words and without the names of speakers: those stand in the lines of the others."""
    named: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    target: str = ""

    @property
    def topic(self) -> str:
        """The text to embed."""
        return " ".join(self.terms)


@lru_cache(maxsize=1024)
def is_assistant(name: str) -> bool:
    return not _ASSISTANTS.isdisjoint(words(name))


def _is_assistant(item: RankItem) -> bool:
    return item.bot or (bool(item.speaker) and is_assistant(item.speaker))


def asks_assistant(text: str) -> bool:
    """Whether a question is about what the assistant said itself: "what did you recommend?"."""
    return _PATTERNS.asks_assistant.search(text[:MAX_QUESTION_CHARS]) is not None


def parse_query(question: RankQuery, speakers: Iterable[str]) -> ParsedQuery:
    """Split a question into topic and person, given who speaks in what is searched."""
    return _parse(question.text, frozenset(speakers))


@lru_cache(maxsize=64)  # cached: called for the candidates and again for ranking
def _parse(text: str, speakers: frozenset[str]) -> ParsedQuery:
    query_terms = query_words(text)
    # From the second character on: the first word of a question is capitalized anyway.
    capitals = set(re.findall(r"[^\W_]+", text[1:])) if speakers else ()
    named: dict[str, set[str]] = {}
    for speaker in speakers:
        parts = {part for part in words(speaker) if len(part) > 1 and part not in _ROLES}
        hits = {
            # "Will" or "May" is a name only where it is capitalized.
            part
            for part in parts
            if part in query_terms and (part not in STOP_WORDS or part.capitalize() in capitals)
        }
        if hits:
            named[speaker] = hits
    names = frozenset(part for parts in named.values() for part in parts)
    content_words = [word for word in query_terms if word not in STOP_WORDS]
    # A question of names only, such as "Ada?", is about these names.
    topic = [word for word in content_words if word not in names] or content_words or query_terms
    return ParsedQuery(tuple(topic), frozenset(named), names, _target(text, bool(named), query_terms))


def _target(text: str, has_named: bool, query_terms: Collection[str]) -> str:
    if has_named:
        return "speaker"
    if asks_assistant(text):
        return "assistant"
    return "asker" if not _FIRST_PERSON.isdisjoint(query_terms) and not _ABOUT_BOTH.search(text) else ""


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:
    items = {item.key: item for item in pool.items}
    query = parse_query(question, {item.speaker for item in pool.items if item.speaker})
    # Neighbors that were not read as candidates have no score to share.
    before = {key: earlier for key, earlier in pool.before.items() if key in items and earlier in items}
    after = {earlier: key for key, earlier in before.items()}
    word_part = _words(items, pool, before, after)
    vector_part = _vectors(items, pool)
    topic = {key: word_part[key] + vector_part[key] for key in items}
    is_talk = bool(before) or any(item.session or item.speaker or item.bot for item in pool.items)
    session = _session_best(items, topic) if is_talk else {}  # memos have no neighbors
    speaker = _speaker(query, pool) if is_talk else None
    date = _dates(question, pool)
    match = calibration.match(question.text, query.terms, pool, query.named, words(question.asker))
    short = _shortness(pool.mean_length) if is_talk else 0.0
    bonus = answers.bonus_for(question.text) if short else None
    asks_english = answers.is_english_question(question.text)
    wants_all = any(item.kind for item in pool.items) and requests.is_about_self(question.text)
    ranked: list[Ranked] = []
    for key, item in items.items():  # the innermost loop
        parts = {
            "words": word_part[key],
            "vector": vector_part[key],
            "around": _around(item, items, topic, before, after, query.target) if before else 0.0,
            "session": SESSION_SHARE * session[key] if session else 0.0,
            "speaker": speaker(item) if speaker else 1.0,
            "date": date.get(key, 1.0) if date else 1.0,
            "statement": 1 - QUESTION_PENALTY * item.asks,
            "standing": _memo_prior(item, question),
        }
        factor = parts["speaker"] * parts["date"] * parts["statement"] * parts["standing"]
        if short:
            is_comparable = not (asks_english and answers.is_foreign(item.text))
            parts["answer"] = 1 + short * bonus(item.text) if bonus and is_comparable else 1.0
            parts["substance"] = _length_factor(item.length / pool.mean_length, short) if is_comparable else 1.0
            factor = factor * parts["answer"] * parts["substance"]
        strength = topic[key] + parts["around"] + parts["session"]
        if pool.facts:  # memos are facts themselves
            fact = pool.facts.get(key, 0.0)
            parts["fact"] = FACT_SHARE * fact
            strength += parts["fact"]
            parts["match"] = max(match, fact)  # a fact may be a better match than any message
        else:
            parts["match"] = match
        ranked.append(Ranked(item, strength * factor, parts))
    best = max((entry.score for entry in ranked), default=0.0)
    for entry in ranked:
        share = entry.score / best if best > 0 else 0.0
        # The root lifts the lower ranks of messages.
        entry.score = entry.parts["match"] * (share if entry.item.kind else math.sqrt(share))
        # "What do you know about me?" shares no words with any memo, so all count alike.
        if wants_all and entry.item.kind not in ("", Kind.LORE):
            entry.score = ALL_SCORE * entry.parts["standing"]
            entry.parts = {**entry.parts, "match": entry.score}
        entry.relevant = entry.score >= calibration.RELEVANT_SCORE
    return in_order(ranked)


def _words(
    items: Mapping[int, RankItem], pool: RankPool, before: Mapping[int, int], after: Mapping[int, int]
) -> dict[int, float]:
    """BM25 of the question's words, in the item or, for less, around it; the best item has 1."""
    own_weights = {key: _weights(item, pool) for key, item in items.items()}
    best: dict[str, dict[str, float]] = {}
    for key, weights in own_weights.items():
        if not items[key].session:
            continue
        session_best = best.setdefault(items[key].session, {})
        for term, weight in weights.items():
            session_best[term] = max(session_best.get(term, 0.0), weight)
    scores: dict[int, float] = {}
    for key, item in items.items():
        weights = own_weights[key]
        if not item.session and key not in before and key not in after:  # a memo: it has nothing around it
            scores[key] = sum(weights.values())
            continue
        weights = dict(weights)
        nearby = (
            (FROM_PREVIOUS, own_weights[before[key]] if key in before else _NO_WEIGHTS),
            (FROM_NEXT, own_weights[after[key]] if key in after else _NO_WEIGHTS),
            (FROM_SESSION, best[item.session] if item.session else _NO_WEIGHTS),
        )
        for share, others in nearby:
            for term, weight in others.items():
                weights[term] = max(weights.get(term, 0.0), share * weight)
        scores[key] = sum(weights.values())
    top = max(scores.values(), default=0.0)
    return {key: value / top for key, value in scores.items()} if top > 0 else scores


def _weights(item: RankItem, pool: RankPool) -> Mapping[str, float]:
    if not item.shared and not item.related:
        return _NO_WEIGHTS
    # BM25 with a term frequency of 1: in short texts a repeated word says nothing more.
    share = (K1 + 1) / (1 + K1 * (1 - B + B * item.length / pool.mean_length))
    weights = {term: share * inverse_frequency(pool.size, frequency) for term, frequency in item.shared.items()}
    for word, frequency in item.related.items():
        term, weight = pool.related[word], RELATED_SHARE * share * inverse_frequency(pool.size, frequency)
        weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _vectors(items: Mapping[int, RankItem], pool: RankPool) -> dict[int, float]:
    """How far each cosine is above that of an unremarkable item; the best has the full weight."""
    cosines = sorted((item.cosine for item in pool.items if item.cosine is not None), reverse=True)
    if not cosines:
        return dict.fromkeys(items, 0.0)
    floor = cosines[min(len(cosines), FLOOR_RANK, max(MIN_SAMPLES, pool.size // 2)) - 1]
    if len(cosines) < MIN_SAMPLES:
        floor = min(floor, UNRELATED_COSINE)
    height = cosines[0] - floor
    # All alike: vectors tell nothing, and dividing would blow noise up.
    if height < 1e-9:
        return dict.fromkeys(items, 0.0)
    weight = _vector_weight(pool.lengths) / height
    return {
        key: weight * max(0.0, (floor if item.cosine is None else item.cosine) - floor) for key, item in items.items()
    }


def _vector_weight(lengths: Collection[int]) -> float:
    """Less where even the short texts are long."""
    short = sorted(lengths)[len(lengths) // 4] if lengths else 0
    return LONG_TEXT_VECTOR_WEIGHT + (VECTOR_WEIGHT - LONG_TEXT_VECTOR_WEIGHT) * min(
        1.0, max(0.0, 2 - short / OPENING_WORDS)
    )


def _around(
    item: RankItem,
    items: Mapping[int, RankItem],
    topic: Mapping[int, float],
    before: Mapping[int, int],
    after: Mapping[int, int],
    target: str,
) -> float:
    """Shares of the scores before and after; an answer gets most from the question before it."""
    score = NEXT_SHARE * topic[after[item.key]] if item.key in after else 0.0
    if item.key in before:
        earlier = items[before[item.key]]
        is_meant = _is_assistant(item) == (target == "assistant")
        replies = item.speaker != earlier.speaker and item.speaker and earlier.speaker and is_meant
        score += (PREVIOUS_SHARE + (ANSWER_SHARE * min(1.0, 2 * earlier.asks) if replies else 0.0)) * topic[earlier.key]
    return score


def _session_best(items: Mapping[int, RankItem], topic: Mapping[int, float]) -> dict[int, float]:
    """Mean of the best scores within reach in the same session."""
    sessions: dict[str, list[tuple[int, float]]] = {}
    for key, item in items.items():
        if item.session:
            sessions.setdefault(item.session, []).append((item.position, topic[key]))
    result = dict.fromkeys(items, 0.0)
    # Bounded, as a session may have thousands of candidates; 50 leave enough within reach of each.
    tops = {name: heapq.nlargest(50, members, key=lambda member: member[1]) for name, members in sessions.items()}
    for key, item in items.items():
        if item.session:
            best: list[float] = []
            for position, value in tops[item.session]:  # highest first, so the first within reach are the best
                if abs(position - item.position) <= SESSION_REACH:
                    best.append(value)
                    if len(best) == SESSION_BEST_COUNT:
                        break
            result[key] = sum(best) / SESSION_BEST_COUNT
    return result


def _speaker(query: ParsedQuery, pool: RankPool) -> "_SpeakerFactor":
    has_assistant = any(map(_is_assistant, pool.items))
    return _SpeakerFactor(query, has_assistant, pool.people)


@dataclass(frozen=True, slots=True)
class _SpeakerFactor:
    """1 for the words of the person that the query is about, less for those of others."""

    asked: ParsedQuery
    has_assistant: bool
    people: int

    def __call__(self, item: RankItem) -> float:
        assistant = _is_assistant(item)
        if self.asked.target == "assistant" and self.has_assistant:
            return 1.0 if assistant else ASSISTANT_FACTOR
        if self.asked.target == "asker":
            return ASSISTANT_FACTOR if assistant else 1.0
        if not self.asked.named or item.speaker in self.asked.named:
            return 1.0
        # In a group people are talked about, not only addressed by name.
        mentions = self.people > 2 and not self.asked.names.isdisjoint(words(item.text[:2000]))
        return MENTION_FACTOR if mentions else OTHER_SPEAKER_FACTOR


def _dates(question: RankQuery, pool: RankPool) -> dict[int, float]:
    """More for what was said on the days asked about, or told soon after; nothing is excluded."""
    dated = {item.key: item.happened.date() for item in pool.items if item.happened is not None}
    if not dated:
        return {}
    periods = days(question.text, question.now.date(), {day.year for day in dated.values()})
    factors: dict[int, float] = {}
    for key, day in dated.items():
        for first, last in periods:
            if first <= day <= last:
                factors[key] = 1 + DATE_BONUS
            elif first - timedelta(1) <= day <= last + MAX_TELLING_DELAY:
                factors[key] = max(factors.get(key, 1.0), 1 + DATE_BONUS / 2)
    return factors


def _shortness(length: float) -> float:
    """1 where lines are short, 0 where they are long: those have times, numbers and names in any case."""
    return min(1.0, max(0.0, 2 - length / OPENING_WORDS))


def _length_factor(share: float, short: float) -> float:
    """A factor for the length of a line: "Wow, nice!" hardly answers anything."""
    return min(MAX_SUBSTANCE, max(MIN_SUBSTANCE, share)) ** (short * SUBSTANCE_EXPONENT)


def _memo_prior(item: RankItem, question: RankQuery) -> float:
    """A memo's factor for being new, used, pinned and certain; 1 for messages."""
    if not item.kind:
        return 1.0
    # A clock that was set back makes nothing fresher than new.
    age = max(0.0, (question.now - item.updated).total_seconds() / _DAY)
    used = 1.0 if age <= GRACE_DAYS else min(1.0, item.hits / 10)
    fresh = 1 / (1 + age / 45)
    return (1 + FRESH_BONUS * fresh + USED_BONUS * used + (PINNED_BONUS if item.pinned else 0.0)) * (
        0.8 + 0.2 * item.confidence
    )


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank, follows_links=True, embeds_topic=True)
