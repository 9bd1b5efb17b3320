"""Nothing that instructs the assistant: not the fact, not its evidence, not the sentence of the quote."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Claim
from recollect.policy.guard.instructions import is_instruction


def refuse(claim: Claim) -> Reason | None:
    return Reason.INSTRUCTIONS if any(map(is_instruction, claim.texts)) else None
