"""A user's facts and a session's summary as JSON: `durable/<user>.json` and `rolling/<session>.json`, version 1.

The same memory gives the same bytes.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.clock import to_ms
from recollect.kinds import to_kind
from recollect.types import Memo, Origin, Provenance, Status, Summary
from recollect.workspace.names import safe_id

VERSION = 1
_TYPES = {Origin.MANUAL: "manual", Origin.DISCORD: "discord"}


def durable_name(user: str) -> str:
    return f"{safe_id(user)}.json"


def summary_name(session: str) -> str:
    return f"{safe_id(session)}.json"


def render_durable(memos: Sequence[Memo]) -> bytes | None:
    """All of a user's memos, oldest first; None when there are none."""
    kept = sorted((memo for memo in memos if memo.status is not Status.DELETED), key=lambda memo: memo.id)
    kept.sort(key=lambda memo: memo.created)
    if not kept:
        return None
    updated = max(to_ms(memo.updated) for memo in kept)
    return _encoded({"version": VERSION, "updatedAt": updated, "items": [_item(memo) for memo in kept]})


def render_summary(summary: Summary | None) -> bytes | None:
    return None if summary is None else _encoded({"summary": summary.text, "updatedAt": to_ms(summary.updated)})


def _item(memo: Memo) -> dict[str, Any]:
    return {
        "id": memo.id,
        "kind": to_kind(memo.kind),
        "text": memo.text,
        "tags": [tag.lower() for tag in memo.tags],
        "status": "active" if memo.active else "deprecated",
        "source": _source(memo.source),
        "createdAt": to_ms(memo.created),
        "updatedAt": to_ms(memo.updated),
    }


def _source(source: Provenance) -> dict[str, str]:
    """Where it came from, without what is not known; a thread is the channel that was spoken in."""
    found = {
        "type": _TYPES.get(source.origin, "summary"),
        "channelId": source.thread or source.channel,
        "messageId": source.message,
        "guildId": source.guild,
        "channelName": source.channel_name,
    }
    return {name: value for name, value in found.items() if value}


def _encoded(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
