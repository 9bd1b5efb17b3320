"""The output of a chat: replies as they stream in, and secondary lines."""

import re
import sys
import textwrap
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from recollect.faces.cli.output import Screen, safe

_UNSPACED = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef\U00020000-\U0003ffff"
_PARTS = re.compile(rf"\n|[^\S\n]+|[{_UNSPACED}]|[^\s{_UNSPACED}]+")
"""Line breaks, spaces, words, and characters of scripts without spaces."""
_LEAD = re.compile(r"(?:\s*(?:-|\d+\.)\s+|\s*/\S.*?\s{2,})(?=\S)")
"""What stands before an item of a list, or the meaning of a command."""
_ENDED = re.compile(rf"\s+|[{_UNSPACED}]")


@dataclass(slots=True)
class ChatOutput:
    """Writes to a terminal or a pipe; control characters in the text are escaped."""

    screen: Screen

    def say(self, text: str) -> None:
        self.screen.say(wrapped(text, self.screen.console.width) if self.screen.is_terminal else text)

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
    def reply(self, indent: str = "") -> Generator["StreamedReply"]:
        """Writes a reply piece by piece, and ends its last line."""
        width = self.screen.console.width if self.screen.is_terminal else None
        reply = StreamedReply(self, indent, width)
        try:
            yield reply
        finally:
            reply.end_line()


def wrapped(text: str, width: int) -> str:
    """A text with no word broken at the edge; what follows an item or a command goes on below where that began."""
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    lead = _LEAD.match(line)
    indent = len(lead[0]) if lead and len(lead[0]) <= width // 2 else 0
    parts = textwrap.wrap(line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(parts) or line


@dataclass(slots=True)
class StreamedReply:
    """A reply as it comes. At a terminal, which would break lines anywhere, words are moved to the next line whole: one
    is written when it is known to be complete.
    """

    output: ChatOutput
    indent: str
    width: int | None
    _word: str = ""
    _column: int = 0

    def __call__(self, piece: str) -> None:
        *complete, self._word = _PARTS.findall(self._word + safe(piece)) or [""]
        if self._word and (self.width is None or _ENDED.fullmatch(self._word)):
            complete, self._word = [*complete, self._word], ""
        sys.stdout.write("".join(map(self._placed, complete)))
        sys.stdout.flush()

    def aside(self, text: str) -> None:
        """A secondary line in between."""
        self.end_line()
        self.output.quiet(text)

    def end_line(self) -> None:
        last = self._placed(self._word) if self._word else ""
        sys.stdout.write(f"{last}\n" if self._column else last)
        sys.stdout.flush()
        self._word, self._column = "", 0

    def _placed(self, part: str) -> str:
        if part == "\n":
            self._column = 0
            return part
        from rich.cells import cell_len

        cells = cell_len(part)
        lead = "" if self._column else self.indent
        if self.width is not None and self._column + cells > self.width and self._column > len(self.indent):
            if part.isspace():
                return ""
            lead, self._column = f"\n{self.indent}", 0
        self._column += len(lead.lstrip("\n")) + cells
        return lead + part
