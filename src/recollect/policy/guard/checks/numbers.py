"""Each number of the fact was said, or belongs to a date that was mentioned."""

from recollect.policy.guard.case import Case
from recollect.policy.guard.grounding import keeps_numbers


def refuse(case: Case) -> str | None:
    is_kept = keeps_numbers(case.fact, case.own_text, case.message.at.date(), case.revised)
    return None if is_kept else "a number was not said"
