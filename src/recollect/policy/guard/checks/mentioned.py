"""A person whom the proposal is about was mentioned, by each word of their name, and it was said of them."""

import re
from collections.abc import Collection, Sequence

from recollect.core.reasons import Reason
from recollect.core.text import fold, words
from recollect.core.types import Message
from recollect.language import kinship, lexicon, word_forms
from recollect.policy.guard.actors import TOKEN
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import source_clauses

_NOBODY = {"user", "users", "the", "my", "their", "his", "her", "s", "a", "and"}
_SPEAKER = {"i", "me", "myself", "self", "speaker", "themselves", "user", "users"}
_MAX_SUBJECT_WORDS = 4


def person_meant(about: str | None, fact: str, message: Message) -> str | None:
    """Whom a proposal is really about: None if that is the speaker, or if the fact is not about whom it names.

    Then it is judged as a fact about the speaker: "Lives in Graz" with the mother in "I live with my mother in Graz".
    """
    name = set(words(about or "")) - _NOBODY
    if not about or name <= {*_SPEAKER, *words(message.name)}:
        return None
    said = words(message.text)
    if not all(_is_called(word, said) for word in name):
        return about
    first, *others = words(fact)[:_MAX_SUBJECT_WORDS]
    begins_with_person = first in _NOBODY or kinship.person(first) is not None  # "User's sister Mia is a nurse"
    subject = [first, *(others if begins_with_person else ())]
    return about if any(_is_called(word, subject) for word in name) or kinship.mentioned(fact) else None


def refuse(case: Case) -> Reason | None:
    if not case.about:
        return None
    said, name = words(case.own_text), set(words(case.about)) - _NOBODY
    if not name or not all(_is_called(word, said) for word in name):
        return Reason.PERSON_NOT_MENTIONED
    return None if _is_said_of(name, case) else Reason.SOMEBODY_ELSE


def _is_said_of(name: Collection[str], case: Case) -> bool:
    """Whether the clause that says the rest of the fact says it of the person."""
    rest = " ".join(word for word in case.fact.split() if not any(_is_called(part, words(word)) for part in name))
    content = [word for word in word_forms.content_words(rest, case.speaker) if not kinship.person(word)]
    content += [word for word in words(rest) if word[0].isdigit()]
    if not content:
        return True  # "Boss is Mia"
    names = (fold(word) for word in re.findall(r"\b[A-Z][\w'-]+", case.context.text))
    capitals = {name for name in names if not word_forms.is_function_word(name)}
    return any(_is_actor(name, clause, content, capitals) for clause in source_clauses(case.context, rest))


def _is_actor(name: Collection[str], clause: str, content: Sequence[str], capitals: Collection[str]) -> bool:
    """Whether nobody else stands between the person, or a pronoun, and what a clause says."""
    tokens = [fold(token[0].strip("<@!>").removesuffix("'s")) for token in TOKEN.finditer(clause)]
    people: list[str] = []
    for token in tokens:
        if any(word_forms.is_form(word, token) for word in content):
            break
        if token in ("i", "im", "i'm", "i've", "we"):
            people = [token]
        elif token in capitals or token in name or kinship.person(token) or token in lexicon.words("other_persons"):
            people.append(token)
    mentioned = people or tokens
    is_pronoun = not lexicon.words("other_persons").isdisjoint(mentioned)
    return is_pronoun or any(_is_called(word, mentioned) for word in name)


def _is_called(word: str, said: Collection[str]) -> bool:
    return word in said or any(kinship.is_same_person(word, other) for other in said)
