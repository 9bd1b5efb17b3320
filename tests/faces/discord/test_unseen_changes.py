"""Channels that open while the bot answers, is offline, between two sessions, or was not on the server."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect.core.state import StateKind
from recollect.faces.discord.client import Client
from recollect.faces.discord.places import place_of
from recollect.testing.model_server import ModelServer, Request, Says
from tests.doubles.discord.things import Channel, Message
from tests.doubles.discord.world import Event
from tests.faces.discord.scene import acting, make_client, speaker_of
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.faces.discord.wire import WAIT, Lab, Wired, wired
from tests.waiting import eventually

pytestmark = pytest.mark.sqlite


def closed_channel(lab: Lab) -> Channel:
    """A channel for Ada's role, and the bot."""
    secret = lab.world.text(lab.lab, "secret")
    lab.world.only_for(secret, lab.world.role(lab.lab, "staff", lab.ada), lab.bot)
    return secret


def open_to_all(lab: Lab, channel: Channel) -> None:
    lab.world.overwrite(channel, lab.lab.everyone, allow="view_channel")


async def open_and_tell(lab: Lab, channel: Channel, client: Client) -> None:
    """Open a channel, and wait until the bot knows."""
    before = place_of(client.get_channel(channel.id), lab.ada.id)
    open_to_all(lab, channel)
    await eventually(lambda: place_of(client.get_channel(channel.id), lab.ada.id) != before, WAIT)


def _tell_nobody(event: Event) -> None:
    """The bot is not told what happens."""
    del event


def about_mate(request: Request) -> Says:
    return Says("It is mate." if "mate" in str(request.body) else "I don't know.")


async def test_an_answer_that_discord_took_while_its_channel_opened_gives_way_to_one_for_its_readers() -> None:
    async with ModelServer(about_mate) as server, wired() as wire:
        lab, secret = wire.lab, closed_channel(wire.lab)
        async with wire.online(speaker_of(server)) as client:
            await lab.say(lab.ada, secret, "I like mate")
            await wire.learned(1)
            post = f"POST /channels/{secret.id}/messages"
            sending = lab.hold(post)
            await lab.say(lab.ada, secret, f"{lab.bot.mention} what do I like?")
            await eventually(lambda: post in lab.requests, WAIT)
            await open_and_tell(lab, secret, client)
            sending.set()
            await eventually(lambda: lab.said(secret) == ["I don't know."], WAIT)


async def test_a_list_that_was_asked_for_while_its_channel_opened_is_for_its_readers() -> None:
    async with wired() as wire, wire.online() as client:
        lab, secret = wire.lab, closed_channel(wire.lab)
        await wire.order("!memory remember I like mate", secret)
        typing = lab.hold(f"POST /channels/{secret.id}/typing")
        await lab.say(lab.ada, secret, "!memory show")
        await eventually(lambda: lab.requests[-1] == f"POST /channels/{secret.id}/typing", WAIT)
        await open_and_tell(lab, secret, client)
        typing.set()
        listed = await lab.next_message(secret, WAIT)
        assert listed.content.startswith("What I remember (0 memories)")


def lines() -> AbstractAsyncContextManager[Wired]:
    return wired(discord={"learned_notices": "here"})


async def learned_line(wire: Wired, client: Client, channel: Channel) -> Message:
    async def has_looked() -> bool:
        return bool(await client.bot.state.keys(StateKind.BOT_POSITION))

    await eventually(has_looked, WAIT)  # what was learned before is not told
    await wire.lab.say(wire.lab.ada, channel, "I like mate")
    return await wire.lab.next_message(channel, WAIT)


async def test_lines_go_that_more_people_can_read_since_the_session_before() -> None:
    async with lines() as wire:
        lab, secret = wire.lab, closed_channel(wire.lab)
        async with wire.online() as client:
            line = await learned_line(wire, client, secret)
            tell, lab.world.tell = lab.world.tell, _tell_nobody
            open_to_all(lab, secret)
            lab.world.tell = tell
            await lab.invalidate()
            await eventually(lambda: line not in secret.messages, WAIT)
            assert await wire.known() == ["I like mate"]


async def test_lines_go_that_more_people_can_read_since_the_bot_was_last_on_the_server() -> None:
    async with lines() as wire:
        lab, secret = wire.lab, closed_channel(wire.lab)
        async with wire.online() as client:
            line = await learned_line(wire, client, secret)
            lab.world.kick(lab.lab)
            await eventually(lambda: client.get_guild(lab.lab.id) is None, WAIT)
            open_to_all(lab, secret)
            lab.world.invite(lab.lab)
            await eventually(lambda: line not in secret.messages, WAIT)
            assert await wire.known() == ["I like mate"]


async def test_the_message_of_a_member_shows_no_more_than_its_readers_may_hear_who_came_while_the_bot_was_offline() -> (
    None
):
    view = discord.Permissions(view_channel=True).value
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:

        def allow(target: int, kind: OverwriteType, *, deny: bool = False) -> None:
            overwrite = Overwrite(target, kind, 0 if deny else view, view if deny else 0)
            scene.env.backend.set_overwrite(scene.general.id, overwrite)

        allow(scene.guild.id, OverwriteType.ROLE, deny=True)
        allow(scene.staff_role.id, OverwriteType.ROLE)
        allow(scene.client.user.id, OverwriteType.MEMBER)
        await scene.env.settle()
        await mirrored(scene)
        await scene.ask("I will be promoted in May", where=scene.staff)
        (shown,) = await mirrored(scene)
        assert "promoted" in shown.content
        client = make_client(scene.memory, scene.server, lambda: scene.env.now())
        set_up = client.setup_hook

        async def open_first() -> Any:
            allow(scene.guild.id, OverwriteType.ROLE)
            await set_up()

        client.setup_hook = open_first  # type: ignore[method-assign]
        await scene.env.restart_bot(client)
        assert "promoted" not in "\n".join(one.content for one in await mirrored(scene))
