"""A text as a reader sees it: signs that show nothing left out, wide and styled letters as plain ones.

A key with a zero-width space inside is no key to a pattern, but whoever cleans the text later puts it together again.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from recollect.policy.redaction.span import Span

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_STYLED = "\u2460-\u249b\u24b6-\u24ea\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f169"
_MASK = re.compile(f"[{_INVISIBLE}{_STYLED}]")
_NOTHING = re.compile(f"[{_INVISIBLE}]+")


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What a text shows, and where each part of that stands in the text."""

    text: str
    starts: list[int]
    """Where a part without gaps begins in what is shown,"""
    origins: list[int]
    """and where it begins in the text."""

    def placed(self, span: Span) -> Span:
        """The span in the text itself, with what is hidden inside of it."""
        return Span(self._origin(span.start), self._origin(span.end - 1) + 1, span.label)

    def _origin(self, place: int) -> int:
        part = bisect_right(self.starts, place) - 1
        return self.origins[part] + place - self.starts[part]


def visible_text(text: str) -> VisibleText | None:
    """What a text shows; None for the many that show what they hold."""
    if text.isascii() or _MASK.search(text) is None:
        return None
    parts: list[str] = []
    starts, origins = [0], [0]
    end = 0
    for hidden in _NOTHING.finditer(text):
        parts.append(text[end : hidden.start()])
        starts.append(starts[-1] + hidden.start() - end)
        origins.append(end := hidden.end())
    return VisibleText(_MASK.sub(_plain, "".join([*parts, text[end:]])), starts, origins)


def _plain(styled: re.Match[str]) -> str:
    """One character for one, so that places stay: what would become several is left as it is."""
    plain = unicodedata.normalize("NFKC", styled[0])
    return plain if len(plain) == 1 else styled[0]
