"""Which memory people mean by what they call it: "my age" and "Is 34 years old", "where I live" and "Lives in Leeds".

What they name is found as the answer to a question would be. `naming.toml` has what a question takes more widely.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from recollect.core.text import collapse_spaces, fold
from recollect.language import lexicon, questions, subjects, word_forms
from recollect.language.lexicon import read_tables
from recollect.language.questions import Question

_OPENING_WORDS = 4
_DIGIT = re.compile(r"\d")
_CLOSING = " .!?。！？…"


@dataclass(frozen=True, slots=True)
class Name:
    """What someone calls a memory, as parsed in every language."""

    questions: tuple[Question, ...]
    states: tuple[re.Pattern[str], ...] = ()
    """How the memory is worded; only then is it meant."""

    def is_about(self, text: str, *, is_person: bool = False) -> bool:
        """Whether a memory is about what was named; `is_person` if it is one about somebody else."""
        if not self.is_meant(text, is_person=is_person):
            return False
        if self.states:
            return any(pattern.search(text) for pattern in self.states)
        return any(question.fit(text).share == 1 for question in self.questions)

    def is_meant(self, text: str, *, is_person: bool = False) -> bool:
        """Whether a memory may be meant: what people say of themselves is not what others are."""
        return all(_is_meant(question, text, is_person) for question in self.questions)


@lru_cache(maxsize=64)
def parse(reference: str) -> Name:
    """What words name; "the" and the like are left out."""
    plain = collapse_spaces(reference).replace("’", "'").strip(_CLOSING)
    states = tuple(states for asks, states in _slots() if asks.fullmatch(plain))
    return Name(tuple(questions.parse(plain, language) for language in sorted(questions.languages())), states)


@cache
def _slots() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    languages = read_tables(Path(__file__).with_suffix(".toml")).values()
    pairs = (pair for slots in languages for pair in slots.values())
    return tuple((re.compile(asks, re.IGNORECASE), re.compile(states, re.IGNORECASE)) for asks, states in pairs)


def _is_meant(question: Question, text: str, is_person: bool) -> bool:
    if not question.is_own:
        return True
    if subjects.is_about_others(text, question, is_memo=True):
        return False
    opening = " ".join(text.split()[:_OPENING_WORDS])
    tokens = word_forms.tokens(opening)
    return not is_person or any(term.is_in(opening, tokens) for term in question.terms)


def contains_words(text: str, words: str) -> bool:
    """Whether a text has the content words of others, in any form, and their numbers."""
    numbers = [word for word in word_forms.tokens(words) if _DIGIT.search(word)]
    required, stated = word_forms.content_words(words), set(word_forms.tokens(text))
    has_numbers = all(number in stated or not _spelled(number).isdisjoint(stated) for number in numbers)
    return bool(required or numbers) and has_numbers and all(word_forms.has_form(word, stated) for word in required)


def _spelled(number: str) -> frozenset[str]:
    """The words for a number, in all languages."""
    groups = (table.get(number, "") for table in lexicon.tables("numbers").values())
    return frozenset(fold(word) for group in groups for word in group.split())
