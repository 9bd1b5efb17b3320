"""Printing: one JSON document, plain lines for pipes, or something nicer for a terminal.

Nothing that a memory contains can act on the terminal: control characters are shown, markup is never read.
"""

import json
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.core.ports import Progress
from recollect.core.types import Memo, Message
from recollect.recall.query import Hit

if TYPE_CHECKING:
    from rich.console import Console


_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def safe(text: str) -> str:
    """The text with what would act on a terminal made visible, as in `\\x1b`; lines stay lines."""
    return _ACTIVE.sub(lambda found: ascii(found.group())[1:-1], text)


def cell(text: str) -> str:
    """A text for one line, or one field of it."""
    return safe(" ".join(text.split()))


def when(moment: datetime) -> str:
    """A time as people here write it."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a command prints."""

    json: bool = False

    @property
    def is_terminal(self) -> bool:
        return sys.stdout.isatty() and not self.json

    @property
    def console(self) -> "Console":
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False)

    def data(self, value: Mapping[str, Any]) -> None:
        """The one JSON document."""
        text = json.dumps(value, ensure_ascii=sys.stdout.encoding.lower() != "utf-8", indent=2, default=_plain)
        print(_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text))

    def say(self, text: str) -> None:
        print(safe(text))

    def point(self, mark: str, text: str) -> None:
        """One line of a list; on a terminal its further lines stand below its first."""
        if not self.is_terminal:
            print(f"{mark} {safe(text)}")
            return
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 1))
        grid.add_row(mark, Text(safe(text)))
        self.console.print(grid)

    def aside(self, text: str, *, always: bool = False) -> None:
        """Something of less weight; for a person at a terminal only, unless `always`."""
        if self.is_terminal:
            self.console.print(safe(text), style="dim")
        elif always:
            print(safe(text))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
        """Rows as a table in which the column `wide` gets the room, or tab-separated lines in a pipe."""
        if not self.is_terminal:
            for row in rows:
                print("\t".join(map(cell, row)))
        elif rows:
            self._draw(columns, rows, wide)

    def _draw(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in columns:
            table.add_column(name, no_wrap=name != wide, overflow="fold", style="" if name == wide else "dim")
        for row in rows:
            table.add_row(*(Text(cell(each)) for each in row))
        self.console.print(table)

    @contextmanager
    def progress(self, title: str) -> Generator[Progress | None]:
        """A bar on the error stream while something long goes on; None when nobody looks."""
        if not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(title, total=None)

            def show(done: int, total: int) -> None:
                doing = title if done < total else f"{title}, finishing"
                bar.update(task, description=doing, completed=done, total=total or None)

            yield show


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def audience(memo: Memo) -> str:
    """Where a memory may be heard."""
    match memo.audience.level:
        case "dm":
            return "privately"
        case "channel":
            return f"in #{memo.audience.id.rpartition('#')[2]}"
        case "guild":
            return f"in {memo.audience.id}"
        case _:
            return "everywhere"


def described(what: Memo | Message) -> str:
    if isinstance(what, Message):
        return cell(f"[{when(what.at)}] {what.name or what.author}: {what.text}")
    return cell(f"[{what.kind}] {what.text}")


def explained(found: Hit) -> tuple[str, str]:
    """What a score is made of, and the names of these parts, in columns that stand under each other."""
    parts = {"score": found.score, **found.parts}
    widths = {name: max(5, len(name)) for name in parts}
    names = "  ".join(f"{name:>{widths[name]}}" for name in parts)
    return names, "  ".join(f"{value:>{widths[name]}.3f}" for name, value in parts.items())
