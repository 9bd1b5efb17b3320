"""The clauses of a quote's sentence, and those from which a fact was derived."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum

from recollect.core.text import words
from recollect.language import conjugation, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.quote import QuoteMatch, lower

_MAX_CONTEXT_CHARS, _MAX_QUOTE_CHARS = 1_000, 4_000
"""Characters that are read on either side of a quote, and of the quote itself."""
_FRAME_WEIGHT = 0.2
"""Weight of a word that any fact may have, relative to a specific one: "Speaks German" comes from "not German"."""
_APPOSITION = re.compile(r"(?<=\w), (?:[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)?,(?= (?!and\b|or\b|but\b)[a-z])")
"""A name between commas belongs to the clause around it: "my sister, Ana, lives in Oslo"."""
_PATTERNS = Patterns(
    breaks=r"""
        [,;]\s|:\s|[.!?](?=\s)|[。！？、，\n()]|\s[-–—]\s
        |(?<!nothing)(?<!anything)(?<!anywhere)(?<!everything)(?<!all)\s(?=but\b)
        |\s(?=(?:{break})\b)
        |\s(?=(?:before|until) (?:i|we|he|she|they|it|you|my)\b)
        |\s(?=(?:so|since|{and}) (?:{clause_subject})\b)
        |\s(?=(?:{foreign_and}) (?:no |não |nicht )?(?:{own_verbs})\b)""",
    table=lambda: {"own_verbs": conjugation.first_persons()},
)


@dataclass(frozen=True)
class QuoteContext:
    """A quote with the text around it in its sentence, within limits."""

    text: str
    start: int
    """Start of the quote in the text."""
    end: int
    """End of the quote in the text."""

    @cached_property
    def lower(self) -> str:
        return lower(self.text)

    @cached_property
    def foreign(self) -> bool:
        return word_forms.is_foreign(self.text)

    @cached_property
    def clauses(self) -> list[str]:
        """The clauses of the sentence that the quote touches."""
        text = _APPOSITION.sub(lambda name: f" {name[0].replace(',', '')} ", self.text)  # as long as before
        breaks = [0, *(match.end() for match in _PATTERNS.breaks.finditer(_lower_in_place(text))), len(text)]
        touched = [text[start:end] for start, end in pairwise(breaks) if start < self.end and end > self.start]
        return [lower(clause).strip() for clause in touched if clause.strip()]


def quote_context(quote: QuoteMatch) -> QuoteContext:
    """The quote in its sentence."""
    before, quoted = quote.before[-_MAX_CONTEXT_CHARS:], quote.words[:_MAX_QUOTE_CHARS]
    text = f"{before}{quoted}{quote.after[:_MAX_CONTEXT_CHARS]}"
    return QuoteContext(text, len(before), len(before) + len(quoted))


def source_clauses(context: QuoteContext, fact: str) -> list[str]:
    """The clauses of a quote that share most words with a fact."""
    if len(context.clauses) < 2:
        return context.clauses
    fact_words = words(fact)
    # Exact, as the words of a set come in any order: equal clauses must not differ in the last digit.
    weights = [fsum(_weight(word, fact_words) for word in set(words(clause))) for clause in context.clauses]
    # All clauses with the most words in common: either may be what the fact rests on.
    highest = max(weights, default=0.0)
    return [clause for clause, weight in zip(context.clauses, weights, strict=True) if weight == highest]


def _weight(word: str, fact_words: list[str]) -> float:
    if not word_forms.has_form(word, fact_words):
        return 0.0
    return _FRAME_WEIGHT if word_forms.is_frame_word(word) else 1.0


def _lower_in_place(text: str) -> str:
    """Lower case, unless that would shift positions."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text
