"""A figure of speech is not taken at its word: who killed it at the gym killed nobody."""

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns()


def refuse(case: Case) -> Reason | None:
    content = word_forms.content_words(case.lower_fact)
    for figure in _PATTERNS.figurative.finditer(case.context.lower):
        if any(word_forms.has_form(word, content) for word in words(figure[0])):
            return Reason.NOT_MEANT
    return None
