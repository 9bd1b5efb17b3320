"""Questions about facts of another time: "where did I live in March?", "and before that?", "how long have I…?"."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from recollect.core.ports.ranker import content_words
from recollect.language import lexicon
from recollect.language.dates import Days, days, month_of
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import LiteralIndex, required_literals

_MAX_CHARS = 400
_PATTERNS = Patterns(re.IGNORECASE)
_LOCAL_MONTH, _SEASON = "local_month", "season"
_FIRST_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""Of the seasons of the northern half of the world, where all six languages come from."""


@dataclass(frozen=True, slots=True)
class TimeQuestion:
    """What a question says about time."""

    periods: tuple[Days, ...] = ()
    """The past periods that it names."""
    is_earlier: bool = False
    """It asks for an earlier state: "used to", "previously", "before Berlin"."""
    is_later: bool = False
    """It asks for what came after something."""
    asks_time: bool = False
    """It asks when, how long, or in which order."""
    words: frozenset[str] = frozenset()
    """Its content words."""

    @property
    def is_as_of(self) -> bool:
        """Whether a past fact may be the answer."""
        return bool(self.periods) or self.is_earlier or self.is_later


@lru_cache(maxsize=256)
def parse(text: str, today: date) -> TimeQuestion | None:
    """What a question says about time; None if it is about no time, or about now."""
    text = text[:_MAX_CHARS]
    possible = _literals().found_in(text.lower())

    def has(name: str) -> bool:
        return name in possible and getattr(_PATTERNS, name).search(text) is not None

    if has("last_year"):
        periods = (Days(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),)
    elif has("last_month"):
        periods = (month_of(today.year - (today.month == 1), (today.month - 2) % 12 + 1),)
    else:
        local_months = _local_months(text, today) if _LOCAL_MONTH in possible else []
        seasons = _seasons(text, today) if _SEASON in possible else []
        named = [] if seasons else days(text, today, (today.year - 1, today.year))  # the year is that of the season
        periods = _past_periods([*named, *local_months, *seasons], today)
    asked = has("asks_earlier"), has("asks_later"), has("asks_when")
    return TimeQuestion(periods, *asked, frozenset(content_words(text))) if periods or any(asked) else None


@cache
def _literals() -> LiteralIndex[str]:
    """The patterns by what a text needs for a match: most questions have none of it."""
    names = "last_year", "last_month", "asks_earlier", "asks_later", "asks_when"
    sources = {name: _PATTERNS.source(name) for name in names} | {
        _LOCAL_MONTH: _local_month_source(),
        _SEASON: _season_source(),
    }
    return LiteralIndex({name: map(str.lower, required_literals(source)) for name, source in sources.items()})


def _past_periods(named: list[Days], today: date) -> tuple[Days, ...]:
    """The periods that began before today; of a month or day without a year, the last one."""
    newest: dict[tuple[int, int, int], Days] = {}
    for period in sorted(named):
        if period.first < today:
            newest[period.first.month, period.first.day, (period.last - period.first).days // 2] = period
    return tuple(newest.values())


def _local_months(text: str, today: date) -> list[Days]:
    """The months that a text names in other languages than English."""
    periods: list[Days] = []
    for match in _local_month().finditer(text.lower()):
        year = match["year"] or match["year2"]
        number = _month_numbers()[match["month"] or match["unspaced"]]
        years = [int(year)] if year else [today.year - 1, today.year]
        periods += [month_of(each, number) for each in years]
    return periods


@cache
def _month_numbers() -> dict[str, int]:
    tables = lexicon.tables("calendar").values()
    groups = ((number, group) for table in tables for number, group in enumerate(table["months"].split(), 1))
    return {name: number for number, group in groups for name in group.split("|")}


@cache
def _local_month() -> re.Pattern[str]:
    return re.compile(_local_month_source())


@cache
def _local_month_source() -> str:
    names = sorted(_month_numbers(), key=len, reverse=True)
    spaced, unspaced = ("|".join(name for name in names if name[0].isdigit() is digit) for digit in (False, True))
    before = r"im|in|en|em|de|du|d[’']|au mois de|au mois d[’']|(?:am )?\d{1,2}\.?|le \d{1,2}|(?:letzten?|vergangenen)"
    return (
        rf"\b(?:{before})\s?(?P<month>{spaced})\b(?:\s(?:de(?:l)?\s)?(?P<year>(?:19|20)\d\d))?"
        rf"|(?:(?P<year2>(?:19|20)\d\d)年)?(?<!\d)(?P<unspaced>{unspaced or '(?!)'})"
    )


def _seasons(text: str, today: date) -> list[Days]:
    """The seasons that a text names; without a year those of this year and the one before."""
    periods: list[Days] = []
    for match in _season().finditer(text.lower()):
        first = next(month for name, month in _FIRST_MONTHS.items() if match[name])
        year = match["year"] or match["year2"]
        for each in [int(year)] if year else [today.year - 1, today.year]:
            last = month_of(each + (first > 10), (first + 1) % 12 + 1)
            periods.append(Days(date(each, first, 1), last.last))
    return periods


@cache
def _season() -> re.Pattern[str]:
    return re.compile(_season_source())


@cache
def _season_source() -> str:
    tables = lexicon.tables("seasons").values()
    names = "|".join(rf"(?P<{name}>{'|'.join(table[name] for table in tables)})" for name in _FIRST_MONTHS)
    return rf"(?:\b(?P<year2>(?:19|20)\d\d)年の?)?(?:{names})(?:,? (?:of |de |del |d[’']|en )?(?P<year>(?:19|20)\d\d))?"
