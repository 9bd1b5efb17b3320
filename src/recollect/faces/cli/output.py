"""Printing: one JSON document, plain lines for pipes, or formatted text for a terminal.

Stored text can't control the terminal: control characters are escaped, markup is not interpreted.
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
from recollect.faces import outcome_text
from recollect.policy.rendering import render_end
from recollect.recall.query import Hit

if TYPE_CHECKING:
    from rich.console import Console


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


_CONTROL_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def safe(text: str) -> str:
    """The text with control characters escaped, as in `\\x1b`; line breaks stay."""
    return _CONTROL.sub(lambda match: ascii(match.group())[1:-1], text)


def cell(text: str) -> str:
    """A text as one line, or one field of a line."""
    return safe(" ".join(text.split()))


def local_time(time: datetime) -> str:
    """A time in the local zone."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


MIN_WIDE_CHARS = 20
_GAP = 2
"""Between two columns."""


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
        """Print the JSON document."""
        text = json.dumps(value, ensure_ascii=sys.stdout.encoding.lower() != "utf-8", indent=2, default=_to_json)
        print(_CONTROL_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text))

    def say(self, text: str) -> None:
        print(safe(text))

    def point(self, bullet: str, text: str) -> None:
        """One item of a list; on a terminal wrapped lines are indented."""
        if not self.is_terminal:
            print(f"{bullet} {safe(text)}")
            return
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 1))
        grid.add_row(bullet, Text(safe(text)))
        self.console.print(grid)

    def aside(self, text: str, *, always: bool = False) -> None:
        """A secondary line; on a terminal only, unless `always`."""
        if self.is_terminal:
            self.console.print(safe(text), style="dim")
        elif always:
            print(safe(text))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
        """Rows as a table in which the column `wide` takes the remaining width, or as tab-separated lines in a pipe."""
        if not self.is_terminal:
            for row in rows:
                print("\t".join(map(cell, row)))
        elif rows and self._fits(columns, rows, wide):
            self._draw(columns, rows, wide)
        else:
            self._stack(columns, rows, wide)

    def _fits(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> bool:
        """Whether the terminal leaves the wide column enough to be read."""
        from rich.cells import cell_len

        widths = [max(map(cell_len, map(cell, values))) for values in zip(columns, *rows, strict=True)]
        others = [width + _GAP for name, width in zip(columns, widths, strict=True) if name != wide]
        return self.console.width - sum(others) >= min(MIN_WIDE_CHARS, widths[columns.index(wide)])

    def _stack(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
        """Each row as a line of its short cells, and the wide one below."""
        from rich.padding import Padding
        from rich.text import Text

        for row in rows:
            cells = dict(zip(columns, map(cell, row), strict=True))
            text = cells.pop(wide)
            self.console.print(" · ".join(filter(None, cells.values())), style="dim")
            self.console.print(Padding(Text(text, overflow="fold"), (0, 0, 0, _GAP)))

    def _draw(self, columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in columns:
            table.add_column(name, no_wrap=name != wide, overflow="fold", style="" if name == wide else "dim")
        for row in rows:
            table.add_row(*(Text(cell(value)) for value in row))
        self.console.print(table)

    @contextmanager
    def progress(self, title: str) -> Generator[Progress | None]:
        """A progress bar on the error stream; None when that is not a terminal."""
        if not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(title, total=None)

            def show(done: int, total: int) -> None:
                description = title if done < total else f"{title}, finishing"
                bar.update(task, description=description, completed=done, total=total or None)

            yield show


def _to_json(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def describe_audience(memo: Memo) -> str:
    """Where a memory may be recalled."""
    match memo.audience.level:
        case "everywhere":
            return "everywhere"
        case "channel":
            return f"in #{memo.audience.id.rpartition('#')[2]}"
        case "guild":
            return f"in {memo.audience.id}"
        case _:
            return "privately"


def describe_item(item: Memo | Message) -> str:
    if isinstance(item, Message):
        return cell(f"[{local_time(item.at)}] {item.name or item.author}: {item.text}")
    return cell(f"[{item.kind}] {outcome_text.in_second_person(item.text)}{render_end(item)}")


def explain_score(hit: Hit) -> tuple[str, str]:
    """Two aligned lines: the names of a score's parts, and their values."""
    parts = {"score": hit.score, **hit.parts}
    widths = {name: max(5, len(name)) for name in parts}
    names = " ".join(f"{name:>{widths[name]}}" for name in parts)
    return names, " ".join(f"{value:>{widths[name]}.3f}" for name, value in parts.items())
