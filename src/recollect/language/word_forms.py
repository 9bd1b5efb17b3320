"""Whether a fact uses the words of its message: other forms of a word count, other words don't.

A fact in another language than its message can't be compared word by word: it passes here, and only its numbers and
names are checked. Languages are recognized by their function words, scripts by their letters.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache

from recollect.core.text import query_words, words
from recollect.language import conjugation, kinship, lexicon
from recollect.language.lexicon import Patterns

MIN_SHARE, MIN_FOREIGN_SHARE, MIN_UNSPACED_SHARE = 1, 4 / 5, 1 / 2
"""Share of a fact's content words that must have been said; less for languages with more inflection than English."""
_FOREIGN_LETTER = re.compile("[ğĞşŞİıłŁśŚżŻźŹćĆńęąß]")
"""Letters that no English word has, for sentences without a function word."""
_MIN_LANGUAGE_WORDS = 4
"""From this many words on, a text without any known function word is in an unknown language."""
_MIN_STEM_CHARS, _MAX_ENDING_CHARS = 4, 5
_MAX_CLOSE_ENDING_CHARS = 2
_SHORT_ENDINGS = frozenset(("", "s", "e", "n", "t", "d", "es", "en", "st", "te", "ed", "er"))
_MIN_COMPOUND_CHARS, _MAX_COMPOUND_CHARS = 6, 40
"""Length of the second part of a compound, as a shorter one is likely to be an ending; and of the whole."""

_PATTERNS = Patterns()
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ELISION = re.compile(r"(?<!\w)(?:[jldncmts]|qu)['’](?=[^\W\d_]{2})", re.IGNORECASE)
"""A French word that lost its vowel: "j'habite", "l'été"."""
_ACRONYM, _CAPITALIZED = re.compile(r"\b[A-Z]{2,5}\b"), re.compile(r"\b[A-Z][a-z]+\b")
_LETTER, _DIGIT = re.compile("[A-Za-z]"), re.compile(r"\d")


@cache
def _foreign() -> frozenset[str]:
    return lexicon.words("function", *lexicon.foreign_languages())


@cache
def _english() -> frozenset[str]:
    return lexicon.words("function", lexicon.ENGLISH)


@cache
def _frame() -> frozenset[str]:
    """Function words, and the words with which facts are retold in the third person."""
    return _english() | lexicon.words("frame") | lexicon.words("particles")


@cache
def calendar_words() -> frozenset[str]:
    """Months and weekdays, in full and shortened."""
    months, weekdays = lexicon.ordered_words("months"), lexicon.ordered_words("weekdays")
    short = (month[:3] for month in months)
    return frozenset([*months, *short, "sept", *weekdays, *(f"{day}s" for day in weekdays)])


@cache
def _related() -> dict[str, set[str]]:
    """Synonyms of each word."""
    related: dict[str, set[str]] = {}
    for group in lexicon.tables("related")[lexicon.ENGLISH]["groups"]:
        for word in group.split():
            related.setdefault(word, set()).update(group.split())
    return related


@cache
def _question_synonyms() -> dict[str, list[str]]:
    """Words of questions, and what stands for them in memories."""
    table = lexicon.tables("asked")[lexicon.ENGLISH]
    return {word: answers.split() for group, answers in table.items() for word in group.split()}


@cache
def _implied_by() -> dict[str, frozenset[str]]:
    """Words that imply a word without being synonyms."""
    implied = lexicon.tables("implied")[lexicon.ENGLISH]
    return {word: frozenset(implying.split()) for group, implying in implied.items() for word in group.split()}


def has_words_of(source: str, fact: str, speaker: str = "", min_share: float | None = None) -> bool:
    """Whether enough of the fact's content words were said, and all the sensitive ones."""
    if not is_comparable(source, fact):
        return True
    required = content_words(fact, speaker)
    source_words = set(tokens(with_acronyms(source, fact)))
    missing = [word for word in required if not is_stated(word, source_words)]
    if any(map(_PATTERNS.sensitive.match, missing)):
        return False
    share = _min_share(fact) if min_share is None else min_share
    return len(required) - len(missing) >= math.ceil(share * len(required))


def _min_share(fact: str) -> float:
    if is_english(fact):
        return MIN_SHARE
    return MIN_UNSPACED_SHARE if _UNSPACED.search(fact) else MIN_FOREIGN_SHARE


def is_comparable(source: str, fact: str) -> bool:
    """Whether both seem to be in the same script and language."""
    script = _script(source)
    if script != _script(fact):
        return False
    return script != "LATIN" or is_english(source) or is_foreign(fact)


def is_english(text: str) -> bool:
    """Whether a text is English, or too short to tell."""
    english, foreign, size = _count_function_words(text)
    return english >= foreign and (english > 0 or size < _MIN_LANGUAGE_WORDS) and _script(text) in ("LATIN", "")


def is_surely_english(text: str) -> bool:
    english, foreign, _ = _count_function_words(text)
    return english > foreign and _script(text) == "LATIN"


def is_foreign(text: str) -> bool:
    """Whether a text is certainly not English."""
    english, foreign, _ = _count_function_words(text)
    if not english and not foreign:
        return _FOREIGN_LETTER.search(text) is not None or _script(text) not in ("LATIN", "")
    return foreign > english or _script(text) not in ("LATIN", "")


def foreign_count(text: str) -> int:
    """How many words of a text are function words of other languages, and none of English."""
    foreign = _foreign() - _english() - lexicon.words("ambiguous")
    return sum(word in foreign for word in words(text))


@lru_cache(maxsize=16)
def _count_function_words(text: str) -> tuple[int, int, int]:
    """Number of English function words, of foreign ones, and of all words."""
    all_words = words(_ELISION.sub("je ", text))  # a function word, whichever it was
    ambiguous = lexicon.words("ambiguous")  # they count only where no other function word occurs
    for counted in ([word for word in all_words if word not in ambiguous], all_words):
        english, foreign = sum(word in _english() for word in counted), sum(word in _foreign() for word in counted)
        if english or foreign:
            return english, foreign, len(all_words)
    return 0, 0, len(all_words)


@lru_cache(maxsize=64)
def content_words(fact: str, speaker: str = "") -> tuple[str, ...]:
    """The words that carry a fact's meaning: no function words, no dates, nothing that any fact may say of a person."""
    names = words(speaker)
    foreign = is_foreign(fact)
    candidates = (word for word in dict.fromkeys(tokens(fact)) if word not in names and not _is_empty(word))
    content = [word for word in candidates if not (is_frame_word(word) or (foreign and word in _foreign()))]
    return (*content, "old") if _PATTERNS.old.search(fact) else tuple(content)


def is_function_word(word: str) -> bool:
    return word in _english()


def is_frame_word(word: str) -> bool:
    """Whether any fact may contain this word, whatever it is about."""
    return word in _frame()


def tokens(text: str) -> list[str]:
    """Words, and single characters of scripts without spaces."""
    return [word for word in words(_ELISION.sub(" ", text)) if len(word) == 1 or not _UNSPACED.match(word)]


def _is_empty(word: str) -> bool:
    """Single letters, numbers and parts of dates: numbers and dates are checked elsewhere."""
    if len(word) == 1:
        return not _UNSPACED.match(word)
    return word in lexicon.words("number_words") or word in calendar_words() or _DIGIT.search(word) is not None


def search_forms(text: str, terms: Iterable[str]) -> list[str]:
    """Further words to search memos for: those that French joins by an apostrophe, other persons of verbs, and what a
    memory says instead of the question's word: it lives somewhere instead of having a home.
    """
    elided = query_words(_ELISION.sub(" ", text)) if _ELISION.search(text) else []
    forms = (form for term in (*terms, *elided) for form in conjugation.other_persons(term))
    answers = (answer for term in terms for answer in _question_synonyms().get(term, ()))
    return [word for word in (*elided, *forms, *answers) if word not in lexicon.words("stop")]


def is_stated(word: str, source_words: Collection[str]) -> bool:
    """Whether a word was said, in any form, or is implied by one that was."""
    if word in source_words:
        return True
    implying = _implied_by().get(word, ())
    is_said = any(other in implying or is_form(word, other) for other in source_words)
    return is_said or is_compound(word, source_words)


def is_compound(word: str, source_words: Collection[str]) -> bool:
    """Whether a word is put together from two that were said: "Nussallergie" from "allergisch gegen Nüsse"."""
    firsts = [other for other in source_words if other[:3] == word[:3]] if len(word) <= _MAX_COMPOUND_CHARS else []
    ends = range(_MIN_STEM_CHARS, len(word) - _MIN_COMPOUND_CHARS + 1) if firsts else ()
    return any(has_form(word[:end], firsts) and has_form(word[end:], source_words) for end in ends)


def is_abbreviated(word: str, source_words: Collection[str]) -> bool:
    """Whether a word was said by another name of it: "JS" for "JavaScript"."""
    return not _related().get(word, set()).isdisjoint(source_words)


def with_acronyms(source: str, fact: str) -> str:
    """The source with what the fact calls otherwise: "New York City" for "NYC", or the other way round."""
    spelled_out = [name for acronym in set(_ACRONYM.findall(source)) for name in _names_with(acronym, fact)]
    shortened = [acronym for acronym in set(_ACRONYM.findall(fact)) if any(_names_with(acronym, source))]
    return "\n".join([source, *spelled_out, *shortened])


def _names_with(initials: str, text: str) -> Iterator[str]:
    """Runs of capitalized words with these initials."""
    names = _CAPITALIZED.findall(text)
    for start in range(len(names) - len(initials) + 1):
        name = " ".join(names[start : start + len(initials)])
        if "".join(word[0] for word in name.split()) == initials and name in text:
            yield name


def has_form(word: str, others: Collection[str]) -> bool:
    """Whether a word is among others, in any form."""
    return word in others or any(is_form(word, other) for other in others)


@lru_cache(maxsize=8192)
def is_form(first: str, second: str) -> bool:
    """Whether two words are forms of one: "allergy" and "allergic", "nut" and "nuts"."""
    if first == second:
        return True
    if kinship.is_same_person(first, second) or second in _related().get(first, ()):
        return True
    if conjugation.is_other_person(first, second):
        return True
    first, second = _american_spelling(first), _american_spelling(second)
    short, long = sorted((first, second), key=len)
    if len(short) >= 3 and long.startswith(short):
        return len(long) - len(short) <= (2 if len(short) == 3 else _MAX_ENDING_CHARS)
    if len(first) == len(second) >= 4 and first[:-1] == second[:-1] and {first[-1], second[-1]} <= set("aeio"):
        return True  # "odio" and "odia"
    stem_chars = max(_MIN_STEM_CHARS if first.isascii() else 3, math.ceil(0.6 * len(short)))
    has_common_stem = first[:stem_chars] == second[:stem_chars] and len(short) >= stem_chars
    return has_common_stem and len(long) - stem_chars <= _MAX_ENDING_CHARS


def is_close_form(word: str, token: str) -> bool:
    """Whether a token is a word with another ending, or a compound that ends with it: "Kirchenchor" is a "Chor", while
    a "Chorleiter" is none.
    """
    if kinship.is_same_person(word, token) or conjugation.is_other_person(word, token):
        return True
    if len(word) >= _MIN_STEM_CHARS and token.endswith(word):
        return True
    shared = next(
        (at for at, (one, other) in enumerate(zip(word, token, strict=False)) if one != other),
        min(len(word), len(token)),
    )
    if min(len(word), len(token)) < _MIN_STEM_CHARS:  # "tea" and "team" are no forms of one
        return shared == min(len(word), len(token)) and (word[shared:] or token[shared:]) in _SHORT_ENDINGS
    endings = (word[shared:], token[shared:])
    if "y" in endings and not any(ending.startswith("ie") or not ending for ending in endings):
        return False  # "Händen" and "Handy"; "babies" and "baby" are
    return shared >= 3 and max(len(word), len(token)) - shared <= _MAX_CLOSE_ENDING_CHARS


def stem(word: str, endings: Iterable[tuple[str, str]]) -> str:
    """A word without the first of the endings that it has, and what replaces it; "running" and "runs" are one."""
    for ending, replacement in endings:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + replacement
            break
    word = word.rstrip("e") if len(word) > 3 else word
    is_doubled = len(word) > 3 and word[-1] == word[-2] and word.isascii() and word.isalpha()
    return word[:-1] if is_doubled else word


def _american_spelling(word: str) -> str:
    return word.replace("our", "or").replace("ise", "ize").replace("isi", "izi")


def _script(text: str) -> str:
    """The script of most letters, by its Unicode name; all scripts without spaces count as one."""
    if text.isascii():
        return "LATIN" if _LETTER.search(text) else ""
    counts = Counter(_script_of(char) for char in text[:2000] if char.isalpha())
    return counts.most_common(1)[0][0] if counts else ""


@lru_cache(maxsize=4096)
def _script_of(char: str) -> str:
    if char.isascii():
        return "LATIN"
    if _UNSPACED.match(char):
        return "UNSPACED"
    name = unicodedata.name(char, "")
    return "LATIN" if name.startswith("FULLWIDTH LATIN") else name.partition(" ")[0]
