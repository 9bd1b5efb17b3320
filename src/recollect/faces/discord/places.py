"""Where a message is written on Discord, and who can read it: computed each time from the current permissions.

Unknown means private.
"""

from dataclasses import replace

import discord

from recollect.core import sessions
from recollect.core.types import Place, person_key, split_person
from recollect.faces.discord.permissions import is_ordinary, knows_roles, readers_of
from recollect.policy.readers import NOBODY

PLATFORM = "discord"


def user_id(person: str) -> int | None:
    """The id of a person on Discord; None for someone of another platform."""
    platform, bare = split_person(person)
    return int(bare) if platform == PLATFORM and bare.isdecimal() else None


def person_of(user: int | str) -> str:
    """The person with this id on Discord."""
    return person_key(PLATFORM, str(user))


def place_of(channel: object, user: int, guild: int | None = None) -> Place:
    """The place of a channel, thread or DM; one whose permissions are unknown is private."""
    match channel:
        case discord.DMChannel():
            return Place(PLATFORM, channel=str(channel.id), dm=str(user))
        case discord.Thread():
            place = Place(
                PLATFORM,
                str(channel.guild.id),
                str(channel.parent_id),
                thread=str(channel.id),
                name=channel.name,
                private_thread=channel.is_private(),
            )
            return _with_readers(place, channel.parent)
        case discord.abc.GuildChannel():
            return _with_readers(Place(PLATFORM, str(channel.guild.id), str(channel.id), name=channel.name), channel)
        case _:
            # A thread that the bot was not told of has a server all the same: what is said there goes with it.
            known = guild or getattr(channel, "guild_id", None)
            return Place(PLATFORM, None if known is None else str(known), _id(channel))


def _with_readers(place: Place, channel: discord.abc.GuildChannel | None) -> Place:
    if channel is None or not knows_roles(channel.guild):
        return place
    readers = readers_of(channel)
    return replace(place, public=is_ordinary(channel.guild, readers), readers=readers)


def with_unknown_readers(place: Place) -> Place:
    """The place of words whose readers at the time are unknown. They are for their author alone; this is never
    the place of an answer, which many may read.
    """
    return place if place.guild is None else replace(place, public=False, readers=NOBODY)


def _id(channel: object) -> str:
    return str(getattr(channel, "id", "unknown"))


def interaction_place(interaction: discord.Interaction) -> Place:
    """The place of a slash command, a button or a menu.

    People's DMs with each other are not their DM with the bot. A channel counts only if the bot itself sees it, as
    the one in the payload comes without permissions.
    """
    channel, user = interaction.channel, interaction.user.id
    if isinstance(channel, discord.DMChannel) and interaction.context.dm_channel:
        return place_of(channel, user)
    guild = None if interaction.guild_id is None else interaction.client.get_guild(interaction.guild_id)
    visible = None if guild is None or channel is None else guild.get_channel_or_thread(channel.id)
    if guild is not None and visible is None and isinstance(channel, discord.Thread):
        visible = channel  # its permissions come from its parent
    return place_of(visible or discord.Object(interaction.channel_id or 0), user, interaction.guild_id)


def message_link(guild: str | None, channel: str, message: str) -> str:
    """The URL of a message, or of its channel for a voice transcript."""
    channel_url = f"https://discord.com/channels/{guild or '@me'}/{channel}"
    return f"{channel_url}/{message}" if message.isdecimal() else channel_url


def parse_session(session: str) -> Place | None:
    """The place that a session names, without its audience; None when it is not on Discord."""
    named = sessions.parse_session(session)
    if named is None or named.place.platform != PLATFORM:
        return None
    place = named.place
    is_numeric = all(part is None or part.isdecimal() for part in (place.dm, place.guild, place.channel, place.thread))
    return place if is_numeric and (place.dm is not None or place.guild is not None) else None


def place_of_session(client: discord.Client, session: str) -> Place | None:
    """The place of a session with its current permissions; None when the bot does not see it."""
    named = parse_session(session)
    if named is None or named.dm is not None:
        return named
    channel = client.get_channel(int(named.thread or named.channel or 0))
    return None if channel is None else place_of(channel, 0)
