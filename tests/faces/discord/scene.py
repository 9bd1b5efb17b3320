"""A Discord server in process, with people in it, and the bot over a real memory."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import discord
import simcord
from simcord import ChannelHandle, Env, GuildHandle, MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect import AsyncMemory, plugins
from recollect.core.events import Event
from recollect.core.ports import ModelOptions
from recollect.core.types import Memo, Place
from recollect.faces.discord.client import Client
from recollect.faces.discord.places import place_of
from recollect.testing.clock import START
from recollect.testing.model_server import ModelServer, Request, Says
from recollect.testing.models import FakeModel
from tests import ground
from tests.scenes import at_once

HIDDEN = discord.PermissionOverwrite(view_channel=False)
SHOWN = discord.PermissionOverwrite(view_channel=True)
Answers = Sequence[Any] | Callable[[Request], Any]


class Scene:
    """A guild with #dev, #general and the closed #staff; Ann and Bob, of whom only Ann is on the staff."""

    def __init__(self, env: Env, memory: AsyncMemory, server: ModelServer) -> None:
        self.env = env
        self.memory = memory
        self.server = server
        self.guild: GuildHandle = env.create_guild("Acme")
        bot = env.backend.get_guild(self.guild.id).members[env.bot.user.id]
        bot.joined_at = (env.now() - timedelta(days=30)).isoformat()  # it needs no welcome after a restart
        self.staff_role = self.guild.create_role("staff")
        self.dev = self.guild.create_text_channel("dev")
        self.general = self.guild.create_text_channel("general")
        closed = {self.guild.default_role: HIDDEN, self.staff_role: SHOWN, env.bot.user: SHOWN}
        self.staff = self.guild.create_text_channel("staff", overwrites=closed)
        self.ann = self.guild.add_member(env.create_user("ann", global_name="Ann"), roles=[self.staff_role])
        self.bob = self.guild.add_member(env.create_user("bob", global_name="Bob"))

    @property
    def client(self) -> Client:
        bot = self.env.bot
        assert isinstance(bot, Client)
        return bot

    async def ask(self, text: str, who: MemberActor | None = None, where: ChannelHandle | None = None) -> str:
        """Mention the bot with a text; what it says to that."""
        channel = where or self.dev
        sent = await (who or self.ann).send(channel, f"<@{self.client.user.id}> {text}")
        return "\n".join(self.said_since(channel, sent))

    async def order(self, text: str, who: MemberActor | None = None, where: ChannelHandle | None = None) -> str:
        channel = where or self.dev
        sent = await (who or self.ann).send(channel, text)
        return "\n".join(self.said_since(channel, sent))

    async def whisper(self, text: str, who: MemberActor | None = None) -> str:
        """Say something in a DM; what the bot says to that."""
        person = who or self.ann
        sent = await person.send_dm(text)
        return "\n".join(self.said_since(person.user.dm_channel, sent))

    def said_since(self, channel: ChannelHandle, message: discord.Message) -> list[str]:
        later = [one for one in channel.history() if one.id > message.id]
        return [one.content for one in later if one.author.id == self.client.user.id]

    def thread(self, parent: ChannelHandle, name: str, *, private: bool = False) -> ChannelHandle:
        kind = discord.ChannelType.private_thread if private else discord.ChannelType.public_thread
        made = self.env.backend.create_thread(parent.id, name, self.ann.id, type=kind.value)
        for member in (self.ann.id, self.client.user.id):
            self.env.backend.add_thread_member(made.id, member)
        return ChannelHandle(self.env, self.guild, made)

    async def allow(self, channel: ChannelHandle, *, everyone: bool) -> None:
        """Change who can see a channel while the bot runs."""
        view = discord.Permissions(view_channel=True).value
        allow, deny = (view, 0) if everyone else (0, view)
        overwrite = Overwrite(self.guild.id, OverwriteType.ROLE, allow, deny)
        self.env.backend.set_overwrite(channel.id, overwrite)
        await self.env.settle()

    def place(self, channel: ChannelHandle, who: MemberActor | None = None) -> Place:
        """Where the bot takes a channel to be."""
        return place_of(self.client.get_channel(channel.id), (who or self.ann).id)

    async def settle(self) -> None:
        """Let everything be learned that is due."""
        assert await self.memory.worker.wait_idle(60)
        await self.env.settle()

    async def known(self, who: MemberActor | None = None, place: Place | None = None) -> list[str]:
        user = str((who or self.ann).id)
        shown = await self.memory.show(user=user, place=place or Place("discord", dm=user))
        return [memo.text for memo in shown.memos]

    async def memos(self, who: MemberActor | None = None) -> tuple[Memo, ...]:
        return (await self.memory.show(user=str((who or self.ann).id))).memos

    async def events(self, kind: str) -> list[Event]:
        return [event for event in await self.memory.log(limit=1000) if event.kind == kind]

    def prompts(self) -> list[str]:
        """What the model was overrides, oldest first."""
        return [str(request.body) for request in self.server.requests]

    def manager(self) -> MemberActor:
        """Eve, who manages the server."""
        role = self.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
        return self.guild.add_member(self.env.create_user("eve"), roles=[role])

    async def restart(self, **settings: Any) -> None:
        """Another process takes over: nothing of the old client is left."""
        await self.env.restart_bot(make_client(self.memory, self.server, lambda: self.env.now()))


SPEC = "anthropic:claude-haiku-4-5"


def speaker_of(server: ModelServer, spec: str = SPEC) -> Any:
    options = ModelOptions(server.url, lambda name: "a-key" if name else None)
    return plugins.load("models", f"pydantic_ai:{spec}", options)


def make_client(memory: AsyncMemory, server: ModelServer, clock: Callable[[], datetime], spec: str = SPEC) -> Client:
    return Client(memory, speaker_of(server, spec), clock=clock, shard_count=1)


def echo(request: Request) -> Says:
    """Answer anything."""
    del request
    return Says("I see.")


@asynccontextmanager
async def acting(
    answer: Answers = echo,
    *,
    model: Any = None,
    store: str | None = None,
    approved: discord.Intents | None = None,
    check_errors: bool = True,
    settle_timeout: float = 30,
    spec: str = SPEC,
    **settings: Any,
) -> AsyncIterator[Scene]:
    """A scene that plays with these settings; everybody is allowed unless said otherwise."""
    options = {"allowed_users": "*", "privacy_notice": "off", "memory_channel_style": "members"}
    options |= settings.pop("discord", {})
    env: Env | None = None

    def clock() -> datetime:
        return START if env is None else env.now()

    overrides = {"embedder": "null", "discord": options, **settings}
    async with (
        ModelServer(answer) as server,
        AsyncMemory(store or ground.new(), clock=clock, model=model or FakeModel(), **at_once(overrides)) as memory,
    ):
        client = make_client(memory, server, clock, spec)
        async with simcord.run(
            client, approved_intents=approved, check_errors=check_errors, settle_timeout=settle_timeout
        ) as env:
            with env.time_context():
                yield Scene(env, memory, server)
