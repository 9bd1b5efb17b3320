"""Rows of the event log: what an event is about, and its links."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.admin.log import LogEntry
from recollect.core.events import Event
from recollect.core.types import Memo, Subject, parse_message_ref
from recollect.faces.http.pages.format import describe_place, memo_url, memos_url, url

KINDS = {
    "Memories": ("memo.added", "memo.revised", "memo.retired", "memo.undone", "memo.dropped"),
    "Refused": ("memo.refused",),
    "Summaries": ("summary.saved", "summary.reset"),
    "Messages": ("message.edited", "message.deleted"),
    "Model calls": ("extract.call", "summary.call", "embedding.call"),
    "Reflection": ("consolidation.done", "consolidation.aborted"),
    "Trouble": (
        "extract.error",
        "extract.degraded",
        "summarize.error",
        "embedding.error",
        "consolidate.error",
        "daily_log.error",
        "job.failed",
        "job.dropped",
    ),
    "Consent": ("learning.paused", "learning.resumed", "learning.skipped", "member.left", "guild.left"),
    "Erased": ("memo.erased", "erasure.checked"),
}
"""Filters of the log: groups of event kinds."""


@dataclass(frozen=True, slots=True)
class Row:
    event: Event
    memo: Memo | None
    """As it is now."""
    about: "About | None"
    actor: str
    """Who did it, by name if known."""
    message: str | None
    """The link to the message that it comes from."""

    @property
    def link(self) -> str | None:
        return memo_url(self.memo.subject, self.memo.id) if self.memo else None

    @property
    def tone(self) -> str:
        """The CSS class that colors it."""
        kind = self.event.kind
        if kind.endswith((".error", ".degraded", ".failed", ".dropped", ".aborted")):
            return "bad"
        return "doubt" if kind == "memo.refused" else "good" if kind == "memo.added" else "plain"


@dataclass(frozen=True, slots=True)
class About:
    """Whom or what an event is about, with a link."""

    name: str
    id: str
    link: str


def rows(entries: Sequence[LogEntry]) -> list[Row]:
    return [Row(entry.event, entry.memo, _about(entry), entry.actor, _message(entry.event)) for entry in entries]


def _about(entry: LogEntry) -> About | None:
    scope = entry.event.scope
    if not scope:
        return None
    if scope.startswith(("user:", "lore:")):
        subject = Subject.of_scope(scope)
        owner = subject.guild or "" if subject.is_lore else subject.id
        return About("lore" if subject.is_lore else entry.person, owner, memos_url(subject))
    if entry.person or scope.startswith("session:") or ":" not in scope:
        return About(entry.person or scope, scope, "/jobs")
    return About(describe_place(entry.place) if entry.place else scope, scope, url("/session", name=scope))


def _message(event: Event) -> str | None:
    message_ref = event.data.get("message")
    if not isinstance(message_ref, str) or not message_ref:
        return None
    if "platform" in event.data:
        return url("/message", platform=event.data["platform"], id=message_ref)
    platform, message = parse_message_ref(message_ref)
    return url("/message", platform=platform, id=message)
