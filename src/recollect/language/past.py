"""Questions about facts of another time: "where did I live in March?", "and before that?", "how long have I…?"."""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache

from recollect.core.ports.ranker import content_words
from recollect.language import lexicon
from recollect.language.dates import Days, days, month_of
from recollect.language.lexicon import Patterns

_MAX_CHARS = 400
_PATTERNS = Patterns(re.IGNORECASE)


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
    periods = _past_periods(text, today)
    question = TimeQuestion(
        periods,
        _PATTERNS.asks_earlier.search(text) is not None,
        _PATTERNS.asks_later.search(text) is not None,
        _PATTERNS.asks_when.search(text) is not None,
    )
    return None if question == TimeQuestion() else replace(question, words=frozenset(content_words(text)))


def _past_periods(text: str, today: date) -> tuple[Days, ...]:
    """The periods that began before today; of a month or day without a year, the last one."""
    if _PATTERNS.last_year.search(text):
        return (Days(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),)
    if _PATTERNS.last_month.search(text):
        return (month_of(today.year - (today.month == 1), (today.month - 2) % 12 + 1),)
    named = [*days(text, today, (today.year - 1, today.year)), *_local_months(text, today)]
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
    names = sorted(_month_numbers(), key=len, reverse=True)
    spaced, unspaced = ("|".join(name for name in names if name[0].isdigit() is digit) for digit in (False, True))
    before = r"im|in|en|em|de|du|d[’']|au mois de|au mois d[’']|(?:am )?\d{1,2}\.?|le \d{1,2}|(?:letzten?|vergangenen)"
    return re.compile(
        rf"\b(?:{before})\s?(?P<month>{spaced})\b(?:\s(?:de(?:l)?\s)?(?P<year>(?:19|20)\d\d))?"
        rf"|(?:(?P<year2>(?:19|20)\d\d)年)?(?<!\d)(?P<unspaced>{unspaced or '(?!)'})"
    )
