"""The days that a text mentions: absolute dates, or phrases like "last week" relative to a given day.

Cautious: a fraction, a version or a port ("1.24", "80/443") is not a date.
"""

import re
from collections.abc import Collection
from datetime import date, timedelta
from typing import NamedTuple


class Days(NamedTuple):
    """A period, from its first day to its last, inclusive."""

    first: date
    last: date


_MONTHS = {
    name: month
    for month, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
_SHORT_MONTHS = {name[:3]: month for name, month in _MONTHS.items() if name != "may"} | {"sept": 9}
_WEEKDAYS = {
    name: weekday for weekday, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
}
_NUMBERS = {
    **{word: value for value, word in enumerate("zero one two three four five six seven eight nine ten".split())},
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
}
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_ISO = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d/-])")
_ISO_MONTH = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)-(\d\d)(?![\d/-])")
_SLASHED = re.compile(
    r"(?<![\w/.])(\d{1,2})([/.])(\d{1,2})\2((?:19|20)\d\d)(?![\d/.])"
    r"|\b(?:on|since|until|before|after)\s+(?:the\s+)?(\d{1,2})/(\d{1,2})(?![\w/.])"
)
_TWENTY_FOUR_SEVEN = ("24", "7")
_MONTH = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?({'|'.join([*_MONTHS, *_SHORT_MONTHS])})\b\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+(?:of\s+)?((?:19|20)\d\d)\b)?"
)
_MONTHS_THAT_ARE_VERBS = ("may", "march")
_BEFORE_A_DAY = re.compile(r"\b(?:on|since|until|by|before|after)\s+(?:the\s+)?$")
_BEFORE_A_MONTH = re.compile(r"\b(?:in|during|of|since|until|by|early|mid|late|last|next|around|before|after)\s+$")
_YEAR = re.compile(r"\b(?:in|during|of|since)\s+((?:19|20)\d\d)\b")
_AGO = re.compile(rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(day|week|month|year)s?\s+ago\b")
_SPAN = re.compile(r"\b(last|past|this|previous)\s+(weekend|week|month|year)\b")
_WEEKDAY = re.compile(rf"\b(on|last|this|since)\s+({'|'.join(_WEEKDAYS)})\b")


def days(text: str, today: date | None, years: Collection[int] = ()) -> list[Days]:
    """Every period that the text names; a date without a year is read for each of `years`."""
    lower = text.lower()
    periods = [*_iso(lower), *_slashed(lower, years), *_named(text, lower, years)]
    if not periods:
        periods = [Days(date(int(year), 1, 1), date(int(year), 12, 31)) for year in _YEAR.findall(lower)]
    return periods or ([] if today is None else _relative(lower, today))


def _iso(text: str) -> list[Days]:
    full_dates = [_day(int(year), int(month), int(day)) for year, month, day in _ISO.findall(text)]
    months = [] if full_dates else [_month(int(year), int(month)) for year, month in _ISO_MONTH.findall(text)]
    return [period for period in (*full_dates, *months) if period is not None]


def _slashed(text: str, years: Collection[int]) -> list[Days]:
    """The days of "13.05.2024", "13/05/2024" or "on 13/05"; an ambiguous slashed date yields both readings."""
    readings: list[Days | None] = []
    for left, separator, right, year, short_left, short_right in _SLASHED.findall(text):
        parts = (left, right) if year else (short_left, short_right)
        if parts == _TWENTY_FOUR_SEVEN:
            continue
        first, second = map(int, parts)
        for candidate in [int(year)] if year else sorted(set(years)):
            day_first, month_first = _day(candidate, second, first), _day(candidate, first, second)
            readings += [day_first, None if separator == "." else month_first]
    return list(dict.fromkeys(day for day in readings if day is not None))


def _named(text: str, lower: str, years: Collection[int]) -> list[Days]:
    """Dates that name their month."""
    periods: list[Days | None] = []
    for match in _MONTH.finditer(lower):
        before, name, after, year = match.groups()
        day = before or after
        if not year and not (_is_day(match, text) if day else _is_month(match)):
            continue  # "may" the verb, "mar" the ending of a word
        month = _MONTHS.get(name) or _SHORT_MONTHS[name]
        candidates = [int(year)] if year else sorted(set(years))
        periods += [
            _day(candidate_year, month, int(day)) if day else _month(candidate_year, month)
            for candidate_year in candidates
        ]
    return [period for period in periods if period is not None]


def _is_day(match: re.Match[str], text: str) -> bool:
    """Not "10 may fail" or "may 10 people come?"."""
    if match[2] not in _MONTHS_THAT_ARE_VERBS or text[match.start(2) : match.end(2)].istitle():
        return True
    ordinal = re.search(r"\d(?:st|nd|rd|th)|\bof\b", match[0])
    return bool(ordinal or _BEFORE_A_DAY.search(match.string[: match.start()]))


def _is_month(match: re.Match[str]) -> bool:
    if match[2] not in _MONTHS:
        return False
    before, after = match.string[: match.start()], match.string[match.end() :]
    if re.search(r"\bthis\s+$", before):  # "this may be wrong"
        return match[2] not in _MONTHS_THAT_ARE_VERBS or not re.match(r"\s*\w", after)
    return bool(_BEFORE_A_MONTH.search(before))


def _day(year: int, month: int, day: int) -> Days | None:
    try:
        only_day = date(year, month, day)
    except ValueError:
        return None
    return Days(only_day, only_day)


def _month(year: int, month: int) -> Days | None:
    if not 1 <= month <= 12:
        return None
    return Days(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1) - timedelta(1))


def _relative(text: str, today: date) -> list[Days]:
    if ago := _AGO.search(text):
        unit = _UNIT_DAYS[ago[2]]
        middle = today - timedelta(unit * (int(ago[1]) if ago[1].isdigit() else _NUMBERS[ago[1]]))
        return [Days(middle - timedelta(unit // 2), middle + timedelta(unit // 2))]
    if "day before yesterday" in text:
        return [Days(today - timedelta(2), today - timedelta(2))]
    if "yesterday" in text or "last night" in text:
        return [Days(today - timedelta(1), today - timedelta(1))]
    if span := _SPAN.search(text):
        return [_span(span[1], span[2], today)]
    if weekday := _WEEKDAY.search(text):
        day = today - timedelta((today.weekday() - _WEEKDAYS[weekday[2]]) % 7 or 7)
        return [Days(day, today if weekday[1] == "since" else day)]
    if re.search(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", text):
        return [Days(today, today)]
    return []


def _span(which: str, unit: str, today: date) -> Days:
    """Starts early: "last week" may mean the calendar week or the last seven days."""
    if unit == "weekend":
        days_since_saturday = (today.weekday() - 5) % 7
        is_weekend_before = days_since_saturday < 2 and which != "this"
        saturday = today - timedelta(days_since_saturday + 7 if is_weekend_before else days_since_saturday)
        return Days(saturday, min(today, saturday + timedelta(1)))
    length = _UNIT_DAYS[unit]
    return Days(today - timedelta(length if which == "this" else 2 * length), today)
