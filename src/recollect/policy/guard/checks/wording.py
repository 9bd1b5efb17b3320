"""The fact uses the words of its sentence, or of the whole message where the sentence refers back."""

from recollect.core.reasons import Reason
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns()


def refuse(case: Case) -> Reason | None:
    refers_back = case.revised or _PATTERNS.refers.search(case.context.lower)
    source = case.own_text if refers_back else case.context.text
    is_said = word_forms.is_worded_from(f"{source}\n{case.revised}", case.fact, case.speaker)
    return None if is_said else Reason.TOO_FEW_WORDS
