"""Memos as mem0 returns memories, and the ids under which each was added."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from recollect.core.events import Event, EventKind
from recollect.core.types import LOCAL, Memo

EVENTS = {EventKind.MEMO_ADDED: "ADD", EventKind.MEMO_REVISED: "UPDATE", EventKind.MEMO_RETIRED: "DELETE"}
SCOPES = ("user_id", "agent_id", "run_id")
OWNERS = ("agent", "run")
"""Platforms of memories that belong to no user."""
ROLE = "role"
ACTOR = "actor_id"
ADDED_UNDER = "mem0_scopes"
"""In a memo's metadata: further agents and runs under which it was added, as `written` has them."""
OWN_METADATA = (*SCOPES, ROLE, ACTOR, ADDED_UNDER)
"""What a caller's metadata can't set: it can't move a memory into another scope."""
MAX_SCOPES = 50
"""Agents and runs that a memory remembers, the newest first."""

Ids = dict[str, str]


def ids_of(memo: Memo) -> list[Ids]:
    """The ids under which a memo was added: those of its source first, then those of others who said the same."""
    source, metadata = memo.source, memo.source.metadata
    is_ours = source.guild is None and source.platform in (LOCAL, *OWNERS)  # a channel of Discord is no agent
    owner = {} if source.platform in OWNERS else {"user_id": memo.subject.id}
    places = [_named(source.channel, source.thread)] if is_ours else []
    imported = _named(metadata.get("agent_id"), metadata.get("run_id"))
    places += [imported] if imported else []
    places += [dict(parse_qsl(str(text))) for text in metadata.get(ADDED_UNDER, ())]
    return list({written_ids(ids): owner | ids for ids in places or [{}]}.values())


def _named(agent: object, run: object) -> Ids:
    return {name: str(value) for name, value in (("agent_id", agent), ("run_id", run)) if value is not None}


def written_ids(ids: Mapping[str, str]) -> str:
    """An agent and a run as a text in which each can be found: `&agent_id=travel&run_id=r1&`."""
    named = {name: ids[name] for name in ("agent_id", "run_id") if name in ids}
    return f"&{urlencode(named, errors='replace')}&"


def with_scopes(metadata: Mapping[str, Any], scopes: Iterable[Ids]) -> dict[str, Any]:
    """The metadata, with these further ids."""
    written = [written_ids(ids) for ids in scopes]
    return {**metadata, ADDED_UNDER: [*dict.fromkeys([*written, *metadata.get(ADDED_UNDER, ())])][:MAX_SCOPES]}


def result_of(memo: Memo, ids: Ids | None = None) -> dict[str, Any]:
    """A memo as mem0 returns it, found under these ids."""
    metadata = {name: value for name, value in memo.source.metadata.items() if name not in OWN_METADATA}
    said_by = {name: memo.source.metadata[name] for name in (ACTOR, ROLE) if memo.source.metadata.get(name)}
    expiry = {} if memo.expires is None else {"expiration_date": memo.expires.date().isoformat()}
    return {
        "id": memory_id(memo),
        "memory": memo.text,
        "hash": hashlib.md5(memo.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "created_at": memo.created.isoformat(),
        "updated_at": memo.updated.isoformat(),
        **(ids_of(memo)[0] if ids is None else ids),
        **said_by,
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
    """An id for all people, where a memo's is one of its person; without a slash, so that it fits into a path."""
    return f"{memo.id}@{memo.subject.id}"


def parse_id(memory_id: str) -> tuple[str, str]:
    """The id of a memo, and whose it is."""
    memo_id, _, owner = memory_id.partition("@")
    return memo_id, owner
