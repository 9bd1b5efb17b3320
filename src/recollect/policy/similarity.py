"""When two short texts say the same thing, and when one takes the other's place. Words only, no guesses.

Precise rather than eager: two memos that say nearly the same cost little, a fact that gave way to another is missed.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from recollect.core.text import normalize, query_words, words

STATEMENT = 300
"""Characters up to which a text is one statement, whose form tells what it is about."""
CUES = 24
"""Words that are looked up for a text; of a long one the first tell what it is about."""
SAME_FACT = 0.6
"""Share of common words from which two texts may be wordings of one fact."""

_FILLER = frozenset(
    "a an the i im me my mine we our you your he she his her they their it its is am are be being do does "
    "user users that this these those now currently really very just also still actually mostly usually always "
    "please".split()
)
_MEANT_AT_THE_END = frozenset("a i it".split())
"""Not filler where a text ends with them: "vitamin A", "works in IT"."""
_RELATIONS = frozenset("to of in on at for with as by from or and".split())
"""Too common to count, but "works for Ann" is not "works with Ann"."""
_ADDS = frozenset("and with as since because named called plus including".split())
"""What follows these adds to a statement; other words may narrow it ("apple" and "apple pie")."""
_QUALIFIES = frozenset("in on for during at when".split())
_PAST = frozenset("was were had did been".split())
_PERSONS = {
    "he": "he", "his": "he", "him": "he", "she": "she", "her": "she", "hers": "she",
    "they": "they", "their": "they", "them": "they", "you": "you", "your": "you", "yours": "you",
}  # fmt: skip
_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our|he|his|him|she|hers?|they|their|them|yours?|you)\b")
_SYMBOLS = re.compile(r"[^\w\s.,;:!?'’\"()-]|(?<=\w)[-+](?=\s|$)|_|(?<=\w)-(?=\w)")

_PHRASES = (
    (re.compile(r"^((?:i|we|user|the user|he|she|they)?\s*)used to\b"), r"\1not"),
    (re.compile(r"\bno longer\b"), "not"),
    (re.compile(r"\b(?:can'?t|cannot)\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(?:don|doesn|isn|aren)'?t\b"), "not"),
    (re.compile(r"(?<=\bnot\b)(.{0,80}?)\bany ?more\b"), r"\1"),
    (re.compile(r"\b(\d+)(?:st|nd|rd|th)\b"), r"\1"),
    (re.compile(r"(?<=\d)\.(?=\d)"), "point"),
    (re.compile(r"(?:(?<=utc)|(?<=gmt)|(?<=\s))-\s?(?=\d)"), " minus "),
    (re.compile(r"[,;:(]|\s[-–—]\s"), " and "),
    (re.compile(r"(?:\band\s+){2,}"), "and "),
)
_NEGATION = frozenset(
    "not no never without stopped stop quit formerly previously nor none nothing neither "
    "nicht kein keine keinen keinem keiner keines nie niemals nichts не нет никогда pas jamais nunca nao "
    "ない せん なく 不 没 未 않 없 못".split()
)

_SYNONYMS = {
    stem: stems[0]
    for stems in (
        ("has", "hav"),
        ("lik", "lov", "enjoy", "ador"),
        ("hat", "dislik", "despis", "detest"),
        ("use", "using", "utiliz", "utilis"),
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
_OPPOSITES = {"lik", "hat"}

_NUMBERS = {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}


class Similarity(Enum):
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
_WHO = r"(?:(?:i|we|user|the user|he|she|they) )?(?:am |is |are )?(?:currently |now )*"
_NAMED = r"(?!(?:an?|the|my|his|her|their|our|this|that)\b)"
"""Not "a bank" or "the city": that may be the very Acme or Berlin that is known."""
_SLOTS: list[tuple[str, re.Pattern[str]]] = [
    (name, re.compile(pattern))
    for name, pattern in (
        ("home", rf"^{_WHO}(?:lives?|living|resid(?:es?|ing)|based) in {_NAMED}(.+)$"),
        ("employer", rf"^{_WHO}(?:works?|working) (?:at|for) {_NAMED}"
         r"(?!(?:home|nights?|weekends?|me|us|him|them|myself|free|fun|now)\b)(.+)$"),
        ("role", rf"^{_WHO}(?:works?|working) as (?:an? |the )?(.+)$"),
        ("team", rf"^{_WHO}on the (.+) team$"),
        ("name", r"^(?:(?:my|user'?s|the user'?s) )?(?:first )?name is (.+)$"),
        ("age", r"^(?:(?:i|user|the user|he|she|they) )?(?:am|is|are) (\d+)(?: years old)?$"),
        ("{0}", r"^(?:my |user'?s |the user'?s |the )?((?:favou?rite|preferred) [\w ]+?|birthday|time ?zone|"
         r"phone number|e-?mail|deadline|job|editor|shell|native language|first language) is (.+)$"),
        ("{0}", r"^(?:my |user'?s |the user'?s )?(pronouns) are (.+)$"),
    )
]  # fmt: skip
_COUNT = re.compile(rf"^{_WHO}(?:has|have|owns?) (\d+|{'|'.join(_NUMBERS)}) ([\w ]+)$")
_PREFERS = re.compile(
    rf"^{_WHO}(?:strongly |really )?prefers? (.+?) (?:over|to|rather than|instead of) (.+?)(?: (?:for|when|in) (.+))?$"
)
_MOVED = re.compile(rf"^{_WHO}(?:have |has |just |recently )*moved from (.+?) to .+$")
_RIVALS = {"home": ("live", "living", "reside", "based"), "employer": ("work",), "role": ("work",)}


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a comparison needs to know of a text."""

    normal: str
    order: list[str]
    """The words that matter, as stems."""
    content: set[str]
    negated: bool
    past: bool
    persons: set[str]
    roles: list[str]
    """Who does it to whom, where more than one person is named."""
    symbols: list[str]
    slot: Slot | None
    prefers: tuple[str, ...] | None
    left: list[str] | None
    """Where somebody moved away from."""


@lru_cache(maxsize=8192)
def _read(text: str) -> _Reading:
    plain = normalize(text).replace("’", "'").replace("i'm ", "i am ")
    order = _order(plain)
    statement = plain if len(plain) <= STATEMENT else ""
    prefers, moved = _PREFERS.match(statement), _MOVED.match(statement)
    return _Reading(
        normal=plain,
        order=order,
        content=_content(order),
        negated=not _NEGATION.isdisjoint(order),
        past=not _PAST.isdisjoint(order),
        persons=_persons(plain),
        roles=_roles(plain),
        symbols=_SYMBOLS.findall(text),
        slot=_slot(statement),
        prefers=prefers.groups() if prefers else None,
        left=_head(_order(moved[1])) if moved else None,
    )


def compare(new: str, old: str) -> Similarity:
    """What a new text is to an old one about the same subject."""
    fresh, known = _read(new), _read(old)
    if fresh.normal == known.normal:
        return Similarity.SAME
    if fresh.slot and known.slot and fresh.slot.name == known.slot.name:
        return _compare_values(fresh.slot.value, known.slot.value)
    if fresh.persons != known.persons or fresh.roles != known.roles:
        return Similarity.OTHER
    if sorted(fresh.symbols) != sorted(known.symbols):
        return Similarity.OTHER
    if _flips(fresh, known) or _moved_away(fresh, known):
        return Similarity.CONTRADICTS
    return _compare_words(fresh, known)


def match_cues(text: str) -> list[str]:
    """Words under which facts are found that this text may repeat or replace."""
    found = query_words(text)
    own = [word for word in found if word not in _FILLER and word not in _RELATIONS] or found
    return list(dict.fromkeys([*_rivals(text), *own]))[:CUES]


def _rivals(text: str) -> tuple[str, ...]:
    """Words of facts that this text may replace without having a word in common with them."""
    read = _read(text)
    if read.slot is not None:
        return _RIVALS.get(read.slot.name, ())
    return _RIVALS["home"] if read.left else ()


def slot_of(text: str) -> Slot | None:
    """The single-valued relation that a text states, if it states one."""
    return _read(text).slot


def _slot(plain: str) -> Slot | None:
    for name, pattern in _SLOTS:
        found = pattern.match(plain)
        if found:
            *label, value = found.groups()
            who = sorted(_persons(plain.removesuffix(value)))
            return Slot(" ".join([*who, _spelled(name.format(*label))]), value)
    counted = _COUNT.match(plain)
    if counted:
        who = " ".join(sorted(_persons(plain)))
        return Slot(f"{who} how many {' '.join(_order(counted[2]))}".strip(), _NUMBERS.get(counted[1], counted[1]))
    return None


def _spelled(name: str) -> str:
    return (
        name.replace("favorite", "favourite")
        .replace("color", "colour")
        .replace("time zone", "timezone")
        .replace("e-mail", "email")
    )


def _compare_values(new: str, old: str) -> Similarity:
    fresh, known = _order(new) or words(new), _order(old) or words(old)
    if _NEGATION.isdisjoint(fresh) != _NEGATION.isdisjoint(known):
        return Similarity.CONTRADICTS
    if sorted(fresh) == sorted(known):
        return Similarity.SAME
    if _extends(fresh, known) or new.endswith(f", {old}"):
        return Similarity.RICHER
    if _extends(known, fresh) or old.endswith(f", {new}"):
        return Similarity.POORER
    if _qualified(fresh) and _qualified(known):
        return Similarity.OTHER  # "Lisbon in winter" and "Oslo in summer" hold both
    heads = _head(fresh), _head(known)
    agree = _extends(*heads) or _extends(*reversed(heads))  # one value, different things said about it
    return Similarity.OTHER if agree else Similarity.CONTRADICTS


def _qualified(order: list[str]) -> bool:
    return not _QUALIFIES.isdisjoint(order[1:])


def _extends(long: list[str], short: list[str]) -> bool:
    return long[: len(short)] == short


def _head(order: list[str]) -> list[str]:
    """The value itself: "acme" of "acme as an engineer"."""
    end = next((place for place, word in enumerate(order) if word in _RELATIONS or word in _ADDS), len(order))
    return order[:end]


def _flips(new: _Reading, old: _Reading) -> bool:
    """A preference turned round, or the same statement with its negation or its opposite."""
    if new.prefers and old.prefers:
        better, worse, when = old.prefers
        return new.prefers == (worse, better, when)
    if new.negated != old.negated:
        rest = [word for word in new.order if word not in _NEGATION]
        return bool(rest) and rest == [word for word in old.order if word not in _NEGATION]
    if len(new.order) != len(old.order):
        return False
    differing = [{one, other} for one, other in zip(new.order, old.order, strict=True) if one != other]
    return differing == [_OPPOSITES]


def _moved_away(new: _Reading, old: _Reading) -> bool:
    """Whether it says "moved from Berlin to Paris" to "lives in Berlin"."""
    if new.left is None or old.slot is None or old.slot.name != "home":
        return False
    return new.left == _head(_order(old.slot.value))


def _compare_words(new: _Reading, old: _Reading) -> Similarity:
    if new.negated != old.negated or new.past != old.past or not new.content or not old.content:
        return Similarity.OTHER
    if new.order == old.order:
        return Similarity.SAME
    if len(new.content & old.content) < SAME_FACT * len(new.content | old.content):
        return Similarity.OTHER
    if _adds(new.order, old.order):
        return Similarity.RICHER
    # Each says something that the other doesn't ("red apples", "green apples"): two facts, however alike.
    return Similarity.POORER if _adds(old.order, new.order) else Similarity.OTHER


def _adds(long: list[str], short: list[str]) -> bool:
    """Whether the longer text goes on where the shorter ends, without narrowing what that says."""
    if len(long) <= len(short) or not _extends(long, short):
        return False
    following = long[len(short)]
    return following in _ADDS or following[0].isdecimal()


def _content(order: list[str]) -> set[str]:
    return set(order) - _RELATIONS - _ADDS


def _roles(plain: str) -> list[str]:
    """Pronouns in order, first person as one; nothing where only one person is named."""
    found: list[str] = _PERSON.findall(plain)
    first = {"i": "me", "my": "me", "mine": "me", "we": "us", "our": "us"}
    kinds: list[str] = [first.get(word) or _PERSONS.get(word, word) for word in found]
    return kinds if len(set(kinds)) > 1 else []


def _persons(text: str) -> set[str]:
    return {_PERSONS[word] for word in words(text) if word in _PERSONS}


def _order(plain: str) -> list[str]:
    """The words that matter, in order, as stems."""
    for pattern, meaning in _PHRASES:
        plain = pattern.sub(meaning, plain)
    found = words(plain)
    last = len(found) - 1
    return [
        _stem(word)
        for place, word in enumerate(found)
        if word not in _FILLER or (place == last and word in _MEANT_AT_THE_END)
    ]


def _stem(word: str) -> str:
    """Enough of a stem to join `prefers` with `prefer` and `editors` with `editor`; the past stays apart."""
    if word in _NEGATION or word in _RELATIONS or word in _ADDS or word in _PAST:
        return word
    for ending, rest in (("ies", "y"), ("ing", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + rest
            break
    word = word.rstrip("e") if len(word) > 3 else word
    if len(word) > 3 and word[-1] == word[-2] and word.isascii() and word.isalpha():
        word = word[:-1]  # "running" and "runs"
    return _SYNONYMS.get(word, word)
