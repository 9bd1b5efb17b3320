"""The tree of commands: refuses who is not allowed, says when something failed, and is registered when it changed."""

import json
import logging
from hashlib import sha256
from typing import Any

import discord
from discord import app_commands

from recollect.faces.discord.context import BotContext
from recollect.faces.discord.shards import admits

log = logging.getLogger("recollect.discord")

NOT_ALLOWED = "I am not allowed to talk with you; whoever runs me can change that."
FAILED = "That did not work; it is in my log."
_NOTE = "commands"


class Tree(app_commands.CommandTree[Any]):
    house: BotContext | None = None

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        if self.house is not None and await admits(self.house, interaction.user):
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
        except discord.HTTPException as problem:
            log.info("nobody can be told: %s", problem)

    def fingerprint(self) -> str:
        """Of all commands as Discord would get them, for this application."""
        commands = [command.to_dict(self) for command in self.get_commands()]
        text = json.dumps([str(self.client.application_id), commands], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()

    async def register(self, house: BotContext) -> bool:
        """Tell Discord about the commands, if they are not as it was told last; False when that failed, whatever the
        cause: the bot works without them, and tries again with its next session.
        """
        try:
            current = self.fingerprint()
            if await house.notes.get(_NOTE) != current:
                await self.sync()
                await house.notes.put(_NOTE, current)
        except Exception:
            log.exception("the slash commands can't be registered; the next attempt comes with the next session")
            return False
        return True
