"""`/memory-server status`: the effective settings of a server and the bot's state there, with buttons."""

import discord

from recollect import bot_state as state
from recollect.core.state import Owner
from recollect.core.version import __version__
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import Interaction, Panel, acknowledge, is_manager
from recollect.faces.discord.localization import translated
from recollect.faces.discord.lost_channels import unread_channels
from recollect.faces.discord.quotas import replies_today, tenant
from recollect.faces.discord.setup_panel import Changed, SetupPanel, settings_embed, writing_problem

MEMORY_IS_ON = "Memory is **on** here; recollect {}."
UNREAD = "⚠️ I can't read {}: what is said there is neither answered nor learned."
MAX_NAMED_CHANNELS = 20
SWITCHES = {
    "on": ("Switch my memory on for this whole server", "Memory is on here: I listen and learn again."),
    "off": (
        "Switch my memory off for this whole server",
        "Memory is off here: I neither listen nor learn nor answer, until an administrator switches it on again.",
    ),
}


class StatusPanel(Panel):
    """Buttons to look again, to open the settings, and to switch memory off or on."""

    may = staticmethod(is_manager)

    def __init__(self, bot: BotContext, guild: discord.Guild, changed: Changed, language: str, *, is_off: bool) -> None:
        super().__init__()
        self._bot, self._guild, self._changed, self._is_off = bot, guild, changed, is_off
        self._language = language
        self.refresh.label, self.setup.label = translated("Refresh", language), translated("Settings", language)
        self.switch.label = translated("Switch on" if is_off else "Switch off", language)
        self.switch.style = discord.ButtonStyle.success if is_off else discord.ButtonStyle.danger

    async def send(self, interaction: Interaction) -> None:
        """Answer a deferred interaction."""
        await interaction.followup.send(embed=await self._embed(), view=self, ephemeral=True)

    async def _embed(self) -> discord.Embed:
        embed = await settings_embed(self._bot, self._guild.id, self._language)
        embed.description = "\n".join(await _health(self._bot, self._guild, self._language))
        return embed

    async def _show_again(self, interaction: Interaction) -> None:
        is_off = await self._bot.is_off(self._guild.id)
        panel = StatusPanel(self._bot, self._guild, self._changed, self._language, is_off=is_off)
        await interaction.edit_original_response(embed=await self._embed(), view=panel)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def refresh(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        await self._show_again(interaction)

    @discord.ui.button(style=discord.ButtonStyle.primary)
    async def setup(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        await SetupPanel(self._bot, self._guild.id, self._changed, self._language).show(interaction)

    @discord.ui.button()
    async def switch(self, interaction: Interaction, button: "discord.ui.Button[StatusPanel]") -> None:
        del button
        await acknowledge(interaction)
        await switch_memory(self._bot, self._guild.id, interaction.user.id, "on" if self._is_off else "off")
        await self._show_again(interaction)


async def switch_memory(bot: BotContext, guild: int, by: int, to: str) -> None:
    """Switch memory `on` or `off` for a server, and log who did it."""
    before = "off" if await bot.is_off(guild) else "on"
    if to == "off":
        await bot.state.put(state.switched_off(guild), bot.clock().isoformat(), Owner.guild(str(guild)))
    else:
        await bot.state.drop(state.switched_off(guild))
    await bot.server_settings.record(guild, by, "switched memory", before, to)


async def _health(bot: BotContext, guild: discord.Guild, language: str) -> list[str]:
    server, jobs = await bot.server_settings.of(guild.id), await bot.memory.timeline.job_counts()
    memory = "Memory is **off** here; recollect {}." if await bot.is_off(guild.id) else MEMORY_IS_ON
    model = "Answers by a model: yes." if bot.has_model else "Answers by a model: no, from memory alone."
    work = translated("Work that waits: {:,}; failed: {:,}.", language)
    lines = [
        translated(memory, language).format(__version__),
        translated(model, language),
        work.format(jobs.get("waiting", 0), jobs.get("failed", 0)),
    ]
    lines += await _budget(bot, guild.id, server.daily_replies, language)
    for name in ("memory_channel", "log_channel"):
        lines += filter(None, [writing_problem(guild, name, getattr(server, name), language)])
    unread = [channel for channel in await unread_channels(bot, guild.id) if guild.get_channel_or_thread(channel)]
    if unread:
        named = " ".join(f"<#{channel}>" for channel in sorted(unread)[:MAX_NAMED_CHANNELS])
        lines.append(translated(UNREAD, language).format(named))
    return lines


async def _budget(bot: BotContext, guild: int, daily_replies: int, language: str) -> list[str]:
    """Today's replies and tokens, with their limits."""
    budget = bot.memory.engine.reply_budget
    replies, use = await replies_today(bot, guild), await budget.use(tenant(guild))
    count = translated("Replies today: {:,} of {:,}.", language)
    lines = [count.format(replies, daily_replies)] if daily_replies else []
    used = use.learning + use.replies
    tokens = translated("{:,} of {:,}", language).format(used, use.limit) if use.limit else f"{used:,}"
    lines.append(translated("Tokens today: {} ({:,} to learn).", language).format(tokens, use.learning))
    paused = ["replies"] if use.is_spent or (daily_replies and replies >= daily_replies) else []
    paused += ["learning by a model"] if await budget.is_learning_paused(tenant(guild)) else []
    if paused:
        what = translated(" and ", language).join(translated(part, language) for part in paused)
        lines.append(translated("⏸️ **Paused: budget** ({}), until tomorrow (UTC).", language).format(what))
    return lines
