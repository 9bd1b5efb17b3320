"""Memories in the tool's answers: as short lines for a model, and as data for a program."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.kinds import to_category
from recollect.types import Event, Memo, Origin

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


def reasons(memo: Memo, events: Sequence[Event]) -> str:
    """Why a memory is known: who said it, in which words, where and when, and what became of it."""
    said = _SAID.get(memo.source.origin, "said by")
    lines = [
        f"[{to_category(memo.kind)}] {memo.text} (id {memo.id}, {memo.status})",
        f"{said} {memo.source.actor or 'somebody'} {where(memo)}, {day(memo.created)}",
    ]
    if memo.source.evidence:
        lines.append(f'in the words: "{memo.source.evidence}"')
    if memo.supersedes:
        lines.append(f"it took the place of {memo.supersedes}")
    if memo.superseded_by:
        lines.append(f"{memo.superseded_by} took its place")
    lines += [f"- {moment(event.at)} {_happened(event, memo)}" for event in reversed(events)]
    return "\n".join(lines)


def reasons_data(memo: Memo, events: Sequence[Event]) -> dict[str, Any]:
    return {
        "said_by": memo.source.actor,
        "origin": memo.source.origin.value,
        "where": where(memo),
        "message": memo.source.message,
        "evidence": memo.source.evidence,
        "status": memo.status.value,
        "confidence": memo.confidence,
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "history": [_event_data(event) for event in reversed(events)],
    }


def _event_data(event: Event) -> dict[str, Any]:
    before = event.data.get("before")
    earlier = {"content_before": before["text"]} if before else {}
    return {"at": stamp(event.at), "what": _what(event), "by": event.actor, "reason": event.reason, **earlier}


def _happened(event: Event, memo: Memo) -> str:
    before = event.data.get("before")
    earlier = f', before: "{before["text"]}"' if before and before["text"] != memo.text else ""
    return f"{_what(event)} by {event.actor or 'somebody'}: {event.reason}{earlier}"


def _what(event: Event) -> str:
    return _DONE.get(event.kind, event.kind.removeprefix("memo."))


def where(memo: Memo) -> str:
    """The place in which it was said."""
    source = memo.source
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
