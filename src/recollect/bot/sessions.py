"""From the name of a conversation back to the place on Discord where it is held."""

import re

import discord

from recollect.bot.places import PLATFORM, place_of
from recollect.types import Place

_SESSION = re.compile(
    r"discord:(?:dm:(?P<dm>\d+)|(?P<guild>\d+):(?:channel:(?P<channel>\d+)(?::thread:(?P<thread>\d+))?"
    r"|thread:(?P<alone>\d+)))(?::user:\d+)?"
)


def named_place(session: str) -> Place | None:
    """The place as far as its name tells it: who hears it is not known. None when it is no place on Discord."""
    found = _SESSION.fullmatch(session)
    if found is None:
        return None
    return Place(PLATFORM, found["guild"], found["channel"], found["thread"] or found["alone"], found["dm"])


def place_of_session(client: discord.Client, session: str) -> Place | None:
    """The place with the permissions of now; None when it is no place on Discord, or the bot does not see it."""
    named = named_place(session)
    if named is None or named.dm is not None:
        return named
    channel = client.get_channel(int(named.thread or named.channel or 0))
    return None if channel is None else place_of(channel, 0)
