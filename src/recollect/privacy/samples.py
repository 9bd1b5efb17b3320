"""Pieces of erased texts to search for afterwards: distinctive ones, as they would stand in rows and files alike."""

import heapq
import re
from collections.abc import Iterable

from recollect.core.text import clean, digest

MOST = 16
"""Texts that are searched for."""
_SHORTEST, _LONGEST = 10, 60
"""Bytes, and characters, of a piece."""
_BREAKS = re.compile(r'["\\<>\x00-\x1f\x7f-\xa0\u2028\u2029]+|--+| {2,}')
_SHORTEST_NAME = 3


class Samples:
    """Keeps the longest pieces of the texts it is shown, so many at the most."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: dict[str, tuple[int, str]] = {}
        self.names: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            found = piece(text)
            if found is not None:
                self._kept[found] = len(found.encode()), digest(found)
        if len(self._kept) > 50 * self._most:
            self._kept = {one: self._kept[one] for one in self.chosen()}

    def name(self, *names: str | None) -> None:
        """What someone is called, if that is enough to tell them by."""
        self.names |= {name for name in map(_plain, names) if len(name) >= _SHORTEST_NAME}

    def all(self) -> list[str]:
        """Every piece that is still kept."""
        return sorted(self._kept)

    def chosen(self) -> list[str]:
        """The best of them, in the same order for the same texts."""
        return heapq.nlargest(self._most, self._kept, key=self._kept.__getitem__)


def piece(text: str) -> str | None:
    """The longest part of a text that is written the same way everywhere; None when it is too short to tell by."""
    parts = (part.strip() for part in _BREAKS.split(clean(text)))
    best = max(parts, key=len, default="")[:_LONGEST].strip()
    return best if len(best.encode()) >= _SHORTEST else None


def _plain(name: str | None) -> str:
    return "" if name is None or _BREAKS.search(name) else name.strip()
