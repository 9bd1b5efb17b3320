"""What holds only under a condition is a fact only together with it: "If I win I will move" is not "Will move"."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    opens=r"^\W*(?:(?:and|but|so|{and}) )?(?:{proviso})\b",
    follows=r"[\s,](?:{proviso})\b",
    contrast=r"(?<=[,;] )but (?:(?:(?:for|right) )?now |at the moment |until then |today |currently |still )?i\b",
    unreal=r"\b(?:would|could|might|may|will|should|won't|going to|gonna|want|hope|plan)\b|'(?:d|ll)\b",
)


def refuse(case: Case) -> Reason | None:
    text = _PATTERNS.no_condition.sub(" ", case.context.lower)
    if _PATTERNS.states_condition.search(case.lower_fact):
        return None
    if _PATTERNS.opens.search(text) and not _is_contrasted(text, case.clauses):
        return Reason.NOT_MEANT
    is_limited = any(
        _PATTERNS.follows.search(_PATTERNS.no_condition.sub(" ", clause))
        or _PATTERNS.follows.match(_after(text, clause))
        for clause in case.clauses
    )
    return Reason.NOT_MEANT if is_limited else None


def _is_contrasted(text: str, clauses: list[str]) -> bool:
    """Whether clauses say how it is, behind the condition and what would follow: "…, but for now I live in Hull"."""
    turn = _PATTERNS.contrast.search(text)
    return turn is not None and all(
        text.find(clause) >= turn.start() and not _PATTERNS.unreal.search(clause) for clause in clauses
    )


def _after(text: str, clause: str) -> str:
    """The text after a clause, from the space or comma before its next word."""
    position = text.find(clause)
    return "" if position < 0 else " " + text[position + len(clause) :].lstrip(" ,")
