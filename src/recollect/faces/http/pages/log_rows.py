"""Lines of the log as a page shows them: what an event was about, and where it leads."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.admin.names import Names
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.text import unescape
from recollect.core.types import Memo, Subject, parse_message_ref
from recollect.faces.http.pages.format import memo_url, memos_url, place, url
from recollect.faces.http.pages.places import parsed, resolved

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
"""Groups of kinds by which the log is filtered."""


@dataclass(frozen=True, slots=True)
class Row:
    event: Event
    memo: Memo | None
    """As it is now."""
    whose: "About | None"
    actor: str
    """Who did it, by name if that is known."""
    message: str | None
    """Where the message is shown that it rests on."""

    @property
    def link(self) -> str | None:
        return memo_url(self.memo.subject, self.memo.id) if self.memo else None

    @property
    def sort(self) -> str:
        """How it is coloured."""
        kind = self.event.kind
        if kind.endswith((".error", ".degraded", ".failed", ".dropped", ".aborted")):
            return "bad"
        return "doubt" if kind == "memo.refused" else "good" if kind == "memo.added" else "plain"


@dataclass(frozen=True, slots=True)
class About:
    """Whom or what an event is about, and where that is shown."""

    name: str
    id: str
    link: str


def rows(tx: Tx, events: Sequence[Event]) -> list[Row]:
    names = Names(tx)
    return [
        Row(event, _memo(tx, event), _about(tx, event.scope, names), names(event.actor) or event.actor, _message(event))
        for event in events
    ]


def _memo(tx: Tx, event: Event) -> Memo | None:
    if event.memo is None or not event.scope.startswith(("user:", "lore:")):
        return None
    return tx.memos.get(Subject.of_scope(event.scope), event.memo)


def _about(tx: Tx, scope: str, names: Names) -> About | None:
    if not scope:
        return None
    if scope.startswith(("user:", "lore:")):
        subject = Subject.of_scope(scope)
        found = subject.guild or "" if subject.is_lore else subject.id
        return About("lore" if subject.is_lore else names(found) or found, found, memos_url(subject))
    if scope.startswith(("learn:", "consolidate:")):
        who = unescape(scope.rpartition(":")[2], ":")
        return About(names(who) or who, scope, "/jobs")
    if scope.startswith("session:") or ":" not in scope:
        return About(scope, scope, "/jobs")
    where = parsed(scope)
    return About(place(resolved(tx, where)) if where else scope, scope, url("/session", name=scope))


def _message(event: Event) -> str | None:
    said = event.data.get("message")
    if not isinstance(said, str) or not said:
        return None
    if "platform" in event.data:
        return url("/message", platform=event.data["platform"], id=said)
    platform, message = parse_message_ref(said)
    return url("/message", platform=platform, id=message)
