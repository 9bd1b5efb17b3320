"""What an erasure did and what a look afterwards found; it holds counts and places, never content."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.privacy.target import ErasureTarget


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """What there is about someone, counted."""

    target: ErasureTarget
    counts: Mapping[str, int]
    files: tuple[str, ...] = ()
    """Files and folders that go."""

    @property
    def empty(self) -> bool:
        return not any(self.counts.values()) and not self.files


@dataclass(frozen=True, slots=True)
class Check:
    """One place that was searched for what should be gone."""

    where: str
    found: int = 0

    @property
    def clean(self) -> bool:
        return not self.found


@dataclass(frozen=True, slots=True)
class Receipt:
    """The proof of an erasure."""

    target: ErasureTarget
    asked_by: str
    at: datetime
    seconds: float
    counts: Mapping[str, int]
    """How many of each sort are gone."""
    samples: int
    """Texts, of those that were erased, that were searched for."""
    probe: tuple[Check, ...]
    mentions: Mapping[str, int]
    """Where others speak of them, or said the same words: not theirs to erase."""
    notes: tuple[str, ...] = ()
    """What is out of reach."""

    @property
    def clean(self) -> bool:
        return all(check.clean for check in self.probe)


def from_survey(survey: ErasurePreview) -> dict[str, Any]:
    target = survey.target
    return {
        "user": target.user,
        "guild": target.guild,
        "counts": dict(survey.counts),
        "files": list(survey.files),
    }


def from_receipt(receipt: Receipt) -> dict[str, Any]:
    """A receipt as plain JSON values."""
    return {
        "user": receipt.target.user,
        "guild": receipt.target.guild,
        "asked_by": receipt.asked_by,
        "at": receipt.at.isoformat(),
        "seconds": round(receipt.seconds, 3),
        "clean": receipt.clean,
        "erased": dict(receipt.counts),
        "probe": {
            "texts": receipt.samples,
            "places": [{"where": check.where, "found": check.found} for check in receipt.probe],
        },
        "mentions": dict(receipt.mentions),
        "notes": list(receipt.notes),
    }


def to_receipt(value: Mapping[str, Any]) -> Receipt:
    """A receipt that was written as plain values."""
    return Receipt(
        target=ErasureTarget(value["user"], value["guild"]),
        asked_by=value["asked_by"],
        at=datetime.fromisoformat(value["at"]),
        seconds=value["seconds"],
        counts=value["erased"],
        samples=value["probe"]["texts"],
        probe=tuple(Check(place["where"], place["found"]) for place in value["probe"]["places"]),
        mentions=value["mentions"],
        notes=tuple(value["notes"]),
    )
