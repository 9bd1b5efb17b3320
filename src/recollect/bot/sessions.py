"""From the name of a conversation back to the place on Discord where it is held."""

import re

import discord

from recollect.bot.places import PLATFORM, place_of
from recollect.types import Place

_SESSION = re.compile(
    r"discord:(?:dm:(?P<dm>\d+)|\d+:(?:channel:\d+:thread|channel|thread):(?P<channel>\d+))(?::user:\d+)?"
)


def place_of_session(client: discord.Client, session: str) -> Place | None:
    """The place with the permissions of now; None when it is no place on Discord, or the bot does not see it."""
    found = _SESSION.fullmatch(session)
    if found is None:
        return None
    if found["dm"] is not None:
        return Place(PLATFORM, dm=found["dm"])
    channel = client.get_channel(int(found["channel"]))
    return None if channel is None else place_of(channel, 0)
