"""A "not" right before the quote is not left out."""

import re

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import lower

_PATTERNS = Patterns()
_MAX_WORDS_BEFORE = 3


def refuse(case: Case) -> Reason | None:
    before = " ".join(re.split(r"[,;:]\s", lower(case.quote.before))[-1].split()[-_MAX_WORDS_BEFORE:])
    if not _PATTERNS.negation.search(before):
        return None
    is_negated = _PATTERNS.negation.search(case.lower_fact) or _PATTERNS.negative_fact.search(case.lower_fact)
    return None if is_negated else Reason.NEGATION_DROPPED
