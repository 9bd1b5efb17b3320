"""Whether two short texts state the same fact, and whether one contradicts the other. Compares words only.

Favors precision: keeping two memos that say nearly the same costs little, losing a fact to another costs more.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property, lru_cache
from itertools import takewhile

from recollect.core.text import normalize, query_words, words
from recollect.language import lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import required_literals

MAX_STATEMENT_CHARS = 300
"""Up to this length, a text is one statement that is matched against the patterns of relations."""
MAX_CUES = 24
"""Words that are looked up for a text; the first ones of a long text say what it is about."""
MIN_COMMON_SHARE = 0.6
"""Share of common words from which two texts may be wordings of one fact."""

_NOT_FILLER_AT_END = frozenset("a i it".split())
"""Not filler at the end of a text: "vitamin A", "works in IT"."""
_QUALIFIES = frozenset("in on for during at when".split())
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
_OPPOSITES = {"lik", "hat"}
_SPELLINGS = ("favorite", "favourite"), ("color", "colour"), ("time zone", "timezone"), ("e-mail", "email")

_ENDINGS = (("ies", "y"), ("ing", ""), ("es", "e"), ("s", ""))
"""Not those of the past tense."""


class Similarity(Enum):
    """How a new text relates to an old one."""

    SAME = auto()
    """Other words for one fact."""
    RICHER = auto()
    """The new text says the same and adds to it."""
    POORER = auto()
    """The new text says less than the old one."""
    CONTRADICTS = auto()
    """Both can't hold: the new text replaces the old one."""
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
    count=rf"^{_WHO}(?:has|have|owns?) (\d+|{{cardinal}}) ([\w ]+)$",
    prefers=rf"^{_WHO}(?:strongly |really )?prefers? (.+?) (?:over|to|rather than|instead of) (.+?)"
    r"(?: (?:for|when|in) (.+))?$",
    moved=rf"^{_WHO}(?:have |has |just |recently )*moved from (.+?) to .+$",
    table=lambda: {"cardinal": "|".join(lexicon.ordered_words("cardinals")[:11])},
)
_SLOTS = ("home", "employer", "role", "team", "name", "age", "trait", "pronouns", "status", "kin", "weight", "height")
_RIVALS = {
    "home": ("live", "living", "reside", "based"), "employer": ("work",), "role": ("work",),
    "age": ("years", "old", "turned"), "status": ("single", "engaged", "married", "divorced", "widowed"),
}  # fmt: skip


class _Parsed:
    """The features of a text that are compared, each computed on first use: most texts differ in the first few."""

    def __init__(self, text: str) -> None:
        self.normalized = normalize(text).replace("’", "'").replace("i'm ", "i am ")
        self.statement = self.normalized if len(self.normalized) <= MAX_STATEMENT_CHARS else ""
        self.symbols = sorted(_SYMBOLS.findall(text))

    @cached_property
    def order(self) -> list[str]:
        """Stems of the words that matter."""
        return _order(self.normalized)

    @cached_property
    def content(self) -> set[str]:
        return set(self.order) - lexicon.words("prepositions") - lexicon.words("additions")

    @cached_property
    def negated(self) -> bool:
        return not lexicon.words("negation").isdisjoint(self.order)

    @cached_property
    def past(self) -> bool:
        return not lexicon.words("past").isdisjoint(self.order)

    @cached_property
    def persons(self) -> tuple[set[str], list[str]]:
        """Those named and, if they are several, the pronouns in order: who does it to whom."""
        return _persons(self.normalized), _roles(self.normalized)

    @cached_property
    def slot(self) -> Slot | None:
        return _slot(self.statement)

    @cached_property
    def prefers(self) -> tuple[str, ...] | None:
        match = _PATTERNS.prefers.match(self.statement)
        return match.groups() if match else None

    @cached_property
    def left(self) -> list[str] | None:
        """The place that someone moved away from."""
        match = _PATTERNS.moved.match(self.statement)
        return _head(_order(match[1])) if match else None


_parse = lru_cache(maxsize=8192)(_Parsed)


def compare(new: str, old: str) -> Similarity:
    """How a new text relates to an old one about the same subject."""
    fresh, known = _parse(new), _parse(old)
    if fresh.normalized == known.normalized:
        return Similarity.SAME
    if fresh.slot and known.slot and fresh.slot.name == known.slot.name:
        similarity = _compare_values(fresh.slot.value, known.slot.value)
        is_same = similarity is not Similarity.SAME or fresh.symbols == known.symbols
        return similarity if is_same else Similarity.CONTRADICTS  # "A+", "A-"
    if fresh.symbols != known.symbols or fresh.persons != known.persons:
        return Similarity.OTHER
    if _flips(fresh, known) or _moved_away(fresh, known):
        return Similarity.CONTRADICTS
    return _compare_words(fresh, known)


def details(long: str, short: str) -> bool:
    """Whether a text says what a shorter one says, with more words: "works as an engineer at Acme", "works at Acme"."""
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
            persons = sorted(_persons(statement.removesuffix(value)))
            return Slot(" ".join([*persons, _unify_spelling(label[0] if label else name)]), value)
    for name, pattern in _foreign_slots():
        if match := pattern.fullmatch(statement):
            return Slot(name, match[1])
    count = _PATTERNS.count.match(statement)
    if count:
        persons = " ".join(sorted(_persons(statement)))
        return Slot(f"{persons} how many {' '.join(_order(count[2]))}".strip(), _number(count[1]))
    return None


@cache
def _any_slot() -> re.Pattern[str]:
    """Matches whatever one of the relations matches, in one go: most statements have none."""
    own = [getattr(_PATTERNS, name).pattern for name in (*_SLOTS, "count")]
    foreign = [f"(?:{pattern.pattern})$" for _, pattern in _foreign_slots()]
    return re.compile("|".join(f"(?:{pattern})" for pattern in (*own, *foreign)))


@cache
def _foreign_slots() -> list[tuple[str, re.Pattern[str]]]:
    """The relations of other languages, under the names of the English ones."""
    tables = lexicon.tables("slots").values()
    return [(name, re.compile(pattern)) for table in tables for name, pattern in table.items()]


@cache
def _phrases() -> list[tuple[tuple[str, ...], re.Pattern[str], str]]:
    """What is replaced before words are compared, in all languages, with the literals without which it can't occur."""
    pairs = (pair for table in lexicon.tables("similar").values() for pair in table.get("phrases", ()))
    foreign = [(re.compile(pattern), replacement) for pattern, replacement in pairs]
    return [
        (required_literals(pattern.pattern), pattern, replacement) for pattern, replacement in (*foreign, *_PHRASES)
    ]


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
    fresh, known = _order(new) or words(new), _order(old) or words(old)
    if lexicon.words("negation").isdisjoint(fresh) != lexicon.words("negation").isdisjoint(known):
        return Similarity.CONTRADICTS
    if sorted(fresh) == sorted(known):
        return Similarity.SAME
    if _extends(fresh, known) or new.endswith(f", {old}"):
        return Similarity.RICHER
    if _extends(known, fresh) or old.endswith(f", {new}"):
        return Similarity.POORER
    if _is_qualified(fresh) and _is_qualified(known):
        return Similarity.OTHER  # "Lisbon in winter" and "Oslo in summer" can both hold
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


def _flips(new: _Parsed, old: _Parsed) -> bool:
    """A reversed preference, or the same statement with a negation or an opposite verb."""
    if new.prefers and old.prefers:
        better, worse, when = old.prefers
        return new.prefers == (worse, better, when)
    if new.negated != old.negated:
        remaining, known = (_without_negation(parsed.order) for parsed in (new, old))
        if not remaining or remaining == known:
            return bool(remaining)
        # What ended has ended in all its details; what holds again is no longer over.
        shorter, longer = (remaining, known) if new.negated else (known, remaining)
        is_over = (new if new.negated else old).normalized.startswith("no longer ")
        return is_over and len(shorter) > 1 and shorter[0] == longer[0] and _is_contained(shorter, longer)
    if len(new.order) != len(old.order):
        return False
    differing = [pair for pair in zip(new.order, old.order, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and {*differing[0]} == _OPPOSITES


def _without_negation(order: list[str]) -> list[str]:
    return [word for word in order if word not in lexicon.words("negation")]


def _moved_away(new: _Parsed, old: _Parsed) -> bool:
    """Whether the new text is like "moved from Berlin to Paris" and the old one like "lives in Berlin"."""
    if new.left is None or old.slot is None or old.slot.name != "home":
        return False
    return new.left == _head(_order(old.slot.value))


def _compare_words(new: _Parsed, old: _Parsed) -> Similarity:
    if new.negated != old.negated or new.past != old.past or not new.content or not old.content:
        return Similarity.OTHER
    if new.order == old.order:
        return Similarity.SAME
    if len(new.content & old.content) < MIN_COMMON_SHARE * len(new.content | old.content):
        return Similarity.OTHER
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


def _roles(text: str) -> list[str]:
    """Pronouns in order, all first persons alike; nothing where only one person is named."""
    pronouns: list[str] = _PERSON.findall(text)
    first = {"i": "me", "my": "me", "mine": "me", "we": "us", "our": "us"}
    kinds: list[str] = [first.get(word) or _PERSONS.get(word, word) for word in pronouns]
    return kinds if len(set(kinds)) > 1 else []


def _persons(text: str) -> set[str]:
    return {_PERSONS[word] for word in words(text) if word in _PERSONS}


def _order(text: str) -> list[str]:
    """Stems of the words that matter, in order."""
    for literals, pattern, replacement in _phrases():
        for literal in literals:
            if literal in text:
                text = pattern.sub(replacement, text)
                break
    all_words = words(text)
    last, filler = len(all_words) - 1, lexicon.words("filler")
    return [
        _stem(word)
        for index, word in enumerate(all_words)
        if word not in filler or (index == last and word in _NOT_FILLER_AT_END)
    ]


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """A rough stem, enough to equate `prefers` with `prefer` and `editors` with `editor`, but not the past tense."""
    if word in _unchanged():
        return word
    stem = word_forms.stem(word, _ENDINGS)
    return lexicon.synonyms("statement").get(stem, stem)


@cache
def _unchanged() -> frozenset[str]:
    """Words that have no stem."""
    names = "negation", "prepositions", "additions", "past"
    return frozenset[str]().union(*map(lexicon.words, names))
