"""The day that a phrase such as "next Friday" means on the day it was said, written out."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from recollect.language.dates import Days, days

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT_WEEKDAYS = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_NUMBERS = {word: n for n, word in enumerate("zero one two three four five six seven eight nine ten".split())} | {
    "a": 1, "an": 1, "a couple of": 2, "a couple": 2,
}  # fmt: skip
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|"
    "jul|aug|"
    "sept?|oct|nov|dec"
)
_UNIT_DAYS = {"day": 1, "week": 7}
_COUNT = rf"(?P<n>\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_PHRASE = re.compile(
    r"(?:,? ?\b(?:on|by|until|till|from|at|starting) )?(?:the )?(?:"
    r"\b(?P<near>day after tomorrow|day before yesterday|tomorrow|yesterday|today|tonight|last night|this morning|"
    r"this afternoon|this evening)(?: (?:morning|afternoon|evening|night))?\b"
    rf"|\b(?:(?P<which>this|next|last|coming) )?(?:\b(?P<day>{'|'.join([*_WEEKDAYS, *_SHORT_WEEKDAYS])})\b)"
    r"(?: (?:morning|afternoon|evening|night))?(?! (?:the )?\d)"
    rf"|\bin {_COUNT} (?P<unit>day|week)s?\b"
    rf"|(?P<ago>{_COUNT.replace('?P<n>', '?P<m>')} (?P<back>day|week)s? ago)\b"
    r"|\b(?P<period>next|last) (?P<span>week|weekend|month|year)\b"
    rf"|(?P<date>\b(?:in |on |early |mid |late )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?\b(?:{_MONTHS})\b\.?"
    r"(?: (?:the )?\d{1,2}(?:st|nd|rd|th)?\b)?(?:,? 20\d\d\b)?|\b20\d\d-\d\d-\d\d\b)"
    r")(?:,? (?:at|@) \d{1,2}(?:[:.]\d\d)? ?(?:am|pm|h)?\b)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class When:
    """The first day of a phrase's period, the phrase written out, and its position in the text."""

    day: date
    words: str
    start: int
    end: int


def find(text: str, at: datetime, *, ahead: bool) -> When | None:
    """The first day that a text names, relative to when it was said; `ahead` for statements about the future."""
    for match in _PHRASE.finditer(text):
        resolved = _resolve(match, at.date(), ahead)
        if resolved is not None:
            day, words = resolved
            return When(day, words, match.start(), match.end())
    return None


def start_of_day(day: date, at: datetime) -> datetime:
    """The start of a day in the time zone of a message."""
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)


def _resolve(match: re.Match[str], today: date, ahead: bool) -> tuple[date, str] | None:
    if match["near"]:
        return _on_day(today + timedelta(_near_offset(match["near"].lower())))
    if match["day"]:
        return _on_day(_weekday(match["day"].lower(), (match["which"] or "").lower(), today, ahead))
    if match["unit"]:
        return _on_day(today + timedelta(_count(match["n"]) * _UNIT_DAYS[match["unit"].lower()]))
    if match["ago"]:
        return _on_day(today - timedelta(_count(match["m"]) * _UNIT_DAYS[match["back"].lower()]))
    if match["period"]:
        return _period(match["period"].lower(), match["span"].lower(), today)
    return _dated(match["date"], today, ahead)


def _on_day(day: date) -> tuple[date, str]:
    return day, f"on {day.isoformat()}"


def _near_offset(phrase: str) -> int:
    return {"day after tomorrow": 2, "tomorrow": 1, "yesterday": -1, "last night": -1, "day before yesterday": -2}.get(
        phrase, 0
    )


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


def _weekday(name: str, which: str, today: date, ahead: bool) -> date:
    weekday = _WEEKDAYS.index(name) if name in _WEEKDAYS else _SHORT_WEEKDAYS[name]
    if which == "next":  # the one of next week, as calendars count
        return today + timedelta(7 - today.weekday() + weekday)
    if which == "last" or not ahead:
        return today - timedelta((today.weekday() - weekday) % 7 or 7)
    return today + timedelta((weekday - today.weekday()) % 7 or 7)


def _period(which: str, span: str, today: date) -> tuple[date, str]:
    step = 1 if which == "next" else -1
    if span == "year":
        return date(today.year + step, 1, 1), f"in {today.year + step}"
    if span == "month":
        month = today.year * 12 + today.month - 1 + step
        first = date(month // 12, month % 12 + 1, 1)
        return first, f"in {first:%Y-%m}"
    monday = today + timedelta(7 * step - today.weekday())
    if span == "weekend":
        return _on_day(monday + timedelta(5))
    return monday, f"in the week of {monday.isoformat()}"


def _dated(phrase: str, today: date, ahead: bool) -> tuple[date, str] | None:
    periods = days(
        phrase if re.match(r"(?i)(in|on) ", phrase) else f"in {phrase}", None, range(today.year - 1, today.year + 2)
    )
    possible = [period for period in periods if (period.last >= today if ahead else period.first <= today)]
    if not possible:
        return None
    chosen: Days = min(possible) if ahead else max(possible)
    is_whole_month = chosen.first != chosen.last
    return (chosen.first, f"in {chosen.first:%Y-%m}") if is_whole_month else _on_day(chosen.first)
