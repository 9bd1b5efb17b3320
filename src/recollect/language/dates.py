"""The days that a text mentions: absolute dates, or phrases like "last week" and "next Friday" relative to a given day.

Cautious: a fraction, a version or a port ("1.24", "80/443") is not a date.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from itertools import chain
from typing import NamedTuple

from recollect.language import lexicon, local_dates
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import LiteralIndex, required_literals


class Days(NamedTuple):
    """A period, from its first day to its last, inclusive."""

    first: date
    last: date


_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_MONTHS_THAT_ARE_VERBS = ("may", "march")
_TWENTY_FOUR_SEVEN = ("24", "7")
_DIGIT = re.compile(r"\d")
_NEAR = {"day after tomorrow": 2, "tomorrow": 1, "yesterday": -1, "last night": -1, "day before yesterday": -2}


@cache
def _months() -> dict[str, int]:
    """Months by their names, in full and shortened."""
    months = {name: number for number, name in enumerate(lexicon.ordered_words("months"), 1)}
    return months | {name[:3]: number for name, number in months.items()} | {"sept": 9}


@cache
def _weekdays() -> dict[str, int]:
    weekdays = {name: number for number, name in enumerate(lexicon.ordered_words("weekdays"))}
    return weekdays | {name[:3]: number for name, number in weekdays.items()} | {"tues": 1, "thurs": 3}


@cache
def _counts() -> dict[str, int]:
    counts = {name: number for number, name in enumerate(lexicon.ordered_words("cardinals")[:11])}
    return counts | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a couple": 2}


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _counts()[word.lower()]


@cache
def _alternatives() -> dict[str, str]:
    names = {"weekday": _weekdays(), "counts": _counts(), "month_name": _months()}
    return {name: "|".join(sorted(words, key=len, reverse=True)) for name, words in names.items()} | {
        "full_weekday": "|".join(lexicon.ordered_words("weekdays"))
    }


_PATTERNS = Patterns(
    table=_alternatives,
    iso=r"(?<![\d/.-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d/-])",
    iso_month=r"(?<![\d/.-])((?:19|20)\d\d)-(\d\d)(?![\d/-])",
    slashed=r"""
        (?<![\w/.])(\d{1,2})([/.])(\d{1,2})\2((?:19|20)\d\d)(?![\d/.])
        |\b(?:on|since|until|before|after)\s+(?:the\s+)?(\d{1,2})/(\d{1,2})(?![\w/.])""",
    month=r"""
        \b(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?({month_name})\b\.?
        (?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+(?:of\s+)?((?:19|20)\d\d)\b)?""",
    before_a_day=r"\b(?:on|since|until|by|before|after)\s+(?:the\s+)?$",
    before_a_month=r"\b(?:in|during|of|since|until|by|early|mid|late|last|next|around|before|after)\s+$",
    year=r"\b(?:in|during|of|since|en|em|im jahr)\s+((?:19|20)\d\d)\b|(?<!\d)((?:19|20)\d\d)年",
    ago=r"\b(\d{1,3}|{counts})\s+(day|week|month|year)s?\s+ago\b",
    span=r"\b(last|past|this|previous)\s+(weekend|week|month|year)\b",
    past_weekday=r"\b(on|last|this|since)\s+({full_weekday})\b",
    now=r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b",
    any_weekday=r"\b({weekday})s?\b",
    ordinal_day=r"\bthe (\d{1,2})(?:st|nd|rd|th)\b",
    limit=r"(?i),? ?\b(until|till) ",
    ahead=r"\bin (\d{1,2}|{counts}) (day|week|month|year)s?\b",
    phrase=r"""
        (?i)(?:,? ?\b(?:on|by|until|till|from|at|starting) )?(?:the )?(?:
        \b(?P<near>day after tomorrow|day before yesterday|tomorrow|yesterday|today|tonight|last night|this morning
        |this afternoon|this evening)(?: (?:morning|afternoon|evening|night))?\b
        |(?P<in_week>\bnext week,? (?:on )?)?\b(?:(?P<which>this|next|last|coming) )?(?:\b(?P<day>{weekday})\b)
        (?: (?:morning|afternoon|evening|night))?(?! (?:the )?\d)
        (?P<of_week>,? (?:of )?(?:the )?(?:next|coming) week\b)?
        |(?<=on the )(?P<ordinal>\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|day|time|and))
        |\bin (?P<n>\d{1,2}|{counts}) (?P<unit>day|week)s?\b
        |(?P<ago>(?P<m>\d{1,2}|{counts}) (?P<back>day|week)s? ago)\b
        |\b(?P<period>next|last) (?P<span>week|weekend|month|year)\b(?!,? (?:in |on )?(?:{month_name})\b)
        |(?P<date>(?P<in_year>\bnext year,? )?\b
        (?:in |on |early |mid |late )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?
        (?:\b(?P<which_month>next|this|last|coming) )?\b(?:{month_name})\b\.?
        (?: (?:the )?\d{1,2}(?:st|nd|rd|th)?\b)?(?:,? 20\d\d\b)?
        (?P<of_year>,? (?:of )?next year\b)?|\b20\d\d-\d\d-\d\d\b)
        )(?:,? (?:at|@) \d{1,2}(?:[:.]\d\d)? ?(?:am|pm|h)?\b)?""",
)


def days(text: str, today: date | None, years: Collection[int] = ()) -> list[Days]:
    """Every period that the text names; a date without a year is read for each of `years`."""
    lower = text.lower()
    has_digits = _DIGIT.search(lower) is not None
    if not has_digits and not _names_of_days().found_in(lower):
        return []
    numbered = [*_iso(lower), *_slashed(lower, years)] if has_digits else []
    periods = [*numbered, *_named(text, lower, years)]
    if has_digits and not periods:
        periods = [Days(date(int(year), 1, 1), date(int(year), 12, 31)) for year in _years(lower)]
    return periods or ([] if today is None else _relative(lower, today))


@cache
def _names_of_days() -> LiteralIndex[str]:
    """Without a number, a text that names a day has one of these; most texts have none."""
    sources = map(_PATTERNS.source, ("month", "ago", "span", "past_weekday", "now"))
    return LiteralIndex({"day": ("yesterday", "last night", *chain.from_iterable(map(required_literals, sources)))})


def _years(text: str) -> list[str]:
    return [match[1] or match[2] for match in _PATTERNS.year.finditer(text)]


def _iso(text: str) -> list[Days]:
    full_dates = [_day(int(year), int(month), int(day)) for year, month, day in _PATTERNS.iso.findall(text)]
    months = [] if full_dates else [_month(int(year), int(month)) for year, month in _PATTERNS.iso_month.findall(text)]
    return [period for period in (*full_dates, *months) if period is not None]


def _slashed(text: str, years: Collection[int]) -> list[Days]:
    """The days of "13.05.2024", "13/05/2024" or "on 13/05"; an ambiguous slashed date yields both readings."""
    readings: list[Days | None] = []
    for left, separator, right, year, short_left, short_right in _PATTERNS.slashed.findall(text):
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
    for match in _PATTERNS.month.finditer(lower):
        before, name, after, year = match.groups()
        day = before or after
        if not year and not (_is_day(match, text) if day else _is_month(match)):
            continue  # "may" the verb, "mar" the ending of a word
        candidates = [int(year)] if year else sorted(set(years))
        periods += [
            _day(candidate_year, _months()[name], int(day)) if day else _month(candidate_year, _months()[name])
            for candidate_year in candidates
        ]
    return [period for period in periods if period is not None]


def _is_day(match: re.Match[str], text: str) -> bool:
    """Not "10 may fail" or "may 10 people come?"."""
    if match[2] not in _MONTHS_THAT_ARE_VERBS or text[match.start(2) : match.end(2)].istitle():
        return True
    ordinal = re.search(r"\d(?:st|nd|rd|th)|\bof\b", match[0])
    return bool(ordinal or _PATTERNS.before_a_day.search(match.string[: match.start()]))


def _is_month(match: re.Match[str]) -> bool:
    if match[2] not in lexicon.ordered_words("months"):
        return False
    before, after = match.string[: match.start()], match.string[match.end() :]
    if re.search(r"\bthis\s+$", before):  # "this may be wrong"
        return match[2] not in _MONTHS_THAT_ARE_VERBS or not re.match(r"\s*\w", after)
    return bool(_PATTERNS.before_a_month.search(before))


def _day(year: int, month: int, day: int) -> Days | None:
    try:
        only_day = date(year, month, day)
    except ValueError:
        return None
    return Days(only_day, only_day)


def _month(year: int, month: int) -> Days | None:
    return month_of(year, month) if 1 <= month <= 12 else None


def month_of(year: int, month: int) -> Days:
    """The days of a month."""
    return Days(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1) - timedelta(1))


def _relative(text: str, today: date) -> list[Days]:
    if ago := _PATTERNS.ago.search(text):
        unit = _UNIT_DAYS[ago[2]]
        middle = today - timedelta(unit * _count(ago[1]))
        return [Days(middle - timedelta(unit // 2), middle + timedelta(unit // 2))]
    if "day before yesterday" in text:
        return [Days(today - timedelta(2), today - timedelta(2))]
    if "yesterday" in text or "last night" in text:
        return [Days(today - timedelta(1), today - timedelta(1))]
    if span := _PATTERNS.span.search(text):
        return [_span(span[1], span[2], today)]
    if weekday := _PATTERNS.past_weekday.search(text):
        day = today - timedelta((today.weekday() - _weekdays()[weekday[2]]) % 7 or 7)
        return [Days(day, today if weekday[1] == "since" else day)]
    if _PATTERNS.now.search(text):
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


def nearby_days(text: str, today: date) -> Iterator[Days]:
    """Days and periods around today that a text may mean: "tomorrow", "Friday", "the 5th", "in two weeks"."""
    folded = text.casefold()
    for word, offset in _near_days().items():
        if re.search(rf"\b{word}\b", folded) or (not word.isascii() and word in folded):
            yield _around(today, offset)
    for name in _PATTERNS.any_weekday.findall(folded):  # the coming one; `days` yields the past one
        yield _around(today, (_weekdays()[name] - today.weekday()) % 7 or 7)
    for number in _PATTERNS.ordinal_day.findall(folded):
        near = (_around(today, offset) for offset in range(-31, 32))
        yield from (day for day in near if day.first.day == int(number))
    for count, unit in _PATTERNS.ahead.findall(folded):
        yield _around(today, _count(count) * _UNIT_DAYS[unit], 3 if unit in ("month", "year") else 0)
    for first, last in local_dates.named_days(text, today):
        yield Days(first, last)
    if "next year" in folded:
        yield Days(date(today.year + 1, 1, 1), date(today.year + 1, 12, 31))
    if re.search(r"\bnext (?:week|month|weekend|\w+day)\b", folded):
        yield Days(today, today + timedelta(62))
    if re.search(r"\bthis (?:year|month|week)\b", folded):
        yield Days(date(today.year, 1, 1), date(today.year, 12, 31))


@cache
def _near_days() -> dict[str, int]:
    entries = (entry for table in lexicon.tables("near_days").values() for entry in table.items())
    return {word: int(offset) for offset, group in entries for word in group.split()}


def _around(today: date, offset: int, tolerance: int = 0) -> Days:
    return Days(today + timedelta(offset - tolerance), today + timedelta(offset + tolerance))


@dataclass(frozen=True, slots=True)
class When:
    """The first day of a phrase's period, the phrase written out, and its position in the text."""

    day: date
    words: str
    start: int
    end: int


def find(text: str, at: datetime, *, ahead: bool) -> When | None:
    """The first day that a text names, relative to when it was said; `ahead` for statements about the future."""
    for match in _PATTERNS.phrase.finditer(text):
        resolved = _resolve(match, at.date(), ahead)
        if resolved is not None:
            day, words = resolved
            limit = _PATTERNS.limit.match(match[0])
            words = f"{limit[1].lower()} {words.partition(' ')[2]}" if limit else words
            return When(day, words, match.start(), match.end())
    return None


def start_of_day(day: date, at: datetime) -> datetime:
    """The start of a day in the time zone of a message."""
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)


def _resolve(match: re.Match[str], today: date, ahead: bool) -> tuple[date, str] | None:
    if match["near"]:
        return _on_day(today + timedelta(_NEAR.get(match["near"].lower(), 0)))
    if match["day"]:
        which = "next" if match["in_week"] or match["of_week"] else (match["which"] or "").lower()
        return _on_day(_weekday(match["day"].lower(), which, today, ahead))
    if match["ordinal"]:
        return _day_of_month(int(match["ordinal"]), today, ahead)
    if match["unit"]:
        return _on_day(today + timedelta(_count(match["n"]) * _UNIT_DAYS[match["unit"].lower()]))
    if match["ago"]:
        return _on_day(today - timedelta(_count(match["m"]) * _UNIT_DAYS[match["back"].lower()]))
    if match["period"]:
        return _relative_period(match["period"].lower(), match["span"].lower(), today)
    phrase, is_next_year = match["date"], match["in_year"] or match["of_year"]
    if which := match["which_month"]:
        phrase, ahead = phrase.replace(f"{which} ", ""), which.lower() != "last"
        if which.lower() == "next":  # said in November, "next November" is no November of this year
            today = date(today.year + today.month // 12, today.month % 12 + 1, 1)
    if is_next_year:
        phrase = f"{phrase.replace(is_next_year, '')} {today.year + 1}"
    return _dated(phrase, today, ahead)


def _day_of_month(number: int, today: date, ahead: bool) -> tuple[date, str] | None:
    """ "On the 28th": the next one, or the last."""
    near = (today + timedelta(offset if ahead else -offset) for offset in range(1, 63))
    return next((_on_day(day) for day in near if day.day == number), None)


def _on_day(day: date) -> tuple[date, str]:
    return day, f"on {day.isoformat()}"


def _weekday(name: str, which: str, today: date, ahead: bool) -> date:
    weekday = _weekdays()[name]
    if which == "next":  # the one of next week, as calendars count
        return today + timedelta(7 - today.weekday() + weekday)
    if which == "last" or not ahead:
        return today - timedelta((today.weekday() - weekday) % 7 or 7)
    return today + timedelta((weekday - today.weekday()) % 7 or 7)


def _relative_period(which: str, span: str, today: date) -> tuple[date, str]:
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
    chosen = min(possible) if ahead else max(possible)
    is_whole_month = chosen.first != chosen.last
    return (chosen.first, f"in {chosen.first:%Y-%m}") if is_whole_month else _on_day(chosen.first)
