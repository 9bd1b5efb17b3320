"""Directives to memory in a model's reply: lines `memory_line: …` and `memory_source: …`.

They are removed before anyone reads the reply, also while it is being streamed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.core.text import clip, collapse_spaces

MAX_LINE_CHARS = 180
MAX_LINES_PER_REPLY = 1
CONFIDENCE = 0.72
MAX_SOURCES_PER_REPLY = 3
_OPENINGS = ("memory_line:", "memory_source:")
_LINE = re.compile(
    r"^[ \t]*(?:\[+|<+|`+)?[ \t]*memory_?(line|source)[ \t]*:[ \t]*(.*?)[ \t]*(?:\]+|>+|`+)?[ \t]*$", re.I | re.M
)
_OPENING_MARKS = " \t[<`"


@dataclass(frozen=True, slots=True)
class SplitReply:
    """A reply as people see it, and its directives."""

    text: str
    lore: Sequence[str]
    sources: Sequence[str]
    """Memories to cite, in the model's words."""


def split_lines(reply: str) -> SplitReply:
    lines = [(name.lower(), collapse_spaces(line)) for name, line in _LINE.findall(reply)]
    visible = _LINE.sub("\x00", reply).replace("\x00\n", "").replace("\n\x00", "").replace("\x00", "")
    lore = [line for name, line in lines if line and name == "line"]
    return SplitReply(visible.strip(), lore, [line for name, line in lines if line and name == "source"])


def lore_text(line: str) -> str:
    """The text of the memo: `Memory line: <line>.`"""
    text = clip(collapse_spaces(line), MAX_LINE_CHARS)
    return f"Memory line: {text}" if text.endswith((".", "!", "?", "…")) else f"Memory line: {text}."


@dataclass
class MemoryLineFilter:
    """Passes a streamed reply through, holding back lines that may be directives."""

    _held_back: str = ""
    _is_line_shown: bool = False
    """Whether part of the current line was passed through already."""

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        visible = ""
        for part in re.split(r"(?<=\n)", self._held_back + piece):
            is_complete, self._held_back = part.endswith("\n"), ""
            # Once part of a line is on the screen it can't be taken back, so the rest follows.
            if self._is_line_shown or not (_LINE.search(part) if is_complete else _may_be_directive(part)):
                visible += part
                self._is_line_shown = bool(part) and not is_complete
            elif not is_complete:
                self._held_back = part
        return visible

    def end(self) -> str:
        """The held back text, unless it is a directive."""
        held_back, self._held_back = self._held_back, ""
        return "" if _LINE.search(held_back) else held_back


def _may_be_directive(line: str) -> bool:
    """Whether an incomplete line may become a directive."""
    start = line.lstrip(_OPENING_MARKS).lower().replace(" ", "").replace("_", "")
    openings = [opening.replace("_", "") for opening in _OPENINGS]
    return any(start.startswith(opening) or opening.startswith(start) for opening in openings)
