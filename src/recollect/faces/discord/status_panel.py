"""`/memory-server status`: what holds on a server and how the bot is doing there, with buttons to act on it."""

import discord

from recollect import bot_state as state
from recollect.core.state import Owner
from recollect.core.version import __version__
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import VIEW_TIMEOUT_SECONDS, Interaction, Panel, acknowledge
from recollect.faces.discord.quotas import replies_today, tenant
from recollect.faces.discord.setup_panel import NOT_A_MANAGER, Changed, SetupPanel, is_manager, settings_embed

SWITCHES = {
    "on": ("Switch my memory on for this whole server", "Memory is on here: I listen and learn again."),
    "off": (
        "Switch my memory off for this whole server",
        "Memory is off here: I neither listen nor learn nor answer, until an administrator switches it on again.",
    ),
}


class StatusPanel(Panel):
    """Buttons to look again, to open the settings, and to switch memory off or on."""

    def __init__(self, bot: BotContext, guild: discord.Guild, changed: Changed, *, is_off: bool) -> None:
        super().__init__(timeout=VIEW_TIMEOUT_SECONDS)
        self._bot, self._guild, self._changed, self._is_off = bot, guild, changed, is_off
        self.switch.label = "Switch on" if is_off else "Switch off"
        self.switch.style = discord.ButtonStyle.success if is_off else discord.ButtonStyle.danger

    async def send(self, interaction: Interaction) -> None:
        """Answer an interaction that was deferred."""
        await interaction.followup.send(embed=await self._embed(), view=self, ephemeral=True)

    async def _embed(self) -> discord.Embed:
        embed = await settings_embed(self._bot, self._guild.id)
        embed.description = "\n".join(await _health(self._bot, self._guild))
        return embed

    async def _show_again(self, interaction: Interaction) -> None:
        is_off = await self._bot.is_off(self._guild.id)
        panel = StatusPanel(self._bot, self._guild, self._changed, is_off=is_off)
        await interaction.edit_original_response(embed=await self._embed(), view=panel)

    @discord.ui.button(label="Refresh", style=discord.ButtonStyle.secondary)
    async def refresh(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        await self._show_again(interaction)

    @discord.ui.button(label="Settings", style=discord.ButtonStyle.primary)
    async def setup(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        await SetupPanel(self._bot, self._guild.id, self._changed).show(interaction)

    @discord.ui.button()
    async def switch(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        if is_manager(interaction):
            await switch_memory(self._bot, self._guild.id, interaction.user.id, "on" if self._is_off else "off")
            await self._show_again(interaction)
        else:
            await interaction.followup.send(NOT_A_MANAGER, ephemeral=True)


async def switch_memory(bot: BotContext, guild: int, by: int, to: str) -> None:
    """Switch memory `on` or `off` for a server, and log who did it."""
    before = "off" if await bot.is_off(guild) else "on"
    if to == "off":
        await bot.state.put(state.switched_off(guild), bot.clock().isoformat(), Owner.guild(str(guild)))
    else:
        await bot.state.drop(state.switched_off(guild))
    await bot.server_settings.record(guild, by, "switched memory", before, to)


async def _health(bot: BotContext, guild: discord.Guild) -> list[str]:
    server, jobs = await bot.server_settings.of(guild.id), await bot.memory.timeline.job_counts()
    lines = [
        f"Memory is **{'off' if await bot.is_off(guild.id) else 'on'}** here; recollect {__version__}.",
        f"Answers by a model: {'yes' if bot.has_model else 'no, from memory alone'}.",
        f"Work that waits: {jobs.get('waiting', 0):,}; failed: {jobs.get('failed', 0):,}.",
    ]
    lines += await _budget(bot, guild.id, server.daily_replies)
    for label, channel_id in (("memory", server.memory_channel), ("log", server.log_channel)):
        if channel_id and (missing := _missing_permissions(guild, channel_id)):
            lines.append(f"⚠️ I can't write in the {label} channel <#{channel_id}>: {missing}.")
    return lines


async def _budget(bot: BotContext, guild: int, daily_replies: int) -> list[str]:
    """What is used of today's replies and tokens."""
    budget = bot.memory.engine.reply_budget
    replies, use = await replies_today(bot, guild), await budget.use(tenant(guild))
    lines = [f"Replies today: {replies:,} of {daily_replies:,}."] if daily_replies else []
    limit = f" of {use.limit:,}" if use.limit else ""
    lines.append(f"Tokens today: {use.learning + use.replies:,}{limit} ({use.learning:,} to learn).")
    paused = ["replies"] if use.is_spent or (daily_replies and replies >= daily_replies) else []
    paused += ["learning by a model"] if await budget.is_learning_paused(tenant(guild)) else []
    if paused:
        lines.append(f"⏸️ **Paused: budget** ({' and '.join(paused)}), until tomorrow (UTC).")
    return lines


def _missing_permissions(guild: discord.Guild, channel_id: str) -> str:
    """What the bot needs to write in a channel and does not have; empty if nothing is missing."""
    channel = guild.get_channel_or_thread(int(channel_id)) if channel_id.isdecimal() else None
    if channel is None:
        return "I don't see it"
    allowed, needed = channel.permissions_for(guild.me), ("view_channel", "send_messages", "embed_links")
    missing = [name.replace("_", " ") for name in needed if not getattr(allowed, name)]
    return f"I am not allowed to {' and '.join(missing)}" if missing else ""
