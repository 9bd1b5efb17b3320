"""Everything about a person or a guild as one document; the same store gives the same bytes."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Exchange, Memo, Message, Summary
from recollect.learning.consent import is_paused
from recollect.privacy.inventory import Rows, events_of, log_of, owned, pages
from recollect.privacy.target import ErasureTarget

FORMAT = "recollect-export"
VERSION = 1
_HISTORY = 1 << 30


async def export(store: Store, target: ErasureTarget) -> dict[str, Any]:
    """All memos with where they came from and what became of them, messages, summaries, short-term entries, the log.

    What others noted about a person is theirs and not in it, nor are summaries of conversations with others.
    """
    rows: Rows = []
    async for page, answers in pages(store, target):
        rows += [*page, *answers]
    written = {key: message for key, message in rows if message.text}
    messages = sorted(written.values(), key=lambda message: (message.at, message.place.platform, message.id))
    head = {"format": FORMAT, "version": VERSION, "user": target.user, "guild": target.guild}
    return head | await store.read(lambda tx: _stored(tx, target)) | {"messages": [_message(one) for one in messages]}


def encoded(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _stored(tx: Tx, target: ErasureTarget) -> dict[str, Any]:
    memos = sorted(owned(tx, target), key=lambda memo: (memo.created, memo.subject.scope, memo.id))
    summaries = [one for session in tx.summaries.sessions() for one in _summaries(tx, target, session)]
    events = sorted(log_of(tx, target, memos), key=lambda event: event.id)
    return {
        "learning_paused": target.user is not None and is_paused(tx, target.user),
        "memos": [_memo(tx, memo) for memo in memos],
        "summaries": [_summary(one) for one in summaries],
        "exchanges": [_exchange(one) for one in tx.exchanges.asked_by(target.user, target.guild)],
        "events": [_event(event) for event in events],
    }


def _summaries(tx: Tx, target: ErasureTarget, session: str) -> Iterable[Summary]:
    """Past ones too, oldest first."""
    return tx.summaries.history(session, _HISTORY)[::-1] if target.alone_in(session) else ()


def _memo(tx: Tx, memo: Memo) -> dict[str, Any]:
    events = sorted(events_of(tx, memo.subject.scope, memo.id), key=lambda event: event.id)
    history = [{name: value for name, value in _event(event).items() if name != "memo"} for event in events]
    return serialization.memo_to_json(memo) | {"history": history}


def _message(message: Message) -> dict[str, Any]:
    place = message.place
    value: dict[str, Any] = {
        "id": message.id,
        "platform": place.platform,
        "guild": place.guild,
        "channel": place.channel,
        "thread": place.thread,
        "dm": place.dm,
        "place": place.name,
        "author": message.author,
        "name": message.name or None,
        "at": message.at.isoformat(),
        "text": message.text,
        "bot": message.bot or None,
        "source": message.source,
        "reply_to": message.reply_to,
    }
    return {name: item for name, item in value.items() if item is not None}


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "session": summary.session,
        "sequence": summary.sequence,
        "updated": summary.updated.isoformat(),
        "through": _iso(summary.through),
        "text": summary.text,
    }


def _exchange(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": exchange.id,
        "guild": exchange.guild,
        "channel": exchange.channel,
        "at": exchange.at.isoformat(),
        "expires": exchange.expires.isoformat(),
        "text": exchange.text,
    }


def _event(event: Event) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": event.id,
        "kind": event.kind,
        "at": event.at.isoformat(),
        "actor": event.actor or None,
        "memo": event.memo,
        "reason": event.reason or None,
        "data": dict(event.data) or None,
    }
    return {name: item for name, item in value.items() if item is not None}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
