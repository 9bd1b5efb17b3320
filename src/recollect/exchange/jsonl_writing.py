"""Writes recollect's own plain format, a record a line; the same record gives the same bytes."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from recollect import plain
from recollect.exchange.jsonl import NAME, VERSION
from recollect.types import EVERYWHERE, LORE, Memo, Message, Place, Summary, Tombstone

Canonical = Memo | Summary | Message | Tombstone
"""What can't be derived from anything else."""


def header() -> bytes:
    return _line({"format": NAME, "version": VERSION})


def line(what: Canonical, *, shared: bool = False) -> bytes:
    """One record; `shared` says that what is for everywhere became so by its owner's decision, not by default."""
    match what:
        case Memo():
            return _line(_from_memo(what, shared))
        case Summary():
            return _line(_from_summary(what))
        case Message():
            return _line(_from_message(what))
        case Tombstone():
            at = what.at.isoformat()
            return _line({"type": "tombstone", "scope": what.scope, "fingerprint": what.fingerprint, "at": at})


def _line(value: Mapping[str, Any]) -> bytes:
    kept = {name: item for name, item in value.items() if item is not None}
    return (json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")


def _from_memo(memo: Memo, shared: bool) -> dict[str, Any]:
    value = plain.from_memo(memo) | ({"shared": True} if shared and memo.audience == EVERYWHERE else {})
    subject, guild = value.pop("subject"), value.pop("subject_guild", None)
    whose = {"type": "lore", "guild": guild} if subject == LORE else {"type": "memo", "user": subject}
    return whose | value


def _from_summary(summary: Summary) -> dict[str, Any]:
    return {
        "type": "summary",
        "session": summary.session,
        "sequence": summary.sequence,
        "updated": summary.updated.isoformat(),
        "through": None if summary.through is None else summary.through.isoformat(),
        "text": summary.text,
    }


def _from_message(message: Message) -> dict[str, Any]:
    place = message.place
    where = {one.name: getattr(place, one.name) for one in fields(Place)}
    return {
        "type": "message",
        "id": message.id,
        "author": message.author,
        "name": message.name or None,
        "at": message.at.isoformat(),
        "place": {name: value for name, value in where.items() if value not in (None, False)},
        "text": message.text,
        "bot": message.bot or None,
        "source": message.source,
        "reply_to": message.reply_to,
    }
