"""Nothing of a person is learned, stored or published before they got the privacy notice."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from recollect import bot_state as state
from recollect.core.types import EVERYWHERE
from recollect.faces.discord.client import Client
from recollect.faces.discord.context_menus import AUTHOR_NOT_NOTIFIED
from recollect.faces.discord.messages import message_of
from recollect.faces.discord.privacy_notice import NOT_NOTIFIED, NOTICE
from recollect.faces.discord.resync import Resync
from recollect.faces.discord.voice import Transcript
from tests.doubles.discord.http import Trouble
from tests.doubles.discord.things import Message, User
from tests.faces.discord.scene import acting
from tests.faces.discord.test_memory_channel import TICK, channel_id, mirrored
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually

SAID = ["<@{bot}> I like green tea", "!memory remember I like green tea"]
UNREACHED = "cannot send the privacy notice"


@asynccontextmanager
async def silenced(announce: str = "dm") -> AsyncIterator[tuple[Wired, Client]]:
    """A bot that can read in #dev, and not write there; Ada takes direct messages unless a test says otherwise."""
    async with wired(discord={"privacy_notice": announce}) as wire:
        wire.lab.world.overwrite(wire.lab.dev, wire.lab.bot, deny="send_messages")
        async with wire.online() as client:
            yield wire, client


async def say(wire: Wired, text: str, who: User | None = None) -> Message:
    """Somebody says something in #dev."""
    return await wire.lab.say(who or wire.lab.ada, wire.lab.dev, text.format(bot=wire.lab.bot.id))


async def asked_in_vain(wire: Wired, text: str) -> None:
    """Somebody says something, and the bot tries to write about it."""
    before = len(attempts(wire))
    await say(wire, text)
    await eventually(lambda: len(attempts(wire)) > before, WAIT)
    await wire.order("!memory help", wire.lab.general)
    assert await wire.memory.worker.wait_idle(WAIT)


def attempts(wire: Wired) -> list[str]:
    return [request for request in wire.lab.requests if request == f"POST /channels/{wire.lab.dev.id}/messages"]


def dms(wire: Wired) -> list[str]:
    return wire.lab.said(wire.lab.world.dm(wire.lab.ada))


async def kept(wire: Wired) -> list[str]:
    """All that there is of Ada's: what she said, and what was learned from it."""
    user = f"discord:{wire.lab.ada.id}"
    said = await wire.memory.store.read(lambda tx: tx.messages.written_by(user))
    return [*(message.text for _, message in said), *await wire.known()]


@pytest.mark.parametrize("text", SAID)
async def test_nothing_is_kept_of_someone_whom_no_notice_reaches_until_one_does(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with silenced() as (wire, _):
        wire.lab.ada.takes_dms = False
        await asked_in_vain(wire, text)
        await asked_in_vain(wire, text)
        assert await kept(wire) == []
        assert [record.getMessage() for record in caplog.records if UNREACHED in record.getMessage()] == [
            f"cannot send the privacy notice to {wire.lab.ada.id}, so they are not remembered: "
            "403 Forbidden (error code: 50007): Cannot send messages to this user; "
            "403 Forbidden (error code: 50013): Missing Permissions"
        ], "once per person"
        wire.lab.ada.takes_dms = True
        await say(wire, text)
        await wire.learned(1)
        assert await wire.known() == ["I like green tea"]
        assert dms(wire) == [NOTICE]


@pytest.mark.parametrize("status", [403, 503, pytest.param(500, marks=pytest.mark.slow)])
async def test_a_notice_that_fails_in_a_dm_and_in_the_channel_is_tried_again_with_the_next_message(status: int) -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        times = 3 if status == 500 else 1  # discord.py tries that again by itself, for longer than a reply can wait
        wire.lab.trouble("POST /users/@me/channels", *[Trouble(status)] * times)
        wire.lab.trouble(f"POST /channels/{wire.lab.dev.id}/messages", *[Trouble(status)] * times)
        await asked_in_vain(wire, SAID[0])
        assert await kept(wire) == []
        await say(wire, "<@{bot}> I play chess")
        await wire.learned(1)
        assert await wire.known() == ["I play chess"]
        assert dms(wire) == [NOTICE]


async def test_where_the_bot_may_not_write_someone_is_told_in_a_dm_and_then_learned_from() -> None:
    async with silenced("reply") as (wire, _):
        await say(wire, SAID[0])
        await wire.learned(1)
        assert dms(wire) == [NOTICE]


async def test_who_takes_no_dms_is_told_in_the_channel_before_the_answer() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        wire.lab.ada.takes_dms = False
        await say(wire, SAID[0])
        await wire.learned(1)
        await wire.lab.until(lambda: len(wire.lab.said(wire.lab.dev)) == 2, WAIT)
        assert wire.lab.said(wire.lab.dev)[0] == NOTICE


async def test_a_dm_is_learned_from_once_the_notice_stands_there() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        dm = wire.lab.world.dm(wire.lab.ada)
        writing = f"POST /channels/{dm.id}/messages"
        wire.lab.trouble(writing, Trouble(403))
        await wire.lab.say(wire.lab.ada, dm, "I like green tea")
        await eventually(lambda: writing in wire.lab.requests, WAIT)
        await wire.order("!memory help")
        assert await wire.memory.worker.wait_idle(WAIT)
        assert await kept(wire) == []
        await wire.lab.say(wire.lab.ada, dm, "I play chess")
        await wire.learned(1)
        assert await wire.known() == ["I play chess"]
        assert wire.lab.said(dm)[0] == NOTICE


async def test_two_messages_at_once_make_one_notice() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        for text in ("<@{bot}> I like green tea", "<@{bot}> I play chess", "!memory remember I have two cats"):
            await say(wire, text)
        await wire.learned(3)
        assert dms(wire) == [NOTICE]


async def test_a_message_that_was_learned_without_an_answer_is_looked_at_again_after_a_time_offline() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire:
        wire.lab.world.overwrite(wire.lab.dev, wire.lab.bot, deny="send_messages")
        async with wire.online():
            sent = await say(wire, SAID[0])
            await wire.learned(1)
        await wire.lab.delete(sent)
        async with wire.online() as client:
            await Resync(client.bot, asyncio.sleep).run()
        assert await wire.known() == []


async def test_a_command_of_a_stranger_tells_before_it_remembers() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        answer = await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory remember", {"words": "I like green tea"})
        await wire.lab.until(lambda: len(answer.messages) == 2, WAIT)
        assert [one.content.partition("\n")[0] for one in answer.messages] == [NOTICE, 'Remembered: "I like green tea"']
        assert all(one.ephemeral for one in answer.messages)


async def test_a_command_that_can_tell_nobody_remembers_nothing() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        wire.lab.ada.takes_dms = False
        wire.lab.trouble("POST /webhooks/*", Trouble(403))
        answer = await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory remember", {"words": "I like green tea"})
        assert answer.content == NOT_NOTIFIED
        assert await wire.known() == []
        await wire.lab.until(lambda: len(answer.messages) == 2, WAIT)
        assert answer.messages[1].content == NOTICE, "tried again after the command"


async def test_a_form_of_a_stranger_tells_before_it_changes_words() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        wire.lab.ada.takes_dms = False
        await wire.memory.remember("Works at Acme", user=f"discord:{wire.lab.ada.id}", audience=EVERYWHERE)
        form = await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory edit", {"which": "Acme"})
        await erased(wire)
        wire.lab.trouble("POST /webhooks/*", Trouble(403))
        done = await wire.lab.submit(form, {"What shall I remember instead?": "Works at Umbrella"})
        assert done.content == NOT_NOTIFIED
        assert await wire.known() == ["Works at Acme"]


async def erased(wire: Wired) -> None:
    """The note that Ada was told goes, as when she is erased, once it is there."""
    name = state.notified(wire.lab.ada.id)

    async def is_gone() -> bool:
        return bool(await wire.memory.store.write(lambda tx: tx.state.clear(*name)))

    await eventually(is_gone, WAIT)


async def test_the_words_of_someone_who_was_not_told_are_remembered_by_nobody_else() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire, wire.online():
        bob = wire.lab.world.user("bob")
        wire.lab.world.join(wire.lab.lab, bob)
        theirs = await say(wire, "I love old maps", bob)
        refused = await wire.lab.menu(wire.lab.ada, theirs, "Remember this")
        await wire.lab.until(lambda: AUTHOR_NOT_NOTIFIED in [one.content for one in refused.messages], WAIT)
        assert await wire.known() == []
        await say(wire, "<@{bot}> hello", bob)
        await wire.lab.until(lambda: len(wire.lab.said(wire.lab.dev)) == 1, WAIT)  # answered, so they were told
        assert wire.lab.said(wire.lab.world.dm(bob)) == [NOTICE]
        done = await wire.lab.menu(wire.lab.ada, theirs, "Remember this")
        await wire.lab.until(lambda: done.content.startswith("Remembered: "), WAIT)
        assert await wire.known() == ["Bob said: I love old maps"]


async def test_what_is_said_aloud_is_kept_only_once_its_speaker_was_told() -> None:
    async with wired(discord={"privacy_notice": "dm"}) as wire:
        lounge = wire.lab.world.voice(wire.lab.lab, "lounge")
        wire.lab.world.overwrite(lounge, wire.lab.bot, deny="send_messages")
        wire.lab.ada.takes_dms = False
        async with wire.online() as client:
            said = Transcript(lounge.id, wire.lab.ada.id, "I like green tea", wire.clock())
            assert await client.answer(said) == NOT_NOTIFIED
            assert not await client.add_transcript(said)
            assert await client.answer(Transcript(lounge.id, wire.lab.ada.id, "!memory help", wire.clock()))
            assert await wire.memory.worker.wait_idle(WAIT)
            assert await kept(wire) == []
            wire.lab.ada.takes_dms = True
            assert await client.answer(said) != NOT_NOTIFIED
            await wire.learned(1)
            assert dms(wire) == [NOTICE]


@pytest.mark.slow
async def test_the_memory_channel_shows_nobody_who_was_not_told() -> None:
    async with acting(discord={"privacy_notice": "dm"}, discord__memory_channel=await channel_id()) as scene:
        await mirrored(scene)
        await scene.memory.remember("I like green tea", user=f"discord:{scene.ann.id}", audience=EVERYWHERE)
        assert await mirrored(scene) == []
        await scene.ask("hello")
        await scene.memory.remember("I play chess", user=f"discord:{scene.ann.id}", audience=EVERYWHERE)
        (message,) = await mirrored(scene)
        assert "I like green tea" in message.content
        await scene.client.bot.state.drop(
            state.notified(scene.ann.id)
        )  # as after an older version, which told too late
        await scene.restart()
        assert await mirrored(scene) == []


async def test_no_line_tells_what_was_learned_of_someone_who_was_not_told() -> None:
    async with acting(discord={"privacy_notice": "dm", "learned_notices": "here"}) as scene:
        await scene.env.advance_time(TICK)
        said = await scene.ann.send(scene.dev, "I like green tea")
        message = message_of(said, scene.place(scene.dev), said.content)
        await scene.memory.add(message)  # by another program over the same store
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert await scene.known() == ["I like green tea"]
        assert scene.dev.last_message == said


async def test_someone_is_told_again_and_answered_while_the_store_is_out_of_reach(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with wired(discord={"privacy_notice": "reply"}) as wire, wire.online():
        caplog.set_level(logging.WARNING)
        await wire.memory.store.close()
        await say(wire, "<@{bot}> hello")
        await wire.lab.until(lambda: len(wire.lab.said(wire.lab.dev)) == 2, WAIT)
        assert wire.lab.said(wire.lab.dev)[0] == NOTICE
        await say(wire, "<@{bot}> hello again")
        await wire.lab.until(lambda: len(wire.lab.said(wire.lab.dev)) == 3, WAIT)
        assert wire.lab.said(wire.lab.dev).count(NOTICE) == 1
