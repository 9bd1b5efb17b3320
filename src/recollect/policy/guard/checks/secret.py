"""Neither fact nor evidence holds what was redacted."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Claim

_SECRET = "[redacted:"  # noqa: S105 - the marker, not a password


def refuse(claim: Claim) -> Reason | None:
    return Reason.SECRET if any(_SECRET in text for text in claim.texts) else None
