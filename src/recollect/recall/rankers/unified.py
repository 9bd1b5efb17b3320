"""`unified`, the default: words and vectors, and the conversation around each hit.

    score = (words + vector + around + session) × speaker × date × statement × standing

A line of a conversation is rarely understood alone: a word of the question may stand in the line before, the
answer follows the question, and good hits come together. What speaks against an item lowers it; nothing is hidden.
"""

import heapq
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from recollect.core.ports.ranker import STOP_WORDS, Ranked, Ranker, RankItem, RankPool, RankQuery, in_order
from recollect.core.text import OPENING, inverse_frequency, query_words, words
from recollect.language.dates import days

K1, B = 0.9, 0.8
VECTOR, BLURRED = 1.0, 0.5
"""Weight of the vector part where texts are short, and where even the short ones are long and their mean is blurred."""
FROM_PREVIOUS, FROM_NEXT, FROM_SESSION = 0.6, 0.4, 0.1
"""What a word of the question counts that was said in the line before, the line after, somewhere in the session."""
PREVIOUS, NEXT, ANSWER, SESSION = 0.1, 0.2, 0.25, 0.3
"""Share of the score of the line before, the line after, a question just answered, the session's best."""
OTHER_SPEAKER, MENTIONING, ASSISTANT = 0.5, 0.7, 0.7
"""Factors for the words of somebody whom the question is not about."""
DATED, ASKING = 1.5, 0.2
"""Bonus for the days asked about, malus for a text that only asks."""
REACH, BEST = 40, 3
"""How far around an item its session's best are looked for, and how many count."""
FLOOR, FEW = 200, 20
"""Place in the vector lane of an item that is nothing special; fewer than `FEW` say little about that."""
UNRELATED, RELATED = 0.1, 0.3
"""Cosine of texts that have nothing to do with each other, and of texts that certainly have."""
FRESH, USED, PINNED, GRACE = 0.10, 0.05, 0.10, 7
"""Bonuses of a memo: for being new, for being of use (for days it gets the benefit of the doubt), for being pinned."""
_DAY = timedelta(days=1).total_seconds()
TOLD_LATER = timedelta(days=10)

_ASSISTANTS = frozenset("agent ai assistant bot chatbot gpt model system".split())
_ROLES = _ASSISTANTS | {"human", "me", "user"}
_FIRST_PERSON = frozenset("i im ive me mine my myself".split())
_OF_BOTH = re.compile(r"\b(?:we|us|summar\w+|recap|overview)\b", re.IGNORECASE)
_OF_ASSISTANT = re.compile(
    r"\b(?:did|had|have|were|was) you\b"
    r"|\byou(?:'ve| have| had)? (?:advised?|explained|gave|given|listed|mentioned|provided|recommended|said|suggested"
    r"|told|wrote)\b"
    r"|\byour (?:advice|answer|explanation|list|recommendations?|reply|response|suggestions?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A question taken apart: what it is about, and whose words are meant."""

    terms: tuple[str, ...]
    """Its words without stop words and without the names of speakers: those stand in the lines of the others."""
    named: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    whose: str = ""

    @property
    def topic(self) -> str:
        """What to embed."""
        return " ".join(self.terms)


@lru_cache(maxsize=1024)
def is_assistant(name: str) -> bool:
    return not _ASSISTANTS.isdisjoint(words(name))


def parse_query(question: RankQuery, speakers: Iterable[str]) -> ParsedQuery:
    """Split a question into topic and person, given who speaks in what is searched."""
    found = query_words(question.text)
    capitals = set(re.findall(r"[^\W_]+", question.text[1:]))
    named: dict[str, set[str]] = {}
    for speaker in speakers:
        parts = {part for part in words(speaker) if len(part) > 1 and part not in _ROLES}
        hits = {part for part in parts if part in found and (part not in STOP_WORDS or part.capitalize() in capitals)}
        if hits:
            named[speaker] = hits
    names = frozenset(part for parts in named.values() for part in parts)
    about = [word for word in found if word not in STOP_WORDS]
    topic = [word for word in about if word not in names] or about or found
    return ParsedQuery(tuple(topic), frozenset(named), names, _whose(question.text, bool(named), found))


def _whose(text: str, named: bool, found: Collection[str]) -> str:
    if named:
        return "speaker"
    if _OF_ASSISTANT.search(text):
        return "assistant"
    return "asker" if not _FIRST_PERSON.isdisjoint(found) and not _OF_BOTH.search(text) else ""


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:
    items = {item.key: item for item in pool.items}
    asked = parse_query(question, {item.speaker for item in pool.items if item.speaker})
    before = {key: earlier for key, earlier in pool.before.items() if key in items and earlier in items}
    after = {earlier: key for key, earlier in before.items()}
    word_part = _words(items, pool, before, after)
    vector_part = _vectors(items, pool)
    topic = {key: word_part[key] + vector_part[key] for key in items}
    session = _session_best(items, topic)
    speaker = _speaker(asked, pool)
    date = _dates(question, pool)
    ranked: list[Ranked] = []
    for key, item in items.items():
        parts = {
            "words": word_part[key],
            "vector": vector_part[key],
            "around": _around(item, items, topic, before, after),
            "session": SESSION * session[key],
            "speaker": speaker(item),
            "date": date.get(key, 1.0),
            "statement": 1 - ASKING * item.asks,
            "standing": _standing(item, question),
        }
        score = parts["words"] + parts["vector"] + parts["around"] + parts["session"]
        score *= parts["speaker"] * parts["date"] * parts["statement"] * parts["standing"]
        ranked.append(Ranked(item, score, parts, relevant=bool(item.shared) or (item.cosine or 0.0) >= RELATED))
    return in_order(ranked)


def _words(
    items: Mapping[int, RankItem], pool: RankPool, before: Mapping[int, int], after: Mapping[int, int]
) -> dict[int, float]:
    """BM25 of the question's words, in the item or, for less, around it; the best item has 1."""
    own = {key: _weights(item, pool) for key, item in items.items()}
    best: dict[str, dict[str, float]] = {}
    for key, weights in own.items():
        here = best.setdefault(items[key].session, {})
        for term, weight in weights.items():
            here[term] = max(here.get(term, 0.0), weight)
    nothing: dict[str, float] = {}
    said: dict[int, float] = {}
    for key, item in items.items():
        weights = dict(own[key])
        nearby = (
            (FROM_PREVIOUS, own[before[key]] if key in before else nothing),
            (FROM_NEXT, own[after[key]] if key in after else nothing),
            (FROM_SESSION, best[item.session] if item.session else nothing),
        )
        for share, others in nearby:
            for term, weight in others.items():
                weights[term] = max(weights.get(term, 0.0), share * weight)
        said[key] = sum(weights.values())
    top = max(said.values(), default=0.0)
    return {key: value / top for key, value in said.items()} if top > 0 else said


def _weights(item: RankItem, pool: RankPool) -> dict[str, float]:
    share = (K1 + 1) / (1 + K1 * (1 - B + B * item.length / pool.mean_length))
    return {term: share * inverse_frequency(pool.size, frequency) for term, frequency in item.shared.items()}


def _vectors(items: Mapping[int, RankItem], pool: RankPool) -> dict[int, float]:
    """How far each cosine stands above that of an item that is nothing special; the best has the full weight."""
    cosines = sorted((item.cosine for item in pool.items if item.cosine is not None), reverse=True)
    if not cosines:
        return dict.fromkeys(items, 0.0)
    floor = cosines[min(len(cosines), FLOOR, max(FEW, pool.size // 2)) - 1]
    if len(cosines) < FEW:
        floor = min(floor, UNRELATED)
    height = cosines[0] - floor
    if height < 1e-9:
        return dict.fromkeys(items, 0.0)
    weight = _vector_weight(pool.lengths) / height
    return {
        key: weight * max(0.0, (floor if item.cosine is None else item.cosine) - floor) for key, item in items.items()
    }


def _vector_weight(lengths: Collection[int]) -> float:
    """Less where even the short texts are long."""
    short = sorted(lengths)[len(lengths) // 4] if lengths else 0
    return BLURRED + (VECTOR - BLURRED) * min(1.0, max(0.0, 2 - short / OPENING))


def _around(
    item: RankItem,
    items: Mapping[int, RankItem],
    topic: Mapping[int, float],
    before: Mapping[int, int],
    after: Mapping[int, int],
) -> float:
    """What the lines before and after lend; an answer has most from the question before it."""
    lent = NEXT * topic[after[item.key]] if item.key in after else 0.0
    if item.key in before:
        earlier = items[before[item.key]]
        replies = (
            item.speaker != earlier.speaker and item.speaker and earlier.speaker and not is_assistant(item.speaker)
        )
        lent += (PREVIOUS + (ANSWER * min(1.0, 2 * earlier.asks) if replies else 0.0)) * topic[earlier.key]
    return lent


def _session_best(items: Mapping[int, RankItem], topic: Mapping[int, float]) -> dict[int, float]:
    """Mean of the best scores within reach in the same session."""
    sessions: dict[str, list[tuple[int, float]]] = {}
    for key, item in items.items():
        if item.session:
            sessions.setdefault(item.session, []).append((item.position, topic[key]))
    result = dict.fromkeys(items, 0.0)
    tops = {name: heapq.nlargest(50, members, key=lambda member: member[1]) for name, members in sessions.items()}
    for key, item in items.items():
        if item.session:
            best: list[float] = []
            for position, value in tops[item.session]:  # highest first, so the first within reach are the best
                if abs(position - item.position) <= REACH:
                    best.append(value)
                    if len(best) == BEST:
                        break
            result[key] = sum(best) / BEST
    return result


def _speaker(asked: ParsedQuery, pool: RankPool) -> "_Factor":
    has_assistant = any(is_assistant(item.speaker) for item in pool.items)
    return _Factor(asked, has_assistant, pool.people)


@dataclass(frozen=True, slots=True)
class _Factor:
    """1 for the words of whoever the question asks about, less for those of others."""

    asked: ParsedQuery
    has_assistant: bool
    people: int

    def __call__(self, item: RankItem) -> float:
        assistant = bool(item.speaker) and is_assistant(item.speaker)
        if self.asked.whose == "assistant" and self.has_assistant:
            return 1.0 if assistant else ASSISTANT
        if self.asked.whose == "asker":
            return ASSISTANT if assistant else 1.0
        if not self.asked.named or item.speaker in self.asked.named:
            return 1.0
        # In a group people are talked about, not only addressed by name.
        mentions = self.people > 2 and not self.asked.names.isdisjoint(words(item.text[:2000]))
        return MENTIONING if mentions else OTHER_SPEAKER


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
                factors[key] = 1 + DATED
            elif first - timedelta(1) <= day <= last + TOLD_LATER:
                factors[key] = max(factors.get(key, 1.0), 1 + DATED / 2)
    return factors


def _standing(item: RankItem, question: RankQuery) -> float:
    """What a memo has earned: it is new, it was of use, its owner pinned it. Messages have no standing."""
    if not item.kind:
        return 1.0
    age = max(0.0, (question.now - item.updated).total_seconds() / _DAY)
    used = 1.0 if age <= GRACE else min(1.0, item.hits / 10)
    fresh = 1 / (1 + age / 45)
    return (1 + FRESH * fresh + USED * used + (PINNED if item.pinned else 0.0)) * (0.8 + 0.2 * item.confidence)


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank)
