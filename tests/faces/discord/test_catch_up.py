"""What was said while the bot was offline is answered and learned from, once, within a window."""

import asyncio
from datetime import timedelta

import pytest

from recollect.core.state import StateKind
from recollect.core.types import Place
from recollect.faces.discord import catch_up
from recollect.faces.discord.catch_up import CatchUp
from recollect.policy.readers import NOBODY
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


async def answered(wire: Wired, channel: object, count: int) -> None:
    await eventually(lambda: len(wire.lab.said(channel)) >= count, WAIT)  # type: ignore[arg-type]


@pytest.mark.slow
async def test_mentions_direct_messages_and_commands_that_were_missed_are_answered_once_and_learned() -> None:
    async with wired() as wire:
        lab = wire.lab
        dm, bot = lab.world.dm(lab.ada), f"<@{lab.bot.id}>"
        async with wire.online():
            await wire.order("I ride a bike", dm)
            await wire.order(f"{bot} I have two cats")
            await lab.say(lab.ada, lab.general, "I like green tea")
            await wire.learned(3)
        wire.clock.advance(minutes=10)
        await lab.say(lab.ada, lab.dev, f"{bot} I play chess")
        await lab.say(lab.ada, lab.dev, "!memory remember I live in Ghent")
        await lab.say(lab.ada, lab.general, "I own a zither")
        await lab.say(lab.ada, dm, "I collect stamps")
        async with wire.online():
            await answered(wire, lab.dev, 3)
            await answered(wire, dm, 2)
            await wire.learned(7)
        said = {channel: lab.said(channel) for channel in (lab.dev, lab.general, dm)}
        assert sum("Ghent" in text for text in said[lab.dev]) == 1
        memos = {memo.text: memo for memo in await wire.memos()}
        assert memos["I play chess"].audience.level == "guild"
        async with wire.online() as client:
            cog = client.get_cog("CatchUp")
            await cog.run(wire.clock() - timedelta(hours=1))  # type: ignore[union-attr]
        assert {channel: lab.said(channel) for channel in said} == said, "nothing is answered twice"
        assert len(await wire.known()) == 7


async def test_what_was_said_in_a_channel_that_was_opened_meanwhile_is_told_to_its_author_alone() -> None:
    async with wired() as wire:
        lab = wire.lab
        staff = lab.world.role(lab.lab, "staff", lab.ada)
        closed = lab.world.text(lab.lab, "closed")
        lab.world.only_for(closed, staff, lab.bot)
        async with wire.online():
            await lab.say(lab.ada, closed, "I like green tea")
            await wire.learned(1)
        await lab.say(lab.ada, closed, "I plan a surprise for Bob")
        lab.world.overwrite(closed, lab.lab.everyone, allow="view_channel")
        async with wire.online():
            await wire.learned(2)
        (memo,) = [memo for memo in await wire.memos() if "surprise" in memo.text]
        assert (memo.audience.level, memo.audience.readers) == ("channel", NOBODY)
        for channel in (lab.general, closed):
            anywhere = Place("discord", str(lab.lab.id), str(channel.id), public=True)
            shown = await wire.memory.show(user=str(lab.ada.id), place=anywhere)
            assert not [memo for memo in shown.memos if "surprise" in memo.text]
        dm = Place("discord", dm=str(lab.ada.id))
        assert [
            memo for memo in (await wire.memory.show(user=str(lab.ada.id), place=dm)).memos if "surprise" in memo.text
        ]


async def test_what_was_said_in_a_channel_that_was_closed_and_opened_again_is_told_to_its_author_alone() -> None:
    """Closed while the bot was online and nobody spoke, and opened while it was not: nothing looks changed."""
    async with wired() as wire:
        lab = wire.lab
        room, everyone = lab.world.text(lab.lab, "room"), lab.lab.everyone
        for who in (lab.world.role(lab.lab, "staff", lab.ada), lab.bot, everyone):
            lab.world.overwrite(room, who, allow="view_channel")
        async with wire.online():
            await lab.say(lab.ada, room, "I like green tea")
            await wire.learned(1)
            wire.clock.advance(minutes=5)
            lab.world.overwrite(room, everyone, deny="view_channel")
            await eventually(lambda: _has_seen_a_change(wire), WAIT)
        await lab.say(lab.ada, room, "I plan a surprise for Bob")
        lab.world.overwrite(room, everyone, allow="view_channel")
        async with wire.online():
            await wire.learned(2)
        (memo,) = [memo for memo in await wire.memos() if "surprise" in memo.text]
        assert (memo.audience.level, memo.audience.readers) == ("channel", NOBODY)


async def _has_seen_a_change(wire: Wired) -> bool:
    return bool(await wire.memory.store.read(lambda tx: tx.state.keys(StateKind.PERMISSIONS_CHANGED)))


async def test_catch_up_ignores_messages_older_than_its_window() -> None:
    async with wired(discord={"catch_up": "1h"}) as wire:
        lab = wire.lab
        async with wire.online():
            await lab.say(lab.ada, lab.general, "I like green tea")
            await wire.learned(1)
        await lab.say(lab.ada, lab.general, "I own a zither")
        wire.clock.advance(hours=2)
        await lab.say(lab.ada, lab.general, "I play chess")
        async with wire.online():
            await wire.learned(2)
        assert "I own a zither" not in await wire.known()


@pytest.mark.slow
async def test_catching_up_goes_on_after_an_interruption_page_by_page_and_is_no_flood() -> None:
    async with wired(discord={"replies_per_minute": 20}) as wire:
        lab = wire.lab
        async with wire.online():
            await lab.say(lab.ada, lab.general, "I like green tea")
            await wire.learned(1)
        facts = [f"My number is {number}" for number in range(130)]
        for fact in facts:  # more than a page, and more than one person may say within a minute
            wire.clock.advance(seconds=3)
            await lab.say(lab.ada, lab.general, fact)

        async def never(seconds: float) -> None:
            del seconds
            raise asyncio.CancelledError

        async with wire.online() as client:
            cog = client.get_cog("CatchUp")
            assert isinstance(cog, CatchUp)
            cog._sleep = never  # it goes offline before it has seen all places
            await asyncio.sleep(0)
        wire.clock.advance(minutes=2)
        async with wire.online():
            await wire.learned(131)
        assert set(facts) <= set(await wire.known())


async def test_of_many_direct_messages_the_newest_are_looked_at_and_leave_room_for_channels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catch_up, "MAX_DIRECT", 1)
    monkeypatch.setattr(catch_up, "MAX_PLACES", 1)
    async with wired() as wire:
        lab = wire.lab
        bob = lab.world.user("bob")
        people = [lab.ada, bob]
        dms = [lab.world.dm(person) for person in people]
        async with wire.online():
            for person, dm in zip(people, dms, strict=True):
                await lab.say(person, dm, "hello")
                await answered(wire, dm, 1)  # at the same time by the clock: Discord's ids tell who wrote last
        await lab.say(bob, dms[1], "I collect stamps")
        await lab.say(lab.ada, lab.dev, f"<@{lab.bot.id}> I play chess")
        async with wire.online():
            await answered(wire, dms[1], 2)
            await answered(wire, lab.dev, 1)
