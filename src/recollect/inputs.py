"""What callers may pass as words: a text, a `Message`, or the role/content dictionaries of a chat model's API."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from recollect.core.errors import BadInput
from recollect.core.outcomes import Added
from recollect.core.types import Memo, Message, Place, Status

if TYPE_CHECKING:
    from recollect.recall.query import Hit

UserId = str | int
"""A user's id; an int, as Discord's are, is the same as its digits."""
Words = str | Message | Mapping[str, Any] | Added
MemoRef: TypeAlias = "str | Memo | Hit"
"""A memo by its id, or itself."""
ASSISTANT = "assistant"
IGNORED_ROLES = frozenset({"system", "developer", "tool", "function"})
"""Roles of a chat that nobody said: instructions and the results of tools."""
_STEP = timedelta(milliseconds=1)
"""Between the messages of one call, so that they keep their order."""


def user_id(user: UserId | None) -> str:
    """The id as text; raises BadInput."""
    if isinstance(user, str) and user.strip():
        return user
    if isinstance(user, int) and not isinstance(user, bool):
        return str(user)
    raise BadInput(f'say who is meant: user="ada" or another id, not {user!r}')


def check_place(place: object) -> None:
    if place is not None and not isinstance(place, Place):
        raise BadInput(f'place= is a Place, such as Place(dm="ada"), not {place!r}')


def plain_text(text: object, name: str) -> str:
    """The text, if it is one; raises BadInput with the name of the argument."""
    if not isinstance(text, str):
        raise BadInput(f"{name} is a text, not {text!r}")
    return text


def text_list(texts: Collection[str], name: str) -> list[str]:
    """Several texts, or one; raises BadInput with the name of the argument."""
    items: list[object] = [texts] if isinstance(texts, str) else [*texts]
    return [plain_text(item, f"each of {name}") for item in items]


def with_time_zone(when: datetime | None, name: str) -> datetime | None:
    """The time, if it has a time zone; raises BadInput with the name of the argument."""
    if when is not None and when.tzinfo is None:
        raise BadInput(f"{name}= has no time zone: pass datetime.now(UTC), or call .astimezone() on it")
    return when


def memo_id(memo: MemoRef) -> str:
    """The id of a memo, however it is given; raises BadInput."""
    item = getattr(memo, "memo", memo)  # of a `Hit`, which is not imported here: it would load all of search
    return item.id if isinstance(item, Memo) else plain_text(memo, "a memo's id")


def statuses_of(statuses: Collection[Status | str] | str) -> list[Status]:
    """Statuses by their names too; raises BadInput."""
    try:
        return [Status(status) for status in ([statuses] if isinstance(statuses, str) else statuses)]
    except ValueError as error:
        names = ", ".join(Status)
        raise BadInput(f"statuses= is a list of {names}: {error}") from error


def check_limit(limit: int | None, offset: int = 0) -> None:
    """Raise BadInput for a negative limit or offset."""
    given: dict[str, object] = {"limit": limit, "offset": offset}  # callers need not check their types
    for name, value in given.items():
        if value is not None and not isinstance(value, int):
            raise BadInput(f"{name}= is a number, not {value!r}")
    if limit is not None and limit < 0:
        raise BadInput(f"limit={limit} is negative: leave it out for no limit")
    if offset < 0:
        raise BadInput(f"offset={offset} is negative")


def messages_of(
    words: Words | Sequence[Words],
    *,
    user: UserId | None,
    place: Place | None,
    name: str,
    at: datetime,
) -> list[Message]:
    """The messages that a call is about, in their order; raises BadInput and names the argument that is wrong."""
    check_place(place)
    if isinstance(words, str | Message | Mapping | Added):
        words = [words]
    if not isinstance(cast("object", words), Iterable):
        raise BadInput(f"what was said is a text, a Message, a dictionary or a list of them, not {words!r}")
    with_time_zone(at, "at")
    messages: list[Message] = []
    asked: Message | None = None
    for number, text, is_reply in _said(words):
        if isinstance(text, Message):
            message = _checked(text)
        elif is_reply:
            speaker = user_id(user)
            where = place or Place(dm=speaker)
            reply_to = asked.id if asked is not None else None
            message = Message(token_hex(8), ASSISTANT, where, text, at, ASSISTANT, bot=True, reply_to=reply_to)
        else:
            speaker = user_id(user)
            message = Message(token_hex(8), speaker, place or Place(dm=speaker), text, at, name or speaker)
        if not isinstance(text, Message):
            message = replace(message, at=at + number * _STEP)
        asked = asked if message.bot else message
        messages.append(message)
    return messages


def _said(words: Sequence[Words]) -> Iterator[tuple[int, Message | str, bool]]:
    """Number, text or message, and whether the assistant said it."""
    for number, item in enumerate(words):
        match item:
            case Message():
                yield number, item, item.bot
            case Added():
                yield from ((number, message, message.bot) for message in item.messages)
            case str():
                yield number, _text(item), False
            case Mapping():
                role = item.get("role")
                if role in (ASSISTANT, "ai") and item.get("tool_calls") and not item.get("content"):
                    continue  # it called a tool and said nothing
                if role in ("user", "human", ASSISTANT, "ai"):
                    yield number, _text(_content(item)), role in (ASSISTANT, "ai")
                elif role not in IGNORED_ROLES:
                    skipped = ", ".join(sorted(IGNORED_ROLES))
                    raise BadInput(f'role {role!r} is unknown: it is "user" or "assistant" ({skipped}: skipped)')
            case _:  # pyright: ignore[reportUnnecessaryComparison] # callers need not check their types
                raise BadInput(f"a message is a text, a Message or a dictionary with role and content, not {item!r}")


def _content(item: Mapping[str, Any]) -> str:
    """The text of a message; of one in parts, its text parts."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = cast("Sequence[object]", content)
        mappings = [cast("Mapping[str, object]", part) for part in parts if isinstance(part, Mapping)]
        return "\n".join(text for part in mappings if isinstance(text := part.get("text"), str))
    raise BadInput(f"content is a text or a list of parts, not {content!r}")


def _text(text: str) -> str:
    if not text.strip():
        raise BadInput("the text is empty: there is nothing to keep")
    return text


def _checked(message: Message) -> Message:
    if message.at.tzinfo is None:
        raise BadInput(f"message {message.id}: at= has no time zone; use datetime.now(UTC)")
    return message
