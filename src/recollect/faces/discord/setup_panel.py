"""`/memory-server setup`: the settings of a server as a panel. Choose one, then channels, roles, value or number."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import discord

from recollect.core.text import clip
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import (
    VIEW_TIMEOUT_SECONDS,
    Form,
    Interaction,
    Panel,
    acknowledge,
    defer,
    is_manager,
    look_up,
    open_form,
    update,
)
from recollect.faces.discord.languages import panel_language
from recollect.faces.discord.localization import translated
from recollect.faces.discord.server_settings import MENTIONS, OPTIONS, Option

TITLE = "How I work on this server"
LOCKED = "(set by my operator)"
NOT_A_NUMBER = "That is not a number from 0 to {:,}; nothing was changed."
MAX_CHOSEN = 25
"""Discord's limit for a menu."""

Changed = Callable[[int, str], Awaitable[None]]
"""Called with the server and the option after a change."""


async def settings_embed(bot: BotContext, guild: int, language: str) -> discord.Embed:
    """The effective settings of a server, option by option."""
    embed = discord.Embed(title=translated(TITLE, language))
    for name, option in OPTIONS.items():
        value = describe(option, await bot.server_settings.value(guild, name), language)
        locked = f" {translated(LOCKED, language)}" if bot.server_settings.is_locked(name, guild) else ""
        label, meaning = translated(option.label, language), translated(option.meaning, language)
        embed.add_field(name=label, value=f"{value}{locked}\n-# {meaning}", inline=True)
    return embed


def describe(option: Option, value: Any, language: str) -> str:
    """A value as people read it."""
    match option.kind:
        case "channels" | "roles":
            shown = [f"<{MENTIONS[option.kind]}{item}>" for item in value[:20]]
            more = [translated("and {} more", language).format(len(value) - 20)] if len(value) > 20 else []
            return " ".join([*shown, *more]) or translated("none", language)
        case "channel" | "role":
            return f"<{MENTIONS[option.kind]}{value}>" if value else translated("none", language)
        case "choice":
            return translated(dict(option.choices).get(value, value or "as on the server"), language)
        case "number":
            return f"{value:,}" if value else translated("no limit", language)


def writing_problem(guild: discord.Guild, name: str, channel_id: str, language: str) -> str:
    """Why the bot can't write in the memory channel or the log channel; empty if it can, or there is none."""
    if not channel_id or not (missing := _missing_permissions(guild, channel_id, language)):
        return ""
    problem = translated(f"⚠️ I can't write in the {name.replace('_', ' ')} {{}}: {{}}.", language)
    return problem.format(f"<#{channel_id}>", missing)


def _missing_permissions(guild: discord.Guild, channel_id: str, language: str) -> str:
    """The permissions that the bot lacks to write in a channel; empty if it has them."""
    channel = guild.get_channel_or_thread(int(channel_id)) if channel_id.isdecimal() else None
    if channel is None:
        return translated("I don't see it", language)
    allowed, needed = channel.permissions_for(guild.me), ("view_channel", "send_messages", "embed_links")
    missing = [translated(name.replace("_", " "), language) for name in needed if not getattr(allowed, name)]
    return (
        translated("I am not allowed to {}", language).format(translated(" and ", language).join(missing))
        if missing
        else ""
    )


class SetupPanel(Panel):
    may = staticmethod(is_manager)

    def __init__(self, bot: BotContext, guild: int, changed: Changed, language: str) -> None:
        super().__init__()
        self.bot, self.guild, self._changed, self.language = bot, guild, changed, language
        self.add_item(_OptionMenu(self))

    async def send(self, interaction: Interaction) -> None:
        """Answer a deferred interaction."""
        embed = await settings_embed(self.bot, self.guild, self.language)
        await interaction.followup.send(embed=embed, view=self, ephemeral=True)

    async def show(self, interaction: Interaction, note: str | None = None) -> None:
        """Show all options, in place of an editor."""
        language = await panel_language(self.bot, interaction)  # its menu may have changed
        panel = SetupPanel(self.bot, self.guild, self._changed, language)
        embed = await settings_embed(self.bot, self.guild, language)
        await interaction.edit_original_response(content=note, embed=embed, view=panel)

    async def choose(self, interaction: Interaction, name: str) -> None:
        """Ask for the value of an option."""
        option = OPTIONS[name]
        if self.bot.server_settings.is_locked(name, self.guild):
            await acknowledge(interaction)
            label, locked = translated(option.label, self.language), translated(LOCKED, self.language)
            await self.show(interaction, f"{label}: {locked}.")
            return
        value = await look_up(interaction, self.bot.server_settings.value(self.guild, name))
        if option.kind == "number":
            await open_form(interaction, _NumberForm(self, name, value))
        else:
            now = translated("Now: {}", self.language).format(describe(option, value, self.language))
            label, meaning = translated(option.label, self.language), translated(option.meaning, self.language)
            embed = discord.Embed(title=label, description=f"{meaning}\n{now}")
            await update(interaction, content=None, embed=embed, view=_Editor(self, name, value))

    async def change(self, interaction: Interaction, name: str, value: Any) -> None:
        """Store a value, by someone who may, in answer to an interaction that was deferred."""
        await self.bot.server_settings.change(self.guild, name, value, interaction.user.id)
        await self._changed(self.guild, name)
        language = await panel_language(self.bot, interaction)
        label = translated(OPTIONS[name].label, language)
        note = translated("{}: changed.", language).format(label)
        guild = self.bot.client.get_guild(self.guild)
        if guild is not None and name in ("memory_channel", "log_channel"):
            channel_id = await self.bot.server_settings.value(self.guild, name)
            note = f"{note} {writing_problem(guild, name, channel_id, language)}".rstrip()
        await self.show(interaction, note)


class _OptionMenu(discord.ui.Select[Any]):
    def __init__(self, panel: SetupPanel) -> None:
        options = [
            discord.SelectOption(
                label=translated(option.label, panel.language),
                value=name,
                description=translated(option.meaning, panel.language)[:100],
            )
            for name, option in OPTIONS.items()
        ]
        super().__init__(placeholder=translated("What do you want to change?", panel.language), options=options)
        self._panel = panel

    async def callback(self, interaction: Interaction) -> None:
        await self._panel.choose(interaction, self.values[0])


class _Editor(Panel):
    """The menu for one option, with buttons to clear it and to go back."""

    may = staticmethod(is_manager)

    def __init__(self, panel: SetupPanel, name: str, value: Any) -> None:
        super().__init__()
        self._panel, self._name = panel, name
        self.add_item(_menu(panel, OPTIONS[name], value, self._set))
        self.clear.label, self.back.label = translated("Clear", panel.language), translated("Back", panel.language)

    async def _set(self, interaction: Interaction, values: Sequence[str]) -> None:
        await acknowledge(interaction)
        is_list = OPTIONS[self._name].kind in ("channels", "roles")
        value: Any = tuple(values) if is_list else (values[0] if values else None)
        await self._panel.change(interaction, self._name, value)

    @discord.ui.button(style=discord.ButtonStyle.secondary, row=1)
    async def clear(self, interaction: Interaction, button: "discord.ui.Button[_Editor]") -> None:
        del button
        await self._set(interaction, ())

    @discord.ui.button(style=discord.ButtonStyle.secondary, row=1)
    async def back(self, interaction: Interaction, button: "discord.ui.Button[_Editor]") -> None:
        del button
        await acknowledge(interaction)
        await self._panel.show(interaction)


Set = Callable[[Interaction, Sequence[str]], Awaitable[None]]


def _menu(panel: SetupPanel, option: Option, value: Any, choose: Set) -> discord.ui.Item[Any]:
    held = value if option.kind in ("channels", "roles") else (value,) if value else ()
    exists = panel.bot.server_settings.is_on  # Discord refuses a menu with what was deleted
    defaults = [discord.Object(int(item)) for item in held if exists(panel.guild, str(item))][:MAX_CHOSEN]
    match option.kind:
        case "channels" | "channel":
            return _ChannelMenu(choose, MAX_CHOSEN if option.kind == "channels" else 1, defaults)
        case "roles" | "role":
            return _RoleMenu(choose, MAX_CHOSEN if option.kind == "roles" else 1, defaults)
        case _:
            return _ChoiceMenu(choose, option, str(value), panel.language)


class _ChannelMenu(discord.ui.ChannelSelect[Any]):
    def __init__(self, choose: Set, most: int, defaults: Sequence[discord.Object]) -> None:
        kinds = [discord.ChannelType.text, discord.ChannelType.news]
        if most > 1:
            kinds += [discord.ChannelType.forum, discord.ChannelType.media, discord.ChannelType.category]
            kinds += [discord.ChannelType.voice, discord.ChannelType.stage_voice]
        values = [
            discord.SelectDefaultValue(id=item.id, type=discord.SelectDefaultValueType.channel) for item in defaults
        ]
        super().__init__(channel_types=kinds, min_values=0, max_values=most, default_values=values, row=0)
        self._choose = choose

    async def callback(self, interaction: Interaction) -> None:
        await self._choose(interaction, [str(channel.id) for channel in self.values])


class _RoleMenu(discord.ui.RoleSelect[Any]):
    def __init__(self, choose: Set, most: int, defaults: Sequence[discord.Object]) -> None:
        values = [discord.SelectDefaultValue(id=item.id, type=discord.SelectDefaultValueType.role) for item in defaults]
        super().__init__(min_values=0, max_values=most, default_values=values, row=0)
        self._choose = choose

    async def callback(self, interaction: Interaction) -> None:
        await self._choose(interaction, [str(role.id) for role in self.values])


class _ChoiceMenu(discord.ui.Select[Any]):
    def __init__(self, choose: Set, option: Option, value: str, language: str) -> None:
        options = [
            discord.SelectOption(label=translated(text, language), value=name, default=name == value)
            for name, text in option.choices
        ]
        super().__init__(options=options, row=0)
        self._choose = choose

    async def callback(self, interaction: Interaction) -> None:
        await self._choose(interaction, self.values)


class _NumberForm(Form):
    may = staticmethod(is_manager)

    def __init__(self, panel: SetupPanel, name: str, value: int) -> None:
        option, language = OPTIONS[name], panel.language
        super().__init__(title=clip(translated(option.label, language), 45), timeout=VIEW_TIMEOUT_SECONDS)
        self._panel, self._name = panel, name
        self._number: discord.ui.TextInput[_NumberForm] = discord.ui.TextInput(
            label=clip(translated(option.meaning, language), 45), default=str(value), max_length=9
        )
        self.add_item(self._number)

    async def on_submit(self, interaction: Interaction, /) -> None:
        most, text = OPTIONS[self._name].most, self._number.value.strip()
        if not (text.isascii() and text.isdecimal() and int(text) <= most):
            await defer(interaction)
            problem = translated(NOT_A_NUMBER, self._panel.language).format(most)
            await interaction.followup.send(problem, ephemeral=True)
            return
        await acknowledge(interaction)
        await self._panel.change(interaction, self._name, int(text))
