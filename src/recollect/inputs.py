"""What callers may pass as messages: a text, a `Message`, or the role/content dictionaries of a chat model's API."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from recollect.core.errors import BadInput
from recollect.core.outcomes import Added
from recollect.core.types import Kind, Memo, Message, Place, Status

if TYPE_CHECKING:
    from recollect.core.ports.search import Filters
    from recollect.recall.query import Hit

UserId = str | int
"""A user's id; an int, as Discord's are, is the same as its digits."""
Words = str | Message | Mapping[str, Any] | Added
MemoRef: TypeAlias = "str | Memo | Hit"
"""A memo by its id, or itself."""
LEARN_TIMEOUT_SECONDS = 60.0
"""How long `add(…, wait=True)` and `flush()` wait for what is learned."""
MAX_USER_CHARS = 256
MAX_SHOWN_CHARS = 100
ANY_STATUS = "any"
ASSISTANT = "assistant"
ASSISTANT_ROLES = (ASSISTANT, "ai", "model")
IGNORED_ROLES = frozenset({"system", "developer", "tool", "function"})
"""Roles of turns that nobody said: instructions and results of tools."""
_ROLES = ("user", "human", *ASSISTANT_ROLES)
_UNUSABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""Characters that no store keeps as they are, or that break the lines of a prompt."""
_STEP = timedelta(milliseconds=1)
"""The time between messages of one call, so that they keep their order."""


def clip_value(value: object) -> str:
    """A value as an error message shows it: shortened, as it may be long."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def user_id(user: UserId | None) -> str:
    """The id as text; raises BadInput."""
    if isinstance(user, int) and not isinstance(user, bool):
        return str(user)
    if not isinstance(user, str) or not user.strip():
        raise BadInput(f'say who is meant: user="ada" or another id, a text or a whole number, not {clip_value(user)}')
    if len(user) > MAX_USER_CHARS or _UNUSABLE.search(user):
        raise BadInput(f"user={user[:40]!r} can't be an id: up to {MAX_USER_CHARS} characters, no control characters")
    return user


def id_text(value: object, name: str) -> str:
    """An id as text; an int, as Discord's are, is the same as its digits. Raises BadInput with the argument's name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{name}= is an id, a text or a whole number, not {clip_value(value)}")
    return value


def place_of(place: object) -> Place | None:
    """The place, its ids as texts; raises BadInput."""
    if place is None:
        return None
    if not isinstance(place, Place):
        raise BadInput(f'place= is a Place, such as Place(dm="ada"), not {clip_value(place)}')
    ids = {name: getattr(place, name) for name in ("platform", "guild", "channel", "thread", "dm")}
    others = {
        name: id_text(value, f"{name} of place") for name, value in ids.items() if not isinstance(value, str | None)
    }
    return replace(place, **others) if others else place


def plain_text(text: object, name: str) -> str:
    """The text, if it is one; raises BadInput with the name of the argument."""
    if not isinstance(text, str):
        raise BadInput(f"{name} is a string, not {clip_value(text)}")
    return text


def text_list(texts: Collection[str], name: str) -> list[str]:
    """Several texts, or one; raises BadInput with the name of the argument."""
    if not isinstance(cast("object", texts), Iterable):
        raise BadInput(f"{name}= is a list of texts, not {clip_value(texts)}")
    items: list[object] = [texts] if isinstance(texts, str) else [*texts]
    return [plain_text(item, f"each of {name}") for item in items]


def with_time_zone(when: datetime | None, name: str) -> datetime | None:
    """The time, if it has a time zone; raises BadInput with the name of the argument."""
    if when is None:
        return None
    if not isinstance(cast("object", when), datetime):
        raise BadInput(f"{name}= is a datetime with a time zone, such as datetime.now(UTC), not {clip_value(when)}")
    if when.tzinfo is None:
        raise BadInput(f"{name}= has no time zone: pass datetime.now(UTC), or call .astimezone() on it")
    return when


def memo_id(memo: MemoRef) -> str:
    """The id of a memo, however it is given; raises BadInput."""
    item = getattr(memo, "memo", memo)  # of a `Hit`, which is not imported here: it would load all of search
    return item.id if isinstance(item, Memo) else plain_text(memo, "a memo's id")


def statuses_of(statuses: Collection[Status | str] | str | None) -> list[Status] | None:
    """Statuses by their names too, "any" for all; None, what is in use, stays None. Raises BadInput."""
    if statuses is None or statuses == ANY_STATUS:
        return None if statuses is None else []
    try:
        return [Status(status) for status in ([statuses] if isinstance(statuses, str) else statuses)]
    except ValueError as error:
        names = ", ".join(Status)
        raise BadInput(f"statuses= is a list of {names}, or {ANY_STATUS!r}: {error}") from error


def kinds_of(kinds: Collection[Kind | str]) -> list[Kind]:
    """Kinds by their names too; raises BadInput."""
    names = text_list(kinds, "kinds")
    try:
        return [Kind(kind) for kind in names]
    except ValueError as error:
        raise BadInput(f"kinds= is a list of {', '.join(Kind)}: {error}") from error


def filters_of(filters: "Filters | Mapping[str, Any] | None") -> "Filters | None":
    """Filters, also as a dictionary of their fields; raises BadInput."""
    from recollect.core.ports.search import Filters

    if filters is None or isinstance(filters, Filters):
        return filters
    names = [field.name for field in fields(Filters)]
    if not isinstance(cast("object", filters), Mapping) or not filters.keys() <= {*names}:
        raise BadInput(f"filters= has {', '.join(names)}, as Filters(…) or a dictionary, not {clip_value(filters)}")
    values = dict(filters)
    for name in {"kinds", "tags"} & values.keys():
        values[name] = kinds_of(values[name]) if name == "kinds" else text_list(values[name], name)
    for name in {"since", "until"} & values.keys():
        with_time_zone(values[name], name)
    return Filters(**values)


def messages_of(
    words: Words | Iterable[Words],
    *,
    user: UserId | None,
    place: Place | None,
    name: str,
    at: datetime,
) -> list[Message]:
    """The messages that a call is about, in their order; raises BadInput and names the argument that is wrong."""
    place = place_of(place)
    if isinstance(words, str | Message | Mapping | Added) or hasattr(words, "content") or _is_pair(words):
        words = [cast("Words", words)]
    if not isinstance(cast("object", words), Iterable) or isinstance(words, bytes | bytearray):
        raise BadInput(f"what was said is a text, a Message, a dictionary or a list of them, not {clip_value(words)}")
    with_time_zone(at, "at")
    messages: list[Message] = []
    asked: Message | None = None
    for number, said in enumerate(_read_turns(words)):
        if isinstance(said, Message):
            message = _checked(said)
        else:
            speaker = user_id(user)
            where, when = place or Place(dm=speaker), said.at or at + number * _STEP
            if said.is_reply:
                reply_to = asked.id if asked is not None else None
                message = Message(said.id, ASSISTANT, where, said.text, when, ASSISTANT, bot=True, reply_to=reply_to)
            else:
                message = Message(said.id, speaker, where, said.text, when, said.name or name or speaker)
        asked = asked if message.bot else message
        messages.append(message)
    return messages


@dataclass(frozen=True, slots=True)
class _ReadTurn:
    text: str
    is_reply: bool = False
    id: str = field(default_factory=lambda: token_hex(8))
    at: datetime | None = None
    name: str = ""


def _read_turns(words: Iterable[Words]) -> Iterator[Message | _ReadTurn]:
    """What was said, without what nobody said: instructions, calls of tools and their results, images."""
    for item in words:
        match item:
            case Message():
                yield item
            case Added():
                yield from item.messages
            case str():
                yield _ReadTurn(_text(item))
            case Mapping():
                yield from _turn(item)
            case _ if _is_pair(item):  # pyright: ignore[reportUnnecessaryComparison] # as LangChain writes a turn
                yield from _turn(dict(zip(("role", "content"), item, strict=True)))
            case _ if hasattr(item, "content"):  # pyright: ignore[reportUnnecessaryComparison] # an object of a model's client or of a framework
                names = ("role", "content", "tool_calls", "id", "name")
                turn = {name: getattr(item, name, None) for name in names}
                yield from _turn(turn if turn["role"] else {**turn, "role": getattr(item, "type", None)})
            case _:  # pyright: ignore[reportUnnecessaryComparison] # callers need not check their types
                raise BadInput(
                    f"a message is a text, a Message or a dictionary with role and content, not {clip_value(item)}"
                )


def _turn(turn: Mapping[str, Any]) -> Iterator[_ReadTurn]:
    """A turn of a chat in the form of a model's API. Besides role and content it may have an `id`, a time `at` and the
    speaker's `name`.
    """
    role = str(turn.get("role")).rpartition(".")[2].lower()  # some frameworks have enums
    if role in IGNORED_ROLES:
        return
    if role not in _ROLES:
        skipped = ", ".join(sorted(IGNORED_ROLES))
        raise BadInput(f'role {turn.get("role")!r} is unknown: it is "user" or "assistant" ({skipped}: skipped)')
    content, is_reply = turn.get("content"), role in ASSISTANT_ROLES
    text = "" if content is None and is_reply else _content(content)
    if not text.strip() and (is_reply or not isinstance(content, str)):
        return
    about: dict[str, Any] = {}
    if (given_id := turn.get("id")) is not None:
        about["id"] = id_text(given_id, "id")
    if (at := turn.get("at")) is not None:
        about["at"] = with_time_zone(_parsed_time(at), "at")
    yield _ReadTurn(_text(text), is_reply, name=str(turn.get("name") or ""), **about)


def _is_pair(words: object) -> bool:
    """Whether it is a turn given as a pair of role and text."""
    match words:
        case (str() as role, str()) if isinstance(words, tuple):
            return role in _ROLES or role in IGNORED_ROLES
        case _:
            return False


def _parsed_time(at: object) -> Any:
    try:
        return datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError as error:
        raise BadInput(f"at={clip_value(at)} is not a time, such as 2026-05-01T18:30:00Z") from error


def _content(content: object) -> str:
    """The text of a message; of one in parts, its text parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        parts = (_part(part) for part in cast("Sequence[object]", content))
        return "\n".join(text for text in parts if isinstance(text, str))
    raise BadInput(f"content is a text or a list of parts, not {clip_value(content)}")


def _part(part: object) -> object:
    if isinstance(part, str):
        return part
    return cast("Mapping[str, object]", part).get("text") if isinstance(part, Mapping) else getattr(part, "text", None)


def _text(text: str) -> str:
    if not text.strip():
        raise BadInput("the text is empty: nothing was said")
    return text


def _checked(message: Message) -> Message:
    with_time_zone(message.at, f"message {message.id}: at")
    plain_text(cast("object", message.text), f"message {message.id}: text")
    raw_ids = {"id": message.id, "author": message.author, "reply_to": message.reply_to}
    ids = {name: id_text(value, name) for name, value in raw_ids.items() if value is not None and value != ""}
    place = place_of(message.place)
    return (
        message if ids.items() <= raw_ids.items() and place is message.place else replace(message, place=place, **ids)
    )
