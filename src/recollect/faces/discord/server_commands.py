"""`/memory-server …`, for those who manage a server: its settings, its lore, purging, and the audit of changes."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import discord
from discord import app_commands

from recollect.core.types import Memo, bare_id
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import (
    NOT_A_MANAGER,
    ConfirmDialog,
    Interaction,
    defer,
    is_manager,
    send_pages,
    send_text,
)
from recollect.faces.discord.languages import panel_language
from recollect.faces.discord.localization import translated
from recollect.faces.discord.memo_panel import MemoPanel, count_memories
from recollect.faces.discord.places import PLATFORM, interaction_place, person_of
from recollect.faces.discord.server_settings import describe_change
from recollect.faces.discord.setup_panel import Changed, SetupPanel
from recollect.faces.discord.splitting import split
from recollect.faces.discord.status_panel import SWITCHES, StatusPanel, switch_memory
from recollect.privacy.purge import AboutPerson, PurgeCounts, PurgeSelection

LORE_TITLE = "What I remember about this server"
NO_CHANGES = "Nobody has changed anything yet."
SAY_WHAT = "Say what to purge: a channel, a member, the last days, or several of these."

GuildChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel | discord.Thread


class ServerCommands:
    def __init__(self, bot: BotContext, changed: Changed) -> None:
        self._bot, self._changed = bot, changed

    def group(self) -> app_commands.Group:
        """The commands; Discord shows them to those who manage the server."""
        group = app_commands.Group(
            name="memory-server",
            description="My memory on this whole server: its rules, its lore, and what is to be deleted",
            allowed_contexts=app_commands.AppCommandContext(guild=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
            default_permissions=discord.Permissions(manage_guild=True),
        )
        commands: dict[str, tuple[str, Any]] = {
            "setup": ("Channels, roles, consent, retention, language and limits", self._setup),
            "status": ("What holds here, and how I am doing", self._status),
            "audit": ("Who changed what", self._audit),
            "lore": ("See, search, edit and delete what I remember about this server", self._lore),
            "forget-about": ("Forget what others said about a member", self._forget_about),
            "purge": ("Delete what was said in a channel, by a member, or lately", self._purge),
        }
        commands |= {name: (description, self._switch(name)) for name, (description, _) in SWITCHES.items()}
        for name, (description, callback) in commands.items():
            group.add_command(app_commands.Command(name=name, description=description, callback=callback))
        return group

    async def _guild(self, interaction: Interaction) -> discord.Guild | None:
        """The server, for someone who manages it; others are told that it is not for them."""
        await defer(interaction)
        if is_manager(interaction) and interaction.guild is not None:
            return interaction.guild
        await send_text(interaction, translated(NOT_A_MANAGER, await panel_language(self._bot, interaction)))
        return None

    async def _language(self, guild: discord.Guild) -> str:
        return await self._bot.server_settings.language(guild.id)

    async def _setup(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is not None:
            language = await panel_language(self._bot, interaction)
            await SetupPanel(self._bot, guild.id, self._changed, language).send(interaction)

    async def _status(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is not None:
            language, is_off = await panel_language(self._bot, interaction), await self._bot.is_off(guild.id)
            await StatusPanel(self._bot, guild, self._changed, language, is_off=is_off).send(interaction)

    def _switch(self, name: str) -> Any:
        async def callback(interaction: Interaction) -> None:
            guild = await self._guild(interaction)
            if guild is not None:
                await switch_memory(self._bot, guild.id, interaction.user.id, name)
                await send_text(interaction, translated(SWITCHES[name][1], await self._language(guild)))

        return callback

    async def _audit(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        events, language = await self._bot.server_settings.audit(guild.id), await self._language(guild)
        lines = [
            f"- {discord.utils.format_dt(event.at)} <@{bare_id(PLATFORM, event.actor)}> "
            f"{describe_change(event.data, language)}"
            for event in events
        ]
        await send_pages(interaction, split("\n".join(lines) or translated(NO_CHANGES, language)))

    @app_commands.describe(words="Only what fits these words")
    async def _lore(self, interaction: Interaction, words: str = "") -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        view = self._bot.memory.view(str(interaction.user.id), interaction_place(interaction), lore=True)

        async def load() -> Sequence[Memo]:
            return await view.find(words) if words else (await view.show()).memos

        language = await self._language(guild)
        await MemoPanel(self._bot, view, translated(LORE_TITLE, language), load, await load(), language).send(
            interaction
        )

    @app_commands.describe(member="About whom", also="Another name by which people speak of them")
    async def _forget_about(self, interaction: Interaction, member: discord.User, also: str = "") -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        language = await self._language(guild)
        privacy, names = self._bot.memory.privacy, {member.display_name, member.name, member.global_name, also.strip()}
        shown = frozenset(filter(None, names))
        selection = AboutPerson(str(guild.id), person_of(member.id), shown | {str(member.id)})

        async def forget() -> str:
            counts = await privacy.purge(selection)
            what = f"forgot what others said about {member.display_name}"
            await self._bot.server_settings.record(guild.id, interaction.user.id, what, _purge_result(counts), "")
            text = translated("Forgot {} that others stated about {}.", language)
            return text.format(_purge_result(counts, language), member.display_name)

        question = translated("Forget, for good, all that others said here about {}?", language)
        number = _purge_result(await privacy.count_selected(selection), language)  # a name may be a common word
        await ConfirmDialog("Forget", forget, language, is_manager).ask(
            interaction, f"{question.format(', '.join(sorted(shown)))} ({number})"
        )

    @app_commands.describe(channel="What was said there", member="What they said", days="Only of the last days")
    async def _purge(
        self,
        interaction: Interaction,
        channel: GuildChannel | None = None,
        member: discord.User | None = None,
        days: app_commands.Range[int, 1, 3650] | None = None,
    ) -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        language = await self._language(guild)
        if channel is None and member is None and days is None:
            await send_text(interaction, translated(SAY_WHAT, language))
            return
        selection = PurgeSelection(
            str(guild.id),
            None if channel is None else str(channel.id),
            None if member is None else person_of(member.id),
            None if days is None else self._bot.clock() - timedelta(days=days),
        )
        where, who = None if channel is None else channel.name, None if member is None else member.display_name

        async def purge() -> str:
            counts = await self._bot.memory.privacy.purge(selection)
            purged, result = _purged(where, who, days), _purge_result(counts)
            await self._bot.server_settings.record(guild.id, interaction.user.id, f"purged {purged}", result, "")
            text = translated("Deleted {} from my memory: {}. The messages on Discord stay.", language)
            return text.format(_purged(where, who, days, language), _purge_result(counts, language))

        question = translated("Delete {} from my memory, for good? What was learned from it goes too.", language)
        await ConfirmDialog("Delete", purge, language, is_manager).ask(
            interaction, question.format(_purged(where, who, days, language))
        )


def _purged(channel: str | None, member: str | None, days: int | None, language: str = "") -> str:
    """The selection to purge, in words."""
    parts = {"in #{}": channel, "by {}": member, "in the last {} days": days}
    named = [translated(text, language).format(value) for text, value in parts.items() if value]
    return " ".join([translated("what was said", language), *named])


def _purge_result(counts: PurgeCounts, language: str = "") -> str:
    messages = translated("1 message" if counts.messages == 1 else "{:,} messages", language).format(counts.messages)
    return f"{messages}, {count_memories(counts.memos, language)}"
