"""What a model writes for memory rather than for people: lines `memory_line: …` in a reply.

They are taken out before anyone reads the reply, also while it is still being written.
"""

import re
from dataclasses import dataclass

from recollect.core.text import clip, collapse_spaces

LONGEST_LINE = 180
"""Characters of a line that becomes lore."""
CONFIDENCE = 0.72
_OPENING = "memory_line:"
_LINE = re.compile(r"^[ \t]*(?:\[+|<+|`+)?[ \t]*memory_?line[ \t]*:[ \t]*(.*?)[ \t]*(?:\]+|>+|`+)?[ \t]*$", re.I | re.M)
_MARKS = " \t[<`"


def taken(reply: str) -> tuple[str, list[str]]:
    """The reply as people see it, and what it wants to be remembered."""
    lines = [collapse_spaces(found) for found in _LINE.findall(reply)]
    shown = _LINE.sub("\x00", reply).replace("\x00\n", "").replace("\n\x00", "").replace("\x00", "")
    return shown.strip(), [line for line in lines if line]


def lore(line: str) -> str:
    """How such a line is kept: `Memory line: <line>.`"""
    text = clip(collapse_spaces(line), LONGEST_LINE)
    return f"Memory line: {text}" if text.endswith((".", "!", "?", "…")) else f"Memory line: {text}."


@dataclass
class MemoryLineFilter:
    """Lets a reply through as it is written, but for lines that may be directives."""

    _held: str = ""
    _inside: bool = False
    """Part of the present line has been shown already."""

    def feed(self, piece: str) -> str:
        """What may be shown by now."""
        shown = ""
        for part in re.split(r"(?<=\n)", self._held + piece):
            ends, self._held = part.endswith("\n"), ""
            if self._inside or not (_LINE.search(part) if ends else _may_open(part)):
                shown += part
                self._inside = bool(part) and not ends
            elif not ends:
                self._held = part
        return shown

    def end(self) -> str:
        """What was held back and turned out to be no directive."""
        held, self._held = self._held, ""
        return "" if _LINE.search(held) else held


def _may_open(line: str) -> bool:
    """Whether a line that is not complete begins like a directive, or may yet."""
    start = line.lstrip(_MARKS).lower().replace(" ", "")
    return start.replace("memoryline", "memory_line").startswith(_OPENING) or _OPENING.startswith(start)
