"""The command tree: refuses people who are not allowed, reports failures, and registers itself when it changed."""

import json
import logging
from hashlib import sha256
from typing import Any

import discord
from discord import app_commands

from recollect.core.state import Owner, StateKind
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.shards import is_allowed

log = logging.getLogger("recollect.discord")

NOT_ALLOWED = "I am not allowed to talk with you; the person who runs me can change that."
FAILED = "That did not work; it is in my log."
_FINGERPRINT = (StateKind.COMMANDS, "")


class MemoryCommandTree(app_commands.CommandTree[Any]):
    bot: BotContext | None = None

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        if self.bot is not None and await is_allowed(self.bot, interaction.user):
            return True
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        else:
            await interaction.response.send_message(NOT_ALLOWED, ephemeral=True)
        return False

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        log.error("a command failed", exc_info=error)
        try:
            if interaction.response.is_done():
                await interaction.followup.send(FAILED, ephemeral=True)
            else:
                await interaction.response.send_message(FAILED, ephemeral=True)
        except discord.HTTPException as failure:
            log.info("the failure could not be reported: %s", failure)

    def fingerprint(self) -> str:
        """A digest of all commands as Discord would get them, for this application."""
        commands = [command.to_dict(self) for command in self.get_commands()]
        text = json.dumps([str(self.client.application_id), commands], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()

    async def register(self, bot: BotContext) -> bool:
        """Register the commands with Discord if they changed; False when that failed, whatever the cause.

        The bot works without them, and tries again with its next session.
        """
        try:
            current = self.fingerprint()
            if await bot.state.get(_FINGERPRINT) != current:
                await self.sync()
                await bot.state.put(_FINGERPRINT, current, Owner.nobody())
        except Exception:
            log.exception("cannot register the slash commands; the next session tries again")
            return False
        return True
