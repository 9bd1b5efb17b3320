"""The names of conversations, read back."""

from dataclasses import dataclass

from recollect.core.text import unescape
from recollect.core.types import Place


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation, or one person's share of it where everyone has a session of their own."""

    place: Place
    """Without what a name does not tell: whether it is public, and what it is called."""
    user: str | None = None


def parse_session(name: str) -> Session | None:
    """The inverse of `Place.session` and of `policy.viewer.session_name`; None when it is no such name."""
    platform, *parts = (unescape(part, ":") for part in name.split(":"))
    user = parts.pop() if len(parts) > 3 and parts[-2] == "user" else None
    if user is not None:
        parts.pop()
    match parts:
        case ["dm", person]:
            place = Place(platform, dm=person)
        case ["channel", channel]:
            place = Place(platform, channel=channel)
        case ["thread", thread]:
            place = Place(platform, thread=thread)
        case ["channel", channel, "thread", thread]:
            place = Place(platform, channel=channel, thread=thread)
        case [guild, "channel", channel]:
            place = Place(platform, guild, channel)
        case [guild, "thread", thread]:
            place = Place(platform, guild, thread=thread)
        case [guild, "channel", channel, "thread", thread]:
            place = Place(platform, guild, channel, thread)
        case _:
            return None
    return Session(place, user)
