"""Days that a text names in other languages than English, by the months and weekdays of their lexica."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from recollect.language import lexicon

_MAX_CHARS = 300
_ALTERNATIVES = ("day", "day2"), ("year", "of")
"""Groups of which an expression has one or the other."""
_YEARS = {"year": 1, "last_year": -1}


@dataclass(frozen=True, slots=True)
class LocalDate:
    """A day, and the words that name it."""

    day: date
    words: tuple[str, ...]
    """The words that depend on when they were said: the first is where the date is written, the others go."""
    written: str
    """The day, or the week, month or year, as it is written in their place."""
    last: date
    """The last day, of a year; else the day."""

    def write(self, text: str) -> str:
        """The text with the date in the place of words that mean another day tomorrow."""
        for index, words in enumerate(self.words):
            text = re.sub(re.escape(words), self.written if index == 0 else "", text, flags=re.IGNORECASE)
        return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class _Calendar:
    """How a language names dates."""

    date: re.Pattern[str]
    ahead: re.Pattern[str]
    """The coming week, the one after, the coming month and year, and the last year."""
    months: dict[str, int]
    weekdays: dict[str, int]
    near: dict[str, int]
    """Words for days near today."""
    week_of: str
    year_of: str
    happened: re.Pattern[str]
    """What tells that a statement is about the past, so that a weekday is the last one."""


@cache
def _calendar(language: str) -> _Calendar | None:
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
    ahead = re.compile(lexicon.join_lines(table["ahead"]))
    happened = re.compile(table.get("happened", "(?!)"), re.IGNORECASE)
    return _Calendar(re.compile(source), ahead, months, weekdays, near, table["week_of"], table["year_of"], happened)


def find(text: str, language: str, today: date) -> LocalDate | None:
    """The first day that a text names, from today on unless it says "last"; the first of a week, month or year that it
    names alone.
    """
    return next(_dates(text, language, today), None)


def named_days(text: str, today: date) -> Iterator[tuple[date, date]]:
    """The first and the last of the days, or years, that a text may name, in any of the languages."""
    for language in lexicon.tables("calendar"):
        yield from ((named.day, named.last) for named in _dates(text, language, today))


def _dates(text: str, language: str, today: date) -> Iterator[LocalDate]:
    calendar = _calendar(language)
    if calendar is None:
        return
    text = text[:_MAX_CHARS]
    ahead = calendar.ahead.search(text.lower())
    names = False
    for match in calendar.date.finditer(text.lower()):
        named = _named(calendar, match, ahead, today)
        if named is not None:
            names = True
            yield named
    if ahead is not None and not names:
        yield _span(calendar, ahead, today)


def _named(calendar: _Calendar, match: re.Match[str], ahead: re.Match[str] | None, today: date) -> LocalDate | None:
    """A date as the calendar's expression names it, in the week or year that is named beside it."""
    parts = {name: value for name, value in match.groupdict().items() if value}
    beside = (ahead[0],) if ahead else ()
    unit = ahead.lastgroup if ahead else None
    if "near" in parts:
        day = today + timedelta(calendar.near[parts["near"]])
        return LocalDate(day, (match[0],), day.isoformat(), day)
    last = parts.get("last_weekday") or (parts.get("weekday") if calendar.happened.search(match.string) else None)
    if last:
        number = calendar.weekdays[last]
        day = today - timedelta((today.weekday() - number) % 7 or 7)
        return LocalDate(day, (match[0],), day.isoformat(), day)
    if "weekday" in parts:
        number = calendar.weekdays[parts["weekday"]]
        weeks = {"week": 1, "second_week": 2}.get(unit or "")
        day = (
            today + timedelta((number - today.weekday()) % 7 or 7)
            if weeks is None
            else today + timedelta(number - today.weekday() + 7 * weeks)
        )
        return LocalDate(day, (match[0], *(beside if weeks else ())), day.isoformat(), day)
    month = parts.get("month") or parts.get("only")
    number = calendar.months[month] if month else int(parts["m"])
    monthday, year = (int(parts.get(name) or parts.get(other) or 0) for name, other in _ALTERNATIVES)
    day = _coming(number, monthday or 1, year or (today.year + _YEARS[unit] if unit in _YEARS else 0), today)
    written = "" if day is None else day.isoformat() if monthday else day.isoformat()[:7]
    return day and LocalDate(day, (match[0], *beside) if beside else (), written, day)


def _span(calendar: _Calendar, ahead: re.Match[str], today: date) -> LocalDate:
    """The coming week, month or year."""
    if ahead.lastgroup in _YEARS:
        year = today.year + _YEARS[ahead.lastgroup]
        return LocalDate(date(year, 1, 1), (ahead[0],), calendar.year_of.format(year), date(year, 12, 31))
    if ahead.lastgroup == "month":
        day = date(today.year + today.month // 12, today.month % 12 + 1, 1)
        return LocalDate(day, (ahead[0],), day.isoformat()[:7], day)
    weeks = 2 if ahead.lastgroup == "second_week" else 1
    day = today + timedelta(7 * weeks - today.weekday())
    return LocalDate(day, (ahead[0],), calendar.week_of.format(day.isoformat()), day)


def _coming(month: int, day: int, year: int, today: date) -> date | None:
    try:
        this_year = date(year or today.year, month, day)
    except ValueError:
        return None
    return this_year if year or this_year >= today else this_year.replace(year=today.year + 1)
