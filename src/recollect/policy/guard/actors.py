"""Who does what in a clause: the speaker, somebody else, or no one named. Judged by the words before a verb."""

import re
from collections.abc import Sequence

from recollect.core.text import fold
from recollect.language import kinship, lexicon, word_forms
from recollect.language.lexicon import Patterns

TOKEN = re.compile(r"<?@?!?[^\W_][\w'-]*>?")
_PATTERNS = Patterns()


def actor_of(clause: str, position: int, capitals: set[str], *, uses: bool = False) -> str | None:
    """The actor of the verb at a position: "i", the word for another, or None when no one is named.

    With `uses`, the speaker's own things stand for the speaker, like a laptop that runs Debian.
    """
    before = [token[0] for token in TOKEN.finditer(clause[:position])]
    verb = [token[0] for token in TOKEN.finditer(clause[position:])][:2]
    if verb[1:] and verb[1] in ("me", "us", "my"):
        return "i"
    preceding = next((word for word in reversed(before) if word not in lexicon.words("before_verbs")), "")
    if preceding in lexicon.words("first_person") or (preceding.startswith("who") and _PATTERNS.one_who.search(clause)):
        return "i"
    if preceding in lexicon.words("other_persons") or (preceding and _is_person(preceding, before, verb, capitals)):
        return preceding
    return _noun_actor(clause, position, before, uses) or _nearest_actor(before, capitals)


def _noun_actor(clause: str, position: int, before: Sequence[str], uses: bool) -> str | None:
    """The noun with which a clause begins, if it is the actor."""
    noun = _PATTERNS.noun_does.match(clause)
    if (
        noun
        and noun.end() <= position
        and not _is_own_noun(noun["who"])
        and lexicon.words("first_person").isdisjoint(before)
    ):
        return "i" if uses and before[0] in ("my", "our") and not kinship.person(noun["who"]) else noun["who"]
    start = _PATTERNS.starts_with_person.match(clause)
    if start is None or start.end("who") > position:
        return None
    return start["whose"] if start["whose"] and kinship.person(start["whose"]) else start["who"]


def _nearest_actor(before: Sequence[str], capitals: set[str]) -> str | None:
    nearest = next(
        (
            word
            for word in reversed(before)
            if word in lexicon.words("first_person") or word in lexicon.words("other_persons")
        ),
        None,
    )
    if nearest is None:
        return next((word for word in before[1:] if fold(word) in capitals and _may_be_name(fold(word))), None)
    return "i" if nearest in lexicon.words("first_person") else nearest


def _may_be_name(word: str) -> bool:
    return word not in lexicon.words("no_names") and word not in lexicon.words("tools")


def _is_own_noun(noun: str) -> bool:
    return noun in lexicon.words("own_nouns") or word_forms.is_function_word(noun)


def _is_person(word: str, before: Sequence[str], verb: Sequence[str], capitals: set[str]) -> bool:
    index = len(before) - 1 - list(reversed(before)).index(word)
    if any(other in lexicon.words("links") for other in before[max(0, index - 2) : index]):
        return False
    name = fold(word.removesuffix("'s"))
    if name in kinship.people():
        return True
    if name not in capitals or name in lexicon.words("no_names") or name.endswith("ly"):
        return False
    form = before[index + 1] if index + 1 < len(before) else verb[0] if verb else ""
    return _PATTERNS.person_form.fullmatch(form) is not None
