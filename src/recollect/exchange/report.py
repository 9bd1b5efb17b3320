"""What an import did, or would do: counted by sort, and what was left out with its reason."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from recollect.exchange.base import Problem

What = Literal["new", "changed", "same", "left", "broken"]
MOST_TOLD = 1_000
"""Entries that were left out of which each is told; of more only how many there were."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    where: str
    sort: str
    what: What
    why: str = ""
    redacted: bool = False


@dataclass(slots=True)
class Report:
    """`left` are entries that the rules kept out, `broken` those that could not be read."""

    format: str
    dry_run: bool = False
    counts: dict[What, Counter[str]] = field(default_factory=dict[What, Counter[str]])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Where something stood that was left out, and why."""
    notes: list[str] = field(default_factory=list[str])
    redacted: int = 0
    """Entries that held a secret."""

    def add(self, outcome: Outcome | Problem) -> None:
        if isinstance(outcome, Problem):
            outcome = Outcome(outcome.where, "entry", "broken" if outcome.broken else "left", outcome.why)
        self.counts.setdefault(outcome.what, Counter())[outcome.sort] += 1
        self.redacted += outcome.redacted
        if outcome.why and len(self.skipped) < MOST_TOLD:
            self.skipped.append((outcome.where, outcome.why))

    def total(self, what: What) -> int:
        return self.counts.get(what, Counter()).total()

    @property
    def new(self) -> int:
        return self.total("new")

    @property
    def changed(self) -> int:
        return self.total("changed")

    @property
    def same(self) -> int:
        return self.total("same")

    @property
    def left_out(self) -> int:
        return self.total("left") + self.total("broken")

    @property
    def ok(self) -> bool:
        """Whether all of it could be read."""
        return not self.total("broken")


def from_report(report: Report) -> dict[str, Any]:
    """The report as plain JSON values."""
    counts = {what: dict(sorted(found.items())) for what, found in report.counts.items()}
    return {
        "ok": report.ok,
        "format": report.format,
        "dry_run": report.dry_run,
        "new": report.new,
        "changed": report.changed,
        "same": report.same,
        "left_out": report.left_out,
        "redacted": report.redacted,
        "counts": counts,
        "skipped": [{"where": where, "why": why} for where, why in report.skipped],
        "notes": report.notes,
    }
