"""Domain records as JSON objects; every key is always present."""

from typing import Any

from recollect.core.events import Event
from recollect.core.types import Memo, Message, Summary
from recollect.recall.query import Hit


def from_memo(memo: Memo) -> dict[str, Any]:
    source = memo.source
    return {
        "id": memo.id,
        "subject": memo.subject.id,
        "guild": memo.subject.guild,
        "kind": memo.kind,
        "text": memo.text,
        "tags": list(memo.tags),
        "status": memo.status,
        "pinned": memo.pinned,
        "confidence": memo.confidence,
        "audience": str(memo.audience),
        "source": {
            "origin": source.origin,
            "actor": source.actor,
            "platform": source.platform,
            "guild": source.guild,
            "channel": source.channel,
            "thread": source.thread,
            "message": source.message,
            "evidence": source.evidence,
        },
        "created": memo.created,
        "updated": memo.updated,
        "happened": memo.happened,
        "expires": memo.expires,
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "hits": memo.hits,
    }


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
    return {"score": hit.score, "parts": hit.parts, **item}


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
