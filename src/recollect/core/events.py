"""The event log's record, and the kinds of events."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.core.reasons import Reason, render_reason
from recollect.core.types import Metadata


class EventKind(StrEnum):
    """What happened. The values are stored: never change one that was released."""

    MEMO_ADDED = "memo.added"
    MEMO_REVISED = "memo.revised"
    MEMO_RETIRED = "memo.retired"
    MEMO_UNDONE = "memo.undone"
    MEMO_REDONE = "memo.redone"
    MEMO_DROPPED = "memo.dropped"
    """Deleted because its subject had too many."""
    MEMO_REFUSED = "memo.refused"
    MEMO_ERASED = "memo.erased"
    MEMORY_IMPORTED = "memory.imported"
    MEMORY_NARROWED = "memory.narrowed"
    MEMORY_SPLIT = "memory.split"
    SUMMARY_SAVED = "summary.saved"
    SUMMARY_RESET = "summary.reset"
    SUMMARY_CALL = "summary.call"
    MESSAGE_EDITED = "message.edited"
    MESSAGE_DELETED = "message.deleted"
    EXTRACT_CALL = "extract.call"
    EXTRACT_DEGRADED = "extract.degraded"
    """Less was learned than possible: the model's answers were not usable."""
    EXTRACT_ERROR = "extract.error"
    SUMMARIZE_ERROR = "summarize.error"
    CONSOLIDATE_ERROR = "consolidate.error"
    DAILY_LOG_ERROR = "daily_log.error"
    ERASE_ERROR = "erase.error"
    JOB_ERROR = "job.error"
    """For a job whose kind is not one of ours."""
    JOB_FAILED = "job.failed"
    JOB_DROPPED = "job.dropped"
    EMBEDDING_CALL = "embedding.call"
    EMBEDDING_ERROR = "embedding.error"
    CONSOLIDATION_DONE = "consolidation.done"
    CONSOLIDATION_ABORTED = "consolidation.aborted"
    RELEARN_STARTED = "relearn.started"
    RELEARN_DONE = "relearn.done"
    """Some of its messages were purged."""
    RELEARN_ERROR = "relearn.error"
    LEARNING_PAUSED = "learning.paused"
    LEARNING_RESUMED = "learning.resumed"
    LEARNING_SKIPPED = "learning.skipped"
    MEMBER_LEFT = "member.left"
    GUILD_LEFT = "guild.left"
    GUILD_CHANGED = "guild.changed"
    """Someone who manages a guild changed one of its settings, or what is remembered there."""
    ERASURE_PLANNED = "erasure.planned"
    ERASURE_CALLED_OFF = "erasure.called_off"
    ERASURE_CHECKED = "erasure.checked"


_BY_VALUE = {kind.value: kind for kind in EventKind}


def parse_kind(stored: str) -> EventKind | str:
    """A stored kind; one that another edition or a plug-in wrote stays as it is."""
    return _BY_VALUE.get(stored, stored)


def error_kind(job_kind: str) -> EventKind:
    """The kind of an error in a job of this kind."""
    return _BY_VALUE.get(f"{job_kind}.error", EventKind.JOB_ERROR)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the append-only log: what changed, by whom, why."""

    kind: EventKind | str
    """A `str` only if it is none of ours: see `parse_kind`."""
    at: datetime
    actor: str = ""
    scope: str = ""
    memo: str | None = None
    reason: Reason | None = None
    data: Metadata = field(default_factory=dict[str, Any])
    id: int = 0
    detail: str = ""
    """Completes the reason, such as with an audience; or free text, such as an error message. For people only."""

    def __repr__(self) -> str:
        """Without `data`, which holds whole memos before and after the change."""
        at = self.at.isoformat(timespec="seconds")
        return f"Event({str(self.kind)!r}, memo={self.memo!r}, reason={self.text!r}, at={at!r}, id={self.id})"

    @property
    def text(self) -> str:
        """Why it happened, in words; empty when the kind says it all."""
        return render_reason(self.reason, self.detail)

    @property
    def verb(self) -> str:
        """The last part of the kind: `added` of `memo.added`."""
        return self.kind.rpartition(".")[2]
