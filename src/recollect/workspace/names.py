"""Names of files in a workspace: which are valid, and which belong to a user or a day."""

from datetime import UTC, datetime

from recollect.core.errors import BadInput
from recollect.core.text import digest
from recollect.core.types import LOCAL, Place, person_key, split_person

MAX_NAME_BYTES, MAX_PART_BYTES = 500, 200
"""Limits of a name, and of each of its parts."""

_UNESCAPED = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_MAX_ID_CHARS = 150


def safe_id(text: str) -> str:
    """A unique file name for an id: other characters than lower-case letters, digits, `-` and `_` become %xx.

    Capitals are escaped for case-insensitive file systems. An id that is empty or too long becomes `%-` and a digest.
    """
    parts = (chr(byte) if byte in _UNESCAPED else f"%{byte:02x}" for byte in text.encode("utf-8", "surrogatepass"))
    name = "".join(parts)
    return name if 0 < len(name) <= _MAX_ID_CHARS else f"%-{digest(text)}"


def person_id(person: str) -> str:
    """A file name for a person. The documents' files are Discord's: people there have their bare id, and a local person
    with a number for an id is told apart from them.
    """
    platform, bare = split_person(person)
    if platform == LOCAL and bare.isdecimal():
        return safe_id(f"{LOCAL}:{bare}")
    return safe_id(bare if platform == "discord" else person)


def person_of(name: str) -> str:
    """The person that a decoded file name means; the inverse of `person_id`."""
    return person_key("discord" if name.isdecimal() else LOCAL, name)


def daily(at: datetime) -> str:
    """Name of the log of the day in UTC; a naive time is taken as UTC."""
    return f"memory/{day(at)}.md"


def day(at: datetime) -> str:
    """The date in UTC, in ISO format."""
    time = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return time.date().isoformat()


def parts_of(name: str) -> list[str]:
    """The parts of a name between `/`; raises BadInput for a name that is not valid on every system."""
    if not name.strip():
        raise BadInput("a file of the workspace needs a name")
    if not name.isprintable() or "\\" in name or ":" in name:
        raise BadInput(f"{name!r} holds a character that a file's name can't have")
    if name.startswith("/"):
        raise BadInput(f"{name!r} is absolute; name a file inside the workspace")
    parts = name.split("/")
    if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        raise BadInput(f"{name[:40]!r}… is too long for a file's name")
    if any(part != part.strip(" .") or not part for part in parts):
        raise BadInput(f"{name!r} has a part that is empty, or begins or ends with a dot or a space")
    return parts


def context_files(place: Place, *, by_name: bool) -> list[str]:
    """Names of the files that may hold a channel's context: by its id, and with `by_name` also by its name.

    Never by a thread's name, which anyone may choose.
    """
    names = [place.channel or place.thread]
    if by_name and place.thread is None and place.name:
        names.append(place.name.removeprefix("#"))
    return [f"channels/{safe_id(name)}.md" for name in names if name]
