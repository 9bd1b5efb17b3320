"""A user's facts and a session's summary as JSON: `durable/<user>.json` and `rolling/<session>.json`.

Reading is strict: what is not understood is left alone and said in the log. Their bytes are made in `workspace`.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from recollect.core.clock import to_ms
from recollect.core.types import Exchange, Memo, Origin, Provenance, Status, Summary, split_person
from recollect.policy.kinds import to_kind
from recollect.transfer.mirror import disk
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


log = logging.getLogger("recollect.mirror")


@dataclass(frozen=True, slots=True)
class DurableFile:
    """A user's facts as they stand in a file; `items` are in the words of the file."""

    updated: int
    items: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class SummaryFile:
    summary: str
    updated: int
    """Milliseconds since 1970."""


def read_durable(path: Path) -> DurableFile | None:
    """The facts in a file; None when there is none, or it is not one of ours of a version that we know."""
    value = _read(path)
    if value is None:
        return None
    if value.get("version") != VERSION:
        log.warning(
            "%s has the version %r, this program knows %d; it is left alone", path, value.get("version"), VERSION
        )
        return None
    match value:
        case {"updatedAt": int(updated), "items": list(items)} if all(map(_is_item, items)):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - checked here
            return DurableFile(updated, tuple(items))  # pyright: ignore[reportUnknownArgumentType] - checked above
        case _:
            log.warning("%s does not hold facts as they should be; it is left alone", path)
            return None


def read_summary(path: Path) -> SummaryFile | None:
    """The summary in a file; None when there is none, or it is malformed."""
    match _read(path):
        case {"summary": str(summary), "updatedAt": int(updated)}:
            return SummaryFile(summary, updated)
        case None:
            return None
        case _:
            log.warning("%s does not hold a summary; it is left alone", path)
            return None


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


def _is_item(value: object) -> bool:
    match value:
        case {"id": str(), "kind": str(), "text": str(), "status": "active" | "deprecated"}:
            return True
        case _:
            return False


def _read(path: Path) -> dict[str, Any] | None:
    """What a JSON file says; an empty one for anything but an object, None when there is nothing to read."""
    try:
        data = disk.read(path)
        value = None if data is None else json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        log.warning("can't read %s: %s", path, error.strerror)
        return None
    except (ValueError, RecursionError) as error:
        log.warning("%s is not JSON and is left alone: %s", path, error)
        return None
    if data is None:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
