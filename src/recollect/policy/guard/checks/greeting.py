"""A fact says more than hello."""

from recollect.core.reasons import Reason
from recollect.core.text import normalize
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Claim

_PATTERNS = Patterns(greetings=r"(?:(?:{greeting})\W*)+")


def refuse(claim: Claim) -> Reason | None:
    return Reason.GREETING if _PATTERNS.greetings.fullmatch(normalize(claim.fact)) else None
