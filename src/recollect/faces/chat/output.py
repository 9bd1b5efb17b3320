"""The output of a chat: replies as they stream in, and secondary lines."""

import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from recollect.faces.cli.output import Screen, safe

_LINE_STARTS, _LATER_LINE_STARTS = re.compile(r"^(?=.)", re.MULTILINE), re.compile(r"(?<=\n)(?=.)")
"""Starts of non-empty lines: all of them, or all but the first."""


@dataclass(slots=True)
class ChatOutput:
    """Writes to a terminal or a pipe; control characters in the text are escaped."""

    screen: Screen

    def say(self, text: str) -> None:
        self.screen.say(text)

    def quiet(self, text: str) -> None:
        """A secondary line."""
        self.screen.aside(text, always=True)

    def heading(self, text: str) -> None:
        if self.screen.is_terminal:
            self.screen.console.print(f"\n{safe(text)}", style="bold")
        else:
            print(f"\n{safe(text)}")

    def message(self, speaker: str, text: str) -> None:
        """A message, as if it had been typed here."""
        if not self.screen.is_terminal:
            print(f"{safe(speaker)} › {safe(text)}")
            return
        from rich.text import Text

        self.screen.console.print(Text.assemble((safe(speaker), "green"), (" › ", "dim"), safe(text)))

    @contextmanager
    def reply(self, indent: str = "") -> Generator[Callable[[str], None]]:
        """Writes a reply piece by piece, and ends its last line."""
        last = "\n"

        def show(piece: str) -> None:
            nonlocal last
            if not piece:
                return
            text = safe(piece)
            sys.stdout.write(
                _LINE_STARTS.sub(indent, text) if last.endswith("\n") else _LATER_LINE_STARTS.sub(indent, text)
            )
            last = text
            sys.stdout.flush()

        try:
            yield show
        finally:
            if not last.endswith("\n"):
                print()
