"""Permissions as Discord counts them, and intents: which bits there are and what somebody may do in a channel."""

from collections.abc import Iterable

from tests.doubles.discord.things import PRIVATE_THREAD, Channel, Guild, Role, User

PERMISSIONS = {
    "kick_members": 1 << 1,
    "administrator": 1 << 3,
    "manage_channels": 1 << 4,
    "manage_guild": 1 << 5,
    "add_reactions": 1 << 6,
    "view_audit_log": 1 << 7,
    "view_channel": 1 << 10,
    "send_messages": 1 << 11,
    "manage_messages": 1 << 13,
    "embed_links": 1 << 14,
    "attach_files": 1 << 15,
    "read_message_history": 1 << 16,
    "mention_everyone": 1 << 17,
    "connect": 1 << 20,
    "manage_roles": 1 << 28,
    "use_application_commands": 1 << 31,
    "manage_threads": 1 << 34,
    "create_public_threads": 1 << 35,
    "create_private_threads": 1 << 36,
    "send_messages_in_threads": 1 << 38,
    "pin_messages": 1 << 51,
}
EVERYTHING = sum(PERMISSIONS.values())

INTENTS = {
    "guilds": 1 << 0,
    "members": 1 << 1,
    "presences": 1 << 8,
    "guild_messages": 1 << 9,
    "guild_reactions": 1 << 10,
    "dm_messages": 1 << 12,
    "dm_reactions": 1 << 13,
    "message_content": 1 << 15,
}
PRIVILEGED = {"presences": 1 << 13, "members": 1 << 15, "message_content": 1 << 19}
"""The intents that the developer portal must switch on, and the flag of the application that shows it."""


def bits(names: str | Iterable[str]) -> int:
    """The permissions of a list, or of words in a string: `bits("view_channel send_messages")`."""
    return sum(PERMISSIONS[name] for name in set(names.split() if isinstance(names, str) else names))


MEMBERS_MAY = bits(
    "add_reactions view_channel send_messages embed_links attach_files read_message_history connect"
    " use_application_commands create_public_threads create_private_threads send_messages_in_threads"
)
"""What `@everyone` may do in a new guild."""
BOT_MAY = bits("view_channel send_messages embed_links attach_files read_message_history add_reactions")
IN_DM = MEMBERS_MAY | bits("pin_messages")


def allowed(user: User, channel: Channel) -> int:
    """What somebody may do in a channel; nothing where they can't look."""
    if channel.guild is None:
        return IN_DM if user in channel.people else 0
    place = channel.parent if channel.is_thread and channel.parent else channel
    may = _in_guild_channel(user, place, channel.guild)
    if channel.kind == PRIVATE_THREAD and user not in channel.people and not may & bits("manage_threads"):
        return 0
    return may if may & bits("view_channel") else 0


def can(user: User, channel: Channel, names: str) -> bool:
    wanted = bits(names)
    return allowed(user, channel) & wanted == wanted


def _in_guild_channel(user: User, channel: Channel, guild: Guild) -> int:
    """The roles' permissions, then the overwrites for everyone, for roles, for the member, in this order."""
    member = guild.members.get(user.id)
    if member is None:
        return 0
    may = guild.everyone.permissions
    for role in member.roles:
        may |= role.permissions
    if user is guild.owner or may & bits("administrator"):
        return EVERYTHING
    for group in ([guild.everyone], member.roles, [user]):
        may = _overwritten(may, channel, group)
    return may


def _overwritten(may: int, channel: Channel, group: Iterable[Role | User]) -> int:
    found = [channel.overwrites[one.id] for one in group if one.id in channel.overwrites]
    for overwrite in found:
        may &= ~overwrite.deny
    for overwrite in found:
        may |= overwrite.allow
    return may
