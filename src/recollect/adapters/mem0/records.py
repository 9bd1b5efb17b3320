"""Results as mem0 returns them."""

import hashlib
from collections.abc import Mapping
from typing import Any

from recollect.core.events import Event, EventKind
from recollect.core.types import Memo, split_person

EVENTS = {EventKind.MEMO_ADDED: "ADD", EventKind.MEMO_REVISED: "UPDATE", EventKind.MEMO_RETIRED: "DELETE"}
ROLE = "role"


def ids_of(memo: Memo) -> dict[str, str]:
    """The ids under which mem0 would have kept a memo."""
    platform, owner = split_person(memo.subject.id)
    ids = {f"{platform}_id" if platform in ("agent", "run") else "user_id": owner}
    return ids | {
        name: value
        for name, value in (("agent_id", memo.source.channel), ("run_id", memo.source.thread))
        if value is not None
    }


def result_of(memo: Memo) -> dict[str, Any]:
    metadata = {name: value for name, value in memo.source.metadata.items() if name != ROLE}
    role = memo.source.metadata.get(ROLE)
    expiry = {} if memo.expires is None else {"expiration_date": memo.expires.date().isoformat()}
    return {
        "id": memory_id(memo),
        "memory": memo.text,
        "hash": hashlib.md5(memo.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "created_at": memo.created.isoformat(),
        "updated_at": memo.updated.isoformat(),
        **ids_of(memo),
        **({} if role is None else {ROLE: role}),
        **expiry,
    }


def added_record(memo: Memo, event: str) -> dict[str, Any]:
    return {"id": memory_id(memo), "memory": memo.text, "event": event}


def history_record(memo: Memo, event: Event) -> dict[str, Any]:
    before: Mapping[str, Any] = event.data.get("before") or {}
    after: Mapping[str, Any] = event.data.get("after") or {}
    is_deleted = event.kind == EventKind.MEMO_RETIRED
    return {
        "id": str(event.id),
        "memory_id": memory_id(memo),
        "old_memory": before.get("text"),
        "new_memory": None if is_deleted else after.get("text"),
        "event": EVENTS[EventKind(event.kind)],
        "created_at": memo.created.isoformat(),
        "updated_at": event.at.isoformat(),
        "is_deleted": is_deleted,
        "actor_id": event.actor or None,
        "role": memo.source.metadata.get(ROLE),
    }


def memory_id(memo: Memo) -> str:
    return f"{memo.subject.id}/{memo.id}"
