"""Who can read a channel of a Discord server, as a rule over its roles and members.

The owner and administrators read everything, so they are left out, and so are bots.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import discord

from recollect.policy import readers
from recollect.policy.readers import Clause

_Overwrite = tuple[str, bool, int, int]
"""The id of a role or member, whether it is a member, what is allowed and what is denied."""
_Roles = frozenset[tuple[str, int]]
"""Ids of roles, and what they may do."""
_Channel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel

VIEW = discord.Permissions(view_channel=True).value
HISTORY = discord.Permissions(read_message_history=True).value
JOIN = discord.Permissions(connect=True).value
_RELEVANT = VIEW | HISTORY | JOIN
_ADULTS_ONLY = readers.rule_of([Clause(allowed=frozenset({"adults"}))])
"""Who passes an age restriction, as if they had a role of that name: minors can't open such a channel."""
_ADMINISTRATOR = discord.Permissions(administrator=True).value
_SERVERS: WeakKeyDictionary[object, dict[int, "_Server"]] = WeakKeyDictionary()
"""Cache: per connection, what was found out about each server."""


@dataclass(frozen=True, slots=True)
class _Server:
    """What takes a look at every role and channel of a server: too much for each message."""

    roles: _Roles
    ordinary: str
    """The readers of its ordinary channels."""


def knows_roles(guild: discord.Guild) -> bool:
    return guild.get_role(guild.id) is not None


def own_permissions(channel: object) -> discord.Permissions | None:
    """What the bot may do in a channel or a thread of a server; None if that is unknown, or there is no server."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return None
    try:
        return channel.permissions_for(channel.guild.me)
    except discord.ClientException:  # a thread whose channel is unknown
        return None


def is_shut_out(channel: object) -> bool:
    """Whether the bot may not view a channel. It hears nothing from there but what was on its way."""
    allowed = own_permissions(channel)
    return allowed is not None and not allowed.view_channel


def readers_of(channel: discord.abc.GuildChannel) -> str:
    """Who can read a channel, as `policy.readers` writes it."""
    return _readers(channel, _server(channel.guild).roles)


def readers_differ(before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> bool:
    """Whether an update of a channel may have changed who can read it."""
    is_same = before.overwrites == after.overwrites and before.category_id == after.category_id
    return not is_same or _is_age_restricted(before) != _is_age_restricted(after)


def is_ordinary(guild: discord.Guild, rule: str) -> bool:
    """Whether these readers include all those of the server's ordinary channels: of those that are alike in this, the
    most; if there are several such groups, the one that the most people can read.
    """
    return readers.is_sure(rule) and readers.includes(rule, _server(guild).ordinary)


def _server(guild: discord.Guild) -> _Server:
    cache = _SERVERS.setdefault(guild._state, {})  # pyright: ignore[reportPrivateUsage]
    if guild.id not in cache:
        roles = _roles(guild)
        cache[guild.id] = _Server(roles, _ordinary_readers(guild, roles))
    return cache[guild.id]


def forget_servers(connection: object) -> None:
    """Drop the cache: channels, roles or members of a server may have changed."""
    _SERVERS.pop(connection, None)


def _ordinary_readers(guild: discord.Guild, roles: _Roles) -> str:
    counts = Counter(_readers(channel, roles) for channel in guild.channels if isinstance(channel, _Channel))
    return _widest([other for other, count in counts.items() if count == max(counts.values())])


def _widest(rules: Sequence[str]) -> str:
    # If none of them includes the others, only everyone does.
    wide = (rule for rule in rules if all(rule == other or readers.includes(rule, other) for other in rules))
    return next(wide, readers.EVERYONE)


def _roles(guild: discord.Guild) -> _Roles:
    if _bits(guild.default_role) & _ADMINISTRATOR:
        return frozenset({(str(guild.id), _RELEVANT)})
    return frozenset(
        (str(role.id), _bits(role) & _RELEVANT) for role in guild.roles if not _is_left_out(role.id, False, guild)
    )


def _bits(role: discord.Role) -> int:
    # `role.permissions` makes an object each time: too slow for all roles of the overwrites per message
    return role._permissions  # pyright: ignore[reportPrivateUsage]


def _readers(channel: discord.abc.GuildChannel, roles: _Roles) -> str:
    """Discord copies the overwrites of a category into its channels. One that is in the category alone was removed from
    the channel, or is not there yet: both are considered.
    """
    own = _overwrites(channel)
    inherited = {} if channel.category is None else {**_overwrites(channel.category), **own}
    listed = [frozenset(own.values()), frozenset((inherited or own).values())]
    candidates = frozenset({*listed, *(_of_known_roles(each, roles, channel.guild) for each in listed)})
    is_voice = isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    rule = _rule(str(channel.guild.id), roles, candidates, is_voice)
    return readers.both(rule, _ADULTS_ONLY) if _is_age_restricted(channel) else rule


def _is_age_restricted(channel: discord.abc.GuildChannel) -> bool:
    is_server = channel.guild.nsfw_level is discord.NSFWLevel.age_restricted
    return is_server or bool(getattr(channel, "nsfw", False))


def _of_known_roles(overwrites: frozenset[_Overwrite], roles: _Roles, guild: discord.Guild) -> frozenset[_Overwrite]:
    """The overwrites without those of deleted roles, which nobody has, though channels may still list them."""
    role_ids = {name for name, _ in roles}
    missing = [
        each for each in overwrites if not each[1] and each[0] not in role_ids and guild.get_role(int(each[0])) is None
    ]
    return overwrites.difference(missing)


@lru_cache(maxsize=4096)
def _rule(everyone: str, roles: _Roles, candidates: frozenset[frozenset[_Overwrite]], is_voice: bool) -> str:
    needed = [VIEW, HISTORY, *([JOIN] if is_voice else [])]  # whoever can't join a voice channel can't read its chat
    # Without the history someone may see new messages, but surely not those that were written before.
    sure = readers.rule_of(_clause(everyone, roles, each, bit) for each in candidates for bit in needed)
    visible = [readers.rule_of([_clause(everyone, roles, each, VIEW)]) for each in candidates]
    return readers.between(sure, _widest(visible))


def _clause(everyone: str, roles: _Roles, overwrites: frozenset[_Overwrite], bit: int) -> Clause:
    """The roles and members that have a permission, given these overwrites."""
    base = {role for role, permissions in roles if permissions & bit}
    ids: dict[tuple[bool, bool], set[str]] = {(member, yes): set() for member in (False, True) for yes in (False, True)}
    for target, is_member, allowed, denied in overwrites:
        # Discord applies the overwrite of @everyone first, so it replaces what all roles have.
        if target == everyone and (allowed | denied) & bit:
            base = {everyone} if allowed & bit else set[str]()
        elif (allowed | denied) & bit:
            ids[is_member, bool(allowed & bit)].add(target)
    return Clause(
        everyone in base,
        frozenset(base - {everyone}),
        frozenset(ids[False, True]),
        frozenset(ids[False, False]),
        frozenset(ids[True, True]),
        frozenset(ids[True, False]),
    )


def _overwrites(channel: discord.abc.GuildChannel) -> Mapping[int, _Overwrite]:
    guild = channel.guild
    if _bits(guild.default_role) & _ADMINISTRATOR:
        return {}
    # `channel.overwrites` makes objects of a hundred permissions each: too slow for all channels per message
    raw = channel._overwrites  # pyright: ignore[reportPrivateUsage]
    return {
        overwrite.id: (
            str(overwrite.id),
            overwrite.is_member(),
            overwrite.allow & _RELEVANT,
            overwrite.deny & _RELEVANT,
        )
        for overwrite in raw
        if not _is_left_out(overwrite.id, overwrite.is_member(), guild)
    }


def _is_left_out(target: int, is_member: bool, guild: discord.Guild) -> bool:
    """Whether a role or member stands for bots alone, or for people who read everything anyway."""
    if is_member:
        member = guild.get_member(target)
        return target == guild.owner_id or (member is not None and member.bot)
    role = guild.get_role(target)
    if role is None or role.is_default():
        return False
    return role.is_bot_managed() or bool(_bits(role) & _ADMINISTRATOR)
