"""What fills the slot that a question leaves open: a time, a number, a person or a place."""

import re
from collections.abc import Collection
from functools import cache

from recollect.core.text import fold, words
from recollect.language import kinship, lexicon, word_forms

NAME = re.compile(r"\b[^\W\d_a-zß-ÿ][\w'-]+")
_PLACE_WORDS = "in|to|from|near|outside|at|nach|aus|bei|en|à|de|em|para"
_PLACE = re.compile(rf"\b(?:{_PLACE_WORDS})\s(?:the\s)?([^\W\d_][\w'-]+)")
_AFTER_PLACE_WORD = re.compile(rf"\b(?:{_PLACE_WORDS})\s(?:the\s|der\s|den\s|la\s|el\s)?$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_BEFORE_TIME = "at|on|since|in|until|till|by|from|um|am|im|seit|bis|ab|gegen|vom|zum|las|à|em|dia|às|as|desde"
_CLOCK = r"[:.h]\d\d|\s?(?:am|pm|uhr|o'clock|h|heures?|horas?)\b"
_DATED_DIGIT = re.compile(
    rf"(?<![\d.,])(?:(?:19|20)\d\d\b|\d{{1,2}}(?:st|nd|rd|th|[./](?=\s|\d|$)|{_CLOCK})|\d+\s?[年月日時]|\d{{4}}-\d\d)"
    rf"|\b(?:{_BEFORE_TIME})\s\d{{1,2}}\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|\b\d{1,2}\.(?=\s[^\W\d])")
_MAX_SHORT = 3


def has_time(text: str, further: Collection[str]) -> bool:
    """Whether a text has a date, a weekday, an hour or another word for a time; `further` are such words."""
    # "mittwochabends"
    if any(word in _calendar_words() or word in further or word.startswith(_weekdays()) for word in words(text)):
        return True
    return _DATED_DIGIT.search(text) is not None or has_hour(text)


def has_hour(text: str) -> bool:
    """Whether a text has an hour in words: "at seven"."""
    return _hour_words().search(fold(text)) is not None


def has_date(text: str) -> bool:
    return _DATE.search(text) is not None


def has_number(text: str) -> bool:
    """Whether a text has a number that is no part of a date."""
    return _DIGIT.search(_DATE.sub("", text)) is not None or not cardinals().isdisjoint(words(text))


def has_person(text: str, asked: Collection[str]) -> bool:
    """Whether a text names someone whom the question doesn't name."""
    for match in NAME.finditer(text[1:]):
        name = fold(match[0])
        is_known = name in asked or name in _calendar_words()
        if not is_known and not _AFTER_PLACE_WORD.search(text[: match.start() + 1]):
            return True
    return any(kinship.person(word) and not word_forms.has_form(word, asked) for word in words(text))


def has_place(text: str) -> bool:
    places = lexicon.words("places")
    return any(match[1][0].isupper() or fold(match[1]) in places for match in _PLACE.finditer(text))


def calendar_words_in(text: str) -> list[str]:
    return [word for word in dict.fromkeys(words(text)) if word in _calendar_words()]


def give_different_days(one: str, other: str) -> bool:
    """Whether two texts have weekdays, months or dates, and not the same: "in March", "April is better"."""
    days = [frozenset((*calendar_words_in(text), *_DATE.findall(text))) for text in (one, other)]
    return all(days) and days[0] != days[1]


@cache
def cardinals() -> frozenset[str]:
    """Number words; those for one are articles as well."""
    tables = lexicon.tables("numbers").values()
    return frozenset(
        fold(word) for table in tables for number, group in table.items() if number != "1" for word in group.split()
    )


@cache
def _hour_words() -> re.Pattern[str]:
    """An hour in words: "at seven", "um halb fünf"."""
    numbers = "|".join(sorted(map(re.escape, cardinals()), key=len, reverse=True))
    return re.compile(rf"\b(?:{_BEFORE_TIME})\s(?:halb\s)?(?:{numbers})\b", re.IGNORECASE)


@cache
def _weekdays() -> tuple[str, ...]:
    local = " ".join(table["weekdays"] for table in lexicon.tables("calendar").values()).replace("|", " ").split()
    return tuple(fold(name) for name in local if len(name) > _MAX_SHORT)


@cache
def _calendar_words() -> frozenset[str]:
    tables = [*lexicon.tables("calendar").values()]
    local = " ".join(table[name] for table in tables for name in ("months", "weekdays")).replace("|", " ").split()
    near = " ".join(group for table in lexicon.tables("near_days").values() for group in table.values()).split()
    names = map(fold, (*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays"), *local, *near))
    return frozenset(form for name in names for form in (name, f"{name}s"))
