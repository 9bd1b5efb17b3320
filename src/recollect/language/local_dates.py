"""Days that a text names in other languages than English, by the months and weekdays of their lexica."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache

from recollect.language import lexicon

_MAX_CHARS = 300
_ALTERNATIVES = ("day", "day2"), ("year", "of")
"""Groups of which an expression has one or the other."""


@dataclass(frozen=True, slots=True)
class LocalDate:
    """A day, and the words that name it."""

    day: date
    words: str
    written: str
    """The day as it may be written in their place."""
    is_relative: bool
    """Whether the words depend on when they were said."""


@cache
def _calendar(language: str) -> tuple[re.Pattern[str], dict[str, int], dict[str, int], dict[str, int]] | None:
    """The expression for dates of a language, its months, weekdays, and words for days near today."""
    table = lexicon.tables("calendar", language).get(language)
    if table is None:
        return None
    months = {name: number for number, group in enumerate(table["months"].split(), 1) for name in group.split("|")}
    weekdays = {name: number for number, group in enumerate(table["weekdays"].split()) for name in group.split("|")}
    offsets = lexicon.tables("near_days", language).get(language, {})
    near = {word: int(offset) for offset, group in offsets.items() for word in group.split() if int(offset) > 0}
    names = {
        "month": "|".join(sorted(months, key=len, reverse=True)),
        "weekday": "|".join(sorted(weekdays, key=len, reverse=True)),
        "near": "|".join(sorted(near, key=len, reverse=True)),
    }
    source = lexicon.join_lines(table["date"])
    for name, alternatives in names.items():
        source = source.replace(f"{{{name}}}", alternatives)
    return re.compile(source), months, weekdays, near


def find(text: str, language: str, today: date) -> LocalDate | None:
    """The first day at or after today that a text names."""
    return next(_dates(text, language, today), None)


def named_days(text: str, today: date) -> Iterator[date]:
    """The days that a text may name, in any of the languages."""
    for language in lexicon.tables("calendar"):
        yield from (named.day for named in _dates(text, language, today))


def start_of_day(day: date, at: datetime) -> datetime:
    """The start of a day in the time zone of a message."""
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)


def _dates(text: str, language: str, today: date) -> Iterator[LocalDate]:
    calendar = _calendar(language)
    if calendar is None:
        return
    pattern, months, weekdays, near = calendar
    for match in pattern.finditer(text[:_MAX_CHARS].lower()):
        parts = {name: value for name, value in match.groupdict().items() if value}
        month = parts.get("month") or parts.get("only")
        if "near" in parts:
            day = today + timedelta(near[parts["near"]])
        elif "weekday" in parts:
            day = today + timedelta((weekdays[parts["weekday"]] - today.weekday()) % 7 or 7)
        else:
            number = months[month] if month else int(parts["m"])
            monthday, year = (int(parts.get(name) or parts.get(other) or 0) for name, other in _ALTERNATIVES)
            day = _coming(number, monthday or 1, year, today)
        is_relative = "near" in parts or "weekday" in parts
        if day is not None:
            words = text[match.start() : match.end()]
            yield LocalDate(day, words, day.isoformat(), is_relative)


def _coming(month: int, day: int, year: int, today: date) -> date | None:
    try:
        this_year = date(year or today.year, month, day)
    except ValueError:
        return None
    return this_year if year or this_year >= today else this_year.replace(year=today.year + 1)
