"""The gateway of the loopback Discord: sessions of the bot, what each has been told, and the sockets they use.

A session outlives its socket. It keeps what it was told by number, so that a bot that resumes hears what it missed.
"""

import asyncio
import json
import zlib
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.doubles.discord.journal import Act, Journal
from tests.doubles.discord.payloads import member_payload, user_payload
from tests.doubles.discord.permissions import INTENTS, PRIVILEGED, can
from tests.doubles.discord.things import Json
from tests.doubles.discord.world import Event, World

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, RESUME, RECONNECT, MEMBERS, INVALID, HELLO, ACK = (
    0,
    1,
    2,
    3,
    6,
    7,
    8,
    9,
    10,
    11,
)
GOING_AWAY, BAD_TOKEN, DISALLOWED_INTENTS = 1001, 4004, 4014


@dataclass(slots=True, eq=False)
class Session:
    id: str
    intents: int
    shard: tuple[int, int]
    told: list[Json] = field(default_factory=list[Json])
    more: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, name: str, data: Json) -> None:
        self.told.append({"op": DISPATCH, "s": len(self.told) + 1, "t": name, "d": data})
        self.more.set()

    def hears(self, event: Event, world: World) -> bool:
        number, count = self.shard
        at_home = (event.guild.id >> 22) % count == number if event.guild else number == 0
        inside = event.guild is None or world.bot.id in event.guild.members
        sees = event.channel is None or can(world.bot, event.channel, "view_channel")
        up = event.guild is None or not event.guild.down or event.name == "GUILD_DELETE"
        return at_home and up and (not event.intent or (inside and sees and bool(self.intents & event.intent)))


class Connection:
    """One socket. `zlib-stream` is spoken if asked for; bots that ask for another compression take plain text too."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self._socket = socket
        self._request = request
        self._packer = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self._turn = asyncio.Lock()
        self.session: Session | None = None
        self.teller: asyncio.Task[None] | None = None

    async def send(self, packet: Json) -> None:
        async with self._turn:
            text = json.dumps(packet)
            if self._packer is None:
                await self._socket.send_str(text)
            else:
                packed = self._packer.compress(text.encode()) + self._packer.flush(zlib.Z_SYNC_FLUSH)
                await self._socket.send_bytes(packed)

    def follow(self, session: Session, after: int = 0) -> None:
        """Send what the session is told, from behind this number on."""
        self.session = session
        self.teller = asyncio.create_task(self._tell_all(session, after))

    async def _tell_all(self, session: Session, sent: int) -> None:
        try:
            while True:
                while sent < len(session.told):
                    await self.send(session.told[sent])
                    sent += 1
                session.more.clear()
                await session.more.wait()
        except ConnectionError:
            pass  # the bot left; it will resume

    async def close(self, code: int) -> None:
        await self._socket.close(code=code)

    def cut(self) -> None:
        """Gone without a word, as when a cable is pulled."""
        if self._request.transport is not None:
            self._request.transport.abort()


class Gateway:
    def __init__(self, world: World, journal: Journal, token: str, heartbeat: float) -> None:
        self.sessions: dict[str, Session] = {}
        self.url = ""
        self._world = world
        self._journal = journal
        self._token = token
        self._heartbeat = heartbeat
        self._open: set[Connection] = set()

    @property
    def connected(self) -> int:
        """How many sockets have a session."""
        return sum(connection.session is not None for connection in self._open)

    def tell(self, event: Event) -> None:
        for session in self.sessions.values():
            if session.hears(event, self._world):
                session.tell(event.name, event.data(session.intents))

    async def serve(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(compress=False)
        await socket.prepare(request)
        connection = Connection(socket, request)
        self._open.add(connection)
        try:
            await connection.send({"op": HELLO, "d": {"heartbeat_interval": int(self._heartbeat * 1000)}})
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    await self._received(connection, json.loads(frame.data))
        except ConnectionError:
            pass  # the bot left
        finally:
            self._open.discard(connection)
            if connection.teller is not None:
                connection.teller.cancel()
        return socket

    async def _received(self, connection: Connection, packet: Json) -> None:
        op, asked = packet["op"], packet["d"]
        if op == HEARTBEAT:
            await connection.send({"op": ACK})
        elif op == IDENTIFY:
            await self._identify(connection, asked)
        elif op == RESUME:
            await self._resume(connection, asked)
        elif op == MEMBERS:
            self._list_members(connection, asked)
        else:
            self._journal.record(Act("presence" if op == PRESENCE else f"gateway {op}", body=packet))

    async def _identify(self, connection: Connection, asked: Json) -> None:
        disallowed = sum(INTENTS[name] for name in PRIVILEGED if name not in self._world.privileged)
        if asked["token"] != self._token:
            await connection.close(BAD_TOKEN)
        elif asked["intents"] & disallowed:
            await connection.close(DISALLOWED_INTENTS)
        else:
            number, count = asked.get("shard", (0, 1))
            session = Session(f"session-{self._world.new_id()}", asked["intents"], (number, count))
            self.sessions[session.id] = session
            self._welcome(session)
            connection.follow(session)
        self._journal.record(Act("identify", body=asked | {"token": "***"}))

    def _welcome(self, session: Session) -> None:
        world = self._world
        number, count = session.shard
        inside = [one for one in world.guilds.values() if world.bot.id in one.members and one.id not in world.hidden]
        guilds = [one for one in inside if (one.id >> 22) % count == number]
        ready: Json = {
            "v": 10,
            "user": user_payload(world.bot),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": [number, count],
            "application": {"id": str(world.bot.id), "flags": world.app_flags},
        }
        session.tell("READY", ready)
        for guild in guilds:
            if not guild.down:
                session.tell("GUILD_CREATE", world.whole_guild(guild, session.intents) | {"unavailable": False})

    async def _resume(self, connection: Connection, asked: Json) -> None:
        session = self.sessions.get(asked["session_id"])
        if asked["token"] != self._token:
            await connection.close(BAD_TOKEN)
        elif session is None:
            await connection.send({"op": INVALID, "d": False})
        else:
            self._hang_up(session)
            session.tell("RESUMED", {})
            connection.follow(session, asked["seq"])
        self._journal.record(Act("resume", body=asked | {"token": "***"}))

    def _hang_up(self, session: Session) -> None:
        """A session has one socket: the one before is dead, even if that did not show yet."""
        for connection in [*self._open]:
            if connection.session is session:
                connection.cut()

    def _list_members(self, connection: Connection, asked: Json) -> None:
        guild = self._world.guilds[int(asked["guild_id"])]
        wanted = {int(one) for one in asked.get("user_ids", [])}
        start = asked.get("query", "")
        members = [m for m in guild.members.values() if m.user.id in wanted or not wanted]
        found = [member_payload(member) for member in members if member.user.name.startswith(start)]
        data: Json = {"guild_id": str(guild.id), "members": found, "chunk_index": 0, "chunk_count": 1}
        data |= {"not_found": [str(one) for one in wanted - guild.members.keys()], "nonce": asked.get("nonce")}
        if connection.session is not None:
            connection.session.tell("GUILD_MEMBERS_CHUNK", data)

    def cut(self) -> None:
        for connection in [*self._open]:
            connection.cut()

    async def close(self, code: int = GOING_AWAY) -> None:
        for connection in [*self._open]:
            await connection.close(code)

    async def reconnect(self) -> None:
        """Ask the bot to come back, as Discord does every few hours."""
        for connection in [*self._open]:
            await connection.send({"op": RECONNECT, "d": None})

    async def invalidate(self) -> None:
        """Forget all sessions, and say so: the bot must identify anew."""
        self.sessions.clear()
        for connection in [*self._open]:
            await connection.send({"op": INVALID, "d": False})
