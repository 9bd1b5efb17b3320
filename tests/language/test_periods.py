"""The days of the past that someone asks about, in six languages."""

from datetime import date

import pytest

from recollect.language import periods

TODAY = date(2026, 11, 4)  # a Wednesday
LAST_WEEK = (date(2026, 10, 26), date(2026, 11, 1))
YESTERDAY = (date(2026, 11, 3), date(2026, 11, 3))
MONDAY = (date(2026, 11, 2), date(2026, 11, 2))
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
ASKED = {
    "en": ("last week", "yesterday", "on Monday", "in March"),
    "de": ("letzte Woche", "gestern", "am Montag", "im März"),
    "fr": ("la semaine dernière", "hier", "lundi", "en mars"),
    "es": ("la semana pasada", "ayer", "el lunes", "en marzo"),
    "pt": ("na semana passada", "ontem", "na segunda", "em março"),
    "ja": ("先週", "昨日", "月曜日に", "3月に"),
}


@pytest.mark.parametrize("language", ASKED)
def test_a_period_of_the_past_has_its_days(language: str) -> None:
    found = [periods.find(text, language, TODAY) for text in ASKED[language]]
    assert found == [LAST_WEEK, YESTERDAY, MONDAY, MARCH]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("two weeks ago", date(2026, 10, 18), date(2026, 10, 24)),
        ("3 days ago", date(2026, 11, 1), date(2026, 11, 1)),
        ("this week", date(2026, 11, 2), TODAY),
        ("last month", date(2026, 10, 1), date(2026, 10, 31)),
        ("last year", date(2025, 1, 1), date(2025, 12, 31)),
        ("in December", date(2025, 12, 1), date(2025, 12, 31)),
    ],
)
def test_months_and_spans_are_those_before_today(text: str, first: date, last: date) -> None:
    assert periods.find(text, "en", TODAY) == (first, last)


def test_text_without_a_period_yields_none() -> None:
    assert periods.find("about my sister", "en", TODAY) is None
