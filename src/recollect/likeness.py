"""When two short texts say the same thing, and when one takes the other's place. Words only, no guesses."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from recollect.text import normal, squeeze, words

SAME_FACT = 0.6
"""Share of common words from which two texts may be wordings of one fact."""

_FILLER = frozenset(
    "a an the i im me my mine we our you your he she his her they their it its is am are was were be been being do "
    "does did has have had having user users to of in on at for with and or that this these those as by from now "
    "currently really very just also still actually mostly usually always please".split()
)
_NEGATION = frozenset("not no never dont doesnt didnt isnt arent wasnt cant cannot wont without stopped quit".split())

_SYNONYMS = {
    stem: stems[0]
    for stems in (
        ("lik", "lov", "enjoy", "ador"),
        ("hat", "dislik", "despis", "detest"),
        ("us", "utiliz", "utilis"),
        ("build", "develop", "creat", "mak"),
        ("big", "larg"),
        ("kid", "child", "children"),
        ("job", "occupation", "profession"),
        ("colour", "color"),
        ("favourit", "favorit"),
    )
    for stem in stems
}
"""Stems that say the same in a statement about a person."""


class Likeness(Enum):
    SAME = auto()
    """Other words for one fact."""
    RICHER = auto()
    """The new text says the same and more."""
    POORER = auto()
    """The new text says less than what is known."""
    CONTRADICTS = auto()
    """Both can't hold: the new text takes the old one's place."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """A relation that has one value at a time, as in "lives in Berlin"."""

    name: str
    value: str


# The subject may be the speaker ("I", "my") or the third person ("User", nobody at all).
_WHO = r"(?:i|we|user|the user|he|she|they)?\s*"
_SLOTS: list[tuple[str, re.Pattern[str]]] = [
    (name, re.compile(pattern))
    for name, pattern in (
        ("home", rf"^{_WHO}(?:currently |now )*"
         r"(?:lives?|living|reside[sd]?|am based|is based|based|moved) (?:in|to|at) (.+)$"),
        ("employer", rf"^{_WHO}(?:currently |now )*(?:works?|working) (?:at|for) (.+)$"),
        ("role", rf"^{_WHO}(?:currently |now )*(?:works?|working) as (?:an? |the )?(.+)$"),
        ("team", rf"^{_WHO}(?:am |is |are )?(?:now )?on the (.+) team$"),
        ("name", r"^(?:my|user'?s|the user'?s)? ?name is (.+)$"),
        ("name", rf"^{_WHO}(?:goes|go) by (.+)$"),
        ("age", rf"^{_WHO}(?:am|is|are) (\d+)(?: years old)?$"),
        ("{0}", r"^(?:my |user'?s |the user'?s |the )?((?:favou?rite|preferred) [\w ]+?|birthday|time ?zone|pronouns|"
         r"phone number|e-?mail|deadline|job|editor|shell|pronoun|native language|first language) (?:is|are) (.+)$"),
    )
]  # fmt: skip
_PREFERS = re.compile(
    rf"^{_WHO}(?:strongly |really )?prefers? (.+?) (?:over|to|rather than|instead of) (.+?)(?: (?:for|when|in) (.+))?$"
)


def compare(new: str, old: str) -> Likeness:
    """What a new text is to an old one about the same subject."""
    if normal(new) == normal(old):
        return Likeness.SAME
    slots = slot_of(new), slot_of(old)
    if slots[0] and slots[1] and slots[0].name == slots[1].name:
        return _compare_values(slots[0].value, slots[1].value)
    if _flips(new, old):
        return Likeness.CONTRADICTS
    return _compare_words(new, old)


def slot_of(text: str) -> Slot | None:
    """The single-valued relation that a text states, if it states one."""
    plain = normal(squeeze(text))
    for name, pattern in _SLOTS:
        found = pattern.match(plain)
        if found:
            *label, value = found.groups()
            return Slot(name.format(*label).replace("favorite", "favourite").replace("color", "colour"), value)
    return None


def _compare_values(new: str, old: str) -> Likeness:
    fresh, known = _content(new), _content(old)
    if fresh == known:
        return Likeness.SAME
    if fresh > known:
        return Likeness.RICHER
    return Likeness.POORER if fresh < known else Likeness.CONTRADICTS


def _flips(new: str, old: str) -> bool:
    """A preference turned round, or the same statement with and without a negation."""
    fresh, known = _PREFERS.match(normal(new)), _PREFERS.match(normal(old))
    if fresh and known:
        same_field = fresh.group(3) == known.group(3) or None in (fresh.group(3), known.group(3))
        return same_field and (fresh.group(1), fresh.group(2)) == (known.group(2), known.group(1))
    new_words, old_words = _content(new), _content(old)
    differs = bool(new_words & _NEGATION) != bool(old_words & _NEGATION)
    return differs and new_words - _NEGATION == old_words - _NEGATION


def _compare_words(new: str, old: str) -> Likeness:
    fresh, known = _content(new), _content(old)
    if not fresh or not known:
        return Likeness.OTHER
    common = len(fresh & known) / len(fresh | known)
    if bool(fresh & _NEGATION) != bool(known & _NEGATION) or common < SAME_FACT:
        return Likeness.OTHER
    if fresh == known:
        return Likeness.SAME if _order(new) == _order(old) or len(fresh) < 3 else Likeness.OTHER
    if fresh > known:
        return Likeness.RICHER
    # Each says something that the other doesn't ("red apples", "green apples"): two facts, however alike.
    return Likeness.POORER if fresh < known else Likeness.OTHER


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in words(text) if word not in _FILLER)


def _order(text: str) -> list[str]:
    return [_stem(word) for word in words(text) if word not in _FILLER]


def _stem(word: str) -> str:
    """Enough of a stem to join `prefers` with `prefer` and `editors` with `editor`."""
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + rest
            break
    word = word.rstrip("e") if len(word) > 3 else word
    return _SYNONYMS.get(word, word)
