"""Where a message is written on Discord, and who can read it: computed each time from the current permissions.

Unknown means private.
"""

import discord

from recollect.core import types
from recollect.core.types import Place
from recollect.faces import outcome_text

PLATFORM = "discord"


def place_of(channel: object, user: int, guild: int | None = None) -> Place:
    """The place of a channel, thread or DM; one whose permissions are unknown is private."""
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
    return needed.is_subset(allowed) and not _denies_someone(channel, needed)


def _denies_someone(channel: discord.abc.GuildChannel, needed: discord.Permissions) -> bool:
    """Whether an overwrite of the channel, or one that it inherits from its category, denies some people reading.

    Another role may allow it to a member again, but that is unknown without the members intent, and unknown means
    private.
    """
    inherited = {} if channel.category is None else channel.category.overwrites
    for target, overwrite in {**inherited, **channel.overwrites}.items():
        _, denied = overwrite.pair()
        if denied.value & needed.value and not _is_bot(target):
            return True
    return False


def _is_bot(target: discord.Role | discord.Member | discord.Object) -> bool:
    """Whether an overwrite is for a bot alone: hiding a channel from a bot hides it from no person."""
    match target:
        case discord.Role():
            return target.is_bot_managed()
        case discord.Member():
            return target.bot
        case _:
            return False


def message_link(guild: str | None, channel: str, message: str) -> str:
    """The URL of a message, or of its channel for a voice transcript."""
    return outcome_text.message_link(guild, channel, message)


def parse_session(session: str) -> Place | None:
    """The place that a session names, without its audience; None when it is not on Discord."""
    named = types.parse_session(session)
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
