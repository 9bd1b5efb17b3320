"""Diversify results: near-repetitions of better results move behind the others. Nothing is dropped."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from recollect.core.ports.ranker import STOP_WORDS, tokens

MIN_OVERLAP = 0.6
MAX_REPEATS = 2
MAX_COMPARED_CHARS = 400
"""Characters of each text that are compared."""


class HasText(Protocol):
    @property
    def text(self) -> str: ...


class Result(Protocol):
    """Anything ranked: a ranker's result or a hit."""

    @property
    def item(self) -> HasText: ...


R = TypeVar("R", bound=Result)


def diversify(ranked: Sequence[R], limit: int) -> list[R]:
    """The first `limit` results, of which at most two have mostly the same words."""
    selected: list[R] = []
    repeats: list[R] = []
    seen: list[set[str]] = []
    for result in ranked:
        if len(selected) == limit:
            break
        terms = _terms(result.item.text[:MAX_COMPARED_CHARS])
        if terms and _repeats(terms, seen):
            repeats.append(result)
        else:
            selected.append(result)
            seen.append(terms)
    return selected + repeats[: limit - len(selected)]


@lru_cache(maxsize=2048)
def _terms(text: str) -> set[str]:
    return tokens(text) - STOP_WORDS


def _repeats(terms: set[str], seen: Sequence[set[str]]) -> bool:
    """Whether two earlier results already have mostly the same words."""
    count, similar = len(terms), 0
    fewest, most = MIN_OVERLAP * count, count / MIN_OVERLAP
    for other in seen:
        if not fewest <= len(other) <= most:
            continue
        shared = len(terms & other)
        similar += shared >= MIN_OVERLAP * (count + len(other) - shared)
        if similar == MAX_REPEATS:
            return True
    return False
