"""The memory channel: one pinned message for each user, always as memory is, and never more than may be heard there."""

from dataclasses import replace
from datetime import timedelta

import discord
import pytest

from recollect.bot_state import snapshot_message
from recollect.core.types import Kind, Memo, Place, Provenance, Subject, Summary
from recollect.faces.discord.memory_channel import snapshot
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_nothing
from tests.faces.discord.scene import Scene, acting

TICK = 3.0


async def mirrored(scene: Scene) -> list[discord.Message]:
    """What the memory channel shows once the bot has looked at its log."""
    await scene.settle()
    await scene.env.advance_time(TICK)
    return scene.general.history()


async def channel_id() -> str:
    """Of #general: ids are the same in every run."""
    async with acting() as scene:
        return str(scene.general.id)


@pytest.mark.acceptance("B53", "B54", "B55")
@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_each_user_has_one_pinned_message_that_is_edited_as_their_memory_changes(profile: str) -> None:
    at_once = {"summary": {"every_n_turns": 1}, "extraction": {"trigger": "on_ingest"}}
    async with acting(profile=profile, discord__memory_channel=await channel_id(), **at_once) as scene:
        await mirrored(scene)
        await scene.ask("I like green tea")
        (message,) = await mirrored(scene)
        assert "Durable memory (active):\n- [fact] I like green tea (updatedAt " in message.content
        assert "Rolling summary (updatedAt " in message.content
        assert message.content.splitlines()[-1].startswith("updatedAt: ")
        assert message.pinned
        await scene.ask("I work on the platform team")
        await scene.ask("I play chess", scene.bob)
        anns, bobs = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        assert anns.id == message.id
        assert anns.content.index("platform team") < anns.content.index("green tea"), "newest first"
        assert "chess" in bobs.content
        assert "chess" not in anns.content.partition("Rolling summary")[0]


@pytest.mark.slow
@pytest.mark.acceptance("B54")
async def test_a_restart_makes_no_second_message_and_a_deleted_one_is_made_anew() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:
        await mirrored(scene)
        await scene.ask("I like green tea")
        (first,) = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        await scene.restart()
        await scene.ask("I work on the platform team")
        (second,) = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        assert second.id == first.id
        assert "platform" in second.content
        scene.env.backend.delete_message(scene.general.id, second.id)
        await scene.ask("I play chess")
        (third,) = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        assert "chess" in third.content
        await scene.client.bot.state.drop(snapshot_message(str(scene.ann.id)))
        await scene.ask("I have two cats")
        (fourth,) = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        assert fourth.id == third.id, "a pinned one that was not noted is found again"


async def test_the_memory_channel_hides_memos_of_narrower_audience() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"every_n_turns": 1}) as scene:
        await mirrored(scene)
        await scene.whisper("I am looking for another job")
        await scene.ask("I will be promoted in May", where=scene.staff)
        await scene.ask("I like green tea")
        shown = "\n".join(one.content for one in await mirrored(scene))
        assert "green tea" in shown
        assert "another job" not in shown
        assert "promoted" not in shown


async def test_nobody_is_shown_to_a_server_that_they_are_not_in() -> None:
    async with acting(discord__memory_channel=await channel_id()) as scene:
        await mirrored(scene)
        stranger = scene.env.create_user("eve")
        await stranger.send_dm("!memory remember I live on a boat")
        assert await mirrored(scene) == []


async def test_a_forgotten_and_a_deleted_fact_leave_the_channel() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:
        await mirrored(scene)
        sent = await scene.ann.send(scene.dev, "I am allergic to peanuts")
        await scene.order("!memory remember I like tea")
        (message,) = await mirrored(scene)
        assert "peanuts" in message.content
        await scene.ann.delete(sent)
        await scene.order("!memory forget tea")
        (message,) = await mirrored(scene)
        assert "peanuts" not in message.content
        assert "tea" not in message.content


@pytest.mark.slow
@pytest.mark.acceptance("B75")
@pytest.mark.parametrize(
    ("profile", "status"), [("unified", 403), ("unified", 404), ("unified", 429), ("dnam", 403), ("dnam", 500)]
)
async def test_a_memory_channel_that_fails_is_ignored_and_the_bot_goes_on(profile: str, status: int) -> None:
    alone = {"summary": {"enabled": False}, "extraction": {"trigger": "on_ingest"}}
    async with acting(profile=profile, discord__memory_channel=await channel_id(), **alone) as scene:
        await mirrored(scene)
        scene.env.inject_error("POST", f"/channels/{scene.general.id}/messages", status=status)
        await scene.ask("I like green tea")
        assert await mirrored(scene) == []
        assert await scene.ask("are you still there?") == "I see."
        assert await scene.known() == ["I like green tea"]
        await scene.env.advance_time(90)
        assert len(await mirrored(scene)) == 1, "it is tried again after a while"


@pytest.mark.slow
async def test_what_could_not_be_written_is_written_later_even_after_a_restart() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:
        await mirrored(scene)
        await scene.ask("I am allergic to peanuts")
        (message,) = await mirrored(scene)
        scene.env.inject_error("PATCH", f"/channels/{scene.general.id}/messages/*", status=500)
        await scene.order("!memory forget peanuts")
        (message,) = await mirrored(scene)
        assert "peanuts" in message.content
        await scene.restart()
        (message,) = await mirrored(scene)
        assert "peanuts" not in message.content


async def test_a_summary_that_was_taken_back_leaves_the_messages_of_all_who_had_it() -> None:
    async with acting(
        discord__memory_channel=await channel_id(),
        summary={"every_n_turns": 1},
        model=FakeModel(propose_nothing, lambda before, said, limit: f"{before or ''} {said}"[-limit:]),
    ) as scene:
        await mirrored(scene)
        await scene.ask("the surprise is hidden under the plant")
        first = scene.dev.history()[0]
        await mirrored(scene)
        await scene.ask("good to know", scene.bob)
        shown = [one.content for one in await mirrored(scene)]
        assert sum("under the plant" in one for one in shown) == 2
        await scene.ann.delete(first)
        shown = [one.content for one in await mirrored(scene)]
        assert not any("under the plant" in one for one in shown)


async def test_the_memory_channel_drops_members_who_left() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:
        await mirrored(scene)
        await scene.order("!memory remember I like tea")
        assert len(await mirrored(scene)) == 1
        scene.guild.remove_member(scene.ann)
        await scene.env.settle()
        await scene.ann.user.send_dm("!memory remember I play chess")
        assert await mirrored(scene) == []


async def test_without_the_permission_to_pin_the_message_is_there_all_the_same() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary={"enabled": False}) as scene:
        await mirrored(scene)
        scene.env.inject_error("PUT", "/channels/*/messages/pins/*", status=403)
        scene.env.inject_error("PUT", "/channels/*/pins/*", status=403)
        await scene.ask("I like green tea")
        (message,) = await mirrored(scene)
        assert not message.pinned
        await scene.ask("I play chess")
        (again,) = await mirrored(scene)
        assert again.id == message.id


async def test_who_leaves_while_the_bot_is_told_of_it_is_taken_down_at_once() -> None:
    async with acting(
        discord__memory_channel=await channel_id(), summary={"enabled": False}, discord={"members": True}
    ) as scene:
        await mirrored(scene)
        await scene.order("!memory remember I like tea")
        assert len(await mirrored(scene)) == 1
        scene.guild.remove_member(scene.ann)
        await scene.env.settle()
        assert await mirrored(scene) == []


async def test_a_channel_that_does_not_exist_is_ignored() -> None:
    async with acting(discord__memory_channel="123") as scene:
        await mirrored(scene)
        assert await scene.ask("I like green tea") == "I see."
        await mirrored(scene)


def memo(number: int, text: str = "") -> Memo:
    at = START - timedelta(days=number)
    return Memo(f"durable-{number}", Subject("1"), Kind.FACT, text or f"Fact {number} " + "of many " * 8, at, at)


@pytest.mark.acceptance("B56")
@pytest.mark.parametrize("text", ["", "*" * 290, "word " * 500, "@everyone `x` " * 30])
@pytest.mark.parametrize("summed", ["", "_" * 2000, "a summary " * 300])
def test_a_snapshot_never_exceeds_a_message_and_counts_what_it_leaves_out(text: str, summed: str) -> None:
    memos = [memo(number, text) for number in range(200)]
    summary = Summary("s", summed, 1, START) if summed else None
    shown = snapshot("1", memos, summary, START)
    listed = sum(line.startswith("- [fact]") for line in shown.splitlines())
    assert len(shown) <= 2000
    assert f"({200 - listed} more items on disk)" in shown
    assert listed > 0
    assert "more items" not in snapshot("1", memos[:1], None, START)


@pytest.mark.acceptance("B56")
async def test_a_long_memory_is_one_message_that_says_how_much_it_leaves_out() -> None:
    settings = {"profile": "dnam", "summary": {"enabled": False}}
    async with acting(discord__memory_channel=await channel_id(), **settings) as scene:
        await mirrored(scene)
        for number in range(30):
            await scene.order(f"!memory remember Locker {number} holds {'a rather long list of things ' * 4}{number}")
        (message,) = [one for one in await mirrored(scene) if one.content.startswith("<@")]
        listed = message.content.count("- [fact] Locker")
        assert len(message.content) <= 2000
        assert 0 < listed < 30
        assert f"({30 - listed} more items on disk)" in message.content
        assert "Locker 29 " in message.content
        assert "Locker 0 " not in message.content


def test_the_newest_stay_when_there_is_no_room_for_all() -> None:
    shown = snapshot("1", [memo(number) for number in range(200)], None, START)
    assert "Fact 0 " in shown
    assert "Fact 199 " not in shown


async def test_memories_link_to_their_messages_unless_links_would_displace_some() -> None:
    place = Place("discord", "1", "9", name="memory", public=True)
    here = Provenance(platform="discord", guild="1", channel="2", message="3", channel_name="dev", heard=place.audience)
    closed = replace(here, heard=Place("discord", "1", "8").audience)
    few = [replace(memo(0), source=here), replace(memo(1), source=closed)]
    first, second = snapshot("1", few, None, START, place).splitlines()[2:4]
    assert first.endswith(" [#dev ↗](https://discord.com/channels/1/2/3)")
    assert "↗" not in second
    assert "↗" not in snapshot("1", few, None, START)
    many = [replace(memo(number), source=here) for number in range(200)]
    assert snapshot("1", many, None, START, place) == snapshot("1", many, None, START)
