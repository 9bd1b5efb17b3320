"""How far a copy came, as it is kept in the target."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.ports.archive import SECTIONS, Cursor, Record, fingerprint

_RING = 1 << 128


@dataclass(frozen=True, slots=True)
class Total:
    """How many records there are, and the sum of their fingerprints: the same in whatever order they are read."""

    count: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Total":
        return cls(len(records), sum(map(fingerprint, records)) % _RING)

    def __add__(self, other: "Total") -> "Total":
        return Total(self.count + other.count, (self.checksum + other.checksum) % _RING)

    def __sub__(self, other: "Total") -> "Total":
        return Total(self.count - other.count, (self.checksum - other.checksum) % _RING)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Whose copy it is, what the target holds of each section, and where reading goes on."""

    source: str
    totals: Mapping[str, Total] = field(default_factory=lambda: dict.fromkeys(SECTIONS, Total()))
    section: str | None = next(iter(SECTIONS))
    """The one that is being copied; None when all have been."""
    after: Cursor | None = None
    complete: bool = False
    """Both sides agreed at the end."""

    def adding(self, section: str, records: Sequence[Record]) -> "Bookmark":
        return replace(self, totals={**self.totals, section: self.totals[section] + Total.of(records)})

    def without(self, section: str, records: Sequence[Record]) -> "Bookmark":
        return replace(self, totals={**self.totals, section: self.totals[section] - Total.of(records)})

    def past(self, section: str, after: Cursor | None) -> "Bookmark":
        """Behind a page of this section: at its next one, or else at the next section."""
        names = list(SECTIONS)
        rest = names[names.index(section) + (after is None) :]
        return replace(self, section=rest[0] if rest else None, after=after)

    def __str__(self) -> str:
        totals = {name: (total.count, f"{total.checksum:x}") for name, total in self.totals.items()}
        rest = {"source": self.source, "section": self.section, "after": self.after, "complete": self.complete}
        return json.dumps({**rest, "totals": totals})

    @classmethod
    def parse(cls, text: str) -> "Bookmark":
        found: dict[str, Any] = json.loads(text)
        totals = {name: Total(count, int(checksum, 16)) for name, (count, checksum) in found["totals"].items()}
        after = None if found["after"] is None else tuple(found["after"])
        return cls(found["source"], totals, found["section"], after, found["complete"])
