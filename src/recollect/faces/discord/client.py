"""The Discord client: connects the cogs, commands and menus to one shared context."""

import asyncio
import logging
import sys
from typing import Any

import discord
from discord.ext import commands

from recollect.core.clock import Clock, now
from recollect.core.ports import ChatModel
from recollect.core.state import StateKind
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.discord.access import CLOSED
from recollect.faces.discord.catch_up import CatchUp
from recollect.faces.discord.command_tree import MemoryCommandTree
from recollect.faces.discord.consent import ConsentButton
from recollect.faces.discord.context import BotContext, Hook, ignore_event
from recollect.faces.discord.context_menus import ContextMenus
from recollect.faces.discord.departures import GuildDepartures
from recollect.faces.discord.ephemeral import is_expired, report_expired
from recollect.faces.discord.listener import MessageListener
from recollect.faces.discord.localization import CommandTranslator
from recollect.faces.discord.log_follower import LogFollower
from recollect.faces.discord.lost_channels import LostChannels
from recollect.faces.discord.memory_panel import PanelButton
from recollect.faces.discord.notice_buttons import NoticeButton
from recollect.faces.discord.onboarding import Onboarding
from recollect.faces.discord.payloads import guard_parsers
from recollect.faces.discord.resync import Resync
from recollect.faces.discord.server_commands import ServerCommands
from recollect.faces.discord.shards import Shards
from recollect.faces.discord.slash_commands import SlashCommands
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.faces.discord.voice import Transcript, add_transcript, answer
from recollect.memory import AsyncMemory
from recollect.settings import Settings
from recollect.settings.values import shards_of

log = logging.getLogger("recollect.discord")


class Client(commands.AutoShardedBot):
    """A Discord bot over a memory; without a chat model it answers from memory alone."""

    def __init__(
        self,
        memory: AsyncMemory,
        chat_model: ChatModel | None = None,
        *,
        clock: Clock = now,
        on_departure: Hook = ignore_event,
        intents: discord.Intents | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents or required_intents(memory.settings),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            tree_cls=MemoryCommandTree,
            **_shard_options(memory.settings) | options,
        )
        chat_commands = ChatCommands(memory, LIMIT, escape=harmless, clock=clock)
        assistant = Assistant(
            memory,
            chat_model,
            name=memory.settings.discord.name,
            commands=chat_commands,
            clock=clock,
            details=False,
            escape=harmless,
        )
        self.bot = BotContext(self, memory, assistant, chat_commands, clock, on_departure, chat_model is not None)
        self._registered = False
        self._expired: asyncio.Task[None] | None = None
        guard_parsers(self)
        if isinstance(self.tree, MemoryCommandTree):
            self.tree.bot = self.bot

    async def setup_hook(self) -> None:
        if self.bot.access.is_closed:
            log.warning(CLOSED)
        listener = MessageListener(self.bot)
        await self.add_cog(listener)
        catch_up, resync = CatchUp(self.bot, listener), Resync(self.bot)
        await self.add_cog(catch_up)
        await self.add_cog(GuildDepartures(self.bot))
        await self.add_cog(resync)
        await self.add_cog(LostChannels(self.bot, resync, catch_up))
        await self.add_cog(Shards(self.bot))
        await self.add_cog(Onboarding(self.bot))
        await self.tree.set_translator(CommandTranslator())
        self.add_dynamic_items(NoticeButton, ConsentButton, PanelButton)
        if await self._shows_changes():
            await self.add_cog(LogFollower(self.bot))
        if self.bot.settings.chat_commands.enabled:
            for command in self.own_commands():
                self.tree.add_command(command)
        await self._register()

    async def _shows_changes(self) -> bool:
        """Whether there is a memory channel, or learned lines, by the operator's settings or a server's."""
        options = self.bot.settings.discord
        if options.memory_channel or options.learned_notices != "off":
            return True
        return bool(await self.bot.state.keys(StateKind.GUILD_SETTINGS))

    async def settings_changed(self, guild: int, name: str) -> None:
        """A setting of a server was changed: update what depends on it."""
        if name not in ("memory_channel", "learned_notices", "consent"):
            return
        if self.get_cog(LogFollower.__name__) is None:
            await self.add_cog(LogFollower(self.bot))
        follower = self.get_cog(LogFollower.__name__)
        if isinstance(follower, LogFollower):
            await follower.show_panel(guild)

    async def _register(self) -> None:
        is_enabled = self.bot.settings.discord.register_commands and self.bot.is_ours(None)  # once for all shards
        if is_enabled and isinstance(self.tree, MemoryCommandTree):
            self._registered = await self.tree.register(self.bot)

    def own_commands(self) -> list[Any]:
        """The slash commands and context menus to register."""
        server = ServerCommands(self.bot, self.settings_changed)
        return [SlashCommands(self.bot).group(), server.group(), *ContextMenus(self.bot).all()]

    async def add_transcript(self, transcript: Transcript) -> bool:
        """Store a transcript from a voice channel; False when it is stored already or memory does not apply to it."""
        return await add_transcript(self.bot, transcript)

    async def answer(self, transcript: Transcript) -> str | None:
        """The reply to a transcript that addresses the bot; None when memory does not apply to it."""
        return await answer(self.bot, transcript)

    async def close(self) -> None:
        await super().close()
        await self.bot.assistant.close()

    async def on_ready(self) -> None:
        shard = self.bot.settings.discord.shard
        suffix = f", shard {shard}" if shard else ""
        log.info("connected as %s, servers: %d%s", self.user, len(self.guilds), suffix)
        if not self._registered:
            await self._register()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Answer buttons and forms that no longer belong to anything. That is decided before the event is handled,
        as a button's own handler may end its panel.
        """
        if event == "interaction" and is_expired(args[0]):
            self._expired = asyncio.create_task(report_expired(args[0]), name="recollect-expired-button")
        super().dispatch(event, *args, **kwargs)

    async def on_message(self, message: discord.Message, /) -> None:
        """Disables discord.py's prefix commands; the cogs have listeners of their own."""

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log an unexpected error of an event handler."""
        del args, kwargs
        log.error("%s failed", event_method, exc_info=sys.exc_info())


def _shard_options(settings: Settings) -> dict[str, Any]:
    """The shards of this process, if it runs only some."""
    shards = shards_of(settings.discord.shard)
    return {} if shards is None else {"shard_ids": [*shards[0]], "shard_count": shards[1]}


def required_intents(settings: Settings) -> discord.Intents:
    """The gateway intents; message content and members are optional, as they need Discord's approval."""
    intents = discord.Intents.default()
    intents.message_content = settings.discord.message_content
    intents.members = settings.discord.members
    return intents
