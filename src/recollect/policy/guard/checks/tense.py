"""What was so in a language other than English is not told in the present; `overreach` does that for English."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns()


def refuse(case: Case) -> Reason | None:
    if not case.context.foreign or not case.clauses:
        return None
    if _PATTERNS.imperfect.search(case.lower_fact) or _PATTERNS.states_past.search(case.lower_fact):
        return None
    is_past = all(_PATTERNS.imperfect.search(clause) for clause in case.clauses)
    return Reason.NO_LONGER_SO if is_past else None
