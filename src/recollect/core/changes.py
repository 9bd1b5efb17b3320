"""A candidate for a memo, and the changes that merging makes of it."""

from dataclasses import dataclass
from datetime import datetime

from recollect.core.reasons import Reason, render_reason
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Provenance, Subject


@dataclass(frozen=True, slots=True)
class Candidate:
    """What someone states or an extractor proposes, before it is merged."""

    subject: Subject
    kind: Kind
    text: str
    at: datetime
    source: Provenance = Provenance()
    audience: Audience = EVERYWHERE
    id: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    label: str | None = None
    happened: datetime | None = None
    expires: datetime | None = None
    supersedes: str | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Add:
    memo: Memo
    reason: Reason = Reason.NEW
    detail: str = ""

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason, self.detail)


@dataclass(frozen=True, slots=True)
class Revise:
    before: Memo
    after: Memo
    reason: Reason
    detail: str = ""

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason, self.detail)


@dataclass(frozen=True, slots=True)
class Retire:
    before: Memo
    after: Memo
    reason: Reason
    detail: str = ""

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason, self.detail)


@dataclass(frozen=True, slots=True)
class Skip:
    candidate: Candidate
    reason: Reason
    memo: Memo | None = None

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason)


Change = Add | Revise | Retire | Skip
