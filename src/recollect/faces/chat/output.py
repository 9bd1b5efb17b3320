"""Where a chat is written: replies as they come, and beside them what is of less weight."""

import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from recollect.faces.cli.output import Screen, safe

_BEGINS, _GOES_ON = re.compile(r"^(?=.)", re.MULTILINE), re.compile(r"(?<=\n)(?=.)")
"""Where lines begin that are not empty: with the text, or only behind its first."""


@dataclass(slots=True)
class ChatOutput:
    """A terminal or a pipe; nothing that is written there can act on it."""

    screen: Screen

    def say(self, text: str) -> None:
        self.screen.say(text)

    def quiet(self, text: str) -> None:
        """A line of less weight."""
        self.screen.aside(text, always=True)

    def heading(self, text: str) -> None:
        if self.screen.is_terminal:
            self.screen.console.print(f"\n{safe(text)}", style="bold")
        else:
            print(f"\n{safe(text)}")

    def said(self, who: str, text: str) -> None:
        """What somebody said, as if it had been typed here."""
        if not self.screen.is_terminal:
            print(f"{safe(who)} › {safe(text)}")
            return
        from rich.text import Text

        self.screen.console.print(Text.assemble((safe(who), "green"), (" › ", "dim"), safe(text)))

    @contextmanager
    def reply(self, indent: str = "") -> Generator[Callable[[str], None]]:
        """To write a reply piece by piece; ends with the line."""
        last = "\n"

        def show(piece: str) -> None:
            nonlocal last
            if not piece:
                return
            plain = safe(piece)
            sys.stdout.write(_BEGINS.sub(indent, plain) if last.endswith("\n") else _GOES_ON.sub(indent, plain))
            last = plain
            sys.stdout.flush()

        try:
            yield show
        finally:
            if not last.endswith("\n"):
                print()
