"""A user's facts and a session's summary as JSON: `durable/<user>.json` and `rolling/<session>.json`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from recollect.core.clock import to_ms
from recollect.core.types import Exchange, Memo, Origin, Provenance, Status, Summary, split_person
from recollect.policy.kinds import to_kind
from recollect.workspace.names import person_id, safe_id

VERSION = 1


_TYPES = {Origin.MANUAL: "manual", Origin.DISCORD: "discord"}


def durable_name(user: str) -> str:
    return f"{person_id(user)}.json"


def summary_name(session: str) -> str:
    return f"{safe_id(session)}.json"


def exchanges_name(guild: str) -> str:
    return f"{safe_id(guild)}.json"


def render_durable(memos: Sequence[Memo]) -> bytes | None:
    """All of a user's memos, oldest first; None when there are none."""
    items = sorted((memo for memo in memos if memo.status is not Status.DELETED), key=lambda memo: memo.id)
    items.sort(key=lambda memo: memo.created)
    if not items:
        return None
    updated = max(to_ms(memo.updated) for memo in items)
    return _encode({"version": VERSION, "updatedAt": updated, "items": [_item(memo) for memo in items]})


def render_summary(summary: Summary | None) -> bytes | None:
    return None if summary is None else _encode({"summary": summary.text, "updatedAt": to_ms(summary.updated)})


def render_exchanges(exchanges: Sequence[Exchange]) -> bytes | None:
    """A guild's short-term entries, oldest first; None when there are none."""
    entries = [_entry(exchange) for exchange in exchanges]
    return _encode({"version": VERSION, "entries": entries}) if entries else None


def _entry(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": exchange.id,
        "channelId": exchange.channel,
        "channelName": exchange.channel_name,
        "author": split_person(exchange.author)[1],
        "text": exchange.text,
        "at": to_ms(exchange.at),
        "expires": to_ms(exchange.expires),
    }


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
    fields = {
        "type": _TYPES.get(source.origin, "summary"),
        "channelId": source.thread or source.channel,
        "messageId": source.message,
        "guildId": source.guild,
        "channelName": source.channel_name,
    }
    return {name: value for name, value in fields.items() if value}


def _encode(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def read_entries(data: bytes) -> list[Mapping[str, Any]]:
    """The short-term entries in the content of a file, edited by hand or not; none where it is not understood."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    match value:
        case {"entries": list(entries)}:  # pyright: ignore[reportUnknownVariableType] - checked below
            return [cast("dict[str, Any]", entry) for entry in entries if isinstance(entry, dict)]  # pyright: ignore[reportUnknownVariableType] - checked here
        case _:
            return []
