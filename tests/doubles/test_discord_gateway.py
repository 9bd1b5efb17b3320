"""The gateway of the loopback Discord: refusals, connections that break, and how discord.py takes them."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator

import aiohttp
import discord
import pytest

from recollect.testing.clock import FakeClock
from tests.doubles.discord.server import DiscordServer, point_discord_at
from tests.doubles.discord_bots import Listener, running, without


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


async def test_a_wrong_token_is_refused_at_login(server: DiscordServer):
    with point_discord_at(server):
        async with Listener() as bot:
            with pytest.raises(discord.LoginFailure):
                await bot.login("wrong")


async def test_a_token_that_ends_between_login_and_gateway_closes_with_4004(server: DiscordServer):
    with point_discord_at(server):
        async with Listener() as bot:
            await bot.login(server.token)
            bot.http.token = "revoked"
            with pytest.raises(discord.ConnectionClosed) as closed:
                await bot.connect()
    assert closed.value.code == 4004


async def test_an_intent_that_the_portal_does_not_grant_closes_with_4014():
    async with DiscordServer(privileged="members presences") as server:
        with point_discord_at(server):
            async with Listener() as bot:
                with pytest.raises(discord.PrivilegedIntentsRequired):
                    await bot.start(server.token)
        async with running(server, Listener(without("message_content"))):
            assert len(server.journal.of("identify")) == 2


async def test_discord_py_dies_when_the_gateway_is_down_at_the_first_connect(server: DiscordServer):
    """It wants to resume a session that it never had: a supervisor has to start it anew."""
    with point_discord_at(server):
        async with server.gateway_down(), Listener() as bot:
            with pytest.raises(AttributeError):
                await bot.start(server.token)
        async with running(server, Listener()):
            await server.connected()


async def test_after_a_dropped_connection_the_bot_resumes_and_misses_nothing(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        server.drop()
        await server.say(ada, general, "said meanwhile")
        await bot.heard("resumed")
        assert (await bot.heard("message")).content == "said meanwhile"
        await server.say(ada, general, "said after")
        assert (await bot.heard("message")).content == "said after"
        assert (len(server.journal.of("identify")), len(server.journal.of("resume"))) == (1, 1)


async def test_the_bot_comes_back_when_it_is_asked_to(server: DiscordServer):
    bot = Listener()
    async with running(server, bot):
        await server.reconnect()
        await server.next("resume")
        await bot.heard("resumed")


async def test_an_invalid_session_is_identified_anew(server: DiscordServer):
    server.world.guild("Lab")
    bot = Listener()
    async with running(server, bot):
        await server.next("identify")
        await server.invalidate()
        await server.next("identify")
        await bot.heard("ready")


async def test_a_gateway_that_is_down_for_a_while_is_found_again(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        async with server.gateway_down():
            await bot.heard("disconnect")
            await server.say(ada, general, "anyone there?")
            await bot.get_partial_messageable(general.id).send("HTTP goes on")
        await bot.heard("resumed")
        assert (await bot.heard("message")).content == "anyone there?"


async def test_members_are_listed_on_request(server: DiscordServer):
    ada, bob = server.world.user("ada"), server.world.user("bob")
    server.world.guild("Lab", ada, bob)
    bot = Listener(without("members"))
    async with running(server, bot):
        assert [member.name for member in bot.guilds[0].members] == ["recollect"]
        assert [member.name for member in await bot.guilds[0].query_members(user_ids=[bob.id])] == ["bob"]
        assert (await bot.guilds[0].fetch_member(ada.id)).name == "ada"


async def test_each_shard_hears_of_its_own_guilds():
    clock = FakeClock()
    async with DiscordServer(clock=clock) as server:
        lab = server.world.guild("Lab")
        clock.advance(milliseconds=1)  # the moment it was made decides to which of two shards a guild belongs
        club = server.world.guild("Club")
        rooms = {guild.id: server.world.text(guild, guild.name) for guild in (lab, club)}
        one, other = Listener(shard_id=0, shard_count=2), Listener(shard_id=1, shard_count=2)
        async with running(server, one), running(server, other):
            for room in rooms.values():
                await server.say(server.world.owner, room, f"in {room.name}")
            for bot in (one, other):
                (guild,) = bot.guilds
                assert (await bot.heard("message")).channel.id == rooms[guild.id].id
            assert {guild.id for bot in (one, other) for guild in bot.guilds} == {lab.id, club.id}


async def test_heartbeats_are_acknowledged():
    async with DiscordServer(heartbeat=0.05) as server:
        bot = Listener()
        async with running(server, bot):
            async with asyncio.timeout(10):
                while bot.latency == float("inf"):
                    await bot.heard("socket_event_type")
            assert bot.latency < 10


async def test_the_gateway_packs_what_it_says_if_asked_for_zlib(server: DiscordServer):
    unpack = zlib.decompressobj()
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{server.gateway}?v=10&encoding=json&compress=zlib-stream") as socket,
    ):
        assert json.loads(unpack.decompress(await socket.receive_bytes(timeout=10)))["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": server.token, "intents": 1}})
        ready = json.loads(unpack.decompress(await socket.receive_bytes(timeout=10)))
        assert (ready["t"], ready["d"]["resume_gateway_url"]) == ("READY", server.gateway)
        await socket.send_json({"op": 1, "d": 1})
        assert json.loads(unpack.decompress(await socket.receive_bytes(timeout=10)))["op"] == 11
