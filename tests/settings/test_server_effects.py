"""The settings of the Discord bot, and of the page and the API, by their effect."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.faces.discord.client import Client, required_intents
from recollect.faces.discord.run import configure_endpoints
from recollect.faces.http.app import create
from recollect.faces.http.serve import load_or_create_tokens, names_of
from recollect.settings import load
from recollect.settings.catalog import variable
from recollect.testing.clock import FakeClock
from tests.faces.cli.test_serve import address, started
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_edits import recheck
from tests.faces.discord.test_memory_channel import TICK, channel_id, mirrored
from tests.faces.discord.wire import wired
from tests.faces.http.conftest import TOKENS, asking, opened, serving
from tests.faces.http.visiting import signing_in
from tests.settings.effects import Effects, Turned, ignored
from tests.stores.postgres import free_port
from tests.waiting import eventually

SERVER_EFFECTS = Effects()
PORT = free_port()


@asynccontextmanager
async def playing(turned: Turned, pick: str = "", **others: Any) -> AsyncIterator[Scene]:
    """A scene with the setting; where it is an id, that of `pick` in the scene, unless the value is None."""
    if pick:
        async with acting() as scene:  # ids are the same in every run
            value = [] if turned.value is None else [str(getattr(scene, pick).id)]
        turned = Turned(turned.name, value, turned.folder)
    group, _, leaf = turned.name.partition(".")
    async with acting(**{group: {**others, leaf: turned.value}}) as scene:
        yield scene


@SERVER_EFFECTS.at("discord.allowed_users", ("ann", ["I see.", ""]), (None, ["", ""]))
async def _(turned: Turned) -> list[str]:
    async with playing(turned, "ann") as scene:
        return [await scene.ask("hello", who) for who in (scene.ann, scene.bob)]


@SERVER_EFFECTS.at("discord.allowed_roles", ("staff_role", ["I see.", ""]), (None, ["", ""]))
async def _(turned: Turned) -> list[str]:
    async with playing(turned, "staff_role", allowed_users=[]) as scene:
        return [await scene.ask("hello", who) for who in (scene.ann, scene.bob)]


@SERVER_EFFECTS.at("discord.allowed_guilds", ("guild", "I see."), (None, ""))
async def _(turned: Turned) -> str:
    async with playing(turned, "guild", allowed_users=[]) as scene:
        return await scene.ask("hello", scene.bob)


@SERVER_EFFECTS.at("discord.channels", ("dev", "I see."), (None, ""))
async def _(turned: Turned) -> str:
    async with playing(turned, "dev") as scene:
        return await scene.order("hello")


@SERVER_EFFECTS.at("discord.excluded_channels", ("dev", []), (None, ["I like tea"]))
async def _(turned: Turned) -> list[str]:
    async with playing(turned, "dev") as scene:
        await scene.ask("I like tea")
        await scene.settle()
        return await scene.known()


@SERVER_EFFECTS.at("discord.excluded_roles", ("staff_role", []), (None, ["I like tea"]))
async def _(turned: Turned) -> list[str]:
    async with playing(turned, "staff_role") as scene:
        await scene.ask("I like tea")
        await scene.settle()
        return await scene.known()


@SERVER_EFFECTS.at("discord.memory_channel", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    channel = await channel_id() if turned.value else ""
    async with acting(**Turned(turned.name, channel, turned.folder).settings()) as scene:
        await scene.ask("I like tea")
        await scene.settle()
        if not turned.value:
            await scene.env.advance_time(TICK)
            return any("tea" in message.content for message in scene.general.history())
        return any("tea" in message.content for message in await mirrored(scene))


@SERVER_EFFECTS.at("discord.name", ("recollect", False), ("Mnemosyne", True))
async def _(turned: Turned) -> bool:
    async with playing(turned) as scene:
        await scene.ask("who are you?")
        return "Mnemosyne" in scene.prompts()[-1]


@SERVER_EFFECTS.at("discord.privacy_notice", ("reply", [True, False]), ("dm", [False, True]), ("off", [False, False]))
async def _(turned: Turned) -> list[bool]:
    """Whether it is told in the channel, and in a DM."""
    async with playing(turned) as scene:
        told = await scene.ask("I like tea")
        direct = scene.ann.user.dm_channel
        return ["!memory" in told, any("!memory" in message.content for message in direct.history())]


@SERVER_EFFECTS.at("discord.learned_notices", ("here", True), ("off", False))
async def _(turned: Turned) -> bool:
    async with playing(turned) as scene:
        await scene.env.advance_time(TICK)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        return any(message.content.startswith("Learned:") for message in scene.dev.history())


@SERVER_EFFECTS.at("discord.operator", ("Acme Ltd", True), ("", False))
async def _(turned: Turned) -> bool:
    async with playing(turned, privacy_notice="reply") as scene:
        return "run by Acme Ltd" in await scene.ask("I like tea")


@SERVER_EFFECTS.at("discord.privacy_policy", ("https://acme.example/privacy", True), ("", False))
async def _(turned: Turned) -> bool:
    async with playing(turned, privacy_notice="reply") as scene:
        return "https://acme.example/privacy" in await scene.ask("I like tea")


@SERVER_EFFECTS.at("discord.consent", ("notice", ["I like tea"]), ("opt_in", []))
async def _(turned: Turned) -> list[str]:
    async with playing(turned) as scene:
        await scene.ask("I like tea")
        await scene.settle()
        return await scene.known()


@SERVER_EFFECTS.at("discord.memory_channel_style", ("members", True), ("panel", False))
async def _(turned: Turned) -> bool:
    async with playing(turned, memory_channel=await channel_id()) as scene:
        await scene.ask("I like tea")
        return any("tea" in message.content for message in await mirrored(scene))


@SERVER_EFFECTS.at("discord.replies_per_minute", (1, False), (0, True))
async def _(turned: Turned) -> bool:
    async with playing(turned) as scene:
        return [await scene.ask("hello") for _ in range(2)] == ["I see.", "I see."]


@SERVER_EFFECTS.at("discord.daily_replies", (1, False), (0, True))
async def _(turned: Turned) -> bool:
    async with playing(turned) as scene:
        return [await scene.ask("hello", who) for who in (scene.ann, scene.bob)] == ["I see.", "I see."]


@SERVER_EFFECTS.at("discord.daily_tokens", (1, False), (0, True))
async def _(turned: Turned) -> bool:
    async with playing(turned) as scene:
        return [await scene.ask("hello", who) for who in (scene.ann, scene.bob)] == ["I see.", "I see."]


@SERVER_EFFECTS.at("discord.catch_up", ("24h", True), ("never", False))
async def _(turned: Turned) -> bool:
    async with wired(**turned.settings()) as wire:
        async with wire.online():
            await wire.order("!memory help")
        wire.clock.advance(minutes=10)
        await wire.lab.say(wire.lab.ada, wire.lab.dev, "!memory remember I like tea")
        async with wire.online() as client:

            async def is_decided() -> bool:
                """Whether it was noted that the bot is online again, which is done after catching up began."""
                name = state.last_online(client.bot.settings.discord.shard)
                return await client.bot.state.get(name) == wire.clock().isoformat()

            await eventually(is_decided)
            await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == "recollect-catch-up"))
        return await wire.known() == ["I like tea"]


@SERVER_EFFECTS.at("discord.erase_on_leave", ("0", []), ("never", ["I like tea"]))
async def _(turned: Turned) -> list[str]:
    async with playing(turned) as scene:
        await scene.ask("I like tea")
        await scene.settle()
        scene.env.backend.remove_guild(scene.guild.id)
        await scene.env.settle()
        await scene.settle()
        return await scene.known()


@SERVER_EFFECTS.at("discord.message_content", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    return required_intents(load({}, **turned.settings()).settings).message_content


@SERVER_EFFECTS.at("discord.members", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    return required_intents(load({}, **turned.settings()).settings).members


@SERVER_EFFECTS.at("discord.resync_messages", (100, []), (0, ["I like green tea"]))
async def _(turned: Turned) -> list[str]:
    """What is known of a message that was deleted while the bot was offline."""
    async with wired(**turned.settings()) as wire:
        async with wire.online():
            sent = await wire.lab.say(wire.lab.ada, wire.lab.dev, "I like green tea")
            await wire.learned(1)
        await wire.lab.delete(sent)
        async with wire.online() as client:
            await recheck(client)
        return await wire.known()


@SERVER_EFFECTS.at("discord.register_commands", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    async with wired(**turned.settings()) as wire:
        async with wire.online():
            await wire.order("!memory help")
            if turned.value:
                await eventually(lambda: any("commands" in request for request in wire.lab.requests))
        return any(request.startswith("PUT") and "commands" in request for request in wire.lab.requests)


@SERVER_EFFECTS.at("discord.shard", ("0/2", [0]), ("1/2", [1]))
async def _(turned: Turned) -> list[int]:
    async with wired(**turned.settings()) as wire:
        return [*(Client(wire.memory, None, clock=wire.clock).shard_ids or [])]


@pytest.fixture(autouse=True)
def _endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses of Discord are the program's own; a test puts them back."""
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)


@SERVER_EFFECTS.at("discord.api_base_url", ("http://127.0.0.1:9/api", True), ("http://127.0.0.1:8/api", False))
async def _(turned: Turned) -> bool:
    configure_endpoints(load({}, **turned.settings()).settings)
    return Route("GET", "/gateway").url == "http://127.0.0.1:9/api/gateway"


@SERVER_EFFECTS.at("discord.gateway_url", ("ws://127.0.0.1:9", True), ("ws://127.0.0.1:8", False))
async def _(turned: Turned) -> bool:
    configure_endpoints(load({}, **turned.settings()).settings)
    return str(DiscordWebSocket.DEFAULT_GATEWAY).startswith("ws://127.0.0.1:9")


# --- page and API ---


@SERVER_EFFECTS.at("http.host_names", (("memory.example",), 200), ((), 421))
async def _(turned: Turned) -> int:
    """The status of a request for that name."""
    settings = load({}, **turned.settings()).settings
    async with opened(turned.folder, FakeClock()) as memory:
        app = create(memory, TOKENS, names=names_of("127.0.0.1", settings))
        async with asking(app) as client:
            return (await client.get("/health", headers={"Host": "memory.example"})).status_code


@SERVER_EFFECTS.at("http.token_file", ("one.json", True), ("other.json", True))
async def _(turned: Turned) -> bool:
    path = turned.folder / turned.value
    settings = load({}, **Turned(turned.name, str(path), turned.folder).settings(data_dir=str(turned.folder))).settings
    load_or_create_tokens("127.0.0.1", settings, None)
    return path.exists()


@SERVER_EFFECTS.at("http.session_lifetime", ("1h", True), ("9h", False))
async def _(turned: Turned) -> bool:
    async with (
        opened(turned.folder, FakeClock(), **turned.settings()) as memory,
        asking(create(memory, TOKENS)) as client,
    ):
        signed_in = await signing_in(client, TOKENS.operator)
    return "Max-Age=3600;" in signed_in.headers["set-cookie"]


@SERVER_EFFECTS.at("http.trusted_proxies", (["127.0.0.0/8"], True), (["192.0.2.1"], False))
async def _(turned: Turned) -> bool:
    """Whether it is believed from this machine that the connection is encrypted."""
    with serving(turned.folder, **turned.settings()) as served:
        async with httpx.AsyncClient(base_url=served.url) as proxy:
            answer = await proxy.get("/login", headers={"X-Forwarded-Proto": "https"})
    return "; secure" in answer.headers["set-cookie"].lower()


@SERVER_EFFECTS.at("http.host", ("127.0.0.1", True), ("127.0.0.2", False))
async def _(turned: Turned) -> bool:
    return (await _address(turned, RECOLLECT_HTTP_PORT="0")).startswith("http://127.0.0.1:")


@SERVER_EFFECTS.at("http.port", (0, False), (PORT, True))
async def _(turned: Turned) -> bool:
    return (await _address(turned)).endswith(f":{PORT}")


async def _address(turned: Turned, **env: str) -> str:
    """Where the program itself says that it listens."""
    env |= {variable(turned.name): str(turned.value), "RECOLLECT_DATA_DIR": str(turned.folder / "data")}
    env |= {"RECOLLECT_HTTP_HOST_NAMES": "localhost"}
    async with started("serve", **env) as running:
        return await address(running)


IN_PROCESS = [name for name in SERVER_EFFECTS if name not in ("http.host", "http.port")]


@pytest.mark.slow
@pytest.mark.acceptance("W18")
@pytest.mark.parametrize("name", SERVER_EFFECTS)
async def test_a_setting_does_what_it_says(name: str, tmp_path: Path):
    await SERVER_EFFECTS.check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PROCESS)
async def test_it_would_be_noticed_if_the_setting_had_no_effect(name: str, tmp_path: Path):
    with ignored(name), pytest.raises((AssertionError, RecollectError)):
        await SERVER_EFFECTS.check(name, tmp_path)
