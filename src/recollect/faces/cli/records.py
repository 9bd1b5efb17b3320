"""Records as JSON objects whose keys are always the same."""

from typing import Any

from recollect.core.events import Event
from recollect.core.types import Memo, Message, Summary
from recollect.recall.query import Hit


def memo(one: Memo) -> dict[str, Any]:
    source = one.source
    return {
        "id": one.id,
        "subject": one.subject.id,
        "guild": one.subject.guild,
        "kind": one.kind,
        "text": one.text,
        "tags": list(one.tags),
        "status": one.status,
        "pinned": one.pinned,
        "confidence": one.confidence,
        "audience": str(one.audience),
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
        "created": one.created,
        "updated": one.updated,
        "happened": one.happened,
        "expires": one.expires,
        "supersedes": one.supersedes,
        "superseded_by": one.superseded_by,
        "hits": one.hits,
    }


def message(one: Message) -> dict[str, Any]:
    return {
        "id": one.id,
        "author": one.author,
        "name": one.name,
        "session": one.place.session,
        "guild": one.place.guild,
        "channel": one.place.channel,
        "text": one.text,
        "at": one.at,
        "source": one.source,
    }


def found(one: Hit) -> dict[str, Any]:
    what = {"message": message(one.item)} if isinstance(one.item, Message) else {"memo": memo(one.item)}
    return {"score": one.score, "parts": one.parts, **what}


def event(one: Event) -> dict[str, Any]:
    """Without its data, which holds earlier texts: those are for their owner's eyes, in `history`."""
    return {
        "id": one.id,
        "at": one.at,
        "kind": one.kind,
        "actor": one.actor,
        "scope": one.scope,
        "memo": one.memo,
        "reason": one.reason,
    }


def summary(one: Summary | None) -> dict[str, Any] | None:
    return one and {"session": one.session, "text": one.text, "sequence": one.sequence, "updated": one.updated}
