"""Welcomes: when the bot joins a server, whoever invited it is told what it does and how to set it up; or that the
operator has to allow the server first.
"""

import logging
from collections.abc import AsyncIterator
from datetime import timedelta

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.localization import LANGUAGES, notice
from recollect.faces.discord.splitting import harmless
from recollect.faces.wording import in_language, say

log = logging.getLogger("recollect.discord")

WELCOME = (
    "Thank you for inviting me to **{}**. I answer when I am mentioned, and I remember what people tell me, once "
    "they were told so. What is said in a channel is repeated only to people who can read that channel.\n\n"
    "- `/memory-server setup`: channels, roles, consent, retention, language and limits\n"
    "- `/memory-server status`: what holds, and whether something is missing\n"
    "- `/memory-server off`: I stop at once\n"
    "- members have `/memory list`, `/memory privacy`, `/memory export` and `/memory erase`\n\n"
    "For your rules: “A bot on this server remembers what you tell it. `/memory privacy` shows what it keeps and lets "
    "you stop it.”"
)
NOT_ALLOWED_HERE = (
    "I joined **{}**, but I answer no one there yet: the server {} is not on my operator's list. {} can add "
    "it (`RECOLLECT_DISCORD_ALLOWED_GUILDS`)."
)
AUDIT_ENTRIES = 10
LATELY = timedelta(days=1)


class Onboarding(commands.Cog):
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        try:
            await self._bot.memory.privacy.ensure_retention()
        except RecollectError as error:
            log.warning("cannot queue the jobs of retentions: %s", error)
        for guild in self._bot.client.guilds:
            if self._joined_recently(guild):
                await self.on_guild_join(guild)

    def _joined_recently(self, guild: discord.Guild) -> bool:
        """Whether the bot may have been invited while it was offline, as it always is when it is set up."""
        me = guild.get_member(self._bot.me.id)
        joined = None if me is None else me.joined_at
        return joined is not None and self._bot.clock() - joined < LATELY

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Welcome, once: a server that becomes available late looks like one that was joined."""
        name, now = state.welcomed(guild.id), self._bot.clock().isoformat()
        try:
            if await self._bot.state.get(name) is not None:
                return
            await self._bot.state.put(name, now, Owner.guild(str(guild.id)))
        except RecollectError as error:
            log.warning("cannot store that the server %s was welcomed: %s", guild.id, error)
            return
        with in_language(LANGUAGES.get(guild.preferred_locale, "")):
            text = self._text(guild)
        async for recipient in self._recipients(guild):
            try:
                await recipient.send(text)
            except (discord.HTTPException, OSError) as error:
                log.info("the welcome for the server %s did not arrive: %s", guild.id, error)
            else:
                return

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        try:
            await self._bot.state.drop(state.welcomed(guild.id))
        except RecollectError as error:
            log.warning("the server %s is not welcomed if it returns: %s", guild.id, error)

    def _text(self, guild: discord.Guild) -> str:
        options = self._bot.settings.discord
        if is_served(self._bot, guild):
            language = LANGUAGES.get(guild.preferred_locale, "")
            parts = [say(WELCOME, harmless(guild.name))]
            parts += [notice("operator", language).format(options.operator)] if options.operator else []
            parts += [notice("policy", language).format(options.privacy_policy)] if options.privacy_policy else []
            return "\n\n".join(parts)
        return render_not_served(self._bot, guild)

    async def _recipients(self, guild: discord.Guild) -> AsyncIterator[discord.abc.Messageable]:
        """Whoever invited the bot, as the audit log has it; else the owner; else everyone in the system channel."""
        inviter = await self._inviter(guild)
        if inviter is not None:
            yield inviter
        try:
            owner = guild.owner or (await guild.fetch_member(guild.owner_id) if guild.owner_id else None)
        except (discord.HTTPException, OSError):
            owner = None
        if owner is not None and owner != inviter:
            yield owner
        if guild.system_channel is not None:
            yield guild.system_channel

    async def _inviter(self, guild: discord.Guild) -> discord.User | discord.Member | None:
        try:
            async for entry in guild.audit_logs(limit=AUDIT_ENTRIES, action=discord.AuditLogAction.bot_add):
                if getattr(entry.target, "id", None) == self._bot.me.id:
                    return entry.user
        except (discord.HTTPException, OSError) as error:
            log.info("cannot tell who invited the bot to the server %s: %s", guild.id, error)
        return None


def render_not_served(bot: BotContext, guild: discord.Guild) -> str:
    """Whom to ask on a server where nobody is answered."""
    who = bot.settings.discord.operator or say("Whoever runs me")
    return say(NOT_ALLOWED_HERE, harmless(guild.name), guild.id, who)


def is_served(bot: BotContext, guild: discord.Guild) -> bool:
    """Whether the allow lists let anyone talk to the bot on a server."""
    access, roles = bot.access, {str(role.id) for role in guild.roles}
    return bool(access.users) or str(guild.id) in access.guilds or not access.roles.isdisjoint(roles)
