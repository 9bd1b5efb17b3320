"""Where something is said on Discord, and who can hear it: worked out anew each time, from the permissions of now.

Unknown means private.
"""

import re

import discord

from recollect.core.types import Place

PLATFORM = "discord"


def place_of(channel: object, user: int, guild: int | None = None) -> Place:
    """The place that a channel, thread or DM is; of one that is only half known, everything else is private."""
    match channel:
        case discord.DMChannel():
            return Place(PLATFORM, channel=str(channel.id), dm=str(user))
        case discord.Thread():
            return Place(
                PLATFORM,
                str(channel.guild.id),
                str(channel.parent_id),
                thread=str(channel.id),
                name=channel.name,
                public=everyone_reads(channel.parent),
                private_thread=channel.is_private(),
            )
        case discord.abc.GuildChannel():
            return Place(
                PLATFORM, str(channel.guild.id), str(channel.id), name=channel.name, public=everyone_reads(channel)
            )
        case _:
            return Place(PLATFORM, None if guild is None else str(guild), _id(channel))


def _id(channel: object) -> str:
    return str(getattr(channel, "id", "unknown"))


def asked_in(interaction: discord.Interaction) -> Place:
    """The place of a slash command, a button or a menu. People's DMs with each other are not their DM with the bot;
    and of channels only those count that the bot itself sees, as what comes along is without permissions.
    """
    channel, user = interaction.channel, interaction.user.id
    if isinstance(channel, discord.DMChannel) and interaction.context.dm_channel:
        return place_of(channel, user)
    guild = None if interaction.guild_id is None else interaction.client.get_guild(interaction.guild_id)
    seen = None if guild is None or channel is None else guild.get_channel_or_thread(channel.id)
    if guild is not None and seen is None and isinstance(channel, discord.Thread):
        seen = channel  # its parent is looked up
    return place_of(seen or discord.Object(interaction.channel_id or 0), user, interaction.guild_id)


def everyone_reads(channel: discord.abc.GuildChannel | None) -> bool:
    """Whether everyone in the guild can read a channel: @everyone may, and no role or member is denied it."""
    everyone = None if channel is None else channel.guild.get_role(channel.guild.id)
    if channel is None or everyone is None:
        return False
    needed = discord.Permissions(view_channel=True, read_message_history=True)
    if isinstance(channel, discord.VoiceChannel | discord.StageChannel):
        needed.connect = True  # who can't join can't read along
    allowed = channel.permissions_for(everyone)
    if channel.category is not None and everyone not in channel.overwrites:
        allowed &= channel.category.permissions_for(everyone)
    return needed.is_subset(allowed) and not _shuts_out(channel, needed)


def _shuts_out(channel: discord.abc.GuildChannel, needed: discord.Permissions) -> bool:
    """Whether an overwrite denies some people what is needed to read: the channel's, or its category's for those of
    whom the channel says nothing. Members may have another role that allows it again, but that is not looked up:
    without the members intent it is not known, and unknown means private.
    """
    inherited = {} if channel.category is None else channel.category.overwrites
    for target, overwrite in {**inherited, **channel.overwrites}.items():
        _, denied = overwrite.pair()
        if denied.value & needed.value and not _is_bot(target):
            return True
    return False


def _is_bot(target: discord.Role | discord.Member | discord.Object) -> bool:
    """Whether an overwrite is for a bot alone: what bots can't read is kept from nobody."""
    match target:
        case discord.Role():
            return target.is_bot_managed()
        case discord.Member():
            return target.bot
        case _:
            return False


def link(guild: str | None, channel: str, message: str) -> str:
    """The address of a message, for people to click on; of its channel, where it was said aloud."""
    where = f"https://discord.com/channels/{guild or '@me'}/{channel}"
    return f"{where}/{message}" if message.isdecimal() else where


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
