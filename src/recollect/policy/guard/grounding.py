"""Whether a fact keeps to what was said: its numbers, dates and names; or, more loosely, enough of its words."""

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from recollect.core.text import fold, query_words, words
from recollect.language import word_forms
from recollect.language.dates import Days, days

SHARE = 0.45
"""Share of a fact's words that must have been said, where that is the rule."""
_LEAST = 2
_SHORT = 3
_LETTERS = 3

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
"""Words of a fact that are numbers for certain; "one" and "second" seldom are."""
_CJK_DIGITS = {char: str(value) for value, char in enumerate("〇一二三四五六七八九十")} | {"两": "2", "兩": "2"}

_CAPITALISED = re.compile(r"(?<!\d)[^\W\d_][^\W_]*(?:['’-][^\W_]+)*")
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_NOT_NAMES = frozenset("user users i im ive id ill ok ai".split())
_TONGUES = frozenset(
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
_LENGTHS = {"day": 1, "week": 7, "month": 30, "year": 365}
_AHEAD = re.compile(r"\bin (\d{1,2}|an?|two|three|four|five|six|seven|eight|nine|ten) (day|week|month|year)s?\b")


def keeps_numbers(fact: str, said: str, at: date, known: str = "") -> bool:
    """Whether each number of the fact was said, or belongs to a day that was spoken of."""
    wanted = {*_digits(fact), *(_VALUES[word] for word in words(fact) if word in _COUNTED)}
    wanted -= set(_numbers(f"{said}\n{known}")) if wanted else set()
    return not wanted or wanted <= set(_dated(fact, said, at))


def _numbers(text: str) -> Iterator[str]:
    yield from _digits(text)
    folded = words(text)
    yield from (_VALUES[word] for word in folded if word in _VALUES)
    yield from (_CJK_DIGITS[char] for char in text if char in _CJK_DIGITS)
    for tens, unit in pairwise(folded):  # "twenty one"
        if (tens in _TENS or tens == "twenty") and len(_VALUES.get(unit, "10")) == 1:
            yield str(int(_VALUES[tens]) + int(_VALUES[unit]))


def _digits(text: str) -> Iterator[str]:
    """Numbers in one form: 1,000 is 1000, 1.50 is 1.5; also the parts of what is joined, such as 10:30."""
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        whole = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", number)
        yield from (_bare(part) for part in re.split("[:,]", whole))


def _bare(number: str) -> str:
    left, dot, right = number.partition(".")
    right = right.rstrip("0")
    return (left.lstrip("0") or "0") + (dot + right if right else "")


def _dated(fact: str, said: str, at: date) -> Iterator[str]:
    """Numbers of the fact's dates that lie in a period of which the message speaks."""
    spoken = [*days(said, at, (at.year - 1, at.year, at.year + 1)), *_near(said, at)]
    for named in days(fact, at, (at.year,)):
        if any(one.first <= named.last and named.first <= one.last for one in spoken):
            for day in named:
                yield from (str(day.year), str(day.month), str(day.day))


def _near(said: str, at: date) -> Iterator[Days]:
    folded = said.casefold()
    for word, distance in _NEAR_DAYS.items():
        if re.search(rf"\b{word}\b", folded) or (not word.isascii() and word in folded):
            day = at + timedelta(distance)
            yield Days(day, day)
    for name in _WEEKDAY.findall(folded):  # the one to come; `days` knows the one that was
        day = at + timedelta((_WEEKDAYS.index(name[:3]) - at.weekday()) % 7 or 7)
        yield Days(day, day)
    for number in _ORDINAL_DAY.findall(folded):
        yield from (
            Days(day, day) for day in (at + timedelta(ahead) for ahead in range(-31, 32)) if day.day == int(number)
        )
    for count, unit in _AHEAD.findall(folded):
        length = int(_VALUES.get(str(count)) or count) * _LENGTHS[unit]
        give = 3 if unit in ("month", "year") else 0
        yield Days(at + timedelta(length - give), at + timedelta(length + give))
    if "next year" in folded:
        yield Days(date(at.year + 1, 1, 1), date(at.year + 1, 12, 31))
    if re.search(r"\bnext (?:week|month|weekend|\w+day)\b", folded):
        yield Days(at, at + timedelta(62))
    if re.search(r"\bthis (?:year|month|week)\b", folded):
        yield Days(date(at.year, 1, 1), date(at.year, 12, 31))


def keeps_names(fact: str, said: str, speaker: str = "") -> bool:
    """Whether each name inside the fact was said; names of the speaker are known."""
    spoken = fold(said)
    own = {_root(word) for word in words(speaker)} | _NOT_NAMES | _CALENDAR
    foreign = word_forms.is_foreign(said)
    own |= _TONGUES if foreign else frozenset()  # they have other names there
    return all(_root(fold(name)) in own or _was_said(name, spoken, foreign) for name in _names(fact))


def _names(fact: str) -> Iterator[str]:
    """Capitalised words, except where a sentence begins."""
    for word in _CAPITALISED.finditer(fact):
        before = fact[: word.start()].rstrip(" \"'“‘(")
        if word[0][0].isupper() and before and before[-1] not in ".!?:\n":
            yield word[0]


def _root(name: str) -> str:
    return re.sub(r"['’]s?$|['’]", "", name)


def _was_said(name: str, spoken: str, foreign: bool) -> bool:
    """In any inflection: "Berliner" was said where "Berlin" was; a short name only as itself."""
    root = _root(fold(name))
    if not _same_script(root, spoken):
        return True  # "Tokyo" can't be looked for in Japanese
    if len(root) <= 4:
        return re.search(rf"(?<![^\W_]){re.escape(root)}(?![^\W_]{{3}})", spoken) is not None
    return root[: max(4, len(root) // 2 + 1 if foreign else len(root) - 2)] in spoken


def _same_script(name: str, spoken: str) -> bool:
    latin = name.isascii()
    return any(char.isalpha() and char.isascii() == latin for char in spoken)


def overlaps(fact: str, said: str) -> bool:
    """Whether a fact is worded as it was said: all of it, or enough of its words."""
    if _compact(fact) and _compact(fact) in _compact(said):
        return True
    wanted = [word for word in query_words(fact) if len(word) >= _LETTERS or not word.isascii()]
    present = len(set(wanted) & set(words(said)))
    if len(wanted) <= _SHORT:
        return present == len(wanted) >= _LEAST
    return present >= max(_LEAST, math.ceil(SHARE * len(wanted)))


def _compact(text: str) -> str:
    return "".join(char for char in fold(text) if char.isalnum())
