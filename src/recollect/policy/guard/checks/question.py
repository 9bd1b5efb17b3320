"""A fact is not a question."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Claim


def refuse(claim: Claim) -> Reason | None:
    return Reason.QUESTION if claim.fact.endswith(("?", "？")) else None
