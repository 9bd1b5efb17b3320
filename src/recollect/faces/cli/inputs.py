"""Parsing of what people type: texts, memories, times, answers."""

import sys
from collections.abc import Sequence
from datetime import date, datetime, time

from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.types import Memo
from recollect.faces.cli.invocation import Invocation
from recollect.language.dates import days
from recollect.memory import AsyncMemory


def read_text(words: Sequence[str]) -> str:
    """The words as one text; a single - stands for standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    return " ".join(words)


async def resolve_memo(memory: AsyncMemory, call: Invocation, ref: str) -> Memo:
    """The visible memory with this id, or this number in `show`; raises UnknownMemo."""
    number = ref.removeprefix("#")
    if number.isdecimal() and len(number) < 10:
        active = (await memory.show(user=call.user, place=call.where)).memos
        if 1 <= int(number) <= len(active):
            return active[int(number) - 1]
        raise UnknownMemo(f"there is no number {number} in 'recollect show'")
    memos = (await memory.list(user=call.user, place=call.where, statuses="any")).memos
    match = next((memo for memo in memos if memo.id == ref), None)
    if match is None:
        raise UnknownMemo(f"there is no memory {ref!r}; 'recollect list' shows the ids")
    return match


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
