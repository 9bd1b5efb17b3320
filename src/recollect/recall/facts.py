"""Facts as an index of messages: a matching fact leads to its source message and that message's neighbors.

"Which pet does she have?" has no word of "Miso threw up again", but "Has a cat named Miso" has both. A fact finds the
message that it rests on, its neighbors, and the messages that name what the fact names. Both the fact and the message
have to be visible; forgotten facts find nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recollect.core.ports import Tx
from recollect.core.ports.ranker import STOP_WORDS, RankPool
from recollect.core.text import words
from recollect.core.types import Memo, Status, Subject, person_key
from recollect.language import word_forms
from recollect.policy.viewer import Viewer
from recollect.recall import calibration, memos
from recollect.recall.query import EMPTY_SAMPLE, FactSearch, Query
from recollect.recall.rankers.unified import ParsedQuery, is_assistant

MAX_FACTS, MAX_PEOPLE = 3, 6
"""Facts that serve as keys, and people whose facts are searched."""
MAX_NAMES, MAX_NAMED_ROWS = 3, 40
"""Names that are looked up; one that occurs in more messages than the second number is too common."""
NEIGHBOR_SHARE, NAME_SHARE = 0.5, 0.5
"""The share of a fact's score for neighbors of its source message, and for messages that contain a name of the fact."""
_NAME = re.compile(r"(?<=[^\W_] )[A-ZÀ-Þ][^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Fact:
    memo: Memo
    score: float


def scopes(viewer: Viewer, query: ParsedQuery, speakers: Sequence[tuple[str, str]]) -> list[str]:
    """Whose facts may find messages here: those of the people named, of who asks, and of the last speakers."""
    people = [(author, name or author) for author, name in speakers if not is_assistant(name or author)]
    people.sort(key=lambda person: person[1] not in query.named)
    platform = viewer.place.platform
    named = [person_key(platform, author) for author, name in people if name in query.named]
    others = [person_key(platform, author) for author, _ in people]
    ids = dict.fromkeys([*named, viewer.user, *others])
    return [Subject(person).scope for person in [*ids][:MAX_PEOPLE]]


def message_keys(tx: Tx, query: Query, allowed: set[int] | None) -> dict[int, float]:
    """Messages that facts lead to, by key, each with the score of its best fact."""
    search = query.facts
    if search is None or not tx.index.size(search.scopes):
        return {}
    scores: dict[int, float] = {}
    for fact in _find(tx, query, search):
        for key, share in _led_to(tx, query, fact.memo, allowed):
            scores[key] = max(scores.get(key, 0.0), share * fact.score)
    return scores if allowed is None else {key: score for key, score in scores.items() if key in allowed}


def _led_to(tx: Tx, query: Query, fact: Memo, allowed: set[int] | None) -> Iterator[tuple[int, float]]:
    """The messages that a fact leads to, each with its share of the score."""
    source = tx.messages.key(fact.source.platform, fact.source.message) if fact.source.message else None
    # A fact may come from another channel than the one that is searched.
    if source is not None and tx.messages.fetch([source])[source].place.stream in query.scopes:
        yield source, 1.0
        yield from ((key, NEIGHBOR_SHARE) for _, key in tx.messages.neighbors([source], 1).get(source, []))
    yield from ((key, NAME_SHARE) for key in _naming(tx, query, fact, allowed))


def _find(tx: Tx, query: Query, search: FactSearch) -> list[_Fact]:
    """The facts that fit the question, best first."""
    asked = replace(
        query, corpus="memos", scopes=search.scopes, vector=search.vector, sample=EMPTY_SAMPLE, limit=MAX_FACTS
    )
    candidates = memos.find_candidates(tx, asked, search.is_visible)
    pool = RankPool(candidates.items, candidates.size, candidates.lengths)
    ranked = query.ranker.rank(query.question, pool)[:MAX_FACTS]
    relevant = [result for result in ranked if result.score >= calibration.RELEVANT_SCORE]
    return [_Fact(candidates.rows[result.item.key], result.score) for result in relevant]


def _naming(tx: Tx, query: Query, fact: Memo, allowed: set[int] | None) -> list[int]:
    """Messages that have a name which the fact has, but not the question."""
    asked = set(words(query.question.text))
    names = {word for name in _NAME.findall(fact.text) for word in words(name)}
    # A name of the question is searched for anyway; only what the fact adds leads further.
    names -= asked | STOP_WORDS | word_forms.calendar_words()
    speakers = {word for name in query.sample.speakers.values() for word in words(name)}
    chosen = sorted(names - speakers)[:MAX_NAMES]
    hits = tx.index.words("messages", query.scopes, chosen, MAX_NAMED_ROWS, allowed) if chosen else []
    # A name that many messages have leads to none in particular.
    return [hit.key for hit in hits if min(hit.parts.values(), default=0) <= MAX_NAMED_ROWS]


def is_visible_to(viewer: Viewer, memo: Memo) -> bool:
    """Whether a fact may lead to messages: one's own as in a search, those of others if they may be told here."""
    if memo.status is not Status.ACTIVE:
        return False
    return viewer(memo) if memo.subject.id == viewer.user else viewer.can_tell(memo, {viewer.user})
