"""Writes out what people omit in chats: "on arch here" means "I am on arch", "as a mac user I can't" that one is.

The expressions are in `ellipses.toml`. What is written out is read by the same rules as any other clause.
"""

import re
from collections.abc import Iterator
from functools import cache

from recollect.language import lexicon
from recollect.models.local.grammar import expressions, grammar

_HERE = " here"
_POSSESSIVE = re.compile(r"['’]s$")
_ROLE_CUE = re.compile(r",| (?:since|for|by|at heart)\b")
_SUBJECTS = frozenset("i we my our it he she they you this that there here".split())


_EXPRESSIONS = expressions("ellipses")


@cache
def _tables() -> dict[str, dict[str, str]]:
    return grammar()["elliptic"]


@cache
def _openings() -> dict[str, list[tuple[str, str]]]:
    """Expressions by the word that a clause opens with, and what they say in full."""
    entries: dict[str, list[tuple[str, str]]] = {}
    for name, full in _tables()["full"].items():
        for word in _tables()["openings"][name].split():
            entries.setdefault(word, []).append((name, full))
    return entries


def written_out(text: str) -> str:
    """A clause with the subject that it leaves away; as it is where it has one, or none is clearly meant."""
    first = _POSSESSIVE.sub("", text.lower().partition(" ")[0])
    for name, full in _openings().get(first, ()):
        if match := getattr(_EXPRESSIONS, name).match(text):
            return match.expand(full)
    if first in _SUBJECTS:
        return text
    return _of_those_here(text) if _HERE in text.lower() else _of_a_role(text)


def _of_a_role(text: str) -> str:
    """ "Freelance illustrator since 2020", "contractor, mostly for banks"."""
    if _ROLE_CUE.search(text) is None:  # quicker than the expressions
        return text
    matches = ((getattr(_EXPRESSIONS, name).match(text), full) for name, full in _tables()["alone"].items())
    return next((match.expand(full) for match, full in matches if match is not None), text)


def _of_those_here(text: str) -> str:
    """ "Emacs user here", "berlin here", "nvidia card here": who is here, or has what."""
    for name, full in _tables()["here"].items():
        match = getattr(_EXPRESSIONS, name).match(text)
        if match is not None and (name != "place_here" or match["x"].lower() in lexicon.words("places")):
            return match.expand(full)
    return text


def clause_evidence(evidence: str) -> str:
    """The original words of a clause that "here" ends: what comes after it is another matter."""
    end = evidence.lower().find(_HERE)
    return evidence if end < 0 else evidence[: end + len(_HERE)]


def asides(sentence: str) -> Iterator[tuple[str, str]]:
    """What a sentence says of its speaker in a subordinate place, written out, and the original words from there."""
    lower = sentence.lower()
    for cue, names in _tables()["asides"].items():
        if cue in lower:
            for name in names.split():
                match = getattr(_EXPRESSIONS, name).search(sentence)
                if match is not None:
                    yield match.expand(_tables()["aside_full"][name]), sentence[match.start() :]
                    break


def after_asides(sentence: str) -> str:
    """The sentence without a role that it opens with: it says the rest in that role."""
    return _EXPRESSIONS.opening_role.sub("", sentence) if _EXPRESSIONS.opens_with_role.match(sentence) else sentence
