"""The days of the past that someone asks about: "last week", "am Montag", "il y a deux semaines", "先月".

The expressions are in the table `periods` of a language's phrases: `day_0` is today, `day_1` yesterday and so on,
`last_week` and the like are whole weeks, months and years, `recent` is the last month, and `ago` has the groups `n`
and `day`, `week`, `month` or `year`. Months and weekdays are those of the lexicon, read as the latest ones.
"""

import re
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from recollect.core.text import fold, words
from recollect.language import lexicon
from recollect.language.lexicon import ENGLISH, read_tables

FOLDER = Path(__file__).parent / "phrases"
RECENT_DAYS = 30
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}


@cache
def _expressions(language: str) -> dict[str, re.Pattern[str]]:
    table: dict[str, str] = read_tables(FOLDER / f"{language}.toml").get("periods", {})
    return {name: re.compile(expression, re.IGNORECASE) for name, expression in table.items()}


def find(text: str, language: str, today: date) -> tuple[date, date] | None:
    """The first and the last day of the period that a text names; None if it names none that is understood."""
    for name, expression in _expressions(language).items():
        if match := expression.search(text):
            return _ago(match, language, today) if name == "ago" else _span(name, today)
    return _named(text, language, today)


def _span(name: str, today: date) -> tuple[date, date]:
    kind, _, which = name.partition("_")
    if kind == "day":
        day = today - timedelta(int(which))
        return day, day
    if kind == "recent":
        return today - timedelta(RECENT_DAYS), today
    is_last = kind == "last"
    if which == "week":
        monday = today - timedelta(today.weekday() + 7 * is_last)
        return monday, min(monday + timedelta(6), today)
    this = today.replace(day=1) if which == "month" else date(today.year, 1, 1)
    before = this - timedelta(1)
    return (before.replace(day=1, month=before.month if which == "month" else 1), before) if is_last else (this, today)


def _ago(match: re.Match[str], language: str, today: date) -> tuple[date, date] | None:
    unit = next((unit for unit in _UNITS if match[unit]), "day")
    count = _number(match["n"], language)
    if count is None:
        return None
    middle = today - timedelta(count * _UNITS[unit])
    margin = timedelta(_UNITS[unit] // 2)
    return middle - margin, min(middle + margin, today)


def _number(text: str, language: str) -> int | None:
    if text.isdigit():
        return int(text) if len(text) < 4 else None
    table = lexicon.tables("numbers").get(language, {})
    said = fold(text)
    return next((int(float(number)) for number, group in table.items() if said in map(fold, group.split())), 1)


def _named(text: str, language: str, today: date) -> tuple[date, date] | None:
    """The latest day or month of a name, before today."""
    said, folded = set(words(text)), fold(text)
    for number, names in enumerate(_names("weekdays", language)):
        if any(name in said if lexicon.is_spaced(language) else name in folded for name in names):
            day = today - timedelta((today.weekday() - number) % 7 or 7)
            return day, day
    for number, names in reversed([*enumerate(_names("months", language), 1)]):  # "12月" has "2月" in it
        if any(name in said if lexicon.is_spaced(language) else name in folded for name in names):
            first = date(today.year - (number > today.month), number, 1)
            following = (first + timedelta(32)).replace(day=1)
            return first, min(following - timedelta(1), today)
    return None


@cache
def _names(kind: str, language: str) -> tuple[tuple[str, ...], ...]:
    if language == ENGLISH:
        return tuple((fold(name),) for name in lexicon.ordered_words(kind))
    table = lexicon.tables("calendar", language).get(language, {})
    return tuple(tuple(map(fold, group.split("|"))) for group in table.get(kind, "").split())
