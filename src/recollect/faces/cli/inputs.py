"""Parsing of what people type: texts, memories, times, answers."""

import sys
from collections.abc import Sequence
from datetime import date, datetime, time

from recollect.core.errors import BadInput
from recollect.language.dates import days


def read_text(words: Sequence[str]) -> str:
    """The words as one text; a single - stands for standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    return " ".join(words)


def parse_time(text: str, *, ends: bool = False) -> datetime:
    """A time, or the start (`ends`: the end) of a day, week or month that is named; raises BadInput."""
    try:
        if len(text) > len("2026-05-01"):
            return datetime.fromisoformat(text).astimezone()
        dates = [date.fromisoformat(text)]
    except ValueError:
        dates = [day for period in days(text, date.today(), [date.today().year]) for day in period]
    if not dates:
        raise BadInput(f"{text!r} is not a time; write 2026-05-01, 2026-05-01T18:30 or 'last week'")
    return datetime.combine(max(dates) if ends else min(dates), time.max if ends else time.min).astimezone()


def ask(question: str) -> str:
    """The answer of the person at the terminal, in lower case; empty when they close the input."""
    try:
        return input(question).strip().lower()
    except EOFError:
        print()
        return ""
