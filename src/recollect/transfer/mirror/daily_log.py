"""The daily log `YYYY-MM-DD.md`: one line per message, for the operator.

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
from recollect.core.state import StateKind
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Message, message_ref, parse_message_ref
from recollect.learning.schedule import MOMENT, daily_log_job
from recollect.policy.rendering import channel_title, speaker
from recollect.recall import withheld
from recollect.recall.display_names import Names
from recollect.transfer.mirror import disk

log = logging.getLogger("recollect.mirror")

RETRY_DELAY = timedelta(minutes=1)
"""Time until a failed write is retried."""
MIN_MESSAGE_CHARS = 2
"""Shorter messages get no line."""
_LINE_COMMENT = re.compile(r" <!-- (\S+) (\S*) -->$")
_COMMENT = re.compile(r"<!-|--+!?>")
_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log as it is displayed, with its author."""

    text: str
    author: str


def line(message: Message, max_chars: int | None) -> str | None:
    """`- 10:42:07 #dev Ann: text` and its comment; None for a message that is too short."""
    text = collapse_spaces(message.text)
    if len(text) < MIN_MESSAGE_CHARS:
        return None
    statement = escape_comment(clip(text, max_chars or len(text)))
    name = escape_comment(speaker(message))
    comment = f"<!-- {_escape_id(message_ref(message))} {_escape_id(message.author)} -->"
    return f"- {message.at:%H:%M:%S} {escape_comment(_scope(message))} {name}: {statement} {comment}"


def escape_comment(text: str) -> str:
    """A text that neither opens nor closes a comment."""
    return _COMMENT.sub(lambda match: " ".join(match.group()), text)


def days(folder: Path) -> list[Path]:
    """The daily logs, oldest first."""
    return sorted(path for path in folder.glob("*.md") if _FILE.fullmatch(path.name))


def entries(text: str) -> list[Entry]:
    """The lines of a log in order, without their comments; lines that people added are left out."""
    matches = ((written_line, _LINE_COMMENT.search(written_line)) for written_line in text.split("\n"))
    return [Entry(written_line[: match.start()], unquote(match[2])) for written_line, match in matches if match]


def updated(before: str, day: str, lines: Mapping[str, str | None]) -> str:
    """The text of a log with these lines, by message reference; None removes a line."""
    after: list[str] = []
    seen: set[str] = set()
    for old_line in before.removesuffix("\n").split("\n") if before else [f"# {day}", ""]:
        match = _LINE_COMMENT.search(old_line)
        reference = match[1] if match else ""
        new_line = lines.get(reference, old_line)
        if new_line is not None and reference not in seen:
            after.append(new_line)
        seen |= {reference} if reference else set()
    after += [new for reference, new in lines.items() if new is not None and reference not in seen]
    return "\n".join(after) + "\n"


class DailyLog:
    """Runs the jobs of kind `daily_log`: one at a time across all processes, as they share a queue."""

    def __init__(
        self, store: Store, folder: Path, max_chars: int | None, clock: Clock, names: Names | None = None
    ) -> None:
        self._store = store
        self._folder = folder
        self._max_chars = max_chars
        self._clock = clock
        self._names = names or Names()
        self._is_failing = False

    async def __call__(self, job: Job) -> UnitOfWork:
        del job
        messages, named = await self._store.read(self._read)
        try:
            await asyncio.to_thread(self._write, named)
        except OSError as error:
            self._log_failure(error)
            return self._retry
        self._is_failing = False
        return partial(self._complete, messages=messages)

    def _read(self, tx: Tx) -> tuple[dict[str, Message | None], dict[str, Message | None]]:
        """The messages as they are, and with unique names."""
        messages = _read_messages(tx)
        named = {
            item: None if message is None else self._names.tagged(tx, [message])[0]
            for item, message in messages.items()
        }
        return messages, named

    def _write(self, messages: Mapping[str, Message | None]) -> None:
        by_day: dict[str, dict[str, str | None]] = {}
        for item, message in messages.items():
            day, _, message_ref = item.partition(" ")
            text = None if message is None else line(message, self._max_chars)
            by_day.setdefault(day, {})[_escape_id(message_ref)] = text
        for day, lines in sorted(by_day.items()):
            bring_up_to_date(self._folder / f"{day}.md", day, lines)

    def _log_failure(self, error: OSError) -> None:
        if not self._is_failing:
            log.warning("the daily log can't be written (%s); retrying, nothing is lost", error)
        self._is_failing = True

    def _retry(self, tx: Tx) -> None:
        tx.jobs.add(daily_log_job(self._clock() + RETRY_DELAY))

    def _complete(self, tx: Tx, messages: Mapping[str, Message | None]) -> None:
        """Messages that arrived meanwhile wait for the next job; if one changed meanwhile, the job is repeated."""
        # A message that was edited while the file was written would keep its old text there.
        if any(_message(tx, item) != message for item, message in messages.items()):
            raise StaleResult
        tx.state.remove(StateKind.DAILY_LOG, "", messages)
        if has_pending(tx):
            tx.jobs.add(daily_log_job(self._clock() + MOMENT))


def has_pending(tx: Tx) -> bool:
    """Whether messages wait to be written."""
    return bool(tx.state.items(StateKind.DAILY_LOG))


def write_now(tx: Tx, now: datetime) -> None:
    """Write waiting messages now."""
    tx.jobs.add(daily_log_job(now), postpone=True)


def log_signature(folder: Path, max_days: int) -> tuple[object, ...]:
    """A value that changes whenever one of the latest logs does."""
    files = ((path.name, path.stat()) for path in days(folder)[::-1][:max_days])
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in files)


def bring_up_to_date(path: Path, day: str, lines: Mapping[str, str | None]) -> None:
    """Append new lines; the file is rewritten only when a line changed or was removed."""
    data = disk.read(path)
    before = (data or b"").decode("utf-8", "surrogateescape")
    after = updated(before, day, lines)
    if after == before or (data is None and not any(lines.values())):
        return
    # Appending lets people keep the file open in an editor, and costs no rewrite.
    if before.endswith("\n") and after.startswith(before):
        disk.append(path, after[len(before) :].encode("utf-8", "surrogateescape"))
    else:
        disk.replace(path, after.encode("utf-8", "surrogateescape"))


def newest(folder: Path, max_days: int, max_lines: int) -> list[Entry]:
    """The last lines of the last days, newest first."""
    lines: list[Entry] = []
    for path in days(folder)[::-1][:max_days]:
        text = (disk.read(path) or b"").decode("utf-8", "replace")
        lines += entries(text)[::-1][: max_lines - len(lines)]
    return lines


def _read_messages(tx: Tx) -> dict[str, Message | None]:
    return {item: _message(tx, item) for item in tx.state.items(StateKind.DAILY_LOG)}


def _message(tx: Tx, item: str) -> Message | None:
    """The message; None when it was deleted, or its author forgot what it said."""
    message = tx.messages.get(*parse_message_ref(item.partition(" ")[2]))
    return None if message is None or withheld.is_hidden(tx, message) else message


def _escape_id(of: str) -> str:
    """An id that can stand in a comment."""
    return quote(of, safe="/", errors="replace").replace("--", "-%2D")


def _scope(message: Message) -> str:
    place = message.place
    if place.dm is not None:
        return "DM"
    return channel_title(place.name or place.thread or place.channel or place.platform)
