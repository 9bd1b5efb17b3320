"""Exports everything about a person or a guild as one document; the same store gives the same bytes."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Exchange, Memo, Message, Summary
from recollect.learning.consent import is_paused
from recollect.privacy.inventory import Rows, iter_events, iter_log, iter_pages, owned_memos
from recollect.privacy.target import ErasureTarget

FORMAT = "recollect-export"
VERSION = 1
_ALL_VERSIONS = 1 << 30


async def export(store: Store, target: ErasureTarget) -> dict[str, Any]:
    """All memos with their source and history, messages, summaries, exchanges and log events.

    Not included: what others noted about a person, which is theirs, and summaries of conversations with others.
    """
    rows: Rows = []
    async for page, replies in iter_pages(store, target):
        rows += [*page, *replies]
    written = {key: message for key, message in rows if message.text}
    messages = sorted(written.values(), key=lambda message: (message.at, message.place.platform, message.id))
    header = {"format": FORMAT, "version": VERSION, "user": target.user, "guild": target.guild}
    rows_by_section = await store.read(lambda tx: _read_rows(tx, target))
    return header | rows_by_section | {"messages": [_message(message) for message in messages]}


def encode(document: dict[str, Any]) -> bytes:
    """The document as UTF-8 JSON."""
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _read_rows(tx: Tx, target: ErasureTarget) -> dict[str, Any]:
    memos = sorted(owned_memos(tx, target), key=lambda memo: (memo.created, memo.subject.scope, memo.id))
    summaries = [summary for session in tx.summaries.sessions() for summary in _summaries(tx, target, session)]
    events = sorted(iter_log(tx, target, memos), key=lambda event: event.id)
    return {
        "learning_paused": target.user is not None and is_paused(tx, target.user),
        "memos": [_memo(tx, memo) for memo in memos],
        "summaries": [_summary(summary) for summary in summaries],
        "exchanges": [_exchange(exchange) for exchange in tx.exchanges.by_author(target.user, target.guild)],
        "events": [_event(event) for event in events],
    }


def _summaries(tx: Tx, target: ErasureTarget, session: str) -> Iterable[Summary]:
    """The summaries of a session that only the target takes part in, with earlier versions, oldest first."""
    return tx.summaries.history(session, _ALL_VERSIONS)[::-1] if target.owns_session(session) else ()


def _memo(tx: Tx, memo: Memo) -> dict[str, Any]:
    events = sorted(iter_events(tx, memo.subject.scope, memo.id), key=lambda event: event.id)
    history = [{name: value for name, value in _event(event).items() if name != "memo"} for event in events]
    return serialization.memo_to_json(memo) | {"history": history}


def _message(message: Message) -> dict[str, Any]:
    place = message.place
    record: dict[str, Any] = {
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
    return {name: item for name, item in record.items() if item is not None}


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
    record: dict[str, Any] = {
        "id": event.id,
        "kind": event.kind,
        "at": event.at.isoformat(),
        "actor": event.actor or None,
        "memo": event.memo,
        "reason": event.text or None,
        "data": dict(event.data) or None,
    }
    return {name: item for name, item in record.items() if item is not None}


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
