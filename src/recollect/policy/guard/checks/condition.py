"""What holds only under a condition is a fact only together with it: "If I win I will move" is not "Will move"."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    opens=r"^\W*(?:(?:and|but|so|{and}) )?(?:{proviso})\b",
    follows=r"[\s,](?:{proviso})\b",
)


def refuse(case: Case) -> Reason | None:
    text = _PATTERNS.no_condition.sub(" ", case.context.lower)
    if _PATTERNS.states_condition.search(case.lower_fact):
        return None
    if _PATTERNS.opens.search(text):
        return Reason.NOT_MEANT
    is_limited = any(
        _PATTERNS.follows.search(_PATTERNS.no_condition.sub(" ", clause))
        or _PATTERNS.follows.match(_after(text, clause))
        for clause in case.clauses
    )
    return Reason.NOT_MEANT if is_limited else None


def _after(text: str, clause: str) -> str:
    """The text after a clause, from the space or comma before its next word."""
    position = text.find(clause)
    return "" if position < 0 else " " + text[position + len(clause) :].lstrip(" ,")
