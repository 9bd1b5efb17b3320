"""What an import did, or would do: counts by type, and the reason for each skipped entry."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from recollect.core.ports.format import Problem

OutcomeStatus = Literal["new", "changed", "same", "left", "meant", "broken"]
MAX_LISTED = 1_000
"""Skipped entries that are listed one by one; of further ones only the number is reported."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    where: str
    sort: str
    status: OutcomeStatus
    why: str = ""
    redacted: bool = False


@dataclass(slots=True)
class Report:
    """`left` are entries that the rules kept out, `meant` those that have no place here and are left out on purpose,
    `broken` those that could not be read.
    """

    format: str
    dry_run: bool = False
    counts: dict[OutcomeStatus, Counter[str]] = field(default_factory=dict[OutcomeStatus, Counter[str]])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Where something stood that was left out, and why."""
    unwanted: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The same for what was left out on purpose."""
    notes: list[str] = field(default_factory=list[str])
    redacted: int = 0
    """Entries that held a secret."""

    def add(self, outcome: Outcome | Problem) -> None:
        if isinstance(outcome, Problem):
            outcome = Outcome(outcome.location, "entry", _category(outcome), outcome.reason)
        self.counts.setdefault(outcome.status, Counter())[outcome.sort] += 1
        self.redacted += outcome.redacted
        listed = self.unwanted if outcome.status == "meant" else self.skipped
        if outcome.why and len(listed) < MAX_LISTED:
            listed.append((outcome.where, outcome.why))

    def total(self, what: OutcomeStatus) -> int:
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
    def on_purpose(self) -> int:
        return self.total("meant")

    @property
    def ok(self) -> bool:
        """Whether all of it could be read."""
        return not self.total("broken")


def _category(problem: Problem) -> OutcomeStatus:
    if problem.is_broken:
        return "broken"
    return "left" if problem.needs_owner else "meant"


def from_report(report: Report) -> dict[str, Any]:
    """The report as plain JSON values."""
    counts = {what: dict(sorted(by_sort.items())) for what, by_sort in report.counts.items()}
    return {
        "ok": report.ok,
        "format": report.format,
        "dry_run": report.dry_run,
        "new": report.new,
        "changed": report.changed,
        "same": report.same,
        "left_out": report.left_out,
        "left_out_on_purpose": report.on_purpose,
        "redacted": report.redacted,
        "counts": counts,
        "skipped": [{"where": where, "why": why} for where, why in report.skipped],
        "unwanted": [{"where": where, "why": why} for where, why in report.unwanted],
        "notes": report.notes,
    }
