"""The command tree: refuses people who are not allowed, reports failures, and registers itself when it changed."""

import json
import logging
from hashlib import sha256
from typing import Any

import discord
from discord import app_commands

from recollect.core.state import Owner, StateKind
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import FAILED, NOT_ALLOWED, look_up, respond, use_asker
from recollect.faces.discord.languages import language_for_user
from recollect.faces.discord.localization import notice
from recollect.faces.discord.onboarding import is_served, render_not_served
from recollect.faces.discord.quotas import refusal
from recollect.faces.discord.shards import is_allowed
from recollect.faces.wording import current_language, in_language, say, use_language

log = logging.getLogger("recollect.discord")

_FINGERPRINT = (StateKind.COMMANDS, "")


class MemoryCommandTree(app_commands.CommandTree[Any]):
    bot: BotContext | None = None

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Whether to run a command. Discord waits three seconds for an answer, so a slow look-up defers it."""
        if self.bot is None:
            return False
        is_autocomplete = interaction.type is discord.InteractionType.autocomplete
        admission = self._admission(self.bot, interaction, counts=not is_autocomplete)
        language, text = await (admission if is_autocomplete else look_up(interaction, admission))
        use_language(language)
        use_asker(interaction)
        if text is not None:
            await (interaction.response.autocomplete([]) if is_autocomplete else respond(interaction, text))
        return text is None

    async def _admission(
        self, bot: BotContext, interaction: discord.Interaction[Any], counts: bool
    ) -> tuple[str, str | None]:
        """The language of the answers, and the reason for a refusal."""
        language = await language_for_user(bot, interaction)
        with in_language(language):
            return language, await self._refusal(bot, interaction, counts)

    async def _refusal(self, bot: BotContext, interaction: discord.Interaction[Any], counts: bool) -> str | None:
        """Why someone may not run a command now; None if they may."""
        if not await is_allowed(bot, interaction.user):
            guild = bot.client.get_guild(interaction.guild_id or 0)
            if guild is None or is_served(bot, guild):
                return say(NOT_ALLOWED)
            return render_not_served(bot, guild)
        if not counts:
            return None
        key = await refusal(bot, "command", interaction.user, interaction.channel_id or 0, interaction.guild)
        return None if key is None else notice(key, current_language())

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        log.error("a command failed", exc_info=error)
        try:
            await respond(interaction, say(FAILED))
        except discord.HTTPException as failure:
            log.info("the failure could not be reported: %s", failure)

    async def fingerprint(self) -> str:
        """A digest of all commands as Discord would get them, for this application."""
        translate = self.translator
        commands = [
            command.to_dict(self) if translate is None else await command.get_translated_payload(self, translate)
            for command in self.get_commands()
        ]
        text = json.dumps([str(self.client.application_id), commands], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()

    async def register(self, bot: BotContext) -> bool:
        """Register the commands with Discord if they changed; False when that failed, whatever the cause.

        The bot works without them, and tries again with its next session.
        """
        try:
            current = await self.fingerprint()
            if await bot.state.get(_FINGERPRINT) != current:
                await self.sync()
                await bot.state.put(_FINGERPRINT, current, Owner.nobody())
        except Exception:
            log.exception("cannot register the slash commands; the next session tries again")
            return False
        return True
