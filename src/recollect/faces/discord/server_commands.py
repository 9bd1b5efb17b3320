"""`/memory-server …`: for those who manage a server. Its settings, its lore, what is to go, and who changed what."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import discord
from discord import app_commands

from recollect.core.types import Memo, bare_id
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import ConfirmDialog, Interaction, defer, send_pages, send_text
from recollect.faces.discord.memo_panel import MemoPanel, count_memories
from recollect.faces.discord.places import PLATFORM, interaction_place, person_of
from recollect.faces.discord.server_settings import describe_change
from recollect.faces.discord.setup_panel import NOT_A_MANAGER, Changed, SetupPanel, is_manager
from recollect.faces.discord.splitting import split
from recollect.faces.discord.status_panel import SWITCHES, StatusPanel, switch_memory
from recollect.privacy.purge import PurgeSelection

LORE_TITLE = "What I remember about this server"
NO_CHANGES = "Nobody has changed anything yet."
SAY_WHAT = "Say what to purge: a channel, a member, the last days, or several of these."

GuildChannel = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel | discord.Thread


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
        await send_text(interaction, NOT_A_MANAGER)
        return None

    async def _setup(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is not None:
            await SetupPanel(self._bot, guild.id, self._changed).send(interaction)

    async def _status(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is not None:
            await StatusPanel(self._bot, guild, self._changed, is_off=await self._bot.is_off(guild.id)).send(
                interaction
            )

    def _switch(self, name: str) -> Any:
        async def callback(interaction: Interaction) -> None:
            guild = await self._guild(interaction)
            if guild is not None:
                await switch_memory(self._bot, guild.id, interaction.user.id, name)
                await send_text(interaction, SWITCHES[name][1])

        return callback

    async def _audit(self, interaction: Interaction) -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        events = await self._bot.server_settings.audit(guild.id)
        lines = [
            f"- {discord.utils.format_dt(event.at)} <@{bare_id(PLATFORM, event.actor)}> {describe_change(event.data)}"
            for event in events
        ]
        await send_pages(interaction, split("\n".join(lines) or NO_CHANGES))

    @app_commands.describe(words="Only what fits these words")
    async def _lore(self, interaction: Interaction, words: str = "") -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        view = self._bot.memory.view(str(interaction.user.id), interaction_place(interaction), lore=True)

        async def load() -> Sequence[Memo]:
            return await view.find(words) if words else (await view.show()).memos

        await MemoPanel(self._bot, view, LORE_TITLE, load, await load()).send(interaction)

    @app_commands.describe(member="About whom", also="Another name by which people speak of them")
    async def _forget_about(self, interaction: Interaction, member: discord.Member, also: str = "") -> None:
        guild = await self._guild(interaction)
        if guild is None:
            return
        names = {member.display_name, member.name, member.global_name or "", also.strip(), str(member.id)} - {""}

        async def forget() -> str:
            count = await self._bot.memory.privacy.forget_about(str(guild.id), person_of(member.id), names)
            what = f"forgot what others said about {member.display_name}"
            await self._bot.server_settings.record(guild.id, interaction.user.id, what, count_memories(count), "")
            return f"Forgot {count_memories(count)} that others stated about {member.display_name}."

        question = f"Forget, for good, all that others said here about {', '.join(sorted(names - {str(member.id)}))}?"
        await ConfirmDialog("Forget", forget).ask(interaction, question)

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
        if channel is None and member is None and days is None:
            await send_text(interaction, SAY_WHAT)
            return
        selection = PurgeSelection(
            str(guild.id),
            None if channel is None else str(channel.id),
            None if member is None else person_of(member.id),
            None if days is None else self._bot.clock() - timedelta(days=days),
        )
        parts = [f"in #{channel.name}" if channel else "", f"by {member.display_name}" if member else ""]
        parts.append(f"in the last {days} days" if days else "")
        what = " ".join(["what was said", *filter(None, parts)])

        async def purge() -> str:
            counts = await self._bot.memory.privacy.purge(selection)
            messages = "1 message" if counts.messages == 1 else f"{counts.messages:,} messages"
            result = f"{messages}, {count_memories(counts.memos)}"
            await self._bot.server_settings.record(guild.id, interaction.user.id, f"purged {what}", result, "")
            return f"Deleted {what} from my memory: {result}. The messages on Discord stay."

        question = f"Delete {what} from my memory, for good? What was learned from it goes too."
        await ConfirmDialog("Delete", purge).ask(interaction, question)
