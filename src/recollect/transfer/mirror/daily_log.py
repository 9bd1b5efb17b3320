"""The daily journal `YYYY-MM-DD.md`: what people said, a line each, for whoever runs the assistant.

A line ends in a comment that readers of Markdown don't see, by which it is found again: it is there once, an edited
message changes it, a deleted one takes it away. A day is that of the message, in UTC.
"""

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote

from recollect.core.clock import Clock
from recollect.core.ports import StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Message, message_ref, parse_message_ref
from recollect.learning.schedule import DAILY_LOG_LIST, MOMENT, daily_log_job
from recollect.policy.rendering import display_name
from recollect.recall import withheld
from recollect.transfer.mirror import disk

log = logging.getLogger("recollect.mirror")

AGAIN = timedelta(minutes=1)
"""Until a file that could not be written is tried again."""
SHORTEST = 2
"""Characters of a message that is worth a line."""
_MARK = re.compile(r" <!-- (\S+) (\S*) -->$")
_COMMENT = re.compile(r"<!-|--+!?>")
_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal, as it is shown, with who said it."""

    text: str
    author: str


def line(message: Message, longest: int | None) -> str | None:
    """`- 10:42:07 #dev Ann: text`, and its mark; None for what is not worth a line."""
    text = collapse_spaces(message.text)
    if len(text) < SHORTEST:
        return None
    said = inert(clip(text, longest or len(text)))
    who = inert(display_name(message.name or message.author))
    mark = f"<!-- {_mark(message_ref(message))} {_mark(message.author)} -->"
    return f"- {message.at:%H:%M:%S} {inert(_scope(message))} {who}: {said} {mark}"


def inert(text: str) -> str:
    """A text that neither opens nor closes a comment."""
    return _COMMENT.sub(lambda found: " ".join(found.group()), text)


def days(folder: Path) -> list[Path]:
    """The daily journals, oldest first."""
    return sorted(path for path in folder.glob("*.md") if _FILE.fullmatch(path.name))


def entries(text: str) -> list[Entry]:
    """The lines of a journal in their order, without their marks; what people added is not among them."""
    found = ((each, _MARK.search(each)) for each in text.split("\n"))
    return [Entry(each[: mark.start()], unquote(mark[2])) for each, mark in found if mark]


def updated(before: str, day: str, lines: Mapping[str, str | None]) -> str:
    """The text of a journal with these lines by their marks; None takes one away."""
    after: list[str] = []
    seen: set[str] = set()
    for each in before.removesuffix("\n").split("\n") if before else [f"# {day}", ""]:
        found = _MARK.search(each)
        mark = found[1] if found else ""
        kept = lines.get(mark, each)
        if kept is not None and mark not in seen:
            after.append(kept)
        seen |= {mark} if mark else set()
    after += [new for mark, new in lines.items() if new is not None and mark not in seen]
    return "\n".join(after) + "\n"


class DailyLog:
    """Does the jobs of the kind `daily_log`: one at a time among all processes, as they share a queue."""

    def __init__(self, store: Store, folder: Path, longest: int | None, clock: Clock) -> None:
        self._store = store
        self._folder = folder
        self._longest = longest
        self._clock = clock
        self._failing = False

    async def __call__(self, job: Job) -> UnitOfWork:
        del job
        found = await self._store.read(_look)
        try:
            await asyncio.to_thread(self._write, found)
        except OSError as error:
            self._complain(error)
            return self._later
        self._failing = False
        return partial(self._complete, found=found)

    def _write(self, found: Mapping[str, Message | None]) -> None:
        by_day: dict[str, dict[str, str | None]] = {}
        for noted, message in found.items():
            day, _, of = noted.partition(" ")
            text = None if message is None else line(message, self._longest)
            by_day.setdefault(day, {})[_mark(of)] = text
        for day, lines in sorted(by_day.items()):
            bring_up_to_date(self._folder / f"{day}.md", day, lines)

    def _complain(self, error: OSError) -> None:
        if not self._failing:
            log.warning("the journal can't be written (%s); it is tried again, nothing is lost", error)
        self._failing = True

    def _later(self, tx: Tx) -> None:
        tx.jobs.add(daily_log_job(self._clock() + AGAIN))

    def _complete(self, tx: Tx, found: Mapping[str, Message | None]) -> None:
        """What came up meanwhile waits for the next round; a message that changed meanwhile is looked at again."""
        if any(_message(tx, noted) != message for noted, message in found.items()):
            raise StaleResult
        newer = [noted for noted in tx.state.clear(DAILY_LOG_LIST) if noted not in found]
        for noted in newer:
            tx.state.append(DAILY_LOG_LIST, noted)
        if newer:
            tx.jobs.add(daily_log_job(self._clock() + MOMENT))


def waits(tx: Tx) -> bool:
    """Whether something is to be written."""
    return bool(tx.state.items(DAILY_LOG_LIST))


def hasten(tx: Tx, now: datetime) -> None:
    """Let what waits be written now."""
    tx.jobs.add(daily_log_job(now), postpone=True)


def stamps(folder: Path, most_days: int) -> tuple[object, ...]:
    """Something that changes whenever one of the last journals does."""
    found = ((path.name, path.stat()) for path in days(folder)[::-1][:most_days])
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in found)


def bring_up_to_date(path: Path, day: str, lines: Mapping[str, str | None]) -> None:
    """Append what is new; only a line that changed or goes makes the file be written anew."""
    data = disk.read(path)
    before = (data or b"").decode("utf-8", "surrogateescape")
    after = updated(before, day, lines)
    if after == before or (data is None and not any(lines.values())):
        return
    if before.endswith("\n") and after.startswith(before):
        disk.append(path, after[len(before) :].encode("utf-8", "surrogateescape"))
    else:
        disk.replace(path, after.encode("utf-8", "surrogateescape"))


def newest(folder: Path, most_days: int, most: int) -> list[Entry]:
    """The last lines of the last days, newest first."""
    found: list[Entry] = []
    for path in days(folder)[::-1][:most_days]:
        text = (disk.read(path) or b"").decode("utf-8", "replace")
        found += entries(text)[::-1][: most - len(found)]
    return found


def _look(tx: Tx) -> dict[str, Message | None]:
    return {noted: _message(tx, noted) for noted in tx.state.items(DAILY_LOG_LIST)}


def _message(tx: Tx, noted: str) -> Message | None:
    """What was said; nothing when it is gone, or when its author forgot what it said."""
    message = tx.messages.get(*parse_message_ref(noted.partition(" ")[2]))
    return None if message is None or withheld.is_source(tx, message) else message


def _mark(of: str) -> str:
    """An id that can stand in a comment."""
    return quote(of, safe="/", errors="replace").replace("--", "-%2D")


def _scope(message: Message) -> str:
    place = message.place
    if place.dm is not None:
        return "DM"
    return f"#{collapse_spaces(place.name or place.thread or place.channel or place.platform).removeprefix('#')}"
