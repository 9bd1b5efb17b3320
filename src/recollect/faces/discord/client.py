"""The client: put together once, connected as often as it takes. It has no opinions; its cogs have."""

import logging
import sys
from typing import Any

import discord
from discord.ext import commands

from recollect.core.clock import Clock, now
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.assistant.model_turn import ChatModel
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.discord.access import CLOSED
from recollect.faces.discord.command_tree import Tree
from recollect.faces.discord.context import BotContext, Hook, nothing_more
from recollect.faces.discord.context_menus import Menus
from recollect.faces.discord.departures import GuildDepartures
from recollect.faces.discord.learned_notices import NoticeButton
from recollect.faces.discord.listener import MessageListener
from recollect.faces.discord.log_follower import LogFollower
from recollect.faces.discord.resync import Resync
from recollect.faces.discord.shards import Shards
from recollect.faces.discord.slash_commands import Slash
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.faces.discord.voice import Transcript, answer, hear
from recollect.memory import AsyncMemory
from recollect.settings import Settings
from recollect.settings.values import shards_of

log = logging.getLogger("recollect.discord")


class Client(commands.AutoShardedBot):
    """A Discord bot over a memory; without a speaker it answers from memory alone."""

    def __init__(
        self,
        memory: AsyncMemory,
        speaker: ChatModel | None = None,
        *,
        clock: Clock = now,
        parting: Hook = nothing_more,
        intents: discord.Intents | None = None,
        **options: Any,
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents or wanted_intents(memory.settings),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            tree_cls=Tree,
            **_shards(memory.settings) | options,
        )
        orders = ChatCommands(memory, LIMIT, escape=harmless, clock=clock)
        assistant = Assistant(
            memory, speaker, name=memory.settings.discord.name, orders=orders, clock=clock, details=False
        )
        self.house = BotContext(self, memory, assistant, orders, clock, parting)
        self._registered = False
        if isinstance(self.tree, Tree):
            self.tree.house = self.house

    async def setup_hook(self) -> None:
        if self.house.door.is_closed:
            log.warning(CLOSED)
        await self.add_cog(MessageListener(self.house))
        await self.add_cog(GuildDepartures(self.house))
        await self.add_cog(Resync(self.house))
        await self.add_cog(Shards(self.house))
        self.add_dynamic_items(NoticeButton)
        if self.house.settings.discord.memory_channel or self.house.settings.discord.learned_notices != "off":
            await self.add_cog(LogFollower(self.house))
        if self.house.settings.chat_commands.enabled:
            for command in self.own_commands():
                self.tree.add_command(command)
        await self._register()

    async def _register(self) -> None:
        if self.house.settings.discord.register_commands and isinstance(self.tree, Tree) and self.house.is_ours(None):
            self._registered = await self.tree.register(self.house)  # once for all shards

    def own_commands(self) -> list[Any]:
        """The commands and menus that there are to register."""
        slash = Slash(self.house)
        return [slash.group(), slash.server(), *Menus(self.house).all()]

    async def hear(self, transcript: Transcript) -> bool:
        """Take note of what somebody said in a voice channel; False when it is known already or not to be heard."""
        return await hear(self.house, transcript)

    async def answer(self, transcript: Transcript) -> str | None:
        """What to say to what somebody said to the bot in a voice channel; None when they are not to be heard."""
        return await answer(self.house, transcript)

    async def close(self) -> None:
        await super().close()
        await self.house.assistant.close()

    async def on_ready(self) -> None:
        shard = self.house.settings.discord.shard
        here = f", shard {shard}" if shard else ""
        log.info("connected as %s, in %d servers%s", self.user, len(self.guilds), here)
        if not self._registered:
            await self._register()

    async def on_message(self, message: discord.Message, /) -> None:
        """The cogs listen; there are no commands with a prefix."""

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """What no handler expected: logged, and the bot goes on."""
        del args, kwargs
        log.error("%s failed", event_method, exc_info=sys.exc_info())


def _shards(settings: Settings) -> dict[str, Any]:
    """Those of this process, if others have the rest."""
    found = shards_of(settings.discord.shard)
    return {} if found is None else {"shard_ids": [*found[0]], "shard_count": found[1]}


def wanted_intents(settings: Settings) -> discord.Intents:
    """What Discord is asked to tell: the text of messages and who leaves only by setting, as they need a permission."""
    intents = discord.Intents.default()
    intents.message_content = settings.discord.message_content
    intents.members = settings.discord.members
    return intents
