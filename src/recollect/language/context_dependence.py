"""Whether a question depends on what was said before: "and the other one?", "why?"."""

import re
from functools import cache, lru_cache

from recollect.core.ports.ranker import STOP_WORDS
from recollect.core.text import query_words
from recollect.language import detection, lexicon
from recollect.language.lexicon import Patterns

MIN_WORDS = 4
"""A message with so many words of its own stands alone, whatever it refers to."""
MAX_UNSPACED_CHARS = 12
"""Likewise one of so many characters, in scripts without spaces."""
_PATTERNS = Patterns(re.IGNORECASE)
_NAME = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-Þ][^\W\d_]+")
"""A word with a capital letter inside a sentence."""


@lru_cache(maxsize=256)
def depends_on_context(text: str) -> bool:
    """Whether a question says too little by itself: it refers to something, or hardly names anything."""
    if refers_back(text):
        return True
    names_something = _PATTERNS.about_oneself.search(text) or _NAME.search(text)
    return len(self_contained_words(text)) == 1 and not names_something


def refers_back(text: str) -> bool:
    """Whether a message has no word of its own, or one that stands for something else."""
    own = self_contained_words(text)
    has_reference = _PATTERNS.leans.search(text) is not None
    if any(not word.isascii() and len(word) == 2 for word in own):  # pairs of characters: no words to count
        return has_reference and len(text) <= MAX_UNSPACED_CHARS
    return not own or (has_reference and len(own) < MIN_WORDS)


def self_contained_words(text: str) -> list[str]:
    """The words of a text that mean something by themselves, in the language that it seems to be in."""
    idle = _weak_words(detection.detect(text))
    return [word for word in query_words(text) if word not in idle]


@cache
def _weak_words(language: str) -> frozenset[str]:
    """Words that mean little by themselves."""
    return STOP_WORDS.union(lexicon.tables("words").get(language, {}).get("function", "").split())
