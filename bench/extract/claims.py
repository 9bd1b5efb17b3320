"""Pairs of a fact and the message it is said to come from, as an eager model makes them: which does the guard let pass?

Half of the facts hold, told again as good models tell them; half do not: another's, stronger, added to, turned round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.extract.corpus import SAID
from recollect.core.ports import Proposal
from recollect.core.types import Message, Place
from recollect.policy.guard.verdicts import Refused, check

CLAIMS = Path(__file__).with_name("claims.yaml")


@dataclass(frozen=True, slots=True)
class Claim:
    part: str
    category: str
    holds: bool
    text: str
    fact: str
    quote: str
    by: str


@dataclass(frozen=True, slots=True)
class Verdict:
    claim: Claim
    reason: str | None
    """Why it was refused; None when it passed."""

    @property
    def is_right(self) -> bool:
        return self.claim.holds is (self.reason is None)


def load_claims(path: Path = CLAIMS) -> list[Claim]:
    read: Mapping[str, list[Mapping[str, Any]]] = yaml.safe_load(path.read_text("utf-8"))
    return [_claim(part, entry) for part, entries in read.items() for entry in entries]


def _claim(part: str, entry: Mapping[str, Any]) -> Claim:
    text: str = entry["text"]
    quote, by = entry.get("quote", text), entry.get("by", "Ann")
    return Claim(part, entry["category"], entry["holds"], text, entry["fact"], quote, by)


def judge(claim: Claim) -> Verdict:
    """What the guard says when a model proposes it."""
    said = Message("m", claim.by.casefold(), Place(guild="g", channel="c"), claim.text, SAID, claim.by)
    found = check(Proposal(claim.fact, "fact", claim.quote, "m"), [said], [])
    return Verdict(claim, found.reason if isinstance(found, Refused) else None)


def passed(verdicts: Sequence[Verdict], *, holds: bool) -> tuple[int, int]:
    """How many of the facts that hold, or do not, passed, and how many there are."""
    meant = [one for one in verdicts if one.claim.holds is holds]
    return sum(one.reason is None for one in meant), len(meant)


def share(verdicts: Sequence[Verdict], *, holds: bool) -> float:
    count, size = passed(verdicts, holds=holds)
    return count / size if size else 0.0
