"""Rows of the event log: what an event is about, and its links."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.admin.log import LogEntry
from recollect.core.events import Event, EventKind
from recollect.core.events import EventKind as K
from recollect.core.types import Memo, Subject, parse_message_ref
from recollect.faces.http.pages.format import NO_NAMES, GuildNames, describe_place, memo_url, memos_url, url


class Group(StrEnum):
    """A filter of the log."""

    MEMORIES = "Memories"
    REFUSED = "Refused"
    SUMMARIES = "Summaries"
    MESSAGES = "Messages"
    CALLS = "Model calls"
    CONSOLIDATION = "Tidying"
    TROUBLE = "Trouble"
    CONSENT = "Consent"
    ERASED = "Erased"


def _group(kind: EventKind) -> Group:
    """The group of a kind; the type checker insists that each has one."""
    match kind:
        case K.MEMO_ADDED | K.MEMO_REVISED | K.MEMO_RETIRED | K.MEMO_UNDONE | K.MEMO_REDONE | K.MEMO_DROPPED:
            return Group.MEMORIES
        case K.MEMORY_IMPORTED | K.MEMORY_NARROWED | K.MEMORY_SPLIT:
            return Group.MEMORIES
        case K.MEMO_REFUSED:
            return Group.REFUSED
        case K.SUMMARY_SAVED | K.SUMMARY_RESET:
            return Group.SUMMARIES
        case K.MESSAGE_EDITED | K.MESSAGE_DELETED:
            return Group.MESSAGES
        case K.EXTRACT_CALL | K.SUMMARY_CALL | K.EMBEDDING_CALL:
            return Group.CALLS
        case K.CONSOLIDATION_DONE | K.CONSOLIDATION_ABORTED:
            return Group.CONSOLIDATION
        case K.RELEARN_STARTED | K.RELEARN_DONE:
            return Group.CALLS
        case K.RELEARN_ERROR:
            return Group.TROUBLE
        case K.EXTRACT_ERROR | K.EXTRACT_DEGRADED | K.SUMMARIZE_ERROR | K.CONSOLIDATE_ERROR | K.DAILY_LOG_ERROR:
            return Group.TROUBLE
        case K.ERASE_ERROR | K.EMBEDDING_ERROR | K.JOB_ERROR | K.JOB_FAILED | K.JOB_DROPPED:
            return Group.TROUBLE
        case (
            K.LEARNING_PAUSED | K.LEARNING_RESUMED | K.LEARNING_SKIPPED | K.MEMBER_LEFT | K.GUILD_LEFT | K.GUILD_CHANGED
        ):
            return Group.CONSENT
        case K.MEMO_ERASED | K.ERASURE_PLANNED | K.ERASURE_CALLED_OFF | K.ERASURE_CHECKED:
            return Group.ERASED


KINDS = {group.value: tuple(kind for kind in EventKind if _group(kind) is group) for group in Group}
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
        return "doubt" if kind == EventKind.MEMO_REFUSED else "good" if kind == EventKind.MEMO_ADDED else "plain"


@dataclass(frozen=True, slots=True)
class About:
    """Whom or what an event is about, with a link."""

    name: str
    id: str
    link: str


def rows(entries: Sequence[LogEntry], guilds: GuildNames = NO_NAMES) -> list[Row]:
    return [
        Row(entry.event, entry.memo, _about(entry, guilds), entry.actor, _message(entry.event)) for entry in entries
    ]


def _about(entry: LogEntry, guilds: GuildNames) -> About | None:
    scope = entry.event.scope
    if not scope:
        return None
    if scope.startswith(("user:", "lore:")):
        subject = Subject.of_scope(scope)
        owner = subject.guild or "" if subject.is_lore else subject.id
        return About("lore" if subject.is_lore else entry.person, owner, memos_url(subject))
    if entry.person or ":" not in scope:
        return About(entry.person or scope, scope, "/jobs")
    if entry.place is None:
        return About(scope, scope, url("/session", name=scope))
    return About(describe_place(entry.place, guilds), scope, url("/session", name=entry.place.session))


def _message(event: Event) -> str | None:
    message_ref = event.data.get("message")
    if not isinstance(message_ref, str) or not message_ref:
        return None
    if "platform" in event.data:
        return url("/message", platform=event.data["platform"], id=message_ref)
    platform, message = parse_message_ref(message_ref)
    return url("/message", platform=platform, id=message)
