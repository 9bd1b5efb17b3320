"""The fact uses the words of its sentence, or of the whole message where the sentence refers back."""

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import spelling, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns()


def refuse(case: Case) -> Reason | None:
    refers_back = case.revised or _PATTERNS.refers.search(case.context.lower)
    source = case.own_text if refers_back else case.context.text
    is_english = word_forms.is_surely_english(source)
    meant = spelling.corrected(source, frozenset(words(case.fact))) if is_english else ""  # "alergic" for "allergic"
    is_said = word_forms.has_words_of(f"{source}\n{meant}\n{case.revised}", case.fact, case.speaker)
    return None if is_said else Reason.TOO_FEW_WORDS
