"""Parses the place of a command: `dm`, `#dev`, `guild/#dev`, `guild/#dev/thread`."""

from recollect.core.errors import BadInput
from recollect.core.types import Place

HOME = "home"
"""The guild of a channel that names none."""
_SYNTAX = "write dm, '#dev', 'guild/#dev' or 'guild/#dev/thread'; a ! after a channel or a thread closes it"


def parse(text: str, user: str, restricted: bool = False) -> Place:
    """The place that the text names; raises BadInput.

    Ids of channels and threads contain their guild, as two guilds may each have a #dev.
    """
    if text.strip().lower() == "dm":
        return Place(dm=user)
    guild, channel, *thread = _parts(text)
    name, thread_name = channel.removesuffix("!"), thread[0].removesuffix("!") if thread else None
    if not name or not guild or thread_name == "" or "!" in name + guild + (thread_name or "") or name.lower() == "dm":
        raise BadInput(f"{text!r} is not a place; {_SYNTAX}")
    return Place(
        guild=guild,
        channel=channel_id(name, guild),
        thread=None if thread_name is None else f"{channel_id(name, guild)}#{thread_name}",
        name=thread_name or name,
        public=not (restricted or channel.endswith("!")),
        private_thread=thread_name is not None and thread[0].endswith("!"),
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
        raise BadInput(f"{text!r} is not a place; {_SYNTAX}")
    return parts
