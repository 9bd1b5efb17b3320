"""The sorts of words in a sentence: for someone of rank, a duty, a rule, stored data of a person.

`authority` and `orders` in the lexica have the words of each sort; each language is judged by its own.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from recollect.core.lazy import lazy
from recollect.core.text import fold
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import required_literals

NEAR_WORDS = 3
"""Distance, in words, between a duty and whoever has it: "you simply have to", "musst du"."""
CLAUSE_WORDS = 14
"""How far behind its verb an order is read."""
_SENTENCE = re.compile(r"[^.!?;\n。！？]+[.!?;。！？]?")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BREAK = re.compile(r"(?:,(?! *[^\W\d_]+ \d+ ?(?:(?:out )?of|von|de|di|sur|/) ?\d+\W*\Z)|[:–—]) *|\A[^\w]*")
"""Where a clause begins; "…, note 3 of 9" is none."""
_NOTHING = frozenset[str]()
_WHOSE = frozenset({"whose", "person"})
_PERSON, _TRUSTED, _HEARD = (
    frozenset({"person"}),
    frozenset({"believe", "source", "appoint", "make", "rank", "harm", "comply", "address", "title"}),
    frozenset({"told", "say"}),
)
_NAMED = frozenset({"named"})
_NO_SIGNS = frozenset("named prep place lead join be by cue".split())
"""Sorts of names and of short words, which are alike in many languages."""
_OTHERS = frozenset({"crowd", "kin", "person", "named"})
_NO_NAMES = frozenset({"them", "lead"})
"""Sorts of words that some write with a capital: "trust Him", "but Just for me"."""
_WORDS_WITH_CAPITALS = ("languages", "places", "tools", "no_names", "other_persons", "first_person")
"""Words of the lexica that are no names of people."""
_NOT_SORTS = ("shared_rank", "system_prompt", "joined", "onward", "attached", "suffixed", "nouns_have_capitals")
_MIN_STEM_CHARS = 3
_MIN_UNACCENTED_CHARS = 5
"""Shorter words are told apart by their accents: "tu" and "tú"."""

Sorts = frozenset[str]
"""What a word may stand for, such as `rank` or `duty`."""


@dataclass(frozen=True)
class Reading:
    """A sentence as one language understands it."""

    words: list[Sorts]
    starts: frozenset[int] = frozenset()
    """Where its clauses begin."""

    @lazy
    def found(self) -> Sorts:
        return _NOTHING.union(*self.words)

    def has(self, *sorts: str) -> bool:
        return self.found.issuperset(sorts)

    def has_any(self, *sorts: str) -> bool:
        return not self.found.isdisjoint(sorts)

    def are_near(self, one: str, other: str, distance: int = NEAR_WORDS) -> bool:
        if not self.has(one, other):
            return False
        places = [at for at, each in enumerate(self.words) if one in each]
        others = [at for at, each in enumerate(self.words) if other in each]
        return any(abs(place - at) <= distance for place in places for at in others)

    def has_row(self, *sorts: str) -> bool:
        """Whether words of these sorts follow one another."""
        rows = (self.words[at : at + len(sorts)] for at in range(len(self.words) - len(sorts) + 1))
        return self.has(*sorts) and any(all(map(lambda sort, each: sort in each, sorts, row)) for row in rows)

    def clause(self, start: int) -> list[Sorts]:
        """The words up to the next comma, or the like; none if there is one before the first."""
        end = min((each for each in self.starts if each >= start), default=len(self.words))
        return self.words[start : min(end, start + CLAUSE_WORDS)]

    def part(self, start: int, size: int) -> "Reading":
        starts = frozenset(at - start for at in self.starts if start <= at < start + size)
        return Reading(self.words[start : start + size], starts)


def has_any(words: Sequence[Sorts], *sorts: str) -> bool:
    """Whether one of the words is of one of the sorts."""
    return any(not each.isdisjoint(sorts) for each in words)


def others_among(words: Sequence[Sorts], of_mine: bool = False) -> Sorts:
    """As what others are named; "your mum" is the hearer's own, and "my kids" are only others `of_mine`."""
    owners = {"hearer"} if of_mine else {"hearer", "mine"}
    named = (
        _as_other(each, previous) for previous, each in pairwise([_NOTHING, *words]) if owners.isdisjoint(previous)
    )
    return _NOTHING.union(*named)


def _as_other(word: Sorts, previous: Sorts) -> Sorts:
    if word & {"leave", "may", "duty"}:  # "Can" and "May" are also names
        return _NOTHING
    kinds = word & _OTHERS - (_PERSON | _NAMED if word & _NO_NAMES else _NOTHING)
    return _NOTHING if kinds == _NAMED and "place" in previous else kinds


def sentences(text: str) -> list[str]:
    return _SENTENCE.findall(text)


def read(
    sentence: str,
    spoken: Collection[str] = (),
    capitals: Collection[str] = frozenset(),
    needed: Sorts = _NOTHING,
) -> Iterator[Reading]:
    """What the words of a sentence stand for, in each language that knows several of them; of those that are `spoken`,
    if that is known: "has a" is a duty in Spanish. Words that were written with a capital may be names. A sentence
    without a word of one of the sorts that are `needed` is not read.
    """
    sentence = _with_joined_words(sentence)
    sentence_words = _WORD.findall(sentence)
    if needed and all(map(needed.isdisjoint, map(_sorts_in_any_language, sentence_words))):
        return
    known = list(map(sorts_of, sentence_words))
    if capitals:
        known = _with_names(known, [word in capitals and word not in _not_names() for word in sentence_words])
    languages = Counter(language for each in known for language, sorts in each.items() if not sorts <= _NO_SIGNS)
    # One known word is no sign of a language: "me" is a word of many.
    spoken = [name for name, count in languages.items() if count > 1 and (name in spoken or not spoken)]
    spoken = [name for name in spoken if not any(_knows_more(other, name, known) for other in spoken)]
    if not spoken:
        return
    breaks = {found.end() for found in _BREAK.finditer(sentence)}
    starts = frozenset(at for at, match in enumerate(_WORD.finditer(sentence)) if match.start() in breaks)
    for name in spoken:
        yield Reading([each.get(name, _NOTHING) for each in known], starts)


def _with_joined_words(sentence: str) -> str:
    """With one word for each of several expressions: "have to", "from now on"."""
    for literals, pattern, word in _expressions():
        if any(map(sentence.__contains__, literals)):
            sentence = pattern.sub(word, sentence)
    return sentence


@cache
def _expressions() -> list[tuple[tuple[str, ...], re.Pattern[str], str]]:
    """In their order, with the literals without which they can't occur."""
    patterns = _patterns()
    words = (
        (patterns.system_prompt, " systemprompt "),
        (patterns.joined, r"\1to"),
        (patterns.onward, " fromnowon "),
    )
    return [(required_literals(pattern.pattern), pattern, word) for pattern, word in words]


def _knows_more(other: str, language: str, known: list[dict[str, Sorts]]) -> bool:
    """Whether a language knows every word that another knows, and more: the sentence is not in the other."""
    return all(other in each for each in known if language in each) and any(
        other in each and language not in each for each in known
    )


def _with_names(known: list[dict[str, Sorts]], is_capital: list[bool]) -> list[dict[str, Sorts]]:
    """With the names that no list knows: a word with a capital whom one trusts, or who says something."""
    before, after = [{}, *known], [*known[1:], {}]
    known = [
        {language: each.get(language, _NOTHING) | _PERSON for language in {*previous, *following, *each}}
        if is_name and (_stands_for(previous, _TRUSTED) or _stands_for(following, _HEARD))
        else each
        for each, previous, following, is_name in zip(known, before, after, is_capital, strict=False)
    ]
    naming = {language for each in known for language in each} - _capitalizing()
    return [
        {**each, **{language: each.get(language, _NOTHING) | _NAMED for language in naming}} if is_name else each
        for each, is_name in zip(known, is_capital, strict=False)
    ]


@cache
def _not_names() -> frozenset[str]:
    dates = {*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays")}
    return frozenset({"i", *dates}.union(*map(lexicon.words, _WORDS_WITH_CAPITALS)))


@cache
def _capitalizing() -> frozenset[str]:
    """Languages in which a capital is no sign of a name."""
    return frozenset(name for name, table in lexicon.tables("orders").items() if table.get("nouns_have_capitals"))


def _stands_for(word: Mapping[str, Sorts], sorts: Sorts) -> bool:
    return any(not sorts.isdisjoint(each) for each in word.values())


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


@lru_cache(maxsize=8192)
def sorts_of(word: str) -> dict[str, Sorts]:
    """What a word stands for, by language; a word of a lexicon that ends in `*` stands for all that begin with it."""
    if word.isdecimal():  # endless, and no lexicon has them
        return {}
    owner = word.removesuffix("'s")
    whose = _WHOSE if owner != word else _NOTHING
    elided = "" if word.startswith("j'") else word.partition("'")[2]  # "qu'Ella", but "j'écris" is the speaker's own
    if not lexicon.words("given_names").isdisjoint((word, fold(word), elided)):
        whose |= {"person"}
    keys = (
        word,
        owner,
        *([elided] if elided else ()),
        *(f"{owner[:size]}*" for size in range(_MIN_STEM_CHARS, len(owner) + 1)),
    )
    # People leave accents out in chats.
    if len(owner) >= _MIN_UNACCENTED_CHARS:
        keys = (*keys, fold(owner))
    by_language = (
        (language, _NOTHING.union(whose, *(known.get(key, ()) for key in keys)))
        for language, known in _lexica().items()
    )
    return {language: sorts for language, sorts in by_language if sorts}


@lru_cache(maxsize=8192)
def _sorts_in_any_language(word: str) -> Sorts:
    return _NOTHING.union(*sorts_of(word).values())


@cache
def _patterns() -> Patterns:
    return Patterns(table=_english)


def _english() -> dict[str, str]:
    return lexicon.tables("authority")[lexicon.ENGLISH]


@cache
def _lexica() -> dict[str, dict[str, Sorts]]:
    orders = lexicon.tables("orders")
    return {
        language: dict(_by_word({**table, **orders.get(language, {})}))
        for language, table in lexicon.tables("authority").items()
    }


def _by_word(table: Mapping[str, str]) -> Iterator[tuple[str, Sorts]]:
    shared = _english()["shared_rank"].split()
    lists = {sort: entry.split() for sort, entry in table.items() if sort not in _NOT_SORTS}
    lists = {**lists, "rank": [*lists["rank"], *shared], "system": ["systemprompt"], "since": ["fromnowon"]}
    if suffixed := table.get("suffixed", "").split():
        for sort in ("act", "bend", "lie"):
            lists[sort] = [*lists[sort], *(fold(word) + pronoun for word in lists[sort] for pronoun in suffixed)]
    if attached := table.get("attached", "").split():  # "envía" and "envíame" are one command
        commands = lists["command"]
        lists["command"] = [*commands, *(fold(word) + pronoun for word in commands for pronoun in attached)]
    for word in {word for entry in lists.values() for word in entry}:
        yield word, frozenset(sort for sort, entry in lists.items() if word in entry)
