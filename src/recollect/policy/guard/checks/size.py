"""A fact is neither too short to mean anything nor longer than one statement."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Claim

MIN_FACT_CHARS, MAX_FACT_CHARS = 4, 300


def refuse(claim: Claim) -> Reason | None:
    fact = claim.fact
    is_word = len(fact) > 1 and not fact.isascii()  # one of a script in which two characters say much
    if len(fact) < MIN_FACT_CHARS and not is_word:
        return Reason.TOO_SHORT
    return Reason.TOO_LONG if len(fact) > MAX_FACT_CHARS else None
