"""What callers may pass as words: a text, a `Message`, or the role/content dictionaries of a chat model's API."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, cast

from recollect.core.errors import BadInput
from recollect.core.types import Message, Place

UserId = str | int
"""A user's id; an int, as Discord's are, is the same as its digits."""
Words = str | Message | Mapping[str, Any]
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


def check_limit(limit: int | None, offset: int = 0) -> None:
    """Raise BadInput for a negative limit or offset."""
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
    if isinstance(words, str | Message | Mapping):
        words = [words]
    if at.tzinfo is None:
        raise BadInput("at= has no time zone: pass datetime.now(UTC), or call .astimezone() on it")
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
            case str():
                yield number, _text(item), False
            case Mapping():
                role = item.get("role")
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
