"""Whether two short texts state the same fact, and whether one contradicts the other. Compares words only.

Favors precision: keeping two memos that say nearly the same costs little, losing a fact to another costs more.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, lru_cache
from itertools import takewhile

from recollect.core.lazy import lazy
from recollect.core.text import normalize, query_words, words
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.policy.statement_words import persons, roles, stems

MAX_STATEMENT_CHARS = 300
"""Up to this length, a text is one statement that is matched against the patterns of relations."""
MAX_CUES = 24
"""Words that are looked up for a text; the first ones of a long text say what it is about."""
MIN_COMMON_SHARE = 0.6
"""Share of common words from which two texts may be wordings of one fact."""

_QUALIFIES = frozenset("in on for during at when".split())
_SYMBOLS = re.compile(r"[^\w\s.,;:!?'’\"()-]|(?<=\w)[-+](?=\s|$)|_|(?<=\w)-(?=\w)")

_OPPOSITES = {"lik", "hat"}
_SPELLINGS = ("favorite", "favourite"), ("color", "colour"), ("time zone", "timezone"), ("e-mail", "email")


class Similarity(Enum):
    """How a new text relates to an old one."""

    SAME = auto()
    """Other words for one fact."""
    RICHER = auto()
    """The new text says the same and adds to it."""
    POORER = auto()
    """The new text says less than the old one."""
    CONTRADICTS = auto()
    """Both can't be true: the new text replaces the old one."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Slot:
    """A relation that has one value at a time, such as the home in "lives in Berlin"."""

    name: str
    value: str


# The subject may be the speaker ("I", "my"), the third person ("User") or missing.
_WHO = r"(?:(?:i|we|user|the user|he|she|they) )?(?:am |is |are )?(?:currently |now )*"
_NAMED = r"(?!(?:an?|the|my|his|her|their|our|this|that)\b)"
"""Excludes "a bank" or "the city", which may be the known Acme or Berlin."""
_THEIRS = (
    r"(?:my|their|user'?s|the user'?s) ((?:wife|husband|partner|fianc[eé]e?|girlfriend|boyfriend|boss|manager|mother"
    r"|mom|mum|father|dad|best friend)(?: (?!is\b|are\b)[\w-]+)?"
    r"|[\w-]+ (?!is\b|are\b|turned\b|lives\b|works\b|just\b)[\w-]+)"
)
"""A person of whom the speaker has only one, or who is named: one may have two sisters."""
_PATTERNS = Patterns(
    home=rf"^{_WHO}(?:lives?|living|resid(?:es?|ing)|based) in {_NAMED}(.+)$",
    employer=rf"^{_WHO}(?:works?|working) (?:at|for) {_NAMED}"
    r"(?!(?:home|nights?|weekends?|me|us|him|them|myself|free|fun|now)\b)(.+)$",
    role=rf"^{_WHO}(?:works?|working) as (?:an? |the )?(.+)$",
    team=rf"^{_WHO}on the (.+) team$",
    name=r"^(?:(?:my|user'?s|the user'?s) )?(?:first )?name is (.+)$",
    age=r"^(?:(?:i|user|the user|he|she|they) )?(?:am|is|are|just turned|turned|has turned) (\d+)"
    r"(?: years old| (?:on|in|last|this|today|yesterday)\b.*)?$",
    trait=r"^(?:my |user'?s |the user'?s |the )?((?:favou?rite|preferred) [\w ]+?|birthday|time ?zone|phone number"
    r"|e-?mail|deadline|job|editor|shell|native language|first language|car|bike|phone|laptop|camera|browser|blood type"
    r"|shoe size|height|weight|religion|middle name|last name|surname|hometown|major|star sign) is (.+)$",
    weight=rf"^{_WHO}weighs? (.+)$",
    height=rf"^{_WHO}(\d.{{0,20}}) tall$",
    status=rf"^{_WHO}(?:got |has been |have been )?(?:happily |recently |newly )?"
    r"(single|engaged|married|divorced|widowed)(?: (?:to|since|on|in|last|for|again|yesterday|today)\b.*)?$",
    kin=r"^(?:my|their|user'?s|the user'?s) (wife|husband|partner|fianc[eé]e?|girlfriend|boyfriend|boss|manager"
    r"|mother|mom|mum|father|dad) is (?:called|named) (.+)$",
    pronouns=r"^(?:my |user'?s |the user'?s )?(pronouns) are (.+)$",
    diet=rf"^{_WHO}(?:an? )?(vegan|vegetarian|pesc[ae]tarian|flexitarian|omnivore)(?: (?:now|again|since .+))?$",
    kin_age=rf"^{_THEIRS} (?:is|are|turned|just turned) (\d+)(?: years old)?"
    r"(?: (?:now|on|in|last|this|today|yesterday)\b.*)?$",
    kin_home=rf"^{_THEIRS} lives in {_NAMED}(.+)$",
    kin_employer=rf"^{_THEIRS} works (?:at|for) {_NAMED}(.+)$",
    count=rf"^{_WHO}(?:has|have|owns?) (\d+|{{cardinal}}) ([\w ]+)$",
    prefers=rf"^{_WHO}(?:strongly |really )?prefers? (.+?) (?:over|to|rather than|instead of) (.+?)"
    r"(?: (?:for|when|in) (.+))?$",
    moved=rf"^{_WHO}(?:have |has |just |recently )*moved from (.+?) to .+$",
    table=lambda: {"cardinal": "|".join(lexicon.ordered_words("cardinals")[:11])},
)
_SLOTS = (
    "home",
    "employer",
    "role",
    "team",
    "name",
    "age",
    "trait",
    "pronouns",
    "status",
    "kin",
    "weight",
    "height",
    "diet",
)
_SLOTS_OF_OTHERS = ("kin_age", "kin_home", "kin_employer")
_RIVALS = {
    "home": ("live", "living", "reside", "based"), "employer": ("work",), "role": ("work",),
    "age": ("years", "old", "turned"), "status": ("single", "engaged", "married", "divorced", "widowed"),
}  # fmt: skip


class _Parsed:
    """The features of a text that are compared, each computed on first use: most texts differ in the first few."""

    def __init__(self, text: str) -> None:
        self.normalized = normalize(text).replace("’", "'").replace("i'm ", "i am ")
        self.statement = self.normalized if len(self.normalized) <= MAX_STATEMENT_CHARS else ""
        self._text = text

    @lazy
    def symbols(self) -> list[str]:
        """Signs that are part of a value: "A+"."""
        return sorted(_SYMBOLS.findall(self._text))

    @lazy
    def order(self) -> list[str]:
        """Stems of the words that matter."""
        return stems(self.normalized)

    @lazy
    def content(self) -> set[str]:
        return set(self.order) - lexicon.words("prepositions") - lexicon.words("additions")

    @lazy
    def negated(self) -> bool:
        return not lexicon.words("negation").isdisjoint(self.order)

    @lazy
    def past(self) -> bool:
        return not lexicon.words("past").isdisjoint(self.order)

    @lazy
    def opposites(self) -> set[str]:
        """The words that have an opposite."""
        return _OPPOSITES.intersection(self.order)

    @lazy
    def persons(self) -> tuple[set[str], list[str]]:
        """Those named and, if they are several, the pronouns in order: who does it to whom."""
        return persons(self.normalized), roles(self.normalized)

    @lazy
    def slot(self) -> Slot | None:
        return _slot(self.statement)

    @lazy
    def prefers(self) -> tuple[str, ...] | None:
        match = _PATTERNS.prefers.match(self.statement)
        return match.groups() if match else None

    @lazy
    def left(self) -> list[str] | None:
        """The place that someone moved away from."""
        match = _PATTERNS.moved.match(self.statement)
        return _head(stems(match[1])) if match else None


_parse = lru_cache(maxsize=16_384)(_Parsed)


def compare(new: str, old: str) -> Similarity:
    """How a new text relates to an old one about the same subject."""
    fresh, known = _parse(new), _parse(old)
    if fresh.normalized == known.normalized:
        return Similarity.SAME
    if fresh.slot and known.slot and fresh.slot.name == known.slot.name:
        # Slots decide before words: "lives in Paris" and "lives in Rome" share most of their words.
        similarity = _compare_values(fresh.slot.value, known.slot.value)
        is_same = similarity is not Similarity.SAME or fresh.symbols == known.symbols
        return similarity if is_same else Similarity.CONTRADICTS  # "A+", "A-"
    is_reversed = _is_reversal(fresh, known) or _is_relocation(fresh, known)
    similarity = Similarity.CONTRADICTS if is_reversed else _compare_words(fresh, known)
    if similarity is Similarity.OTHER:  # the usual case, decided without looking for persons
        return similarity
    is_about_same = fresh.symbols == known.symbols and fresh.persons == known.persons
    return similarity if is_about_same else Similarity.OTHER


def details(long: str, short: str) -> bool:
    """Whether a text adds detail to a shorter one: "works as an engineer at Acme", "works at Acme"."""
    full, plain = _parse(long), _parse(short)
    return (
        bool(plain.content)
        and full.persons[0] == plain.persons[0]
        and full.negated == plain.negated
        and full.order[:1] == plain.order[:1]
        and _is_contained(plain.order, full.order)
    )


def _is_contained(short: list[str], long: list[str]) -> bool:
    """Whether all words of a text occur in another one, in their order."""
    # `in` consumes the iterator, so each word is sought behind the one before it.
    rest = iter(long)
    return all(word in rest for word in short)


def match_cues(text: str) -> list[str]:
    """Words by which to find the facts that a text may repeat or replace."""
    distinct = query_words(text)
    content = [
        word for word in distinct if word not in lexicon.words("filler") and word not in lexicon.words("prepositions")
    ] or distinct
    return list(dict.fromkeys([*_rivals(text), *content]))[:MAX_CUES]


def _rivals(text: str) -> tuple[str, ...]:
    """Words of facts that a text may replace without sharing a word with them."""
    parsed = _parse(text)
    return _cues(parsed.slot.name) if parsed.slot else _RIVALS["home"] if parsed.left else ()


def slot_of(text: str) -> Slot | None:
    """The single-valued relation that a text states, if it states one."""
    return _parse(text).slot


def _slot(statement: str) -> Slot | None:
    if not _any_slot().match(statement):
        return None
    for name in _SLOTS:
        match = getattr(_PATTERNS, name).match(statement)
        if match:
            *label, value = match.groups()
            who = sorted(persons(statement.removesuffix(value)))
            return Slot(" ".join([*who, _unify_spelling(label[0] if label else name)]), value)
    others = ((name, getattr(_PATTERNS, name)) for name in _SLOTS_OF_OTHERS)
    for name, pattern in (*others, *_foreign_slots()):
        if match := pattern.fullmatch(statement):
            *label, value = match.groups()
            return Slot(" ".join([name, *filter(None, label)]), value)
    count = _PATTERNS.count.match(statement)
    if count:
        who = " ".join(sorted(persons(statement)))
        return Slot(f"{who} how many {' '.join(stems(count[2]))}".strip(), _number(count[1]))
    return None


@cache
def _any_slot() -> re.Pattern[str]:
    """Matches whatever one of the relations matches, in one go: most statements have none."""
    own = [getattr(_PATTERNS, name).pattern for name in (*_SLOTS, *_SLOTS_OF_OTHERS, "count")]
    foreign = [f"(?:{pattern.pattern})$" for _, pattern in _foreign_slots()]
    return re.compile("|".join(f"(?:{pattern})" for pattern in (*own, *foreign)))


@cache
def _foreign_slots() -> list[tuple[str, re.Pattern[str]]]:
    """The relations of other languages, under the names of the English ones."""
    tables = lexicon.tables("slots").values()
    return [(name, re.compile(pattern)) for table in tables for name, pattern in table.items()]


@cache
def _cues(name: str) -> tuple[str, ...]:
    """Words of statements of a relation, in all languages."""
    foreign = (word for table in lexicon.tables("cues").values() for word in table.get(name, "").split())
    return (*_RIVALS.get(name, ()), *foreign)


def _number(word: str) -> str:
    cardinals = lexicon.ordered_words("cardinals")
    return str(cardinals.index(word)) if word in cardinals else word


def _unify_spelling(name: str) -> str:
    for spelling, usual in _SPELLINGS:
        name = name.replace(spelling, usual)
    return name


def _compare_values(new: str, old: str) -> Similarity:
    fresh, known = stems(new) or words(new), stems(old) or words(old)
    if lexicon.words("negation").isdisjoint(fresh) != lexicon.words("negation").isdisjoint(known):
        return Similarity.CONTRADICTS
    if sorted(fresh) == sorted(known):
        return Similarity.SAME
    if _extends(fresh, known) or new.endswith(f", {old}"):
        return Similarity.RICHER
    if _extends(known, fresh) or old.endswith(f", {new}"):
        return Similarity.POORER
    if _is_qualified(fresh) and _is_qualified(known):
        return Similarity.OTHER  # "Lisbon in winter" and "Oslo in summer" can both be true
    heads = _head(fresh), _head(known)
    same_value = _extends(*heads) or _extends(*reversed(heads))  # different details of one value
    return Similarity.OTHER if same_value else Similarity.CONTRADICTS


def _is_qualified(order: list[str]) -> bool:
    return not _QUALIFIES.isdisjoint(order[1:])


def _extends(long: list[str], short: list[str]) -> bool:
    return long[: len(short)] == short


def _head(order: list[str]) -> list[str]:
    """The value itself: "acme" of "acme as an engineer"."""
    ends = lexicon.words("prepositions") | lexicon.words("additions")
    return list(takewhile(lambda word: word not in ends, order))


def _is_reversal(new: _Parsed, old: _Parsed) -> bool:
    """A reversed preference, or the same statement with a negation or an opposite verb."""
    if new.prefers and old.prefers:
        better, worse, when = old.prefers
        return new.prefers == (worse, better, when)
    if new.negated != old.negated:
        remaining, known = (_without_negation(parsed.order) for parsed in (new, old))
        if not remaining or remaining == known:
            return bool(remaining)
        # An ended fact has ended in all its details; a resumed one is no longer over.
        shorter, longer = (remaining, known) if new.negated else (known, remaining)
        is_over = (new if new.negated else old).normalized.startswith("no longer ")
        return is_over and len(shorter) > 1 and shorter[0] == longer[0] and _is_contained(shorter, longer)
    if new.opposites | old.opposites != _OPPOSITES:  # the usual case
        return False
    if {*new.order[:1], *old.order[:1]} == _OPPOSITES and len(new.order) > 1:
        # Who hates hiking does not love it anywhere; who hates it in the rain may love it.
        return _extends(old.order[1:], new.order[1:])
    if len(new.order) != len(old.order):
        return False
    differing = [pair for pair in zip(new.order, old.order, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and {*differing[0]} == _OPPOSITES


def _without_negation(order: list[str]) -> list[str]:
    return [word for word in order if word not in lexicon.words("negation")]


def _is_relocation(new: _Parsed, old: _Parsed) -> bool:
    """Whether the new text is like "moved from Berlin to Paris" and the old one like "lives in Berlin"."""
    if new.left is None or old.slot is None or old.slot.name != "home":
        return False
    return new.left == _head(stems(old.slot.value))


def _compare_words(new: _Parsed, old: _Parsed) -> Similarity:
    if new.negated != old.negated or new.past != old.past or not new.content or not old.content:
        return Similarity.OTHER
    common = len(new.content & old.content)
    if common < MIN_COMMON_SHARE * (len(new.content) + len(old.content) - common):
        return Similarity.OTHER
    if new.order == old.order:
        return Similarity.SAME
    if _adds(new.order, old.order):
        return Similarity.RICHER
    # Each has something that the other lacks ("red apples", "green apples"): two facts, however similar.
    return Similarity.POORER if _adds(old.order, new.order) else Similarity.OTHER


def _adds(long: list[str], short: list[str]) -> bool:
    """Whether the longer text continues the shorter one without narrowing it."""
    if len(long) <= len(short) or not _extends(long, short):
        return False
    following = long[len(short)]
    return following in lexicon.words("additions") or following[0].isdecimal()
