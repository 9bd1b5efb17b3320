"""Where a command is spoken, from what people type: `dm`, `#dev`, `guild/#dev`, `guild/#dev/thread`."""

from recollect.core.errors import BadInput
from recollect.core.types import Place

HOME = "home"
"""The guild of a channel that names none."""
_HOW = "write dm, '#dev', 'guild/#dev' or 'guild/#dev/thread'; a ! after a channel or a thread closes it"


def parse(text: str, user: str, restricted: bool = False) -> Place:
    """The place that is meant; raises BadInput.

    Channels and threads are named within their guild, and so get ids that name it: two guilds' #dev differ.
    """
    if text.strip().lower() == "dm":
        return Place(dm=user)
    guild, channel, *thread = _parts(text)
    name, within = channel.removesuffix("!"), thread[0].removesuffix("!") if thread else None
    if not name or not guild or within == "" or "!" in name + guild + (within or "") or name.lower() == "dm":
        raise BadInput(f"{text!r} is not a place; {_HOW}")
    return Place(
        guild=guild,
        channel=channel_id(name, guild),
        thread=None if within is None else f"{channel_id(name, guild)}#{within}",
        name=within or name,
        public=not (restricted or channel.endswith("!")),
        private_thread=within is not None and thread[0].endswith("!"),
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
