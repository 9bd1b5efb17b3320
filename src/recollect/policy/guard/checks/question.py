"""A fact is not a question."""

from recollect.policy.guard.case import Claim


def refuse(claim: Claim) -> str | None:
    return "is a question" if claim.fact.endswith(("?", "？")) else None
