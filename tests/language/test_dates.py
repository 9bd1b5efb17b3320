"""The days that a text speaks of, seen from Wednesday, 12 March 2025."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.dates import Days, days, find

TODAY = date(2025, 3, 12)


def day(text: str) -> Days:
    return Days(date.fromisoformat(text), date.fromisoformat(text))


def span(first: str, last: str) -> Days:
    return Days(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did we decide on 2024-05-01?", [day("2024-05-01")]),
        ("logs from 2024-05-01T10:00", [day("2024-05-01")]),
        ("between 2024-05-01 and 2024-05-03", [day("2024-05-01"), day("2024-05-03")]),
        ("in 2024-02", [span("2024-02-01", "2024-02-29")]),
        ("the launch on 13/05/2024", [day("2024-05-13")]),
        ("the launch on 13.05.2024", [day("2024-05-13")]),
        ("on 04/05/2024", [day("2024-05-04"), day("2024-04-05")]),
        ("May 5, 2023", [day("2023-05-05")]),
        ("5 May 2023", [day("2023-05-05")]),
        ("the 5th of may 2023", [day("2023-05-05")]),
        ("Dec 24 2022", [day("2022-12-24")]),
        ("in May 2023", [span("2023-05-01", "2023-05-31")]),
        ("December 2023", [span("2023-12-01", "2023-12-31")]),
        ("what happened in 2022?", [span("2022-01-01", "2022-12-31")]),
        ("the summer of 2022", [span("2022-01-01", "2022-12-31")]),
    ],
)
def test_absolute_dates_are_understood_without_knowing_today(text: str, expected: list[Days]):
    assert days(text, None) == days(text, TODAY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did I plan in May?", ["2023-05-01/2023-05-31", "2024-05-01/2024-05-31"]),
        ("this May?", ["2023-05-01/2023-05-31", "2024-05-01/2024-05-31"]),
        ("since march", ["2023-03-01/2023-03-31", "2024-03-01/2024-03-31"]),
        ("on May 5", ["2023-05-05/2023-05-05", "2024-05-05/2024-05-05"]),
        ("On may 5", ["2023-05-05/2023-05-05", "2024-05-05/2024-05-05"]),
        ("the 1st of march", ["2023-03-01/2023-03-01", "2024-03-01/2024-03-01"]),
        ("on 25/12", ["2023-12-25/2023-12-25", "2024-12-25/2024-12-25"]),
        ("29 February", ["2024-02-29/2024-02-29"]),
    ],
)
def test_a_date_without_a_year_is_meant_in_each_year_there_is(text: str, expected: list[str]):
    assert days(text, TODAY, (2024, 2023, 2024)) == [span(*one.split("/")) for one in expected]
    assert days(text, None) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what did I say yesterday?", day("2025-03-11")),
        ("the day before yesterday", day("2025-03-10")),
        ("who called last night?", day("2025-03-11")),
        ("what happened on Friday?", day("2025-03-07")),
        ("last Monday", day("2025-03-10")),
        ("on wednesday", day("2025-03-05")),
        ("since Monday", span("2025-03-10", "2025-03-12")),
        ("today's plan", day("2025-03-12")),
        ("this morning", day("2025-03-12")),
        ("what did we do last week?", span("2025-02-26", "2025-03-12")),
        ("this week", span("2025-03-05", "2025-03-12")),
        ("last month", span("2025-01-11", "2025-03-12")),
        ("last weekend", span("2025-03-08", "2025-03-09")),
        ("three days ago", day("2025-03-09")),
        ("10 days ago", day("2025-03-02")),
        ("two weeks ago", span("2025-02-23", "2025-03-01")),
        ("a couple of weeks ago", span("2025-02-23", "2025-03-01")),
        ("a month ago", span("2025-01-26", "2025-02-25")),
        ("a year ago", span("2023-09-12", "2024-09-10")),
    ],
)
def test_relative_words_are_seen_from_today(text: str, expected: Days):
    assert days(text, TODAY) == [expected]
    assert days(text, None) == []


def test_a_weekend_seen_from_one():
    sunday = date(2025, 3, 9)
    assert days("this weekend", sunday) == [span("2025-03-08", "2025-03-09")]
    assert days("last weekend", sunday) == [span("2025-03-01", "2025-03-02")]


@pytest.mark.parametrize(
    "text",
    [
        "nginx/1.24",
        "upgrade to nginx 1.24.2019",
        "ports 80/443",
        "listens on 80/443",
        "it runs 24/7",
        "we are on 24/7",
        "a 1/2 cup",
        "a fifty/fifty, 50/50 chance",
        "version 1.2.3",
        "192.168.2024",
        "call 555-2019-12",
        "2024-13",
        "2024-02-30",
        "31/02/2024",
        "it may rain",
        "this may be wrong",
        "may I ask what you like?",
        "10 may fail",
        "may 10 people come?",
        "we march 5 miles",
        "a protest march",
        "march on!",
        "who is marching?",
        "the mar of the sea",
        "decide",
        "a friday feeling",
        "the second week",
        "what is my favourite colour?",
        "",
    ],
)
def test_text_that_resembles_a_date_yields_no_days(text: str):
    assert days(text, TODAY, (2024,)) == []


@given(st.text(max_size=80), st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_any_text_can_be_read_and_periods_do_not_run_backwards(text: str, today: date):
    for first, last in days(text, today, (today.year,)):
        assert first <= last


@given(st.integers(0, 999), st.sampled_from(["day", "week", "month", "year"]))
def test_any_number_of_units_ago_is_a_period_before_today(number: int, unit: str):
    ((first, last),) = days(f"{number} {unit}s ago", TODAY)
    assert first <= last <= TODAY + timedelta(days=183)


@pytest.mark.parametrize(
    ("text", "ahead", "words", "first"),
    [
        ("flying to Oslo next May", True, "in 2025-05", "2025-05-01"),
        ("the wedding is next March", True, "in 2026-03", "2026-03-01"),
        ("moved here last June", False, "in 2024-06", "2024-06-01"),
        ("this May I graduate", True, "in 2025-05", "2025-05-01"),
    ],
)
def test_next_and_last_go_with_the_month_that_follows(text: str, ahead: bool, words: str, first: str) -> None:
    when = find(text, datetime(2025, 3, 12, 9, tzinfo=UTC), ahead=ahead)
    assert when is not None
    assert (when.words, when.day) == (words, date.fromisoformat(first))
    assert not {"next", "last", "this"}.intersection((text[: when.start] + text[when.end :]).split())
