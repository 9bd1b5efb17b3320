"""Channels and threads that are deleted, and what was edited or deleted while the bot was offline."""

import asyncio
import logging

import discord
import pytest

from recollect.bot_state import resynced_places
from recollect.core.ports import Tx
from recollect.core.state import StateKind
from recollect.faces.discord.catch_up import CatchUp
from recollect.faces.discord.client import Client
from recollect.faces.discord.listener import MessageListener
from recollect.faces.discord.places import place_of
from recollect.faces.discord.privacy_notice import NOTICE
from recollect.faces.discord.resync import Resync, may_read
from tests.doubles.discord.http import Trouble
from tests.doubles.discord.server import rate_limited
from tests.doubles.discord.things import Channel, Message, Overwrite
from tests.faces.discord.scene import acting
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


async def no_pause(seconds: float) -> None:
    del seconds


async def recheck(client: Client) -> None:
    """What the bot does in the background when it is back, without its pauses."""
    await Resync(client.bot, no_pause).run()


async def test_what_was_said_in_a_deleted_channel_goes_with_it_threads_included() -> None:
    async with acting() as scene:
        await scene.ask("I like green tea")
        await scene.ask("I have two cats", where=scene.thread(scene.dev, "pets"))
        await scene.ask("I play chess", where=scene.general)
        await scene.order("!memory remember I work at Acme")
        await scene.settle()
        assert len(await scene.known()) == 4
        channel = scene.client.get_channel(scene.dev.id)
        assert isinstance(channel, discord.TextChannel)
        await channel.delete()
        await scene.settle()
        assert await scene.known() == ["I work at Acme", "I play chess"], "what its owner wrote down stays"
        await scene.ask("what do I like?", where=scene.general)
        assert "green tea" not in scene.prompts()[-1]
        place = scene.place(scene.dev)
        assert await scene.memory.store.read(lambda tx: tx.messages.recent(place, 9, whole_stream=True)) == []


async def test_what_was_said_in_a_deleted_thread_goes_with_it_and_its_channel_stays() -> None:
    async with wired() as wire, wire.online():
        thread = wire.lab.world.thread(wire.lab.dev, "pets", wire.lab.ada, wire.lab.bot)
        await wire.lab.say(wire.lab.ada, thread, "I have two cats")
        await wire.lab.say(wire.lab.ada, wire.lab.dev, "I like green tea")
        await wire.learned(2)
        wire.lab.world.remove_channel(thread)
        await wire.learned(1)
        assert await wire.known() == ["I like green tea"]
        wire.lab.world.remove_channel(wire.lab.dev)
        await wire.learned(0)


async def said(wire: Wired, *texts: str, where: Channel | None = None) -> list[Message]:
    """Ada says something, a second apart, and it is learned. The bot takes messages in side by side, so which of one
    millisecond is the newest is open.
    """
    before = len(await wire.known())
    sent: list[Message] = []
    for text in texts:
        wire.clock.advance(seconds=1)
        sent.append(await wire.lab.say(wire.lab.ada, where or wire.lab.dev, text))
    await wire.learned(before + len(texts))
    await eventually(lambda: is_noted(wire, where or wire.lab.dev), WAIT)
    return sent


async def is_noted(wire: Wired, where: Channel) -> bool:
    def channels(tx: Tx) -> list[str]:
        kind = StateKind.LISTENED_CHANNEL
        return [item for session in tx.state.keys(kind) for item in tx.state.items(kind, session)]

    return str(where.id) in await wire.memory.store.read(channels)


async def test_what_was_edited_and_deleted_while_the_bot_was_offline_is_made_up_for() -> None:
    async with wired() as wire:
        async with wire.online():
            kept, changed, gone = await said(wire, "I like green tea", "I live in Berlin", "I am allergic to peanuts")
            dm = wire.lab.world.dm(wire.lab.ada)
            (whispered,) = await said(wire, "I look for another job", where=dm)
        await wire.lab.edit(changed, "I live in Lisbon")
        await wire.lab.delete(gone)
        await wire.lab.delete(whispered)
        async with wire.online():
            await wire.happened("message.edited")
            await wire.happened("message.deleted", 2)
            await wire.learned(2)
        assert sorted(await wire.known()) == ["I like green tea", "I live in Lisbon"]
        assert not kept.deleted
        assert wire.lab.unknown == []


@pytest.mark.slow
async def test_a_channel_and_a_thread_that_were_deleted_meanwhile_are_noticed() -> None:
    async with wired() as wire:
        thread = wire.lab.world.thread(wire.lab.general, "pets", wire.lab.ada, wire.lab.bot)
        async with wire.online():
            await said(wire, "I like green tea")
            await said(wire, "I have two cats", where=thread)
            await said(wire, "I play chess", where=wire.lab.general)
        wire.lab.world.remove_channel(thread)
        wire.lab.world.remove_channel(wire.lab.dev)
        async with wire.online():
            await wire.learned(1)
        assert await wire.known() == ["I play chess"]


async def test_a_message_further_back_than_is_looked_stays() -> None:
    async with wired(discord={"resync_messages": 2}) as wire:
        async with wire.online():
            first, _, third, _ = await said(wire, "I like tea", "I have cats", "I play chess", "I sail boats")
        await wire.lab.delete(first)
        await wire.lab.delete(third)
        async with wire.online() as client:
            await recheck(client)
        assert sorted(await wire.known()) == ["I have cats", "I like tea", "I sail boats"]


async def test_a_message_that_others_talk_has_pushed_out_of_sight_is_not_taken_for_deleted() -> None:
    async with wired(discord={"resync_messages": 2}) as wire:
        robot = wire.lab.world.user("robot", bot=True)
        wire.lab.world.join(wire.lab.lab, robot)
        async with wire.online():
            await said(wire, "I like tea")
        for number in range(3):
            await wire.lab.say(robot, wire.lab.dev, f"build {number} is done")
        async with wire.online() as client:
            await recheck(client)
        assert await wire.known() == ["I like tea"]
        assert await wire.events("message.deleted") == []


@pytest.mark.parametrize("closed", ["view_channel", "read_message_history"])
async def test_where_the_bot_may_not_read_back_nothing_is_taken_for_deleted(
    closed: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with wired() as wire:
        async with wire.online():
            await said(wire, "I like green tea", "I have two cats")
        wire.lab.world.overwrite(wire.lab.dev, wire.lab.bot, deny=closed)
        with caplog.at_level(logging.INFO, "recollect.discord"):
            async with wire.online() as client:
                await recheck(client)
        assert len(await wire.known()) == 2
        assert await wire.events("message.deleted") == []
    lines = {record.getMessage() for record in caplog.records if "can't be read" in record.getMessage()}
    assert lines == {"1 places can't be read, so edits and deletions there are unknown"}


async def test_a_channel_that_was_emptied_meanwhile_is_noticed() -> None:
    async with wired() as wire:
        async with wire.online():
            sent = await said(wire, "I like green tea", "I have two cats")
        hidden, wire.lab.dev.messages = wire.lab.dev.messages, []
        wire.lab.trouble("GET /channels/*/messages/*", rate_limited(0.01))
        async with wire.online():
            await wire.learned(0)
        assert hidden == sent


async def test_an_empty_list_from_discord_alone_proves_nothing() -> None:
    async with wired() as wire, wire.online() as client:
        await said(wire, "I like green tea")
        denied = Overwrite(of_member=True, deny=discord.Permissions(read_message_history=True).value)
        wire.lab.dev.overwrites[wire.lab.bot.id] = denied  # and the gateway has not told yet
        await recheck(client)
        assert f"GET /channels/{wire.lab.dev.id}/messages" in wire.lab.requests
        assert await wire.known() == ["I like green tea"]


async def test_a_server_that_is_out_of_reach_loses_nothing() -> None:
    async with wired() as wire:
        async with wire.online():
            await said(wire, "I like green tea")
        wire.lab.world.outage(wire.lab.lab)
        async with wire.online() as client:
            await recheck(client)
        assert await wire.known() == ["I like green tea"]


async def test_trouble_in_one_place_does_not_keep_the_others_from_being_looked_at() -> None:
    async with wired() as wire:
        async with wire.online():
            (gone,) = await said(wire, "I like green tea")
            await said(wire, "I have two cats", where=wire.lab.general)
        await wire.lab.delete(gone)
        wire.lab.world.overwrite(wire.lab.general, wire.lab.bot, deny="read_message_history")
        async with wire.online():
            await wire.learned(1)
        assert await wire.known() == ["I have two cats"]


async def test_while_it_looks_back_the_bot_answers() -> None:
    async with wired() as wire:
        async with wire.online():
            (gone,) = await said(wire, "I like green tea")
        await wire.lab.delete(gone)
        answered = wire.lab.hold(f"GET /channels/{wire.lab.dev.id}/messages")
        async with wire.online():
            assert (await wire.order("!memory remember I play chess")).partition("\n")[
                0
            ] == 'Remembered: "I play chess"'
            assert "I like green tea" in await wire.known(), "it is still looking"
            answered.set()
            await wire.learned(1)


async def test_resync_can_be_switched_off() -> None:
    async with wired(discord={"resync_messages": 0, "catch_up": "never"}) as wire:
        async with wire.online():
            (gone,) = await said(wire, "I like green tea")
        await wire.lab.delete(gone)
        asked = len(wire.lab.requests)
        async with wire.online():
            assert await wire.order("!memory help")
        assert not any(request.startswith("GET /channels") for request in wire.lab.requests[asked:])
        assert await wire.known() == ["I like green tea"]


async def test_a_message_with_a_secret_in_it_is_not_taken_for_edited_each_time() -> None:
    async with wired() as wire:
        secret = "AKIA" + "IOSFODNN7EXAMPLE"
        async with wire.online():
            (sent,) = await said(wire, "I like green tea")
            await wire.lab.edit(sent, f"I like green tea and my key is {secret}")
            await wire.happened("message.edited")
        async with wire.online() as client:
            await recheck(client)
        assert len(await wire.events("message.edited")) == 1


async def test_a_message_that_cannot_be_read_is_skipped_and_logged_and_the_others_are_looked_at(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with wired() as wire:
        async with wire.online():
            (elsewhere,) = await said(wire, "I have two cats", where=wire.lab.general)
            gone, broken, changed = await said(wire, "I like green tea", "I play chess", "I live in Berlin")
        broken.embeds = [{"timestamp": "yesterday"}]
        await wire.lab.delete(gone)
        await wire.lab.delete(elsewhere)
        await wire.lab.edit(changed, "I live in Lisbon")
        async with wire.online() as client:
            await recheck(client)
            await wire.happened("message.edited")
            await wire.learned(2)
        assert sorted(await wire.known()) == ["I live in Lisbon", "I play chess"]
    record = next(one for one in caplog.records if str(broken.id) in one.getMessage())
    assert f"{wire.lab.dev.id}" in record.getMessage()
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)


async def test_a_place_that_cannot_be_understood_does_not_keep_the_others_from_being_looked_at(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with wired() as wire:
        thread = wire.lab.world.thread(wire.lab.dev, "pets", wire.lab.ada, wire.lab.bot)
        async with wire.online():
            (gone,) = await said(wire, "I like green tea", where=wire.lab.general)
            await said(wire, "I have two cats", where=thread)
        await wire.lab.delete(gone)
        wire.lab.world.archive(thread)  # so that it is asked for
        wire.lab.trouble(f"GET /channels/{thread.id}", *[Trouble(200)] * 2)  # a success that is no channel
        async with wire.online() as client:
            await recheck(client)
        assert await wire.known() == ["I have two cats"]
    record = next(one for one in caplog.records if f"thread:{thread.id}" in one.getMessage())
    assert record.exc_info is not None


async def test_which_places_to_look_at_is_read_at_once_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    async with acting() as scene:
        for where in (scene.dev, scene.general, scene.staff):
            await scene.ask("I like green tea", where=where)
        for person in (scene.ann, scene.bob):
            await scene.whisper("good evening", person)
        store, reads = type(scene.memory.store), list[None]()
        read, bot, here = store.read, scene.client.bot, asyncio.current_task()

        def counted(self: object, *args: object, **how: object) -> object:
            if asyncio.current_task() is here:  # what goes on in the background reads, too
                reads.append(None)
            return read(self, *args, **how)  # type: ignore[arg-type]

        monkeypatch.setattr(store, "read", counted)
        assert len(await Resync(bot, no_pause)._places(())) == 5
        assert len(reads) == 2, "the places, and when something was last said there"
        reads.clear()
        catch_up = CatchUp(bot, MessageListener(bot), no_pause)
        assert len([channel async for channel in catch_up._direct_messages()]) == 2
        assert len(reads) == 2


async def test_threads_in_which_nobody_spoke_for_a_month_are_looked_up_no_more_until_someone_does() -> None:
    async with wired() as wire, wire.online() as client:
        lab, resync, state = wire.lab, Resync(client.bot, no_pause), client.bot.state
        thread = lab.world.thread(lab.dev, "release", lab.ada)
        await said(wire, "I like green tea")
        await said(wire, "I have two cats", where=thread)
        wire.clock.advance(days=31)
        assert await resync._places(()) == []
        channel = place_of(client.get_channel(lab.dev.id), lab.ada.id)
        assert await state.keys(StateKind.LISTENED_CHANNEL) == [channel.session], "it is noticed if a channel is gone"
        await said(wire, "I play chess", where=thread)
        assert [place.thread for place, _ in await resync._places(())] == [str(thread.id)]


async def test_a_comparison_that_was_interrupted_goes_on_with_the_places_that_it_did_not_reach(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with wired() as wire, wire.online() as client:
        await said(wire, "I like green tea")
        await said(wire, "I have two cats", where=wire.lab.general)

        async def compared() -> list[str]:
            return [session.rpartition(":")[2] for session in await client.bot.state.items(resynced_places(""))]

        async def interrupt(seconds: float) -> None:
            del seconds
            raise asyncio.CancelledError

        newest, other = str(wire.lab.general.id), str(wire.lab.dev.id)
        for expected in ([newest], [newest, other]):
            with pytest.raises(asyncio.CancelledError):
                await Resync(client.bot, interrupt).run()
            assert await compared() == expected
        await recheck(client)
        assert await compared() == []
    assert "was interrupted after 1, and goes on" in caplog.text
    assert "compared 2 places with Discord" in caplog.text


@pytest.mark.parametrize("how", ["kicked and invited", "hidden and shown", "role taken and given"])
async def test_what_was_deleted_while_the_bot_could_not_read_is_noticed_when_it_can_again(how: str) -> None:
    async with wired() as wire:
        lab, world = wire.lab, wire.lab.world
        everyone, readers = lab.lab.everyone, world.role(lab.lab, "readers", lab.ada, lab.bot)
        if how == "role taken and given":
            world.overwrite(lab.general, readers, allow="view_channel")
            world.overwrite(lab.general, everyone, deny="view_channel")
        roles = lab.lab.members[lab.bot.id].roles
        async with wire.online() as client:
            sent = await lab.say(lab.ada, lab.general, "I like green tea")
            await lab.say(lab.ada, lab.general, "I play chess")
            await wire.learned(2)
            if how == "kicked and invited":
                world.kick(lab.lab)
            elif how == "hidden and shown":
                world.overwrite(lab.general, lab.bot, deny="view_channel")
            else:
                world.set_roles(lab.lab, lab.bot, *[role for role in roles if role is not readers])
            await eventually(lambda: not _reads(client, lab.general), WAIT)
            await lab.delete(sent)
            if how == "kicked and invited":
                world.invite(lab.lab)
            elif how == "hidden and shown":
                world.overwrite(lab.general, lab.bot, allow="view_channel")
            else:
                world.set_roles(lab.lab, lab.bot, *roles)
            await wire.learned(1)


def _reads(client: Client, channel: Channel) -> bool:
    found = client.get_channel(channel.id)
    return isinstance(found, discord.TextChannel) and may_read(found)


@pytest.mark.parametrize("how", ["deleted", "edited", "channel deleted"])
async def test_what_is_deleted_or_edited_before_it_is_stored_is_not_known_as_it_was(how: str) -> None:
    """The notice takes its time: Discord asks the bot to wait."""
    async with wired(discord={"privacy_notice": "reply"}) as wire:
        lab = wire.lab
        async with wire.online():
            lab.trouble(f"POST /channels/{lab.dev.id}/messages", rate_limited(0.5))
            sent = await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I like green tea")
            if how == "deleted":
                await lab.delete(sent)
            elif how == "edited":
                await lab.edit(sent, f"<@{lab.bot.id}> I like mate")
            else:
                lab.world.remove_channel(lab.dev)
            told = lab.world.dm(lab.ada) if how == "channel deleted" else lab.dev
            await eventually(lambda: any(NOTICE in text for text in lab.said(told)), WAIT)
            await wire.order(f"<@{lab.bot.id}> I play chess", lab.general)
            await wire.learned(2 if how == "edited" else 1)
            assert "I like green tea" not in await wire.known()
