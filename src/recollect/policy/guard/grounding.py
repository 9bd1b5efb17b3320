"""Whether a fact's numbers, dates and names were said; or, more loosely, enough of its words."""

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from recollect.core.text import fold, query_words, words
from recollect.language import word_forms
from recollect.language.dates import Days, days

MIN_SHARE = 0.45
"""Share of a fact's words that must have been said, with the grounding `overlap`."""
_MIN_COMMON_WORDS = 2
_MAX_SHORT_FACT_WORDS = 3
_MIN_WORD_CHARS = 3

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SMALL = """
    zero|null|nul|cero|ноль one|once|a|an|ein|eine|un|une|uno|una|um|uma|один|одна
    two|twice|couple|both|zwei|deux|dos|dois|duas|due|два|две three|drei|trois|tres|três|tre|три
    four|vier|quatre|cuatro|quatro|quattro|четыре five|fünf|cinq|cinco|cinque|пять
    six|sechs|seis|sei|шесть seven|sieben|sept|siete|sete|sette|семь eight|acht|huit|ocho|oito|otto|восемь
    nine|neun|neuf|nueve|nove|девять ten|zehn|dix|diez|dez|dieci|десять eleven|elf|onze|undici
    twelve|dozen|zwölf|douze|doce|doze|dodici thirteen|dreizehn|treize fourteen|vierzehn|quatorze
    fifteen|fünfzehn|quinze|quince sixteen|sechzehn|seize seventeen|siebzehn eighteen|achtzehn nineteen|neunzehn
    twenty|zwanzig|vingt|veinte|vinte|venti
"""
_TENS = {word: str(10 * tens) for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_VALUES = {
    **{fold(word): str(value) for value, group in enumerate(_SMALL.split()) for word in group.split("|")},
    **_TENS,
    **{word: str(place) for place, word in enumerate(_ORDINALS, 1)},
    "hundred": "100",
    "thousand": "1000",
    "half": "0.5",
    "million": "1000000",
}
_COUNTED = frozenset("two three four five six seven eight nine ten eleven twelve".split())
"""Words that are certainly numbers; "one" and "second" often aren't."""
_CJK_DIGITS = {char: str(value) for value, char in enumerate("〇一二三四五六七八九十")} | {"两": "2", "兩": "2"}

_CAPITALIZED = re.compile(r"(?<!\d)[^\W\d_][^\W_]*(?:['’-][^\W_]+)*")
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_NOT_NAMES = frozenset("user users i im ive id ill ok ai".split())
_LANGUAGE_NAMES = frozenset(
    """english german french spanish italian portuguese russian ukrainian polish czech dutch swedish norwegian danish
    finnish greek turkish arabic hebrew persian hindi chinese mandarin cantonese japanese korean vietnamese thai latin
    hungarian romanian bulgarian serbian croatian catalan basque irish american british brazilian mexican""".split()
)
_NEAR_DAYS = {
    **dict.fromkeys(("tomorrow", "morgen", "demain", "mañana", "amanhã", "domani", "завтра", "明天", "明日"), 1),
    **dict.fromkeys(("gestern", "hier", "ayer", "ontem", "ieri", "вчера", "昨天", "昨日"), -1),
    **dict.fromkeys(("today", "tonight", "heute", "aujourd'hui", "hoy", "hoje", "oggi", "сегодня", "今天", "今日"), 0),
}


_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs)?|fri|sat|sun)s?\b")
_ORDINAL_DAY = re.compile(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b")
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_AHEAD = re.compile(r"\bin (\d{1,2}|an?|two|three|four|five|six|seven|eight|nine|ten) (day|week|month|year)s?\b")


def keeps_numbers(fact: str, source: str, today: date, known: str = "") -> bool:
    """Whether each number of the fact was said, or belongs to a date that was mentioned."""
    missing = {*_digits(fact), *(_VALUES[word] for word in words(fact) if word in _COUNTED)}
    missing -= set(_numbers(f"{source}\n{known}")) if missing else set()
    return not missing or missing <= set(_date_numbers(fact, source, today))


def _numbers(text: str) -> Iterator[str]:
    yield from _digits(text)
    folded = words(text)
    yield from (_VALUES[word] for word in folded if word in _VALUES)
    yield from (_CJK_DIGITS[char] for char in text if char in _CJK_DIGITS)
    for tens, unit in pairwise(folded):  # "twenty one"
        if (tens in _TENS or tens == "twenty") and len(_VALUES.get(unit, "10")) == 1:
            yield str(int(_VALUES[tens]) + int(_VALUES[unit]))


def _digits(text: str) -> Iterator[str]:
    """Numbers in canonical form: 1,000 is 1000, 1.50 is 1.5; compound ones such as 10:30 in parts."""
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        whole = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number)
        yield from (_strip_zeros(part) for part in re.split("[:,]", whole))


def _strip_zeros(number: str) -> str:
    whole, dot, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (dot + fraction if fraction else "")


def _date_numbers(fact: str, source: str, today: date) -> Iterator[str]:
    """Numbers of the fact's dates that overlap a period that the message mentions."""
    mentioned = [*days(source, today, (today.year - 1, today.year, today.year + 1)), *_near_days(source, today)]
    for claimed in days(fact, today, (today.year,)):
        if any(period.first <= claimed.last and claimed.first <= period.last for period in mentioned):
            for day in claimed:
                yield from (str(day.year), str(day.month), str(day.day))


def _near_days(source: str, today: date) -> Iterator[Days]:
    folded = source.casefold()
    for word, offset in _NEAR_DAYS.items():
        if re.search(rf"\b{word}\b", folded) or (not word.isascii() and word in folded):
            day = today + timedelta(offset)
            yield Days(day, day)
    for name in _WEEKDAY.findall(folded):  # the coming one; `days` yields the past one
        day = today + timedelta((_WEEKDAYS.index(name[:3]) - today.weekday()) % 7 or 7)
        yield Days(day, day)
    for number in _ORDINAL_DAY.findall(folded):
        yield from (
            Days(day, day) for day in (today + timedelta(ahead) for ahead in range(-31, 32)) if day.day == int(number)
        )
    for count, unit in _AHEAD.findall(folded):
        distance = int(_VALUES.get(str(count)) or count) * _UNIT_DAYS[unit]
        tolerance = 3 if unit in ("month", "year") else 0
        yield Days(today + timedelta(distance - tolerance), today + timedelta(distance + tolerance))
    if "next year" in folded:
        yield Days(date(today.year + 1, 1, 1), date(today.year + 1, 12, 31))
    if re.search(r"\bnext (?:week|month|weekend|\w+day)\b", folded):
        yield Days(today, today + timedelta(62))
    if re.search(r"\bthis (?:year|month|week)\b", folded):
        yield Days(date(today.year, 1, 1), date(today.year, 12, 31))


def keeps_names(fact: str, source: str, speaker: str = "") -> bool:
    """Whether each name in the fact was said; the speaker's own names need not be."""
    folded_source = fold(source)
    allowed = {_root(word) for word in words(speaker)} | _NOT_NAMES | _CALENDAR
    foreign = word_forms.is_foreign(source)
    allowed |= _LANGUAGE_NAMES if foreign else frozenset()  # languages have other names there
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
    if not _same_script(root, source):
        return True  # "Tokyo" can't be found in Japanese text
    if len(root) <= 4:
        return re.search(rf"(?<![^\W_]){re.escape(root)}(?![^\W_]{{3}})", source) is not None
    return root[: max(4, len(root) // 2 + 1 if foreign else len(root) - 2)] in source


def _same_script(name: str, source: str) -> bool:
    latin = name.isascii()
    return any(char.isalpha() and char.isascii() == latin for char in source)


def overlaps(fact: str, source: str) -> bool:
    """Whether a fact was said: all of it verbatim, or enough of its words."""
    if _compact(fact) and _compact(fact) in _compact(source):
        return True
    required = [word for word in query_words(fact) if len(word) >= _MIN_WORD_CHARS or not word.isascii()]
    common = len(set(required) & set(words(source)))
    if len(required) <= _MAX_SHORT_FACT_WORDS:
        return common == len(required) >= _MIN_COMMON_WORDS
    return common >= max(_MIN_COMMON_WORDS, math.ceil(MIN_SHARE * len(required)))


def _compact(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
