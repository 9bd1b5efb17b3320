"""What people say about the speaker, a song or a book sings or says, is not the speaker's own statement."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import lower

_PATTERNS = Patterns(
    works=r"\b(?:{work_of_art})\b[^.!?]{0,30}?(?:\b(?:goes|says?|sings?|reads?|sagt|singt|dit|dice|diz)\b|:)[^.!?]*$",
)
_MARKS = '"“”„«»'


def refuse(case: Case) -> Reason | None:
    before = lower(case.quote.before)
    said = before + lower(case.quote.words)
    if _PATTERNS.hearsay.search(said) and not _PATTERNS.states_hearsay.search(case.lower_fact):
        return Reason.SOMEBODY_ELSE
    is_quoted = sum(before.count(mark) for mark in _MARKS) % 2 == 1 and any(mark in case.quote.after for mark in _MARKS)
    is_recited = bool(before) and _PATTERNS.works.search(before) is not None
    return Reason.NOT_OWN_WORDS if is_quoted or is_recited else None
