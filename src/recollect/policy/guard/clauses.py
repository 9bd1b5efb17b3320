"""The clauses of the sentence in which a quote stands, and those from which a fact was taken."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from recollect.core.text import words
from recollect.language import word_forms
from recollect.policy.guard.quote import QuoteMatch

_AROUND, _QUOTED = 1_000, 4_000
"""Characters that are read around a quote and of a quote itself."""
_FRAME_WEIGHT = 0.2
"""What a word counts that any fact may have, against one that few have: "Speaks German" is of "not German"."""
_BREAKS = re.compile(
    r"[,;]\s|:\s|[.!?](?=\s)|[。！？、，\n()]|\s[-–—]\s"
    r"|(?<!nothing)(?<!anything)(?<!anywhere)(?<!everything)(?<!all)\s(?=but\b)"
    r"|\s(?=(?:if|unless|because|although|though|while|whereas|however|aber|weil|mais|pero|mas|но)\b)"
    r"|\s(?=(?:before|until) (?:i|we|he|she|they|it|you|my)\b)"
    r"|\s(?=(?:and|so|since|und|et|y) (?:i|i'm|i've|my|we|now|she|he|they|you|ich|mein|je|mon|yo|mi)\b)"
)


@dataclass(frozen=True)
class QuoteContext:
    """A quote and what stands around it in its sentence, as far as it is read."""

    text: str
    first: int
    """Where the quote begins,"""
    last: int
    """and where it ends."""

    @cached_property
    def lower(self) -> str:
        return lower(self.text)

    @cached_property
    def foreign(self) -> bool:
        return word_forms.is_foreign(self.text)

    @cached_property
    def clauses(self) -> list[str]:
        """The clauses of the sentence that the quote touches."""
        text = self.text
        places = [0, *(one.end() for one in _BREAKS.finditer(_lowered(text))), len(text)]
        touched = [text[start:end] for start, end in pairwise(places) if start < self.last and end > self.first]
        return [lower(clause).strip() for clause in touched if clause.strip()]


def around(found: QuoteMatch) -> QuoteContext:
    before, quoted = found.before[-_AROUND:], found.words[:_QUOTED]
    text = f"{before}{quoted}{found.after[:_AROUND]}"
    return QuoteContext(text, len(before), len(before) + len(quoted))


def sources(told: QuoteContext, fact: str) -> list[str]:
    """The clauses of a quote that have most words in common with a fact."""
    if len(told.clauses) < 2:
        return told.clauses
    wanted = words(fact)
    shared = [sum(_weight(word, wanted) for word in set(words(clause))) for clause in told.clauses]
    most = max(shared, default=0.0)
    return [clause for clause, count in zip(told.clauses, shared, strict=True) if count == most]


def _weight(word: str, wanted: list[str]) -> float:
    if not word_forms.has_form(word, wanted):
        return 0.0
    return _FRAME_WEIGHT if word_forms.is_frame(word) else 1.0


def _lowered(text: str) -> str:
    """Small letters, each in its place."""
    small = text.lower()
    return small if len(small) == len(text) else text


def lower(text: str) -> str:
    """Small letters of one width, with one shape of apostrophe."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.casefold().replace("’", "'")
