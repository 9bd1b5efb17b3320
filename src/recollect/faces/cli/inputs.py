"""What people type, as values: texts, memories, times, answers."""

import sys
from collections.abc import Sequence
from datetime import date, datetime, time

from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.types import Memo
from recollect.faces.cli.invocation import Invocation
from recollect.language.dates import days
from recollect.memory import AsyncMemory


def said(words: Sequence[str]) -> str:
    """The words as one text; a single - stands for standard input."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    return " ".join(words)


async def meant(memory: AsyncMemory, call: Invocation, ref: str) -> Memo:
    """The memory with this id, or this number in `show`, as far as it may be heard here; raises UnknownMemo."""
    number = ref.removeprefix("#")
    if number.isdecimal() and len(number) < 10:
        active = (await memory.show(user=call.user, place=call.place)).memos
        if 1 <= int(number) <= len(active):
            return active[int(number) - 1]
        raise UnknownMemo(f"there is no number {number} in 'recollect show'")
    known = (await memory.list(user=call.user, place=call.place)).memos
    found = next((memo for memo in known if memo.id == ref), None)
    if found is None:
        raise UnknownMemo(f"there is no memory {ref!r}; 'recollect list' shows the ids")
    return found


def moment(text: str, *, ends: bool = False) -> datetime:
    """A time, or the day (week, month, …) that is named, from its start, or to its end; raises BadInput."""
    try:
        if len(text) > len("2026-05-01"):
            return datetime.fromisoformat(text).astimezone()
        named = [date.fromisoformat(text)]
    except ValueError:
        named = [day for period in days(text, date.today(), [date.today().year]) for day in period]
    if not named:
        raise BadInput(f"{text!r} is not a time; write 2026-05-01, 2026-05-01T18:30 or 'last week'")
    return datetime.combine(max(named) if ends else min(named), time.max if ends else time.min).astimezone()


def answer(question: str) -> str:
    """What the person at the terminal answers; nothing when they close the input."""
    try:
        return input(question).strip().lower()
    except EOFError:
        print()
        return ""
