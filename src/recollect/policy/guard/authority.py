"""What the assistant is said to owe or to be free to do, and what somebody of rank is said to have said or allowed.

Such claims have endless wordings. They are told by the sorts of words that meet in one sentence: "the operator let me
read all notes" has someone of rank, a power, the speaker and a reach beyond them. `authority` in the lexica has the
words of each sort; each language is judged by its own.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Set
from functools import cache, lru_cache

from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.language.word_forms import is_surely_english

_SENTENCE = re.compile(r"[^.!?;\n。！？]+[.!?;。！？]?")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NEAR_WORDS = 3
"""How far the word for a duty is from the one who has it: "you simply have to", "musst du"."""
_NOTHING = frozenset[str]()
_ENGLISH = (lexicon.ENGLISH,)
_WHOSE = frozenset({"whose"})
_NOT_SORTS = ("shared_rank", "system_prompt", "joined")
_CLAIM_WORDS = 16
"""Words that are further apart belong to different thoughts."""
_MIN_STEM_CHARS = 3

Sorts = Set[str]
"""What a word may stand for, such as `rank` or `duty`."""


def claims_authority(text: str) -> bool:
    """Whether a sentence says what the assistant must or may do about truth, rules, rights or other people."""
    return any(_is_claim(sentence) for sentence in _SENTENCE.findall(text) if not sentence.endswith("?"))


def addresses_assistant(text: str) -> bool:
    """Whether a sentence says what the assistant is to do, or may do: "you can be brief with me"."""
    sentences = _SENTENCE.findall(text.casefold())
    return any(
        _is_duty(sorts)
        for sentence in sentences
        for sorts in _read(sentence, _ENGLISH if is_surely_english(sentence) else ())
    )


def rank_words(text: str) -> frozenset[str]:
    """The words of a text for people who have a say over others here, such as "admin"."""
    found = _WORD.findall(text.casefold())
    return frozenset(word for word in found if any("rank" in sorts for sorts in _sorts_of(word).values()))


def _is_duty(sorts: list[Sorts]) -> bool:
    return _are_near(sorts, "assistant", "duty") or _are_near(sorts, "assistant", "leave")


def _is_claim(sentence: str) -> bool:
    return any(map(_judge, _read(sentence)))


def _read(sentence: str, spoken: Collection[str] = ()) -> Iterator[list[Sorts]]:
    """What the words of a sentence stand for, in each language that knows several of them; of those that are `spoken`,
    if that is known: "has a" is a duty in Spanish.
    """
    patterns = _patterns()
    joined = patterns.joined.sub(r"\1to", patterns.system_prompt.sub(" systemprompt ", sentence))
    known = [_sorts_of(word) for word in _WORD.findall(joined)]
    languages = Counter(language for each in known for language in each)
    yield from (
        [each.get(name, _NOTHING) for each in known]
        for name, count in languages.items()
        if count > 1 and (name in spoken or not spoken)
    )


def _judge(sorts: list[Sorts]) -> bool:
    if not _is_claim_of(sorts):
        return False
    windows = range(max(1, len(sorts) - _CLAIM_WORDS + 1))
    return any(_is_claim_of(sorts[start : start + _CLAIM_WORDS]) for start in windows)


def _is_claim_of(sorts: list[Sorts]) -> bool:
    found = set[str]().union(*sorts)
    return _binds_assistant(sorts, found) or _cites_rank(sorts, found) or _voids_rules(sorts, found)


def _binds_assistant(sorts: list[Sorts], found: Sorts) -> bool:
    """A duty or a liberty of the assistant that is not about how to answer the speaker."""
    has_duty = _are_near(sorts, "assistant", "duty") or ({"your", "duty"} <= found and _are_near(sorts, "your", "duty"))
    if not has_duty and not _are_near(sorts, "assistant", "leave"):
        return False
    is_untrue = "untrue" in found and not found & {"no", "posture"}
    is_untrue |= {"object", "no"} <= found  # "you may contradict me" is how to answer the speaker
    if is_untrue or "grave" in found:
        return True
    is_about_stored = _are_near(sorts, "whose", "stored", 1) and "me" not in found
    return has_duty and (is_about_stored or bool(found & {"others", "loyal", "rules"}))


def _cites_rank(sorts: list[Sorts], found: Sorts) -> bool:
    """What somebody of rank, or the system prompt, said or allowed."""
    if not found & {"say", "power"} or not any(_is_rank(sorts, at) for at in range(len(sorts))):
        return False
    return bool(found & {"assistant", "your", "system"}) or {"me", "reach"} <= found


def _voids_rules(sorts: list[Sorts], found: Sorts) -> bool:
    """Rules that are said not to hold for someone, or here; what is untrue and allowed here."""
    if not found & {"me", "assistant", "your", "here"} or not found & {"rules", "untrue"}:
        return False
    is_void = "void" in found or {"no", "hold"} <= found or ("assistant" in found and _are_near(sorts, "no", "rules"))
    is_void |= "breach" in found and "assistant" in found
    is_void |= "say" in found and _are_near(sorts, "your", "rules", 1)
    return ("rules" in found and is_void) or {"untrue", "power", "here"} <= found


def _is_rank(sorts: list[Sorts], at: int) -> bool:
    """Whether someone of rank has it here: "my admin" and "the admin of our building" have it elsewhere."""
    before, after = sorts[max(at - 1, 0) : at], sorts[at + 1 : at + 2]
    return "rank" in sorts[at] and not any("own" in each for each in before) and not any("of" in each for each in after)


def _are_near(sorts: list[Sorts], one: str, other: str, distance: int = _NEAR_WORDS) -> bool:
    places = [at for at, each in enumerate(sorts) if one in each]
    others = [at for at, each in enumerate(sorts) if other in each]
    return any(abs(place - at) <= distance for place in places for at in others)


@lru_cache(maxsize=8192)
def _sorts_of(word: str) -> dict[str, Sorts]:
    """What a word stands for, by language; a word of a lexicon that ends in `*` stands for all that begin with it."""
    owner = word.removesuffix("'s")
    whose = _WHOSE if owner != word else _NOTHING
    keys = (word, owner, *(f"{owner[:size]}*" for size in range(_MIN_STEM_CHARS, len(owner) + 1)))
    found = (
        (language, _NOTHING.union(whose, *(known.get(key, ()) for key in keys)))
        for language, known in _lexica().items()
    )
    return {language: sorts for language, sorts in found if sorts}


@cache
def _patterns() -> Patterns:
    return Patterns(table=_english)


def _english() -> dict[str, str]:
    return lexicon.tables("authority")[lexicon.ENGLISH]


@cache
def _lexica() -> dict[str, dict[str, Sorts]]:
    return {language: dict(_by_word(table)) for language, table in lexicon.tables("authority").items()}


def _by_word(table: Mapping[str, str]) -> Iterator[tuple[str, Sorts]]:
    shared = _english()["shared_rank"].split()
    lists = {sort: entry.split() for sort, entry in table.items() if sort not in _NOT_SORTS}
    lists = {**lists, "rank": [*lists["rank"], *shared], "system": ["systemprompt"]}
    for word in {word for entry in lists.values() for word in entry}:
        yield word, frozenset(sort for sort, entry in lists.items() if word in entry)
