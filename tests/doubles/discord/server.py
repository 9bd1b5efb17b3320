"""A Discord on this machine, for bots that run against it as they would against the real one.

    async with DiscordServer() as server:
        ada = server.world.user("ada")
        guild = server.world.guild("Lab", ada)
        general = server.world.text(guild, "general")
        with point_discord_at(server):                     # or give `server.api` and `server.gateway` to a process
            ...                                            # start the bot with `server.token`
        await server.connected()
        await server.say(ada, general, f"{server.bot.mention} hello")
        assert (await server.next_message(general)).content == "Hello, Ada."
        answer = await server.slash(ada, general, "memory remember", {"text": "I like tea"})
        assert answer.ephemeral

`server.world` holds the places, and each change of it is told to the bot; `say`, `edit`, `slash`, `press`, … are what
people do; `next_message`, `next`, `until` wait for what the bot does; `trouble`, `drop`, `gateway_down`, … go wrong on
demand. Permissions of the world decide what the bot sees and what it is refused. Requests that no route answers are
kept in `server.unknown`: a test should find it empty. Needs aiohttp, which discord.py brings along.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

from aiohttp import web

from recollect.core.clock import Clock, now
from tests.doubles.discord.answers import Answers
from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.http import BASE, Api, Trouble
from tests.doubles.discord.interactions import DUE, Interactions
from tests.doubles.discord.journal import WAIT, Journal
from tests.doubles.discord.permissions import can
from tests.doubles.discord.routes import ROUTES
from tests.doubles.discord.talk import Talk
from tests.doubles.discord.things import Channel, Guild, Json, Message, User
from tests.doubles.discord.world import World

TOKEN = "loopback." + "bot." + "token"
HOST = "127.0.0.1"


def rate_limited(retry_after: float, *, via: bool = True) -> Trouble:
    """A 429; without the `Via` header discord.py gives up at once, as it takes it for a ban by Cloudflare."""
    return Trouble(429, retry_after, via=via)


class _Site:
    """An application on a port of its own, which it keeps when it comes back."""

    def __init__(self, app: Callable[[], web.Application]) -> None:
        self.port = 0
        self._app = app
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        self._runner = web.AppRunner(self._app(), access_log=None, handle_signals=False, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None


class DiscordServer:
    def __init__(
        self,
        *,
        privileged: str = "members presences message_content",
        token: str = TOKEN,
        heartbeat: float = 41.25,
        due: float = DUE,
        clock: Clock = now,
    ) -> None:
        """`privileged` names the intents that the developer portal grants, `due` the seconds a bot has to answer."""
        self.token = token
        self.world = World(privileged, clock)
        self.bot = self.world.bot
        self.journal = Journal()
        self._talk = Talk(self.world)
        self._asked = Interactions(self.world, self._talk, self.journal, due)
        self._http = Api(self.world, self._talk, self.journal, token)
        self._gateway = Gateway(self.world, self.journal, token, heartbeat)
        self.world.tell = self._gateway.tell
        self._site = _Site(self._http_app)
        self._door = _Site(self._gateway_app)

        self.slash = self._asked.slash
        self.menu = self._asked.menu
        self.press = self._asked.press
        self.submit = self._asked.submit
        self.autocomplete = self._asked.autocomplete
        self.next = self.journal.next
        self.until = self.journal.until
        self.trouble, self.hold = self._http.trouble, self._http.hold
        self.drop = self._gateway.cut
        self.reconnect = self._gateway.reconnect
        self.invalidate = self._gateway.invalidate

    @property
    def root(self) -> str:
        return f"http://{HOST}:{self._site.port}"

    @property
    def api(self) -> str:
        """What discord.py calls `Route.BASE`."""
        return self.root + BASE

    @property
    def gateway(self) -> str:
        """What discord.py calls `DiscordWebSocket.DEFAULT_GATEWAY`."""
        return f"ws://{HOST}:{self._door.port}/"

    @property
    def unknown(self) -> list[str]:
        return self._http.unknown

    @property
    def requests(self) -> list[str]:
        """All that was asked, as `POST /channels/1/messages`."""
        return self._http.requests

    def commands(self, guild: Guild | None = None) -> list[Json]:
        """What the bot registered, everywhere or in one guild."""
        return self._asked.commands.get(guild.id if guild else None, [])

    async def __aenter__(self) -> "DiscordServer":
        await self._site.start()
        await self._door.start()
        self.world.root = self.root
        self._gateway.url = self.gateway
        return self

    async def __aexit__(self, *_: object) -> None:
        self._gateway.cut()
        await self._door.stop()
        await self._site.stop()

    @asynccontextmanager
    async def gateway_down(self) -> AsyncGenerator[None]:
        """Cut off, and refuse connections meanwhile; HTTP goes on."""
        self._gateway.cut()
        await self._door.stop()
        try:
            yield
        finally:
            await self._door.start()

    async def connected(self, timeout: float = WAIT) -> None:
        """Wait until the bot has a session on the gateway."""
        await self.until(lambda: self._gateway.connected > 0, timeout, "the bot did not connect")

    async def say(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        reply_to: Message | None = None,
        ping: bool = True,
        files: Mapping[str, bytes] | None = None,
        **rest: Any,
    ) -> Message:
        """Somebody writes; a reply mentions whom it answers unless `ping` is False."""
        needed = "send_messages_in_threads" if channel.is_thread else "send_messages"
        if not can(user, channel, needed):
            raise PermissionError(f"{user.name} can't write in {channel.name}")
        silent = reply_to.author if reply_to and not ping and reply_to.author.mention not in text else None
        rest["files"] = self._talk.files(files or {})
        return self._talk.post(channel, user, text, reply_to=reply_to, pings=lambda one: one is not silent, **rest)

    async def edit(self, message: Message, text: str) -> None:
        self._talk.edit(message, content=text)

    async def delete(self, *messages: Message) -> None:
        """One message, or several in one go, as moderators do."""
        self._talk.delete(*messages)

    async def react(self, user: User, message: Message, emoji: str) -> None:
        self._talk.react(message, user, emoji)

    async def next_message(self, channel: Channel | None = None, timeout: float = WAIT) -> Message:
        """The first message of the bot that was not handed out yet."""
        act = await self.next("message", channel, timeout)
        return cast("Message", act.message)

    def said(self, channel: Channel) -> list[str]:
        """What stands in a channel now, of the bot's own."""
        return [
            message.content for message in channel.messages if message.author is self.bot and message.kind in (0, 19)
        ]

    def _http_app(self) -> web.Application:
        find = {"GET /gateway": self._find_gateway, "GET /gateway/bot": self._find_gateway}
        return self._http.app({**find, **ROUTES, **Answers(self._asked).routes})

    def _gateway_app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/", self._gateway.serve)
        return app

    def _find_gateway(self, _: object) -> Json:
        limits = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return {"url": self.gateway, "shards": 1, "session_start_limit": limits}


@contextmanager
def point_discord_at(server: DiscordServer) -> Generator[None]:
    """Within this, the discord.py of this process talks to the server instead of discord.com."""
    from discord.gateway import DiscordWebSocket
    from discord.http import Route
    from yarl import URL

    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = server.api, URL(server.gateway)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
