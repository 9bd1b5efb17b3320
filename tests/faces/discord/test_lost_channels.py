"""A channel that the bot could not read for a while: what was said to it meanwhile is answered and learned from, talk
in its absence is not, and those who manage the server are told.
"""

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect.core.state import StateKind
from recollect.faces.discord.client import Client
from recollect.policy.readers import NOBODY
from tests.doubles.discord.things import Channel
from tests.faces.discord.scene import acting
from tests.faces.discord.test_server_settings import shown
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


async def lost(client: Client, times: int = 1) -> None:
    async def holds() -> bool:
        return len(await client.bot.state.keys(StateKind.UNREAD_SINCE)) == times

    await eventually(holds, WAIT)


async def choose_log(wire: Wired, client: Client) -> Channel:
    log = wire.lab.world.text(wire.lab.lab, "log")
    await eventually(lambda: client.get_channel(log.id) is not None, WAIT)
    await client.bot.server_settings.change(wire.lab.lab.id, "log_channel", str(log.id), wire.lab.ada.id)
    await eventually(lambda: len(wire.lab.said(log)) == 1, WAIT)
    return log


@pytest.mark.parametrize("how", ["hidden", "role taken", "private thread"])
async def test_what_was_said_to_the_bot_meanwhile_is_answered_and_learned_and_the_rest_is_left_alone(how: str) -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        readers = world.role(lab.lab, "readers", lab.ada, lab.bot)
        room = world.text(lab.lab, "room")
        if how == "role taken":
            world.overwrite(room, readers, allow="view_channel")
            world.overwrite(room, lab.lab.everyone, deny="view_channel")
        elif how == "private thread":
            room = world.thread(lab.dev, "plans", lab.ada, lab.bot, private=True)
        roles = lab.lab.members[lab.bot.id].roles
        async with wire.online() as client:
            log = await choose_log(wire, client)
            await lab.say(lab.ada, room, "I like green tea")
            await wire.learned(1)
            wire.clock.advance(minutes=5)
            if how == "hidden":
                world.overwrite(room, lab.bot, deny="view_channel")
            elif how == "role taken":
                world.set_roles(lab.lab, lab.bot, *[role for role in roles if role is not readers])
            else:
                world.remove_from_thread(room, lab.bot)
            await lost(client)
            wire.clock.advance(minutes=5)
            await lab.say(lab.ada, room, "I plan a surprise")
            await lab.say(lab.ada, room, f"<@{lab.bot.id}> I play chess")
            await lab.say(lab.ada, room, "!memory remember I live in Ghent")
            wire.clock.advance(minutes=5)
            if how == "hidden":
                world.overwrite(room, lab.bot, allow="view_channel")
            elif how == "role taken":
                world.set_roles(lab.lab, lab.bot, *roles)
            else:
                world.add_to_thread(room, lab.bot)
            await wire.learned(3)
            await eventually(lambda: len(lab.said(log)) == 2, WAIT)
            assert f"I can read <#{room.id}> again" in lab.said(log)[1]
            assert "2 messages to me are answered and learned from, and 1 others are not" in lab.said(log)[1]
            assert len(lab.said(room)) == 2
            memos = {memo.text: memo for memo in await wire.memos()}
            assert memos.keys() == {"I like green tea", "I play chess", "I live in Ghent"}
            audience = memos["I play chess"].audience
            if how == "role taken":  # only the bot's own rights changed
                assert audience == memos["I like green tea"].audience
            else:
                assert audience.level == "channel"
                assert (audience.readers == NOBODY) is (how != "private thread")
            await lost(client, 0)


async def test_another_channel_that_can_be_read_again_tells_nothing_of_a_thread_that_the_bot_is_not_in() -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        thread = world.thread(lab.dev, "plans", lab.ada, lab.bot, private=True)
        async with wire.online() as client:
            await lab.say(lab.ada, thread, "I like green tea")
            await lab.say(lab.ada, lab.general, "I have two cats")
            await wire.learned(2)
            world.remove_from_thread(thread, lab.bot)
            world.overwrite(lab.general, lab.bot, deny="view_channel")
            await lost(client, 2)
            await lab.say(lab.ada, lab.general, f"<@{lab.bot.id}> I play chess")
            world.overwrite(lab.general, lab.bot, allow="view_channel")
            await wire.learned(3)
            await lost(client, 1)


async def test_a_server_whose_role_let_the_bot_read_is_lost_with_the_role() -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        readers = world.role(lab.lab, "readers", lab.bot, permissions="view_channel read_message_history")
        world.role(lab.lab, "people", lab.ada, permissions="view_channel send_messages")
        category = world.category(lab.lab, "rooms")
        world.forum(lab.lab, "help", category)
        own = lab.lab.members[lab.bot.id].roles[0]
        world.permit(lab.lab, lab.lab.everyone, "send_messages")
        world.permit(lab.lab, own, "send_messages")
        async with wire.online() as client:
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await wire.learned(1)
            world.remove_role(lab.lab, readers)
            await lost(client, len(lab.lab.channels) - 1)  # nobody talks in a category
            await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
            world.permit(lab.lab, own, "send_messages view_channel read_message_history")
            await wire.learned(2)
            await lost(client, 0)


async def test_since_when_a_channel_can_not_be_read_outlasts_a_restart() -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        async with wire.online() as client:
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await wire.learned(1)
            wire.clock.advance(minutes=5)
            world.overwrite(lab.dev, lab.bot, deny="view_channel")
            await lost(client)
        wire.clock.advance(hours=1)
        await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
        async with wire.online() as client:
            await lost(client)
            wire.clock.advance(minutes=5)
        world.overwrite(lab.dev, lab.bot, allow="view_channel")
        async with wire.online() as client:
            await wire.learned(2)
            await lost(client, 0)


async def test_a_channel_that_was_closed_and_opened_again_around_a_restart_is_made_up_for() -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        async with wire.online():
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await wire.learned(1)
        wire.clock.advance(minutes=5)
        world.overwrite(lab.dev, lab.bot, deny="read_message_history")
        await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
        async with wire.online() as client:
            await lost(client)
            world.overwrite(lab.dev, lab.bot, allow="read_message_history")
            await wire.learned(2)


async def test_what_is_older_than_the_window_is_not_answered_when_a_channel_can_be_read_again() -> None:
    async with wired(discord={"catch_up": "1h"}) as wire:
        lab, world = wire.lab, wire.lab.world
        async with wire.online() as client:
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await wire.learned(1)
            world.overwrite(lab.dev, lab.bot, deny="view_channel")
            await lost(client)
            await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I own a zither")
            wire.clock.advance(hours=2)
            await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
            world.overwrite(lab.dev, lab.bot, allow="view_channel")
            await wire.learned(2)
            assert "I own a zither" not in await wire.known()


@pytest.mark.parametrize("restarts", [False, True])
async def test_after_an_outage_of_a_server_everything_is_made_up_for(restarts: bool) -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        async with wire.online() as client:
            sent = await lab.say(lab.ada, lab.dev, "I like green tea")
            await wire.learned(1)
            wire.clock.advance(minutes=5)
            world.outage(lab.lab)
            await lost(client)
            if not restarts:
                await meanwhile(wire, sent)
                await known(wire, "I play chess", "I have two cats")
        if restarts:
            wire.clock.advance(minutes=5)
            async with wire.online() as client:
                await lost(client)
                await meanwhile(wire, sent)
                await known(wire, "I play chess", "I have two cats")


async def known(wire: Wired, *facts: str) -> None:
    async def holds() -> bool:
        return sorted(await wire.known()) == sorted(facts)

    await eventually(holds, WAIT)


async def meanwhile(wire: Wired, sent: object) -> None:
    """Ada says and deletes something; then the server is back."""
    lab = wire.lab
    await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
    await lab.say(lab.ada, lab.general, "I have two cats")
    await lab.delete(sent)  # type: ignore[arg-type]
    wire.clock.advance(minutes=5)
    lab.world.outage(lab.lab, over=True)


async def test_nothing_is_heard_in_a_channel_that_the_bot_may_not_view_even_if_it_arrives() -> None:
    async with acting() as scene:
        sent = await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        view = discord.Permissions(view_channel=True).value
        for allow, deny in ((0, view), (view, 0)):
            overwrite = Overwrite(scene.client.user.id, OverwriteType.MEMBER, allow, deny)
            scene.env.backend.set_overwrite(scene.dev.id, overwrite)
            await scene.env.settle()
            if deny:
                await scene.ann.send(scene.dev, "I own a zither")
                await scene.ann.edit(sent, "I like black tea")
                assert await scene.ask("I play chess") == ""
            await scene.env.advance_time(10)
            await scene.settle()
            known = ["I like green tea"] if deny else ["I like black tea", "I play chess"]
            assert sorted(await scene.known()) == known


async def test_the_status_says_what_can_not_be_read() -> None:
    async with acting() as scene:
        eve = scene.manager()
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        for allow, deny in ((0, 1 << 10), (1 << 10, 0)):
            overwrite = Overwrite(scene.client.user.id, OverwriteType.MEMBER, allow, deny)
            scene.env.backend.set_overwrite(scene.dev.id, overwrite)
            await scene.env.settle()
            status = shown(await eve.slash(scene.general, "memory-server status"))
            assert (f"I can't read <#{scene.dev.id}>" in str(status.embeds[0].description)) == bool(deny)
