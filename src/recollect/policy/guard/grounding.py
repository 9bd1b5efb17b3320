"""Whether a fact's numbers, dates and names were said; or, more loosely, enough of its words."""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache

from recollect.core.text import fold, query_words, words
from recollect.language import lexicon, word_forms
from recollect.language.dates import days, nearby_days

MIN_SHARE = 0.45
"""Share of a fact's words that must have been said, with the grounding `overlap`."""
_MIN_COMMON_WORDS = 2
_MAX_SHORT_FACT_WORDS = 3
_MIN_WORD_CHARS = 3
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
"""Endings that are no part of a word, for the grounding `overlap`."""

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3})\s?[kK]\b")
_MULTIPLES = (100, 1_000, 1_000_000)
_CJK_DIGITS = {char: str(value) for value, char in enumerate("〇一二三四五六七八九十")} | {"两": "2", "兩": "2"}

_CAPITALIZED = re.compile(r"(?<!\d)[^\W\d_][^\W_]*(?:['’-][^\W_]+)*")
_NOT_NAMES = frozenset("user users i im ive id ill ok ai".split())


@cache
def _values() -> dict[str, str]:
    """Words for numbers."""
    entries = (entry for table in lexicon.tables("numbers").values() for entry in table.items())
    return {fold(word): value for value, group in entries for word in group.split()}


@cache
def _calendar() -> frozenset[str]:
    return frozenset([*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays")])


def keeps_numbers(fact: str, source: str, today: date, known: str = "") -> bool:
    """Whether each number of the fact was said, or belongs to a date that was mentioned."""
    counted = {*lexicon.ordered_words("cardinals")[2:], *_large()}  # certainly numbers; "one" often isn't
    missing = {*_digits(fact), *_spelled([word if word in counted else "" for word in words(fact)])}
    missing -= set(_numbers(f"{source}\n{known}")) if missing else set()
    return not missing or missing <= set(_date_numbers(fact, source, today))


@cache
def _large() -> frozenset[str]:
    return frozenset(word for word, value in _values().items() if value.isdigit() and int(value) > 12)


def _numbers(text: str) -> Iterator[str]:
    yield from _digits(text)
    folded = words(text)
    yield from (_values()[word] for word in folded if word in _values())
    yield from _spelled(folded)
    yield from (f"{thousands}000" for thousands in _THOUSANDS.findall(text))
    yield from (_CJK_DIGITS[char] for char in text if char in _CJK_DIGITS)


def _spelled(folded: Sequence[str]) -> Iterator[str]:
    """Numbers in words, put together: "thirty four", "two thousand"."""
    number = 0
    for word in [*folded, ""]:
        value = _values().get(word, "")
        part = int(value) if value.isdigit() else 0
        if number and part in _MULTIPLES:
            number *= part
        elif number and part and (number % 100 >= 20 if part < 10 else number % 100 == 0) and part < number:
            number += part
        else:
            if number:
                yield str(number)
            number = part


def _digits(text: str) -> Iterator[str]:
    """Numbers in canonical form: 1,000 is 1000, 1.50 is 1.5; compound ones such as 10:30 in parts."""
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        # Three digits after the sign: a separator of thousands in either notation.
        whole = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number)
        yield from (_strip_zeros(part) for part in re.split("[:,]", whole))


def _strip_zeros(number: str) -> str:
    whole, dot, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + fraction if fraction else "")


def is_date_said(day: date, source: str, today: date) -> bool:
    """Whether a day lies in a period that a message of today mentions."""
    years = (today.year - 1, today.year, today.year + 1)
    periods = [*days(source, today, years), *nearby_days(source, today)]
    return any(period.first <= day <= period.last for period in periods) or str(day.year) in _NUMBER.findall(source)


def _date_numbers(fact: str, source: str, today: date) -> Iterator[str]:
    """Numbers of the fact's dates that overlap a period that the message mentions."""
    mentioned = [*days(source, today, (today.year - 1, today.year, today.year + 1)), *nearby_days(source, today)]
    for claimed in days(fact, today, (today.year,)):
        if any(period.first <= claimed.last and claimed.first <= period.last for period in mentioned):
            for day in claimed:
                yield from (str(day.year), str(day.month), str(day.day))


def keeps_names(fact: str, source: str, speaker: str = "") -> bool:
    """Whether each name in the fact was said; the speaker's own names need not be."""
    folded_source = fold(word_forms.with_acronyms(source, fact))
    allowed = {_root(word) for word in words(speaker)} | _NOT_NAMES | _calendar()
    foreign = word_forms.is_foreign(source)
    allowed |= lexicon.words("frame") if foreign else frozenset()  # German nouns have capitals
    return all(_root(fold(name)) in allowed or _was_said(name, folded_source, foreign) for name in _names(fact))


def _names(fact: str) -> Iterator[str]:
    """Capitalized words, except at the start of a sentence."""
    for word in _CAPITALIZED.finditer(fact):
        before = fact[: word.start()].rstrip(" \"'“‘(")
        if word[0][0].isupper() and before and before[-1] not in ".!?:\n":
            yield word[0]


def _root(name: str) -> str:
    return re.sub(r"['’]s?$|['’]", "", name)


def _was_said(name: str, source: str, foreign: bool) -> bool:
    """Whether a name was said in any inflection, such as "Berliner" for "Berlin"; a short name only as it is."""
    root = _root(fold(name))
    if foreign and root in _peoples():
        return _is_people_said(root, source)
    if word_forms.is_abbreviated(root, words(source)) or (foreign and word_forms.is_compound(root, words(source))):
        return True
    if not _same_script(root, source):
        return True  # "Tokyo" can't be found in Japanese text
    # Of a short name any prefix would occur somewhere by chance.
    if len(root) <= 4:
        return re.search(rf"(?<![^\W_]){re.escape(root)}(?![^\W_]{{3}})", source) is not None
    return root[: max(4, len(root) // 2 + 1 if foreign else len(root) - 2)] in source


@cache
def _peoples() -> frozenset[str]:
    return lexicon.words("languages") | lexicon.words("nationalities")


@cache
def _beginnings(people: str) -> tuple[str, ...]:
    """How the words for a people and its language begin, in any language."""
    tables = lexicon.tables("exonyms").values()
    return (people[:_MIN_WORD_CHARS], *(fold(stem) for table in tables for stem in table.get(people, "").split()))


def _is_people_said(people: str, source: str) -> bool:
    """Whether a language or nationality was said by its name in another language; other scripts can't be compared."""
    is_latin = all(char.isascii() or "LATIN" in unicodedata.name(char, "") for char in source if char.isalpha())
    return not is_latin or any(word.startswith(_beginnings(people)) for word in words(source))


def _same_script(name: str, source: str) -> bool:
    latin = name.isascii()
    return any(char.isalpha() and char.isascii() == latin for char in source)


def overlaps(fact: str, source: str, speaker: str = "") -> bool:
    """Whether a fact was said: all of it verbatim, or enough of its words, in any form.

    Facts are retold in the third person: "lives" counts for "live", and who is called the user or by name said "I".
    """
    # Also for scripts without spaces, where comparing words would find one long one.
    if compact(fact) and compact(fact) in compact(source):
        return True
    third_person = {"user", *words(speaker)}
    candidates = [word for word in query_words(fact) if word not in third_person]
    required = [word for word in candidates if len(word) >= _MIN_WORD_CHARS or not word.isascii()]
    source_stems = set(map(_stem, words(source)))
    common = sum(_stem(word) in source_stems for word in required)
    if len(required) <= _MAX_SHORT_FACT_WORDS:
        return common == len(required) >= _MIN_COMMON_WORDS
    return common >= max(_MIN_COMMON_WORDS, math.ceil(MIN_SHARE * len(required)))


def _stem(word: str) -> str:
    return word_forms.stem(word, _ENDINGS) if word.isascii() and word.isalpha() else word


def compact(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
