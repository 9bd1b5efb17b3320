"""Records to rows and back, where both stores use the same form."""

import json
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any

from recollect.core.clock import from_ms, to_ms
from recollect.core.text import clean, digest, normalize
from recollect.core.types import Audience, Kind, Memo, Message, Origin, Place, Provenance, Status
from recollect.stores._sql.database import Row

KINDS = {kind.value: kind for kind in Kind}
STATUSES = {status.value: status for status in Status}
ORIGINS = {origin.value: origin for origin in Origin}

_PLACE_DEFAULTS: dict[str, Any] = {**asdict(Place()), "platform": None}  # the platform is always written
encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


@lru_cache(maxsize=64)  # a text is looked up, and then written
def content_of(text: str) -> int:
    """A 63-bit fingerprint of the normal text."""
    return int(digest(normalize(text))[:16], 16) >> 1


def optional_ms(time: datetime | None) -> int | None:
    return None if time is None else to_ms(time)


def optional_time(ms: int | None) -> datetime | None:
    return None if ms is None else from_ms(ms)


@lru_cache(maxsize=4096)
def read_audience(text: str) -> Audience:
    return Audience.parse(text)


def indexed_text(memo: Memo) -> str:
    """The text of a memo in the word index."""
    return f"{memo.text} {' '.join(memo.tags)}" if memo.tags else memo.text


def source_fields(source: Provenance) -> dict[str, Any]:
    """Where a memo comes from, except for guild and channel."""
    return {
        "origin": source.origin.value,
        "actor": source.actor,
        "platform": source.platform,
        "channel_name": source.channel_name,
        "thread": source.thread,
        "message": source.message,
        "evidence": source.evidence,
        "trace": source.trace,
        "metadata": source.metadata,
        "heard": None if source.heard is None else str(source.heard),
    }


@lru_cache(maxsize=4096)
def place_json(place: Place) -> str:
    """A place as it is stored; cached, as the same few recur and encoding is slow."""
    return clean(encode({name: value for name, value in asdict(place).items() if value != _PLACE_DEFAULTS[name]}))


@lru_cache(maxsize=4096)
def read_place(detail: str) -> Place:
    return Place(**json.loads(detail))


def read_message(row: Row) -> Message:
    """From key, id, author, name, text, at, bot, source, reply_to and the place."""
    _, message_id, author, name, text, at, bot, source, reply_to, detail = row
    return Message(message_id, author, read_place(detail), text, from_ms(at), name, bool(bot), source, reply_to)
