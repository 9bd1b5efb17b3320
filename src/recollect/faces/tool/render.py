"""Renders memories in the tool's answers: short lines for a model, data for a program."""

from datetime import UTC, datetime
from typing import Any

from recollect.core.events import Event
from recollect.core.outcomes import Explanation
from recollect.core.types import AudienceLevel, Memo, Origin, Status, bare_id
from recollect.faces.outcome_text import actor_name, describe_audience
from recollect.policy.kinds import to_category
from recollect.policy.rendering import render_end
from recollect.policy.visibility import VisibilityPolicy

_ORIGIN_LABELS = {
    Origin.MANUAL: "stated by",
    Origin.TOOL: "saved by an agent for",
    Origin.IMPORT: "brought in for",
}


_AUDIENCE_TEXTS = {
    "dm": "in the user's direct messages only",
    "channel": "in the channel where it was said",
    "guild": "on the server where it was said",
    "everywhere": "wherever the user speaks",
}


def audience_text(memo: Memo, policy: str) -> str:
    """Where a memory may be recalled, and how the user changes that; empty with the policy `user_global`."""
    if policy == VisibilityPolicy.USER_GLOBAL:
        return ""
    is_shared = memo.audience.level == AudienceLevel.EVERYWHERE
    commands = '"!memory private"' if is_shared else '"!memory share" or "recollect share"'
    where = describe_audience(memo.audience, _AUDIENCE_TEXTS)
    return f"It may be recalled {where}; the user can change that with {commands}."


def line(memo: Memo) -> str:
    return f"- [{to_category(memo.kind)}] {memo.text}{render_end(memo)} (id {memo.id}, {day(memo.created)})"


def data(memo: Memo, **extra: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": memo.id,
        "category": to_category(memo.kind),
        "content": memo.text,
        "keywords": list(memo.tags),
        "created": stamp(memo.created),
        "updated": stamp(memo.updated),
        "version": memo.version,
    }
    if memo.status is Status.SUPERSEDED:
        fields["until"] = stamp(memo.updated)
    metadata = {"metadata": dict(memo.source.metadata)} if memo.source.metadata else {}
    return {**fields, **metadata, **extra}


def reasons(explanation: Explanation) -> str:
    """Why a memory is known: who said it, in which words, where and when, and what happened to it."""
    memo = explanation.memo
    label = _ORIGIN_LABELS.get(memo.source.origin, "said by")
    lines = [
        f"[{to_category(memo.kind)}] {memo.text} (id {memo.id}, {memo.status})",
        f"{label} {_person(memo.source.actor, memo) or 'somebody'} {_describe_place(explanation)}, {day(memo.created)}",
    ]
    if explanation.is_source_visible and memo.source.evidence:
        lines.append(f'in the words: "{memo.source.evidence}"')
    if memo.supersedes:
        lines.append(f"it took the place of {memo.supersedes}")
    if memo.superseded_by:
        lines.append(f"{memo.superseded_by} took its place")
    lines += [f"- {minute(event.at)} {_describe_event(event, explanation)}" for event in reversed(explanation.events)]
    return "\n".join(lines)


def reasons_data(explanation: Explanation) -> dict[str, Any]:
    memo = explanation.memo
    return {
        "said_by": _person(memo.source.actor, memo),
        "origin": memo.source.origin.value,
        "where": _describe_place(explanation),
        "message": memo.source.message if explanation.is_source_visible else None,
        "evidence": memo.source.evidence if explanation.is_source_visible else None,
        "status": memo.status.value,
        "confidence": memo.confidence,
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "history": [_event_data(event, explanation) for event in reversed(explanation.events)],
    }


def _event_data(event: Event, explanation: Explanation) -> dict[str, Any]:
    before = event.data.get("before")
    previous = {"content_before": before["text"]} if before else {}
    reason = event.text if explanation.are_reasons_visible else None
    return {
        "at": stamp(event.at),
        "what": event.verb,
        "by": _person(event.actor, explanation.memo),
        "reason": reason,
        **previous,
    }


def _describe_event(event: Event, explanation: Explanation) -> str:
    before = event.data.get("before")
    previous = f', before: "{before["text"]}"' if before and before["text"] != explanation.memo.text else ""
    reason = f": {event.text}" if explanation.are_reasons_visible else ""
    actor = _person(actor_name(event.actor), explanation.memo)
    return f"{event.verb} by {actor or 'somebody'}{reason}{previous}"


def _person(actor: str, memo: Memo) -> str:
    """Their id on the platform where it was said: the model that reads it talks to people of that platform."""
    return bare_id(memo.source.platform, actor)


def _describe_place(explanation: Explanation) -> str:
    """The place where it was said, as far as it is visible."""
    source = explanation.memo.source
    if not explanation.is_source_visible:
        return "elsewhere"
    if source.channel_name:
        return f"in #{source.channel_name}"
    channel = source.thread or source.channel
    return f"in channel {channel}" if source.guild and channel else "in direct messages"


def day(time: datetime) -> str:
    return time.astimezone(UTC).date().isoformat()


def minute(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"


def stamp(time: datetime) -> str:
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")
