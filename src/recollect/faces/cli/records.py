"""Domain records as JSON objects; every key is always present."""

from typing import Any

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.types import Memo, Message, Summary
from recollect.recall.query import Hit

_MEMO = (
    *("id", "subject", "guild", "kind", "text", "tags", "status", "pinned", "confidence", "audience", "source"),
    *("created", "updated", "happened", "expires", "supersedes", "superseded_by", "hits", "version"),
)
_SOURCE = ("origin", "actor", "platform", "guild", "channel", "thread", "message", "evidence")


def from_memo(memo: Memo) -> dict[str, Any]:
    fields = serialization.memo_fields(memo)
    fields["guild"], fields["source"] = fields["subject_guild"], {name: fields["source"][name] for name in _SOURCE}
    return {name: fields[name] for name in _MEMO}


def from_message(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "author": message.author,
        "name": message.name,
        "session": message.place.session,
        "guild": message.place.guild,
        "channel": message.place.channel,
        "text": message.text,
        "at": message.at,
        "source": message.source,
    }


def from_hit(hit: Hit) -> dict[str, Any]:
    item = {"message": from_message(hit.item)} if isinstance(hit.item, Message) else {"memo": from_memo(hit.item)}
    return {"score": hit.score, "relevant": hit.relevant, "parts": hit.parts, **item}


def from_event(event: Event) -> dict[str, Any]:
    """Without its data, which holds earlier texts: those are for their owner's eyes, in `history`."""
    return {
        "id": event.id,
        "at": event.at,
        "kind": event.kind,
        "actor": event.actor,
        "scope": event.scope,
        "memo": event.memo,
        "reason": event.text,
    }


def from_summary(summary: Summary | None) -> dict[str, Any] | None:
    return summary and {
        "session": summary.session,
        "text": summary.text,
        "sequence": summary.sequence,
        "updated": summary.updated,
    }
