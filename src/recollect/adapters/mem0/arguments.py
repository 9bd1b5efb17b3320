"""The arguments of mem0's calls, checked, and what they mean here."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, cast

from recollect.adapters.mem0.filters import check, matches_filters
from recollect.adapters.mem0.records import ACTOR, OWN_METADATA, ROLE, SCOPES, Ids, ids_of, result_of
from recollect.core.errors import BadInput
from recollect.core.types import LOCAL, Memo, Place
from recollect.inputs import IGNORED_ROLES, clip_value

log = logging.getLogger("recollect")

PROCEDURAL = "procedural_memory"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories are meant, and of which agent and run: each id narrows. Without any, everyone's."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @classmethod
    def of(cls, ids: Mapping[str, Any], example: str) -> "Scope":
        """Raises BadInput, a ValueError, if nobody is named."""
        scope = cls(**{name: _id(ids[name], name) for name in SCOPES if ids.get(name) is not None})
        if not scope.ids:
            raise BadInput(f"at least one of user_id, agent_id and run_id is needed, as in {example}")
        return scope

    @property
    def ids(self) -> Ids:
        named = ((name, getattr(self, name)) for name in SCOPES)
        return {name: value for name, value in named if value is not None}

    @property
    def owner(self) -> str:
        """Whose memory it is when something is added."""
        return self.user_id or self.agent_id or self.run_id or ""

    @property
    def place(self) -> Place:
        """Where it is said: an agent is a channel of the owner's DM, and a run a thread."""
        platform = LOCAL if self.user_id else "agent" if self.agent_id else "run"
        return Place(platform=platform, dm=self.owner, channel=self.agent_id, thread=self.run_id)

    def find(self, memo: Memo, conditions: Mapping[str, Any]) -> dict[str, Any] | None:
        """The memo as a result, under the ids that are asked for; None if it has none of them."""
        for ids in ids_of(memo):
            if self.ids.items() <= ids.items() and matches_filters(result := result_of(memo, ids), conditions):
                return result
        return None


def scope_of(ids: Mapping[str, Any], filters: object, verb: str) -> tuple[Scope, Mapping[str, Any]]:
    """Whose memories, named as arguments or in the filters, and the remaining filters. Raises BadInput."""
    if not isinstance(filters, Mapping | None):
        raise BadInput(f"filters= is a dictionary such as {{'user_id': 'alice'}}, not {clip_value(filters)}")
    conditions = dict(cast("Mapping[str, Any]", filters or {}))
    named = {name: value for name, value in ids.items() if value is not None}
    for name in SCOPES:
        if isinstance(value := conditions.get(name), str | int) and value != "*":
            if named.setdefault(name, value) != value:
                raise BadInput(f"{name}= and filters= name different ids: {named[name]!r} and {value!r}")
            del conditions[name]
    check(conditions)
    if not named and _mentions_id(conditions):
        return Scope(**_required(conditions)), conditions
    return Scope.of(named, f'{verb}(…, filters={{"user_id": "alice"}})'), conditions


def _required(conditions: Mapping[str, Any]) -> Ids:
    """The ids that every result has to have, by the filters under AND."""
    parts: Sequence[Mapping[str, Any]] = conditions.get("AND", ())
    named = [(name, part[name]) for part in parts for name in SCOPES if name in part]
    return {name: _id(value, name) for name, value in named if isinstance(value, str | int) and value != "*"}


def _mentions_id(conditions: object) -> bool:
    if isinstance(conditions, Mapping):
        filters = cast("Mapping[str, Any]", conditions)
        return any(name in SCOPES or _mentions_id(value) for name, value in filters.items())
    return isinstance(conditions, list | tuple) and any(map(_mentions_id, cast("Sequence[Any]", conditions)))


def _id(value: object, name: str) -> str:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text or any(char.isspace() for char in text):
        raise BadInput(f"{name}={value!r} is not an id: a text without spaces, or a number")
    return text


def count_of(count: object) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise BadInput(f"top_k={count!r} is not a number from 0 on")
    return count


def threshold_of(threshold: object) -> float | None:
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        raise BadInput(f"threshold={threshold!r} is not a number between 0 and 1")
    return threshold


def messages_of(messages: object) -> list[dict[str, Any]]:
    """Those that somebody said; raises BadInput."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    items: Collection[Any] = [messages] if isinstance(messages, Mapping) else messages  # type: ignore[assignment]
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise BadInput("messages= is a text, a dictionary with role and content, or a list of them")
    said = [_message(item) for item in items]
    return [message for message in said if message["content"].strip() and message[ROLE] not in IGNORED_ROLES]


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    name = item.get("name")
    message = {ROLE: item.get(ROLE), "content": _content(item.get("content"))}
    return message | ({ACTOR: str(name)} if name else {})


def _content(content: object) -> str:
    """The text of a message; of one in parts, its text parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    mappings = [cast("Mapping[str, object]", part) for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for part in mappings if isinstance(text := part.get("text"), str))


def metadata_of(metadata: object) -> dict[str, Any]:
    """Without ids: metadata can't move a memory into another scope. Raises BadInput."""
    if not isinstance(metadata, Mapping | None):
        raise BadInput(f"metadata= is a dictionary, not {clip_value(metadata)}")
    items = cast("Mapping[str, Any]", metadata or {}).items()
    return {name: value for name, value in items if name not in OWN_METADATA}


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
    """Raises BadInput for what mem0's open-source memory doesn't support either."""
    for name, value in unsupported.items():
        if value is not None:
            raise BadInput(f"{name}= is for mem0's platform, not for its open-source Memory: leave it out")


def refuse_instructions(memory_type: str | None, prompt: str | None) -> None:
    """Raises BadInput for instructions to the model of a single call, which recollect doesn't support."""
    if memory_type is not None and memory_type != PROCEDURAL:
        raise BadInput(f"memory_type={memory_type!r} is unknown: leave it out")
    if memory_type == PROCEDURAL:
        raise BadInput(
            f"memory_type={memory_type!r} is not supported: no model writes a report of a whole run here. Leave it out"
            " to learn from the messages, or keep your own text of the steps with infer=False"
        )
    if prompt:
        raise BadInput(
            "prompt= is not supported: messages are learned from in batches, all in the same way. Leave it out, or"
            " keep your own text with infer=False"
        )
