"""Each number of the fact was said, or belongs to a date that was mentioned."""

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Case
from recollect.policy.guard.grounding import keeps_numbers


def refuse(case: Case) -> Reason | None:
    is_kept = keeps_numbers(case.fact, case.own_text, case.message.at.date(), case.revised)
    return None if is_kept else Reason.NUMBER_NOT_SAID
