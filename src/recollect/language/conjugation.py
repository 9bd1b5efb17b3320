"""The third person of a verb, as facts retell what people say of themselves: "ich wohne" becomes "wohnt".

Forms and endings are in the lexica, by language.
"""

import re
from functools import cache, lru_cache

from recollect.core.text import fold
from recollect.language import lexicon

_MAX_CHARS = 40
"""No verb is longer."""


@cache
def verb_forms(language: str) -> dict[str, str]:
    """Verbs in the first person, with their third."""
    table = lexicon.tables("person", language).get(language, {})
    return dict(pair.split() for pair in table.get("forms", "").split(",") if pair.strip())


@cache
def _endings(language: str) -> list[tuple[re.Pattern[str], str]]:
    table = lexicon.tables("person", language).get(language, {})
    return [(re.compile(pattern), replacement) for pattern, replacement in table.get("endings", ())]


@lru_cache(maxsize=4096)
def third_person(verb: str, language: str) -> str:
    """A verb of the first person in the third; unchanged where the language says both alike."""
    verb = verb.lower()
    if len(verb) > _MAX_CHARS:
        return verb
    if verb in verb_forms(language):
        return verb_forms(language)[verb]
    for pattern, replacement in _endings(language):
        changed = pattern.sub(replacement, verb)
        if changed != verb:
            return changed
    return _bare_forms(language).get(verb, verb)


@cache
def _bare_forms(language: str) -> dict[str, str]:
    """The listed forms without their accents, as people type them in a hurry."""
    return {fold(first): third for first, third in verb_forms(language).items()}


@cache
def first_persons() -> str:
    """The listed verbs of all languages in the first person, where it differs from the third, as alternatives."""
    forms = (pair for language in lexicon.tables("person") for pair in verb_forms(language).items())
    return "|".join(sorted({first for first, third in forms if first != third}, key=len, reverse=True))


@cache
def _persons() -> dict[str, frozenset[str]]:
    """Each listed form with the other person's, without accents, in all languages."""
    forms: dict[str, set[str]] = {}
    for language in lexicon.tables("person"):
        for first, third in verb_forms(language).items():
            forms.setdefault(fold(first), set()).add(fold(third))
            forms.setdefault(fold(third), set()).add(fold(first))
    return {form: frozenset(others) for form, others in forms.items()}


def other_persons(word: str) -> frozenset[str]:
    """The other forms of a listed verb, without accents: a question asks with "wohne" for what "wohnt" states."""
    return _persons().get(word, frozenset())


def is_other_person(first: str, second: str) -> bool:
    """Whether two words, without accents, are the first and the third person of one verb."""
    if max(len(first), len(second)) > _MAX_CHARS or first[:1] != second[:1]:
        return second in other_persons(first)
    return second in other_persons(first) or any(
        fold(third_person(form, language)) == other
        for language in lexicon.tables("person")
        for form, other in ((first, second), (second, first))
    )
