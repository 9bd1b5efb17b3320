"""Where a command is spoken, from what people type: `dm`, `#dev`, `guild/#dev`, `guild/#dev/thread`."""

from recollect.errors import BadInput
from recollect.types import Place

HOME = "home"
"""The guild of a channel that names none."""
_HOW = "write dm, '#dev', 'guild/#dev' or 'guild/#dev/thread'; a ! after the channel marks it as restricted"


def parse(text: str, user: str, restricted: bool = False) -> Place:
    """The place that is meant; raises BadInput.

    Channels and threads are named within their guild, and so get ids that name it: two guilds' #dev differ.
    """
    if text.strip().lower() == "dm":
        return Place(dm=user)
    guild, channel, *thread = _parts(text)
    name, _, mark = channel.partition("!")
    if mark or not name or not guild:
        raise BadInput(f"{text!r} is not a place; {_HOW}")
    closed = restricted or channel.endswith("!") or text.endswith("!")
    return Place(
        guild=guild,
        channel=channel_id(name, guild),
        thread=f"{channel_id(name, guild)}#{thread[0].removesuffix('!')}" if thread else None,
        name=name,
        public=not closed,
    )


def channel_id(name: str, guild: str = HOME) -> str:
    return f"{guild}#{name.removeprefix('#')}"


def _parts(text: str) -> list[str]:
    """Guild, channel without its #, and perhaps thread."""
    parts = [part.strip() for part in text.strip().split("/")]
    if len(parts) == 1 or parts[0].startswith("#"):
        parts = [HOME, *parts]
    parts[1] = parts[1].removeprefix("#")
    if len(parts) > 3 or not all(parts) or any("#" in part for part in parts):
        raise BadInput(f"{text!r} is not a place; {_HOW}")
    return parts
