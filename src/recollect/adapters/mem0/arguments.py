"""The arguments of mem0's calls, checked, and what they mean here."""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, cast

from recollect.adapters.mem0.records import ROLE, ids_of
from recollect.core.errors import BadInput
from recollect.core.types import Memo, Place
from recollect.inputs import IGNORED_ROLES

log = logging.getLogger("recollect")

SCOPES = ("user_id", "agent_id", "run_id")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory is meant, and of which agent and run."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @classmethod
    def of(cls, ids: Mapping[str, Any], example: str) -> "Scope":
        """Raises BadInput, a ValueError, if nobody is named."""
        named = {name: _id(ids[name], name) for name in SCOPES if ids.get(name) is not None}
        if not named:
            raise BadInput(f"at least one of user_id, agent_id and run_id is needed, as in {example}")
        return cls(**named)

    @property
    def owner(self) -> str:
        return self.user_id or self.agent_id or self.run_id or ""

    @property
    def place(self) -> Place:
        platform = "local" if self.user_id else "agent" if self.agent_id else "run"
        return Place(platform=platform, dm=self.owner, channel=self.agent_id, thread=self.run_id)

    def has(self, memo: Memo) -> bool:
        """Whether a memo of the owner belongs to the agent and the run, as far as they are named."""
        ids = ids_of(memo)
        return all(getattr(self, name) in (None, ids.get(name)) for name in SCOPES)


def scope_of(ids: Mapping[str, Any], filters: Mapping[str, Any] | None, verb: str) -> tuple[Scope, Mapping[str, Any]]:
    """Whose memories, named as arguments or in the filters, and the remaining filters."""
    conditions, named = dict(filters or {}), dict[str, Any]()
    required = conditions.get("AND")
    parts: list[Any] = [conditions, *cast("list[Any]", required)] if isinstance(required, list) else [conditions]
    for part in [cast("Mapping[str, Any]", part) for part in parts if isinstance(part, Mapping)]:
        for name in SCOPES:
            if isinstance(value := part.get(name), str | int) and value != "*":
                named.setdefault(name, value)
    conditions = {name: value for name, value in conditions.items() if name not in named}
    given = {name: value for name, value in ids.items() if value is not None}
    return Scope.of(named | given, f'{verb}(…, filters={{"user_id": "alice"}})'), conditions


def _id(value: object, name: str) -> str:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text or any(char.isspace() for char in text):
        raise BadInput(f"{name}={value!r} is not an id: a text without spaces, or a number")
    return text


def count_of(count: int) -> int:
    if not isinstance(count, int) or count < 1:  # pyright: ignore[reportUnnecessaryIsInstance] # callers need not check
        raise BadInput(f"top_k={count!r} is not a positive number")
    return count


def messages_of(messages: object) -> list[dict[str, Any]]:
    """Those that somebody said; raises BadInput."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    items: Collection[Any] = [messages] if isinstance(messages, Mapping) else messages  # type: ignore[assignment]
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise BadInput("messages= is a text, a dictionary with role and content, or a list of them")
    said = [{"role": item.get("role"), "content": _content(item.get("content"))} for item in items]
    return [message for message in said if message["content"].strip() and message["role"] not in IGNORED_ROLES]


def _content(content: object) -> str:
    """The text of a message; of one in parts, its text parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    mappings = [cast("Mapping[str, object]", part) for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for part in mappings if isinstance(text := part.get("text"), str))


def metadata_of(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Without ids: metadata can't move a memory into another scope."""
    return {name: value for name, value in (metadata or {}).items() if name not in (*SCOPES, "actor_id", ROLE)}


class Unset:
    """The default of an argument for which None means something."""

    def __repr__(self) -> str:
        return "unchanged"


UNSET = Unset()


def expiry_of(day: str | date | None) -> datetime | None:
    """The end of a day; raises BadInput."""
    if day is None:
        return None
    try:
        parsed = day if isinstance(day, date) else date.fromisoformat(day)
    except (TypeError, ValueError):
        raise BadInput(f"expiration_date={day!r} is not a day such as 2027-05-01") from None
    return datetime.combine(parsed, time.max, UTC)


def refuse(**unsupported: object) -> None:
    for name, value in unsupported.items():
        if value:
            raise BadInput(f"{name}= is not supported here: leave it out")
