"""A person whom the proposal is about was mentioned."""

from recollect.core.text import words
from recollect.policy.guard.case import Case

_NOBODY = {"user", "users", "the", "my"}


def refuse(case: Case) -> str | None:
    if not case.about:
        return None
    mentioned = {*words(case.message.text), *words(case.fact)}
    return None if (set(words(case.about)) - _NOBODY) & mentioned else "the person was not mentioned"
