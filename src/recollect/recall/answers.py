"""A bonus for texts that have what a question asks for: a time for "when", a number for "how many", a name for "who".
It helps with short lines only, since a long text contains all of these. English questions only: in French, where fewer
times and numbers would be recognized than are said, it lost more than it gained. Lines in another language than the
question's are compared neither by it nor by their length: German nouns look like names, and a Japanese line has more
words than an English one that says the same.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache

from recollect.language import lexicon, word_forms

TIME_BONUS, NUMBER_BONUS, NAME_BONUS = 0.6, 0.5, 0.2
"""Bonuses of a line with a time or a number, and for each of up to `MAX_NAMES` names."""
MAX_NAMES = 3
MAX_CHARS = 1_000
"""Characters of a text that are looked at."""

_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|often)\b", re.IGNORECASE)
_ASKS_NAME = re.compile(r"^\W*(?:(?:to|from|with|for|in|at|by|of) )?(?:who|whom|whose|where|which)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+")
_TIMES = (
    r"today|tonight|tomorrow|yesterday|recently|since|ago|(?:last|next|this|past|every) \w+|weekend|"
    r"(?:day|week|month|year)s?|morning|evening|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)"
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b", re.IGNORECASE
)

Bonus = Callable[[str], float]


@cache
def _asks_time() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{lexicon.forms('asks_when', lexicon.ENGLISH)})\b", re.IGNORECASE)


@cache
def _time() -> re.Pattern[str]:
    days = [*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays")]
    return re.compile(rf"\b(?:{'|'.join(days)}|{_TIMES})\b")


@lru_cache(maxsize=8192)  # cached: later questions are about the same lines
def _has_time(text: str) -> bool:
    return _time().search(text[:MAX_CHARS].lower()) is not None


@lru_cache(maxsize=256)
def is_english_question(question: str) -> bool:
    return word_forms.is_english(question[:400])


@lru_cache(maxsize=8192)  # cached: later questions are about the same lines
def is_foreign(text: str) -> bool:
    """Whether a line is certainly not English."""
    opening = text[:MAX_CHARS]
    # Nearly every English line has one of these words, and looking for them costs less than counting.
    if text.isascii() and not _english().isdisjoint(opening.lower().split()):
        return False
    return word_forms.is_foreign(opening)


@cache
def _english() -> frozenset[str]:
    """Function words of no other language."""
    foreign = lexicon.words("function", *lexicon.foreign_languages())
    return lexicon.words("function", lexicon.ENGLISH) - foreign - lexicon.words("ambiguous")


@lru_cache(maxsize=256)
def bonus_for(question: str) -> Bonus | None:
    """The bonus of a text; 0 unless the question asks for a time, a number or a name."""
    question = question[:400]
    if _ASKS_NUMBER.search(question):
        return lambda text: NUMBER_BONUS if _NUMBER.search(text[:MAX_CHARS]) else 0.0
    if _asks_time().search(question):
        return lambda text: TIME_BONUS if _has_time(text) else 0.0
    if _ASKS_NAME.search(question):
        return lambda text: NAME_BONUS * min(MAX_NAMES, len(_NAME.findall(text[:MAX_CHARS])))
    return None
