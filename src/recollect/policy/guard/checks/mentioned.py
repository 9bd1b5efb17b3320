"""A person whom the proposal is about was mentioned, by each word of their name."""

from collections.abc import Sequence

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import kinship
from recollect.policy.guard.case import Case

_NOBODY = {"user", "users", "the", "my", "their", "his", "her", "s"}


def refuse(case: Case) -> Reason | None:
    if not case.about:
        return None
    said, name = words(case.own_text), set(words(case.about)) - _NOBODY
    is_mentioned = bool(name) and all(word in said or _is_relative_in(word, said) for word in name)
    return None if is_mentioned else Reason.PERSON_NOT_MENTIONED


def _is_relative_in(word: str, said: Sequence[str]) -> bool:
    return any(kinship.is_same_person(word, other) for other in said)
