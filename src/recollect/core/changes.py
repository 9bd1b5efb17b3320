"""A candidate for a memo, the changes that merging makes of it, and the record of a change."""

from dataclasses import dataclass
from datetime import datetime

from recollect.core.reasons import Reason, render_reason
from recollect.core.types import UNKNOWN_AUDIENCE, Audience, Kind, Memo, Provenance, Subject


@dataclass(frozen=True, slots=True)
class Candidate:
    """What someone states or an extractor proposes, before it is merged."""

    subject: Subject
    kind: Kind
    text: str
    at: datetime
    source: Provenance = Provenance()
    audience: Audience = UNKNOWN_AUDIENCE
    id: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    label: str | None = None
    happened: datetime | None = None
    expires: datetime | None = None
    supersedes: str | None = None
    pinned: bool = False
    power: Audience | None = None
    """It may change memos of this audience and of narrower ones; None stands for its own audience."""


class _Explained:
    """A change with a reason."""

    __slots__ = ()
    reason: Reason
    detail: str

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason, self.detail)


@dataclass(frozen=True, slots=True)
class Add(_Explained):
    memo: Memo
    reason: Reason = Reason.NEW
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Revise(_Explained):
    before: Memo
    after: Memo
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Retire(_Explained):
    before: Memo
    after: Memo
    reason: Reason
    detail: str = ""


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


@dataclass(frozen=True, slots=True)
class Step:
    """What a change did to one memo, as it is recorded; the steps of one batch are undone together."""

    id: int
    """The id of the event that logs it."""
    scope: str
    memo: str
    """Empty if its memo was erased."""
    batch: str | None
    """None if nobody decided it, so that undo ignores it."""
    at: datetime
    actor: str = ""
    before: Memo | None = None
    """None if there was none, or if it was redacted."""
    after: Memo | None = None
    """As its next step found it, or else as it is now; None if that is unknown, or if it was redacted."""
    reason: Reason | None = None
    detail: str = ""
    message: str | None = None
    """Reference of the message that caused it."""
    shared: bool = False
    """Whether the audience `everywhere` was chosen explicitly."""
    undoes: str | None = None
    """The batch that it reverts."""
    undone: bool = False
    """Whether it was reverted."""
    undoable: bool = True

    @property
    def is_addition(self) -> bool:
        """Whether the memo is new; its state before a redacted step is unknown."""
        return self.before is None and self.undoable
