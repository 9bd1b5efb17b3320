"""Reports of erasures: previews, what was removed, and what the probe found. They contain counts, never content."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.privacy.target import ErasureTarget


@dataclass(frozen=True, slots=True)
class ErasurePreview:
    """What an erasure would remove, counted."""

    target: ErasureTarget
    counts: Mapping[str, int]
    files: tuple[str, ...] = ()
    """Files and folders that would be removed."""

    @property
    def empty(self) -> bool:
        return not any(self.counts.values()) and not self.files


@dataclass(frozen=True, slots=True)
class Check:
    """One place that was searched for traces, and how many were found."""

    place: str
    count: int = 0

    @property
    def clean(self) -> bool:
        return not self.count


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an erasure, with the probe's checks as proof."""

    target: ErasureTarget
    asked_by: str
    at: datetime
    seconds: float
    counts: Mapping[str, int]
    """How many rows of each kind were erased."""
    samples: int
    """How many erased texts were searched for."""
    probe: tuple[Check, ...]
    mentions: Mapping[str, int]
    """Where other people mention the target or said the same words: not the target's to erase."""
    notes: tuple[str, ...] = ()
    """What an erasure can't reach."""

    @property
    def clean(self) -> bool:
        return all(check.clean for check in self.probe)


def preview_to_json(preview: ErasurePreview) -> dict[str, Any]:
    """A preview as JSON values."""
    target = preview.target
    return {
        "user": target.user,
        "guild": target.guild,
        "counts": dict(preview.counts),
        "files": list(preview.files),
    }


def receipt_to_json(receipt: Receipt) -> dict[str, Any]:
    """A receipt as JSON values."""
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
            "places": [{"where": check.place, "found": check.count} for check in receipt.probe],
        },
        "mentions": dict(receipt.mentions),
        "notes": list(receipt.notes),
    }


def receipt_from_json(value: Mapping[str, Any]) -> Receipt:
    """A receipt from JSON values."""
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
