"""The panel of the memory channel: one message with buttons, however many members there are. Each button answers only
whoever presses it, so the channel itself shows no one's words.
"""

import asyncio
import logging
from contextlib import suppress

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner
from recollect.faces.discord.consent import NO, YES, ConsentButton
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import Interaction, PersistentButton, defer
from recollect.faces.discord.languages import language_of
from recollect.faces.discord.localization import notice, translated
from recollect.faces.discord.privacy_notice import render_notice
from recollect.faces.discord.privacy_panel import privacy_panel
from recollect.faces.discord.slash_commands import SlashCommands

log = logging.getLogger("recollect.discord")

TITLE = "What I remember"
TEXT = "**Show mine** shows you, and nobody else, what I remember about you and may be told here."
LABELS = {"mine": "Show mine", "privacy": "My privacy"}


class MemoryPanel:
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._lock = asyncio.Lock()
        self._failed: set[int] = set()
        """Servers whose panel could not be posted or edited."""

    async def update_all(self) -> None:
        """Bring the panels of all servers up to date."""
        for guild in self._bot.client.guilds:
            await self.update(guild)

    async def update_failed(self) -> bool:
        """Try those again that failed; False if one fails again."""
        for guild in filter(None, map(self._bot.client.get_guild, sorted(self._failed))):
            await self.update(guild)
        return not self._failed

    async def update(self, guild: discord.Guild) -> None:
        """Post or edit the panel in the configured channel, and remove it from the previous one."""
        try:
            async with self._lock:  # two changes at once must not post two panels
                await self._update(guild)
        except (discord.DiscordException, OSError, RecollectError) as error:
            log.warning("cannot keep the panel of the server %s: %s", guild.id, error)
            self._failed.add(guild.id)
        else:
            self._failed.discard(guild.id)

    async def _update(self, guild: discord.Guild) -> None:
        bot, name = self._bot, state.panel_message(guild.id)
        server = await bot.server_settings.of(guild.id)
        wanted = server.memory_channel if bot.settings.discord.memory_channel_style == "panel" else ""
        channel_id, _, message_id = (await bot.state.get(name) or "").partition("/")
        if message_id and channel_id != wanted:
            await self._remove(name, channel_id, message_id)
            message_id = ""
        channel = guild.get_channel_or_thread(int(wanted)) if wanted.isdecimal() else None
        if not isinstance(channel, discord.abc.Messageable):
            return
        embed, view = await self._content(guild, asks=server.consent == "opt_in")
        if message_id:
            try:
                await channel.get_partial_message(int(message_id)).edit(embed=embed, view=view)
            except discord.NotFound:
                log.info("the panel of the server %s was deleted and is sent again", guild.id)
            else:
                return
        message = await channel.send(embed=embed, view=view)
        await bot.state.put(name, f"{channel.id}/{message.id}", Owner.guild(str(guild.id)))

    async def _content(self, guild: discord.Guild, *, asks: bool) -> tuple[discord.Embed, discord.ui.View]:
        language = await language_of(self._bot, guild)
        text = f"{await render_notice(self._bot, guild)}\n\n{translated(TEXT, language)}"
        view = discord.ui.View(timeout=None)
        for action in LABELS:
            view.add_item(PanelButton(action, language))
        if asks:
            text = f"{text}\n\n{notice('consent', language)}"
            view.add_item(ConsentButton(YES, guild.id, notice("agree", language)))
            view.add_item(ConsentButton(NO, guild.id, notice("decline", language)))
        return discord.Embed(title=translated(TITLE, language), description=text), view

    async def _remove(self, name: state.Name, channel_id: str, message_id: str) -> None:
        with suppress(discord.NotFound, discord.Forbidden):
            channel = self._bot.client.get_partial_messageable(int(channel_id))
            await channel.get_partial_message(int(message_id)).delete()
        await self._bot.state.drop(name)


class PanelButton(PersistentButton, template=r"recollect:panel:(?P<action>mine|privacy)"):
    """Shows whoever presses it their own data."""

    def __init__(self, action: str, language: str = "") -> None:
        self.action = action
        style = discord.ButtonStyle.primary if action == "mine" else discord.ButtonStyle.secondary
        custom_id = f"recollect:panel:{action}"
        super().__init__(
            discord.ui.Button(label=translated(LABELS[action], language), style=style, custom_id=custom_id)
        )

    async def press(self, interaction: Interaction) -> None:
        bot: BotContext = interaction.client.bot
        await defer(interaction)
        if self.action == "mine":
            await SlashCommands(bot).send_list(interaction)
        else:
            embed, panel = await privacy_panel(bot, interaction)
            await interaction.followup.send(embed=embed, view=panel, ephemeral=True)
