"""`/memory privacy` and `!memory privacy`: what is stored about someone, who runs the bot, and what they allow."""

from dataclasses import dataclass
from typing import Any

import discord

from recollect.faces.commands.parse import split
from recollect.faces.discord.consent import (
    MIRROR,
    NO,
    OVERHEARING,
    YES,
    ConsentStatus,
    consent_status,
    decide,
    opt,
)
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import Panel, acknowledge
from recollect.faces.discord.languages import language_of, panel_language
from recollect.faces.discord.localization import translated
from recollect.faces.discord.places import interaction_place, place_of
from recollect.faces.discord.privacy_notice import render_notice
from recollect.faces.wording import say
from recollect.view import View

TITLE = "Your privacy"
FOOTER = "/memory list shows what I remember, /memory export gives it to you, /memory erase deletes it for good."
USAGE = "Say `!memory privacy`, or with `overhearing off`, `mirror off`, `consent no`, or the same with `on` and `yes`."
SWITCHES = {
    "on": True,
    "yes": True,
    "off": False,
    "no": False,
}

Interaction = discord.Interaction[Any]


@dataclass(frozen=True, slots=True)
class Choices:
    """What someone allows, here."""

    held: ConsentStatus
    is_paused: bool
    retention_days: int | None
    is_on_server: bool

    def lines(self, language: str = "") -> list[str]:
        mirror = "you are left out" if MIRROR in self.held.opt_outs else "on"
        place = "on this server" if self.is_on_server else "in direct messages"
        days = "{} days" if self.retention_days else "until you delete it"

        def line(name: str, value: str) -> str:
            return f"{translated(name, language)}: {translated(value, language).format(self.retention_days)}"

        return [
            translated(f"Learning: {'paused' if self.is_paused else 'on'}", language),
            line("What you say to others", self._overheard()),
            translated(f"Memory channel and learned lines: {mirror}", language),
            line(f"Consent {place}", self._consent()),
            line("Kept for", days),
        ]

    def _overheard(self) -> str:
        return "not heard" if OVERHEARING in self.held.opt_outs else "heard, where I can read along"

    def _consent(self) -> str:
        if self.held.answer is not None:
            return "given" if self.held.answer == YES else "refused"
        if self.held.has_role:
            return "given by your role"
        return "not given yet" if self.held.is_asked else "not asked for"


async def choices(bot: BotContext, user: discord.User | discord.Member, guild: int | None, view: View) -> Choices:
    days = None if guild is None else await bot.memory.privacy.retention_days(str(guild))
    return Choices(await consent_status(bot, user, guild), await view.is_learning_paused(), days, guild is not None)


async def privacy_answer(bot: BotContext, message: discord.Message, words: str) -> str:
    """The answer to `!memory privacy …`; raises RecollectError."""
    what, value = split(words)
    guild, user = None if message.guild is None else message.guild.id, message.author
    if what:
        if value.casefold() not in SWITCHES or what not in (OVERHEARING, MIRROR, "consent"):
            return say(USAGE)
        is_on = SWITCHES[value.casefold()]
        if what == "consent":
            await decide(bot, user.id, guild, YES if is_on else NO)
        else:
            await opt(bot, user.id, what, out=not is_on)
    view = bot.memory.view(str(user.id), place_of(message.channel, user.id))
    held = await choices(bot, user, guild, view)
    language = await language_of(bot, message.guild)
    return "\n".join([await render_notice(bot, message.guild), "", *held.lines(language), "", say(USAGE)])


class PrivacyPanel(Panel):
    """The same with buttons, for the person alone."""

    def __init__(self, bot: BotContext, held: Choices, guild: int | None, language: str) -> None:
        super().__init__()
        self._bot, self._held, self._guild = bot, held, guild
        opt_outs = held.held.opt_outs
        labels = {
            self.learning: "Learn again" if held.is_paused else "Pause learning",
            self.overhearing: "Hear me again" if OVERHEARING in opt_outs else "Don't overhear me",
            self.mirror: "Show me in the channel" if MIRROR in opt_outs else "Leave me out of the channel",
            self.consent: "Withdraw my consent" if held.held.agrees else "I agree",
        }
        for button, label in labels.items():
            button.label = translated(label, language)

    @discord.ui.button(style=discord.ButtonStyle.primary)
    async def learning(self, interaction: Interaction, button: "discord.ui.Button[PrivacyPanel]") -> None:
        del button
        await acknowledge(interaction)
        view = self._view(interaction)
        await (view.resume_learning() if self._held.is_paused else view.pause_learning())
        await self._show_again(interaction)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def overhearing(self, interaction: Interaction, button: "discord.ui.Button[PrivacyPanel]") -> None:
        del button
        await self._opt(interaction, OVERHEARING)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def mirror(self, interaction: Interaction, button: "discord.ui.Button[PrivacyPanel]") -> None:
        del button
        await self._opt(interaction, MIRROR)

    @discord.ui.button(style=discord.ButtonStyle.secondary)
    async def consent(self, interaction: Interaction, button: "discord.ui.Button[PrivacyPanel]") -> None:
        del button
        await acknowledge(interaction)
        await decide(self._bot, interaction.user.id, self._guild, NO if self._held.held.agrees else YES)
        await self._show_again(interaction)

    def _view(self, interaction: Interaction) -> View:
        return self._bot.memory.view(str(interaction.user.id), interaction_place(interaction))

    async def _opt(self, interaction: Interaction, what: str) -> None:
        await acknowledge(interaction)
        await opt(self._bot, interaction.user.id, what, out=what not in self._held.held.opt_outs)
        await self._show_again(interaction)

    async def _show_again(self, interaction: Interaction) -> None:
        embed, panel = await privacy_panel(self._bot, interaction)
        await interaction.edit_original_response(embed=embed, view=panel)


async def privacy_panel(bot: BotContext, interaction: Interaction) -> tuple[discord.Embed, PrivacyPanel]:
    """What is shown to the user of a command or a button."""
    view = bot.memory.view(str(interaction.user.id), interaction_place(interaction))
    held = await choices(bot, interaction.user, interaction.guild_id, view)
    language = await panel_language(bot, interaction)
    text = "\n".join([await render_notice(bot, interaction.guild), "", *held.lines(language)])
    embed = discord.Embed(title=translated(TITLE, language), description=text)
    embed.set_footer(text=translated(FOOTER, language))
    return embed, PrivacyPanel(bot, held, interaction.guild_id, language)
