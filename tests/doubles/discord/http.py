"""The HTTP side of the loopback Discord: who may ask, what is asked, how errors look, and trouble on demand."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from aiohttp import BodyPartReader, web

from tests.doubles.discord.journal import Act, Journal
from tests.doubles.discord.permissions import can
from tests.doubles.discord.talk import Talk
from tests.doubles.discord.things import Channel, Guild, Json, Message
from tests.doubles.discord.world import World

BASE = "/api/v10"
WITHOUT_TOKEN = ("/interactions/", "/webhooks/")
LARGEST_REQUEST = 32 * 1024 * 1024


class Refused(Exception):
    """An answer that is no success, with the number that Discord gives to its reason."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


UNKNOWN_CHANNEL = Refused(404, 10003, "Unknown Channel")
UNKNOWN_GUILD = Refused(404, 10004, "Unknown Guild")
UNKNOWN_MEMBER = Refused(404, 10007, "Unknown Member")
UNKNOWN_MESSAGE = Refused(404, 10008, "Unknown Message")
UNKNOWN_USER = Refused(404, 10013, "Unknown User")
MISSING_ACCESS = Refused(403, 50001, "Missing Access")
MISSING_PERMISSIONS = Refused(403, 50013, "Missing Permissions")
ARCHIVED = Refused(400, 50083, "Thread is archived")
UNAUTHORIZED = Refused(401, 0, "401: Unauthorized")
NOT_FOUND = Refused(404, 0, "404: Not Found")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a request gets instead of its answer; `via` False is how Cloudflare's own refusals look."""

    status: int = 500
    retry_after: float | None = None
    code: int = 0
    via: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the bot, with the things that its path names."""

    world: World
    talk: Talk
    journal: Journal
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Json
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def channel(self) -> Channel:
        """The channel, if the bot may look into it."""
        channel = self.world.channels.get(int(self.path["channel"]))
        if channel is None:
            raise UNKNOWN_CHANNEL
        if not can(self.world.bot, channel, "view_channel"):
            raise MISSING_ACCESS
        return channel

    @property
    def message(self) -> Message:
        channel, number = self.channel, int(self.path["message"])
        for message in channel.messages:
            if message.id == number:
                return message
        raise UNKNOWN_MESSAGE

    @property
    def guild(self) -> Guild:
        guild = self.world.guilds.get(int(self.path["guild"]))
        if guild is None:
            raise UNKNOWN_GUILD
        if self.world.bot.id not in guild.members:
            raise MISSING_ACCESS
        return guild

    def needs(self, permissions: str) -> Channel:
        """The channel, if the bot has these permissions in it."""
        channel = self.channel
        if not can(self.world.bot, channel, permissions):
            raise MISSING_PERMISSIONS
        return channel

    def record(self, kind: str, message: Message | None = None, channel: Channel | None = None) -> None:
        where = channel or (message.channel if message else None)
        self.journal.record(Act(kind, where, message, self.body))


Route = Callable[[Call], Any]
Routes = Mapping[str, Route]
"""What answers to `GET /users/@me` and the like: its JSON, or None for 204."""


class Api:
    def __init__(self, world: World, talk: Talk, journal: Journal, token: str) -> None:
        self.unknown: list[str] = []
        """Requests that no route answers."""
        self.requests: list[str] = []
        self._world = world
        self._talk = talk
        self._journal = journal
        self._token = token
        self._trouble: dict[str, deque[Trouble]] = {}
        self._held: dict[str, asyncio.Event] = {}

    def trouble(self, request: str, *troubles: Trouble) -> None:
        """The next requests like `POST /channels/*/messages` fail in this way, one after the other."""
        self._trouble.setdefault(request, deque()).extend(troubles)

    def hold(self, request: str) -> asyncio.Event:
        """Requests like `GET /channels/*/messages` are answered once the event is set."""
        return self._held.setdefault(request, asyncio.Event())

    def app(self, routes: Routes) -> web.Application:
        app = web.Application(middlewares=[self._answer], client_max_size=LARGEST_REQUEST)
        for name, route in routes.items():
            method, path = name.split(" ")
            app.router.add_route(method, BASE + path, self._handler(route))
        app.router.add_get("/attachments/{channel}/{file}/{name}", self._file)
        return app

    def _handler(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            body, files = await _content(request)
            answer = route(Call(self._world, self._talk, self._journal, request.match_info, request.query, body, files))
            return web.Response(status=204) if answer is None else _json(answer)

        return handle

    @web.middleware
    async def _answer(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        path = request.path.removeprefix(BASE)
        name = f"{request.method} {path}"
        self.requests.append(name)
        for pattern, released in self._held.items():
            if fnmatchcase(name, pattern):
                await released.wait()
        if (trouble := self._next_trouble(name)) is not None:
            return _troubled(trouble)
        try:
            if request.path.startswith(BASE) and not path.startswith(WITHOUT_TOKEN):
                self._check(request)
            return await handler(request)
        except Refused as refused:
            return _json({"message": str(refused), "code": refused.code}, refused.status)
        except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
            self.unknown.append(name)
            return _json({"message": str(NOT_FOUND), "code": 0}, 404)

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bot {self._token}":
            raise UNAUTHORIZED

    def _next_trouble(self, name: str) -> Trouble | None:
        for pattern, waiting in self._trouble.items():
            if waiting and fnmatchcase(name, pattern):
                return waiting.popleft()
        return None

    async def _file(self, request: web.Request) -> web.Response:
        channel = self._world.channels.get(int(request.match_info["channel"]))
        messages = [*(channel.messages if channel else []), *self._talk.hidden.values()]
        for file in (file for message in messages for file in message.files):
            if file.id == int(request.match_info["file"]):
                return web.Response(body=file.content, content_type=file.type)
        return web.Response(status=404)


async def _content(request: web.Request) -> tuple[Json, dict[str, bytes]]:
    """The JSON of a request, a list as `items`; in a form it is the part `payload_json`, beside the files."""
    if not request.content_type.startswith("multipart/"):
        given: Any = await request.json() if request.can_read_body else {}
        return ({"items": given} if isinstance(given, list) else given), {}
    body: Json = {}
    files: dict[str, bytes] = {}
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue  # a form within the form: Discord has none
        content = bytes(await part.read())
        if part.name == "payload_json":
            body = json.loads(content)
        else:
            files[part.filename or str(part.name)] = content
    return body, files


def _json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Bytes, so that the content type stays exactly this: discord.py takes nothing else for JSON."""
    return web.Response(
        body=json.dumps(value).encode(), status=status, headers=headers, content_type="application/json"
    )


def _troubled(trouble: Trouble) -> web.Response:
    body: Json = {"message": "You are being rate limited." if trouble.status == 429 else "no", "code": trouble.code}
    if trouble.retry_after is not None:
        body |= {"retry_after": trouble.retry_after, "global": False}
    return _json(body, trouble.status, {"Via": "1.1 loopback"} if trouble.via else None)
