"""People erase what is known of them: after a question, seen by nobody else, and gone from what the bot shows."""

import pytest

from recollect.privacy.target import ErasureTarget
from tests.faces.discord.scene import acting
from tests.faces.discord.test_memory_channel import TICK, channel_id, mirrored
from tests.faces.discord.test_slash_commands import slash, text


async def test_by_a_command_it_is_asked_first_and_the_receipt_is_for_ones_own_eyes() -> None:
    async with acting() as scene:
        await scene.ask("I like green tea")
        await scene.ask("I like black tea", scene.bob)
        await scene.settle()
        asked = await slash(scene, "memory erase")
        assert "1 item, 1 message, 1 answer" in text(asked)
        await scene.ann.click(asked.response or asked.followups[-1], label="Keep")
        assert await scene.known() == ["I like green tea"]
        asked = await slash(scene, "memory erase")
        await scene.ann.click(asked.response or asked.followups[-1], label="Erase")
        assert text(asked).startswith("Erased: 1 item, 1 message, 1 answer. A search for it afterwards found nothing.")
        assert await scene.known() == []
        assert await scene.known(scene.bob) == ["I like black tea"]
        assert not any("Erased" in one.content for one in scene.dev.history(viewer=scene.bob))
        await scene.ask("what tea do I like?")
        assert "green tea" not in scene.prompts()[-1]
        await scene.env.advance_time(60)
        await scene.ask("I like green tea")
        await scene.settle()
        assert "I like green tea" in await scene.known(), "what is said anew is learned anew"


async def test_by_text_the_phrase_is_to_be_typed_and_then_one_is_a_stranger_who_is_told_again() -> None:
    async with acting(discord={"privacy_notice": "reply"}) as scene:
        await scene.whisper("I am looking for another job")
        await scene.settle()
        assert 'say "!memory erase everything"' in (await scene.whisper("!memory erase")).replace("\\", "")
        assert len(await scene.known()) == 1
        assert (await scene.whisper("!memory erase everything")).startswith("Erased: 1 item")
        assert await scene.known() == []
        assert "`!memory show`" in await scene.whisper("hello, I like tea"), "consent is asked for anew"
        await scene.settle()
        assert await scene.known() == ["hello, I like tea"]


async def test_only_what_was_left_on_this_server_goes_where_that_is_asked() -> None:
    async with acting(visibility="guild_isolated") as scene:
        other = scene.env.create_guild("Elsewhere")
        lobby = other.create_text_channel("lobby")
        ann = other.add_member(scene.ann.user)
        await scene.ask("I like green tea")
        await scene.ask("I play chess", ann, lobby)
        await scene.settle()
        asked = await slash(scene, "memory erase", here=True)
        assert text(asked).startswith("Everything that you left on this server")
        await scene.ann.click(asked.response or asked.followups[-1], label="Erase")
        assert await scene.known(place=scene.place(scene.dev)) == []
        assert await scene.known(place=scene.place(lobby)) == ["I play chess"]
        in_dm = await scene.ann.user.slash("memory erase", here=True)
        assert text(in_dm).startswith("This is not a server")


async def test_what_was_erased_leaves_the_memory_channel_and_the_learned_lines() -> None:
    general = await channel_id()
    shown = {"discord__memory_channel": general, "discord": {"learned_notices": "here"}, "summary": {"enabled": False}}
    async with acting(**shown) as scene:
        await mirrored(scene)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.bob.send(scene.dev, "I play chess")
        mirrors = await mirrored(scene)
        assert any("green tea" in one.content for one in mirrors)
        assert sum(one.content.startswith("Learned:") for one in scene.dev.history()) == 2
        await scene.memory.privacy.erase(ErasureTarget(f"discord:{scene.ann.id}"), asked_by="operator")
        left = [one.content for one in await mirrored(scene)]
        assert not any(str(scene.ann.id) in one for one in left)
        assert any("chess" in one for one in left)
        await scene.env.advance_time(TICK)
        (line,) = [one.content for one in scene.dev.history() if one.content.startswith("Learned:")]
        assert "chess" in line


@pytest.mark.slow
async def test_removing_a_notice_is_retried_after_a_failure() -> None:
    async with acting(discord={"learned_notices": "here"}, summary={"enabled": False}) as scene:
        await scene.env.advance_time(TICK)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        scene.env.inject_error("DELETE", f"/channels/{scene.dev.id}/messages/*", status=500, times=2)
        await scene.memory.privacy.erase(ErasureTarget(f"discord:{scene.ann.id}"), asked_by="operator")
        await scene.env.advance_time(TICK)
        assert any(one.content.startswith("Learned:") for one in scene.dev.history())
        await scene.env.advance_time(150)
        assert not any(one.content.startswith("Learned:") for one in scene.dev.history())
