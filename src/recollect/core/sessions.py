"""The names of conversations, read back; and the names of the job queues that belong to one."""

from dataclasses import dataclass
from typing import NamedTuple

from recollect.core.text import escape, unescape
from recollect.core.types import Place, person_key

_SUMMARIES, _LEARNING = "session:", "learn:"
QUEUES = (_SUMMARIES, _LEARNING)
"""Prefixes of these names."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation, or one person's share of it where everyone has a session of their own."""

    place: Place
    """Without what the session's name doesn't say: whether it is public, and its display name."""
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


class LearningQueue(NamedTuple):
    session: str
    person: str
    """As `person_key`."""


def summary_queue(session: str) -> str:
    """The queue in which a session is summarized."""
    return f"{_SUMMARIES}{session}"


def speaker_key(session: str, author: str) -> str:
    """The key of someone's messages in a session; `author` is their id on its platform."""
    return f"{session}:{escape(author, ':')}"


def learning_queue(key: str) -> str:
    """The queue of jobs that learn from these messages, by their `speaker_key`."""
    return f"{_LEARNING}{key}"


def parse_summary_queue(queue: str) -> str | None:
    """The session; None for another queue."""
    return queue.removeprefix(_SUMMARIES) if queue.startswith(_SUMMARIES) else None


def parse_learning_queue(queue: str) -> LearningQueue | None:
    """Session and person of a `learning_queue`; None for another queue."""
    if not queue.startswith(_LEARNING):
        return None
    session, _, author = queue.removeprefix(_LEARNING).rpartition(":")
    return LearningQueue(session, person_key(unescape(session.split(":")[0], ":"), unescape(author, ":")))
