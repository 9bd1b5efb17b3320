"""Memories in the tool's answers: as short lines for a model, and as data for a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.core.events import Event
from recollect.core.types import Memo, Origin
from recollect.policy.kinds import to_category
from recollect.policy.visibility import VisibilityPolicy

_DONE = {
    "memo.added": "added",
    "memo.revised": "revised",
    "memo.retired": "retired",
    "memo.undone": "undone",
    "memo.dropped": "dropped",
}
_SAID = {
    Origin.MANUAL: "stated by",
    Origin.TOOL: "saved by an agent for",
    Origin.IMPORT: "brought in for",
}


_HEARD = {
    "dm": "in the user's direct messages only",
    "channel": "in the channel where it was said",
    "guild": "on the server where it was said",
    "everywhere": "wherever the user speaks",
}


def hearing(memo: Memo, policy: str) -> str:
    """Who will hear a memory, and who may change that; nothing where a person has one memory for all places."""
    if policy == VisibilityPolicy.USER_GLOBAL:
        return ""
    how = '"!memory private"' if memo.audience.level == "everywhere" else '"!memory share" or "recollect share"'
    return f"It may be recalled {_HEARD[memo.audience.level]}; the user can change that with {how}."


def line(memo: Memo) -> str:
    return f"- [{to_category(memo.kind)}] {memo.text} (id {memo.id}, {day(memo.created)})"


def data(memo: Memo, **more: Any) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "id": memo.id,
        "category": to_category(memo.kind),
        "content": memo.text,
        "keywords": list(memo.tags),
        "created": stamp(memo.created),
        "updated": stamp(memo.updated),
    }
    metadata = {"metadata": dict(memo.source.metadata)} if memo.source.metadata else {}
    return {**shape, **metadata, **more}


@dataclass(frozen=True, slots=True)
class Story:
    """A memory, what happened to it, and how much of that may be told."""

    memo: Memo
    events: Sequence[Event]
    """Newest first."""
    source: bool
    """Where it was said may be told, and in which words."""
    reasons: bool
    """Why it was changed may be told: that may come from where others did not hear it."""


def reasons(story: Story) -> str:
    """Why a memory is known: who said it, in which words, where and when, and what became of it."""
    memo = story.memo
    said = _SAID.get(memo.source.origin, "said by")
    lines = [
        f"[{to_category(memo.kind)}] {memo.text} (id {memo.id}, {memo.status})",
        f"{said} {memo.source.actor or 'somebody'} {_where(story)}, {day(memo.created)}",
    ]
    if story.source and memo.source.evidence:
        lines.append(f'in the words: "{memo.source.evidence}"')
    if memo.supersedes:
        lines.append(f"it took the place of {memo.supersedes}")
    if memo.superseded_by:
        lines.append(f"{memo.superseded_by} took its place")
    lines += [f"- {moment(event.at)} {_happened(event, story)}" for event in reversed(story.events)]
    return "\n".join(lines)


def reasons_data(story: Story) -> dict[str, Any]:
    memo = story.memo
    return {
        "said_by": memo.source.actor,
        "origin": memo.source.origin.value,
        "where": _where(story),
        "message": memo.source.message if story.source else None,
        "evidence": memo.source.evidence if story.source else None,
        "status": memo.status.value,
        "confidence": memo.confidence,
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "history": [_event_data(event, story) for event in reversed(story.events)],
    }


def _event_data(event: Event, story: Story) -> dict[str, Any]:
    before = event.data.get("before")
    earlier = {"content_before": before["text"]} if before else {}
    reason = event.reason if story.reasons else None
    return {"at": stamp(event.at), "what": _what(event), "by": event.actor, "reason": reason, **earlier}


def _happened(event: Event, story: Story) -> str:
    before = event.data.get("before")
    earlier = f', before: "{before["text"]}"' if before and before["text"] != story.memo.text else ""
    reason = f": {event.reason}" if story.reasons else ""
    return f"{_what(event)} by {event.actor or 'somebody'}{reason}{earlier}"


def _what(event: Event) -> str:
    return _DONE.get(event.kind, event.kind.removeprefix("memo."))


def _where(story: Story) -> str:
    """The place in which it was said, as far as it may be named."""
    source = story.memo.source
    if not story.source:
        return "elsewhere"
    if source.channel_name:
        return f"in #{source.channel_name}"
    channel = source.thread or source.channel
    return f"in channel {channel}" if source.guild and channel else "in direct messages"


def day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()


def moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
