"""Samples of erased texts to search for afterwards: distinctive pieces that look the same in rows and files."""

import heapq
import re
from collections.abc import Iterable

from recollect.core.text import clean, digest

MAX_SAMPLES = 16
"""How many samples are searched for."""
_MIN_BYTES, _MAX_CHARS = 10, 60
"""The size of a sample."""
_BREAKS = re.compile(r'["\\<>\x00-\x1f\x7f-\xa0\u2028\u2029]+|--+| {2,}')
_MIN_NAME_CHARS = 3


class Samples:
    """Collects the longest pieces of texts, and people's names, in bounded memory."""

    def __init__(self, limit: int = MAX_SAMPLES) -> None:
        self._limit = limit
        self._ranks: dict[str, tuple[int, str]] = {}
        self.names: set[str] = set()

    def add(self, texts: Iterable[str]) -> None:
        """Take a sample of each text, if it is long enough."""
        for text in texts:
            sample = longest_piece(text)
            if sample is not None:
                self._ranks[sample] = len(sample.encode()), digest(sample)
        if len(self._ranks) > 50 * self._limit:
            self._ranks = {sample: self._ranks[sample] for sample in self.chosen()}

    def name(self, *names: str | None) -> None:
        """Add a person's names, if they are long enough to be distinctive."""
        self.names |= {name for name in map(_searchable_name, names) if len(name) >= _MIN_NAME_CHARS}

    def all(self) -> list[str]:
        """Every sample that is still held."""
        return sorted(self._ranks)

    def chosen(self) -> list[str]:
        """The longest samples; the same texts give the same samples in the same order."""
        return heapq.nlargest(self._limit, self._ranks, key=self._ranks.__getitem__)


def longest_piece(text: str) -> str | None:
    """The longest part of a text that needs no escaping anywhere; None when it is too short to be distinctive."""
    parts = (part.strip() for part in _BREAKS.split(clean(text)))
    best = max(parts, key=len, default="")[:_MAX_CHARS].strip()
    return best if len(best.encode()) >= _MIN_BYTES else None


def _searchable_name(name: str | None) -> str:
    return "" if name is None or _BREAKS.search(name) else name.strip()
