"""A person whom the proposal is about was mentioned."""

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.policy.guard.case import Case

_NOBODY = {"user", "users", "the", "my"}


def refuse(case: Case) -> Reason | None:
    if not case.about:
        return None
    mentioned = {*words(case.message.text), *words(case.fact)}
    return None if (set(words(case.about)) - _NOBODY) & mentioned else Reason.PERSON_NOT_MENTIONED
