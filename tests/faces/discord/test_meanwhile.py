"""Changes between a message and its handling: permissions, consent, a restart. The readers of a message are those of
the time when it was written, and a withdrawal takes effect at once.
"""

import asyncio

import discord
import pytest

from recollect.faces.discord.ephemeral import EXPIRED
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK, channel_id

OPT_IN = {"consent": "opt_in"}


async def question(scene: Scene) -> discord.Message:
    return next(one for one in scene.staff.history() if "Do you agree?" in one.content)


async def test_words_that_wait_for_consent_are_heard_by_those_who_could_read_them_when_they_were_said() -> None:
    for restarts in (False, True):
        async with acting(discord=OPT_IN) as scene:
            await scene.ask("I plan a surprise", where=scene.staff)
            await scene.allow(scene.staff, everyone=True)
            if restarts:
                await scene.restart()
            await scene.ann.click(await question(scene), label="I agree")
            await scene.settle()
            assert await scene.known() == ["I plan a surprise"]
            assert scene.staff.last_message is not None
            assert scene.staff.last_message.content == "I see."
            for channel in (scene.dev, scene.general):
                assert await scene.known(place=scene.place(channel)) == []


@pytest.mark.parametrize("options", [OPT_IN, {"privacy_notice": "reply"}])
async def test_what_was_said_before_the_consent_is_not_kept_after_a_restart_either(options: dict[str, str]) -> None:
    """A restart looks back a minute further than when the bot was last online."""
    async with acting(discord=options) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.env.advance_time(5)
        await scene.ask("I have two cats", where=scene.staff)
        await scene.env.advance_time(5)
        if options is OPT_IN:
            await scene.ann.click(await question(scene), label="I agree")
        await scene.env.advance_time(5)
        await scene.ann.send(scene.dev, "I own a zither")
        await scene.restart()
        await scene.env.advance_time(30)
        await scene.settle()
        assert "I like green tea" not in await scene.known()
        assert {"I have two cats", "I own a zither"} <= {*await scene.known()}
        stored = await scene.memory.timeline.recent(scene.place(scene.dev), 50)
        assert not [one for one in stored if "tea" in one.text]


async def test_an_edit_is_kept_by_the_consent_of_now_and_takes_the_old_words_with_it() -> None:
    async with acting() as scene:
        said = [await person.send(scene.dev, "I like green tea") for person in (scene.ann, scene.bob)]
        to_bot = await scene.ann.send(scene.dev, f"<@{scene.client.user.id}> I have two cats")
        await scene.settle()
        await scene.order("!memory privacy overhearing off", where=scene.general)
        for person, message in zip((scene.ann, scene.bob), said, strict=True):
            await person.edit(message, content="I like black tea")
        await scene.ann.edit(to_bot, content=f"<@{scene.client.user.id}> I have three cats")
        await scene.settle()
        assert await scene.known() == ["I have three cats"], "what is said to the bot is not overheard"
        assert await scene.known(scene.bob) == ["I like black tea"]
        stored = await scene.memory.timeline.recent(scene.place(scene.dev), 50)
        assert not [one for one in stored if one.author == str(scene.ann.id) and "tea" in one.text]


async def test_learned_lines_go_when_the_channel_opens_to_more_people_and_when_their_owner_does_not_want_them() -> None:
    async with acting(discord={"memory_channel_style": "panel"}) as scene:
        settings, guild = scene.client.bot.server_settings, scene.guild.id
        await settings.change(guild, "memory_channel", str(scene.staff.id), scene.ann.id)
        await settings.change(guild, "learned_notices", "mirror", scene.ann.id)
        await scene.restart()
        await scene.env.advance_time(TICK)

        def lines() -> str:
            return "\n".join(one.content for one in scene.staff.history())

        await scene.ann.send(scene.staff, "I plan a surprise")
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.bob.send(scene.dev, "I play chess")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert all(f"[fact] {fact} –" in lines() for fact in ("I plan a surprise", "I like green tea", "I play chess"))
        await scene.allow(scene.staff, everyone=True)
        assert "[fact] I plan a surprise" not in lines()
        assert "[fact] I like green tea" in lines()
        await scene.order("!memory privacy mirror off", where=scene.general)
        await scene.env.settle()
        assert "[fact] I like green tea" not in lines()
        assert "[fact] I play chess" in lines()
        await scene.order("!memory privacy consent no", scene.bob, where=scene.general)
        await scene.env.settle()
        assert "[fact]" not in lines()


async def test_the_message_of_a_member_goes_at_once_when_they_do_not_want_it() -> None:
    general = await channel_id()
    async with acting(discord={"memory_channel": general}) as scene:
        await scene.env.advance_time(TICK)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert [one for one in scene.general.history() if "green tea" in one.content]
        await scene.order("!memory privacy mirror off")
        await scene.env.settle()
        assert not [one for one in scene.general.history() if "green tea" in one.content]


async def test_what_waits_to_be_learned_is_left_alone_once_its_author_said_no() -> None:
    async with acting(extraction={"trigger": "idle"}) as scene:
        for person in (scene.ann, scene.bob):
            await person.send(scene.dev, "I like green tea")
        await scene.order("!memory privacy consent no")
        await scene.env.advance_time(3600)
        scene.memory.worker.wake()
        await scene.settle()
        assert await scene.known() == []
        assert await scene.known(scene.bob) == ["I like green tea"]


async def test_what_waits_to_be_learned_is_left_alone_once_memory_was_switched_off_for_the_server() -> None:
    async with acting(extraction={"trigger": "idle"}) as scene:
        eve = scene.manager()
        for switch, text in (("off", "I like green tea"), ("on", "I play chess")):
            await scene.ann.send(scene.dev, text)
            await eve.slash(scene.dev, f"memory-server {switch}")
            await scene.env.advance_time(3600)
            scene.memory.worker.wake()
            await scene.settle()
            assert await scene.known() == []
        await scene.ann.send(scene.dev, "I have two cats")
        await scene.env.advance_time(3600)
        scene.memory.worker.wake()
        await scene.settle()
        assert await scene.known() == ["I have two cats"]


async def test_remember_this_asks_what_the_author_allows_and_tells_words_of_unknown_audience_nowhere_else() -> None:
    async with acting() as scene:

        async def remember(message: discord.Message) -> str:
            done = await scene.bob.context_menu(scene.dev, "Remember this", message)
            return (done.followups[-1] if done.followups else done.response).content  # type: ignore[union-attr]

        await scene.order("!memory privacy overhearing off", where=scene.general)
        private = await scene.ann.send(scene.dev, "I like green tea")
        assert "I may not keep what they say" in await remember(private)
        await scene.order("!memory privacy overhearing on", where=scene.general)
        assert "Remembered" in await remember(private)
        (note,) = await scene.memos(scene.bob)
        assert note.text == "Ann said: I like green tea"
        assert await scene.known(scene.bob, scene.place(scene.general)) == []
        await scene.order("!memory pause", where=scene.general)
        assert "I may not keep what they say" in await remember(await scene.ann.send(scene.dev, "I play chess"))


async def test_where_memory_is_off_nothing_new_is_remembered_by_any_command() -> None:
    async with acting() as scene:
        settings = scene.client.bot.server_settings
        await settings.change(scene.guild.id, "excluded_channels", (str(scene.dev.id),), scene.ann.id)
        said = await scene.ann.send(scene.dev, "I like green tea")
        assert "switched off" in await scene.order("!memory remember I like green tea")
        slash = await scene.ann.slash(scene.dev, "memory remember", words="I like green tea")
        menu = await scene.ann.context_menu(scene.dev, "Remember this", said)
        for done in (slash, menu):
            assert "switched off" in (done.followups[-1] if done.followups else done.response).content  # type: ignore[union-attr]
        assert await scene.known() == []


async def test_a_button_of_before_the_restart_says_that_it_has_expired() -> None:
    async with acting() as scene:
        await scene.order("!memory remember I like green tea")
        asked = await scene.ann.slash(scene.dev, "memory forget", which="green tea")
        message = asked.response or asked.followups[-1]
        await scene.restart()
        late = await scene.ann.click(message, label="Forget")
        await asyncio.sleep(0)
        told = late.response or late.followups[-1]
        assert (told.content, told.ephemeral) == (EXPIRED, True)
        assert await scene.known() == ["I like green tea"]


async def test_long_lists_full_of_markup_fit_into_a_panel() -> None:
    async with acting() as scene:
        for number in range(12):
            await scene.memory.remember(f"{number} {'*_' * 200}", user=str(scene.ann.id), place=scene.place(scene.dev))
        listed = await scene.ann.slash(scene.dev, "memory list")
        panel = listed.followups[-1] if listed.followups else listed.response
        assert panel is not None
        assert len(panel.embeds[0].description or "") <= 4096
        memos = await scene.memos()
        await scene.ann.select(panel, [memos[0].id])
        assert len(panel.embeds[0].description or "") <= 4096
        for memo in memos:
            await scene.memory.forget(memo.id, user=f"discord:{scene.ann.id}")
        await scene.ann.click(panel, label="Back to the list")
        opened = await scene.ann.click(panel, label="Forgotten…")
        forgotten = opened.followups[-1] if opened.followups else opened.response
        assert forgotten is not None
        assert len((forgotten.embeds[0].description or "").splitlines()) == 12
