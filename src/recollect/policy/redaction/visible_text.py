"""A text as a reader sees it: without invisible characters, and with wide and styled letters as plain ones.

A key with a zero-width space inside escapes every pattern, but removing the space later would restore it.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_STYLED = "\u2460-\u249b\u24b6-\u24ea\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f169"
_MASK = lazy_pattern(f"[{_INVISIBLE}{_STYLED}]")
_HIDDEN = lazy_pattern(f"[{_INVISIBLE}]+")


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The visible form of a text, with a map of its positions to those in the text."""

    text: str
    starts: list[int]
    """Start of each contiguous part in the visible form,"""
    origins: list[int]
    """and its start in the original text."""

    def original_span(self, span: Span) -> Span:
        """The span in the original text, including hidden characters inside it."""
        return Span(self._origin(span.start), self._origin(span.end - 1) + 1, span.label)

    def _origin(self, position: int) -> int:
        part = bisect_right(self.starts, position) - 1
        return self.origins[part] + position - self.starts[part]


def visible_text(text: str) -> VisibleText | None:
    """The visible form of a text; None if it is the text itself, as it mostly is."""
    if text.isascii() or _MASK.search(text) is None:
        return None
    parts: list[str] = []
    # Parallel lists of where each visible part begins, in the visible text and in the original.
    starts, origins = [0], [0]
    end = 0
    for hidden in _HIDDEN.finditer(text):
        parts.append(text[end : hidden.start()])
        starts.append(starts[-1] + hidden.start() - end)
        origins.append(end := hidden.end())
    return VisibleText(_MASK.sub(_unstyle, "".join([*parts, text[end:]])), starts, origins)


def _unstyle(styled: re.Match[str]) -> str:
    """One character for one, to preserve positions: what would become several is left unchanged."""
    normalized = unicodedata.normalize("NFKC", styled[0])
    return normalized if len(normalized) == 1 else styled[0]
