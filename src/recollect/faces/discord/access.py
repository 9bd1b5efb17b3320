"""Whom the bot answers and listens to. With empty lists that is nobody: it fails closed."""

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import discord

from recollect.settings import Settings

log = logging.getLogger("recollect.discord")

EVERYBODY = "*"
CLOSED = (
    "nobody is allowed to talk to the bot: set RECOLLECT_DISCORD_ALLOWED_USERS, RECOLLECT_DISCORD_ALLOWED_ROLES "
    "or RECOLLECT_DISCORD_ALLOWED_GUILDS (ids, with commas between them)"
)


@dataclass(frozen=True, slots=True)
class AccessList:
    users: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    guilds: frozenset[str] = frozenset()
    shut_roles: frozenset[str] = frozenset()
    shut_channels: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings) -> "AccessList":
        bot = settings.discord
        lists = (bot.allowed_users, bot.allowed_roles, bot.allowed_guilds, bot.excluded_roles, bot.excluded_channels)
        return cls(*map(frozenset[str], lists))

    @property
    def is_closed(self) -> bool:
        return not (self.users or self.roles or self.guilds)

    async def allows(self, who: discord.User | discord.Member, guilds: Iterable[discord.Guild]) -> bool:
        """Whether the bot has to do with someone at all; `guilds` are those that it is in."""
        if EVERYBODY in self.users or str(who.id) in self.users:
            return True
        if isinstance(who, discord.Member):
            return self._admits(who)
        return await self._admitted_elsewhere(who, guilds)

    def _admits(self, member: discord.Member) -> bool:
        return str(member.guild.id) in self.guilds or not self.roles.isdisjoint(_roles(member))

    async def _admitted_elsewhere(self, who: discord.User, guilds: Iterable[discord.Guild]) -> bool:
        """Someone who writes a DM may be a member of an allowed guild, or have an allowed role there."""
        wanted = [guild for guild in guilds if str(guild.id) in self.guilds or self._has_role(guild)]
        for guild in wanted:
            try:
                member = guild.get_member(who.id) or await guild.fetch_member(who.id)
            except discord.HTTPException:
                continue
            if self._admits(member):
                return True
        return False

    def _has_role(self, guild: discord.Guild) -> bool:
        return any(str(role.id) in self.roles for role in guild.roles)

    def ignores(self, who: discord.User | discord.Member, channel: object) -> bool:
        """Whether memory was ruled out for a role of theirs, or for where they speak."""
        return not self.shut_roles.isdisjoint(_roles(who)) or not self.shut_channels.isdisjoint(ids_of(channel))


def _roles(who: discord.User | discord.Member) -> Collection[str]:
    return {str(role.id) for role in who.roles} if isinstance(who, discord.Member) else ()


def ids_of(channel: object) -> set[str]:
    """Every id under which a channel can be meant: its own, its parent's, its category's."""
    names = ("id", "parent_id", "category_id")
    return {str(value) for name in names if (value := getattr(channel, name, None)) is not None}
