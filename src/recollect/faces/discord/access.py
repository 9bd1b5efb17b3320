"""Whom the bot answers and listens to. Empty lists allow no one: it fails closed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import discord

from recollect.settings import Settings

EVERYONE = "*"
CLOSED = (
    "no one is allowed to talk to the bot: set RECOLLECT_DISCORD_ALLOWED_USERS, RECOLLECT_DISCORD_ALLOWED_ROLES "
    "or RECOLLECT_DISCORD_ALLOWED_GUILDS (ids, with commas between them)"
)


@dataclass(frozen=True, slots=True)
class AccessList:
    users: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    guilds: frozenset[str] = frozenset()
    excluded_roles: frozenset[str] = frozenset()
    excluded_channels: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> "AccessList":
        options = settings.discord
        lists = (
            options.allowed_users,
            options.allowed_roles,
            options.allowed_guilds,
            options.excluded_roles,
            options.excluded_channels,
        )
        return cls(*map(frozenset[str], lists))

    @property
    def is_closed(self) -> bool:
        return not (self.users or self.roles or self.guilds)

    async def allows(self, user: discord.User | discord.Member, guilds: Iterable[discord.Guild]) -> bool:
        """Whether the bot deals with someone at all; `guilds` are those that it is in."""
        if EVERYONE in self.users or str(user.id) in self.users:
            return True
        if isinstance(user, discord.Member):
            return self._allows_member(user)
        return await self._allows_in_any(user, guilds)

    def _allows_member(self, member: discord.Member) -> bool:
        return str(member.guild.id) in self.guilds or not self.roles.isdisjoint(_roles(member))

    async def _allows_in_any(self, user: discord.User, guilds: Iterable[discord.Guild]) -> bool:
        """The author of a DM may be a member of an allowed guild, or have an allowed role in one."""
        candidates = [guild for guild in guilds if str(guild.id) in self.guilds or self._has_allowed_role(guild)]
        for guild in candidates:
            try:
                member = guild.get_member(user.id) or await guild.fetch_member(user.id)
            except discord.HTTPException:
                continue
            if self._allows_member(member):
                return True
        return False

    def _has_allowed_role(self, guild: discord.Guild) -> bool:
        return any(str(role.id) in self.roles for role in guild.roles)

    def ignores(self, user: discord.User | discord.Member, channel: object) -> bool:
        """Whether one of their roles, or the channel, is excluded from memory."""
        return excludes(user, channel, self.excluded_roles, self.excluded_channels)


def excludes(
    user: discord.User | discord.Member, channel: object, roles: frozenset[str], channels: frozenset[str]
) -> bool:
    """Whether one of someone's roles, or the channel, is among these."""
    return not roles.isdisjoint(_roles(user)) or not channels.isdisjoint(ids_of(channel))


def _roles(user: discord.User | discord.Member) -> Collection[str]:
    return {str(role.id) for role in user.roles} if isinstance(user, discord.Member) else ()


def ids_of(channel: object) -> set[str]:
    """Every id that a setting may use for a channel: its own, its parent's, its category's."""
    names = ("id", "parent_id", "category_id")
    return {str(value) for name in names if (value := getattr(channel, name, None)) is not None}
