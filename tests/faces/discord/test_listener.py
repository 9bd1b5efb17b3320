"""The bot in a server: whom it answers, where, and what its messages look like."""

import asyncio
import logging

import discord
import pytest
from simcord.backend.errors import BackendError
from simcord.backend.models import Overwrite
from simcord.enums import MessageType, OverwriteType

from recollect import Place
from recollect.faces.assistant.actions import platform_actions
from recollect.faces.discord.listener import UNREADABLE
from recollect.testing.model_server import Calls, ModelServer, Request, Says, Slow, Status
from recollect.testing.models import FakeModel
from tests.faces.discord.scene import acting, speaker_of
from tests.faces.discord.test_departures import look
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually

JOINED = 7
"""The kind of message by which Discord greets a new member."""


async def test_a_mention_a_reply_and_a_dm_are_answered_and_other_talk_is_not() -> None:
    async with acting() as scene:
        assert await scene.ask("hello there") == "I see."
        bots = scene.dev.last_message
        sent = await scene.ann.send(scene.dev, "and what about this?", reply_to=bots)
        assert scene.said_since(scene.dev, sent) == ["I see."]
        assert await scene.whisper("are you there?") == "I see."
        assert await scene.order("just chatting with Bob") == ""


async def test_in_channels_set_for_it_everything_is_answered_threads_included() -> None:
    async with acting(discord={"channels": []}) as scene:
        assert await scene.order("hello") == ""
    async with acting() as scene:
        channel = str(scene.dev.id)
    async with acting(discord={"channels": [channel]}) as scene:
        assert str(scene.dev.id) == channel, "ids are the same in every run"
        assert await scene.order("hello") == "I see."
        assert await scene.order("hello", where=scene.thread(scene.dev, "release")) == "I see."
        assert await scene.order("hello", where=scene.general) == ""


@pytest.mark.acceptance("B70")
@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_while_the_allowlist_is_empty_nobody_is_answered_or_learned_from(
    profile: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "recollect.discord"):
        async with acting(profile=profile, discord={"allowed_users": []}) as scene:
            assert await scene.ask("hello there") == ""
            assert await scene.order("!memory remember I like tea") == ""
            assert await scene.whisper("I like tea, do you?") == ""
            await scene.settle()
            assert await scene.known() == []
            assert scene.server.requests == []
    assert "RECOLLECT_DISCORD_ALLOWED_USERS" in caplog.text


async def test_people_are_allowed_by_id_by_role_and_by_guild_in_dms_too() -> None:
    async with acting() as scene:
        ann, staff, guild = str(scene.ann.id), str(scene.staff_role.id), str(scene.guild.id)
    for allowed in ({"allowed_users": [ann]}, {"allowed_users": [], "allowed_roles": [staff]}):
        async with acting(discord=allowed) as scene:
            assert await scene.ask("hello") == "I see."
            assert await scene.whisper("hello") == "I see."
            assert await scene.ask("hello", scene.bob) == ""
            assert await scene.whisper("hello", scene.bob) == ""
    async with acting(discord={"allowed_users": [], "allowed_guilds": [guild]}) as scene:
        assert await scene.ask("hello", scene.bob) == "I see."
        assert await scene.whisper("hello", scene.bob) == "I see."
        stranger = scene.env.create_user("eve")
        await stranger.send_dm("hello")
        assert [one.author.id for one in stranger.dm_channel.history()] == [stranger.id]


async def test_whether_someone_is_a_member_is_asked_once_and_not_for_every_direct_message() -> None:
    async with acting() as scene:
        guild = str(scene.guild.id)
    async with acting(discord={"allowed_users": [], "allowed_guilds": [guild]}) as scene:
        stranger = scene.env.create_user("eve")
        scene.env.backend.http_requests.clear()
        for _ in range(3):
            await stranger.send_dm("hello")
        asked = [one for one in scene.env.backend.http_requests if f"/members/{stranger.id}" in str(one)]
        assert len(asked) == 1


async def test_bots_webhooks_and_system_messages_are_neither_answered_nor_kept() -> None:
    async with acting(discord={"channels": []}) as scene:
        robot = scene.guild.add_member(scene.env.create_user("robot", bot=True))
        await robot.send(scene.dev, f"<@{scene.client.user.id}> I am a robot")
        await scene.guild.create_webhook(scene.dev).send(f"<@{scene.client.user.id}> news")
        heard = await scene.memory.store.read(lambda tx: list(tx.events.list()))
        assert scene.server.requests == []
        assert heard == []


async def test_what_discord_itself_says_in_someones_name_is_neither_answered_nor_kept() -> None:
    async with wired() as wire, wire.online():
        await wire.lab.say(wire.lab.ada, wire.lab.dev, f"{wire.lab.bot.mention} joined", kind=JOINED)
        assert (await wire.order("!memory show")).startswith("What I remember")
        assert await wire.memory.store.read(lambda tx: tx.messages.written_by(f"discord:{wire.lab.ada.id}")) == []


async def test_no_type_of_message_is_answered_or_kept_but_those_that_people_write() -> None:
    async with acting() as scene:
        await scene.ask("hello")
        reply, refused = scene.dev.last_message, list[MessageType]()
        for kind in MessageType:
            for reference in (reply, None):
                try:
                    scene.guild.create_system_message(
                        scene.general, kind, author=scene.ann, referenced_message=reference
                    )
                    break
                except BackendError:
                    refused.append(kind)
        await scene.env.settle()
        assert MessageType.THREAD_STARTER_MESSAGE not in refused
        assert MessageType.POLL_RESULT not in refused
        assert scene.said_since(scene.general, reply) == []
        assert await scene.memory.timeline.recent(scene.place(scene.general), 50) == []


async def test_where_the_bot_may_not_write_it_listens_and_asks_no_model() -> None:
    async with acting() as scene:
        mute = Overwrite(scene.client.user.id, OverwriteType.MEMBER, 0, discord.Permissions(send_messages=True).value)
        scene.env.backend.set_overwrite(scene.dev.id, mute)
        await scene.env.settle()
        await scene.ask("I like green tea")
        await scene.settle()
        assert scene.prompts() == []
        assert await scene.known() == ["I like green tea"]


async def test_an_answer_is_shown_while_it_is_written() -> None:
    written = asyncio.Event()
    looks = Calls("memory", {"action": "search", "query": "tea"}, text="Let me look. ")
    async with (
        ModelServer([looks, Slow(written, Says("You like green tea."))]) as server,
        wired() as wire,
        wire.online(speaker_of(server)),
    ):
        lab = wire.lab
        await lab.say(lab.ada, lab.dev, f"{lab.bot.mention} what do I like?")
        await lab.until(lambda: [one.strip() for one in lab.said(lab.dev)] == ["Let me look."], WAIT)
        written.set()
        await lab.until(lambda: any("You like green tea." in one for one in lab.said(lab.dev)), WAIT)
        assert len(lab.said(lab.dev)) == 1, "it is edited, not said again"


async def test_two_shards_answer_each_their_own_servers_and_nothing_is_taken_for_left() -> None:
    async with wired(discord={"erase_on_leave": "0"}) as wire:
        lab = wire.lab
        wire.clock.advance(milliseconds=1)  # the moment it was made decides to which of two shards a guild belongs
        club = lab.world.guild("Club", lab.ada)
        assert (club.id >> 22) % 2 != (lab.lab.id >> 22) % 2
        room = lab.world.text(club, "room")
        async with wire.online(shard_count=2) as client:
            assert len(client.shards) == 2
            assert (await wire.order("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
            await wire.order("!memory share tea")
            assert "I like tea" in await wire.order("!memory show", room)
            await look(client)
        async with wire.online(shard_count=2, shard_ids=[0]) as client:
            assert len(client.guilds) == 1
            await look(client)
        assert await wire.events("guild.left") == []


async def test_a_long_answer_comes_in_messages_under_the_limit_and_code_stays_code() -> None:
    code = "```python\n" + "\n".join(f"line_{number} = {number}" for number in range(200)) + "\n```"
    async with acting([Says("First the words.\n\n" + "word " * 300 + "\n\n" + code)]) as scene:
        sent = await scene.ann.send(scene.dev, f"<@{scene.client.user.id}> show me")
        pages = scene.said_since(scene.dev, sent)
    assert len(pages) > 2
    assert all(len(page) <= 2000 for page in pages)
    assert all(page.count("```") % 2 == 0 for page in pages)
    assert all(f"line_{number} = {number}" in "\n".join(pages) for number in range(200))


async def test_replies_allow_no_mentions() -> None:
    async with acting([Says("Hello @everyone and <@1>!")]) as scene:
        await scene.ask("greet them")
        (request,) = [
            one
            for one in scene.env.http_requests
            if one.method == "POST" and "greet" not in str(one.json) and one.json and "content" in one.json
        ]
    assert request.json["allowed_mentions"] == {"parse": [], "replied_user": False}


async def test_the_bot_types_while_it_thinks_and_goes_on_when_it_may_not() -> None:
    async with acting() as scene:
        await scene.ask("hello")
        assert any(one.path.endswith("/typing") for one in scene.env.http_requests)
        scene.env.inject_error("POST", "/channels/*/typing", status=403)
        assert await scene.ask("hello again") == "I see."


async def test_without_the_message_content_intent_mentions_dms_and_replies_still_work() -> None:
    async with acting(discord={"message_content": False}) as scene:
        assert await scene.ask("hello there") == "I see."
        assert await scene.whisper("are you there?") == "I see."
        assert (await scene.ask("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
        said = await scene.ann.send(scene.dev, "I have two cats")
        kept = await scene.ann.context_menu(scene.dev, "Remember this", said)
        assert (kept.response or kept.followups[-1]).content.partition("\n")[0] == 'Remembered: "I have two cats"'


async def test_without_the_intent_a_reply_is_read_if_it_pings_and_else_it_is_said_why_not() -> None:
    async with wired(discord={"message_content": False}) as wire, wire.online():
        lab = wire.lab
        await wire.order(f"{lab.bot.mention} !memory remember I like tea")
        bots = lab.dev.messages[-1]
        await lab.say(lab.ada, lab.dev, "!memory show", reply_to=bots)
        assert "I like tea" in (await lab.next_message(lab.dev)).content
        await lab.say(lab.ada, lab.dev, "!memory show", reply_to=bots, ping=False)
        assert (await lab.next_message(lab.dev)).content == UNREADABLE


async def test_a_model_that_fails_still_gets_an_answer() -> None:
    async with acting(lambda _: Status(401)) as scene:
        assert (await scene.ask("where do I live?")).startswith("My model can't be reached right now")


async def test_why_a_model_fails_is_in_the_log_and_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async with acting(lambda _: Status(401)) as scene:
        host = scene.server.url.removeprefix("http://").partition("/")[0]
        told = await scene.ask("where do I live?")
        assert told == "My model can't be reached right now. Nothing that I remember fits."
    assert any(host in record.getMessage() for record in caplog.records)


async def test_an_answer_without_a_model_quotes_no_markup_and_no_mentions() -> None:
    async with acting(lambda _: Status(401)) as scene:
        await scene.order("!memory remember My **project** is @everyone ||spoiler|| [here](https://evil.example)")
        told = await scene.ask("what do you know about me?")
        assert "project" in told
        assert not [sign for sign in ("**project**", "@everyone", "||spoiler||", "[here](") if sign in told]


async def test_when_discord_refuses_a_message_the_next_one_is_answered() -> None:
    async with acting() as scene:
        scene.env.inject_error("POST", f"/channels/{scene.dev.id}/messages", status=500)
        assert await scene.ask("hello") == ""
        assert await scene.ask("hello", where=scene.general) == "I see."


async def test_threads_forum_posts_and_voice_chat_are_places_to_talk() -> None:
    async with acting() as scene:
        voice = scene.guild.create_voice_channel("lounge")
        assert await scene.ask("hello", where=voice) == "I see."
        assert await scene.ask("hello", where=scene.thread(scene.dev, "release")) == "I see."
        forum = scene.guild.create_forum_channel("help")
        assert await scene.ask("hello", where=scene.thread(forum, "my first question")) == "I see."


async def test_the_name_of_the_bot_is_not_part_of_what_was_said_and_others_are_named() -> None:
    def answer(request: Request) -> Says:
        return Says("Bob it is." if "I work with @Bob" in request.text else request.text[-80:])

    async with acting(answer) as scene:
        assert await scene.ask(f"I work with {scene.bob.mention}") == "Bob it is."


async def test_only_the_bots_whole_name_is_taken_out() -> None:
    async with acting(model=FakeModel()) as scene:
        name = scene.client.user.display_name
        await scene.ask(f"@{name}s unite, I like tea")
        await scene.settle()
        (memo,) = await scene.memos()
    assert memo.text == f"@{name}s unite, I like tea"


async def test_a_mention_alone_gets_a_word_and_nothing_is_asked_of_the_model() -> None:
    async with acting() as scene:
        assert "!memory help" in await scene.ask("")
        assert scene.server.requests == []


async def test_a_store_that_fails_does_not_break_the_reply() -> None:
    async with acting() as scene:
        await scene.memory.store.close()
        assert await scene.ask("hello") == "I see."


async def _is_stored(bot: Wired, place: Place, count: int) -> bool:
    """Whether so much was said in a place, replies included."""
    return len(await bot.memory.timeline.recent(place, 10, whole_stream=True)) >= count


@pytest.mark.acceptance("W1")
async def test_a_profile_whose_layout_is_one_layer_of_a_prompt_sends_what_was_said_too() -> None:
    async with (
        ModelServer(Says("Yes")) as server,
        wired(profile="devclaw") as bot,
        bot.online(speaker_of(server)),
    ):
        place = Place("discord", guild=str(bot.lab.lab.id), channel=str(bot.lab.dev.id))
        for count, text in ((2, "which bike is mine?"), (4, "and the red one?")):
            await bot.order(f"{bot.lab.bot.mention} {text}")
            await eventually(lambda count=count: _is_stored(bot, place, count), WAIT)
            bot.clock.advance(minutes=1)
        (first,), (second,) = (request.turns for request in server.requests)
        can_do = platform_actions(Place("discord"), bot.memory.settings)
    actions = f"Discord Actions:\n\n{can_do}\n\n---\n"
    assert first == ("user", f"{actions}User message:\n\nwhich bike is mine?")
    history = "Recent conversation:\n\n[Ada]: which bike is mine?\n[recollect]: Yes\n\n\n---\n"
    assert second == ("user", f"{history}{actions}User message:\n\nand the red one?")


async def test_without_a_model_help_is_help_and_who_asks_what_is_known_of_them_is_told() -> None:
    async with wired() as bot, bot.online():
        me = bot.lab.bot.mention
        assert (await bot.order(f"{me} help")).startswith("Memory commands:\n- !memory show")
        assert "remember nothing about you that I could tell here" in await bot.order(f"{me} who am I?")
        await bot.order("!memory remember I like green tea")
        told = "Here is what I remember about you:\n- I like green tea"
        assert await bot.order(f"{me} what do you know about me?") == told
        assert await bot.order(f"{me} tell me about myself") == told
        kept = await bot.memory.store.read(lambda tx: tx.messages.written_by(f"discord:{bot.lab.ada.id}"))
    assert "help" not in [message.text for _, message in kept]


async def test_without_a_model_who_paused_learning_is_not_told_that_they_are_listened_to() -> None:
    async with wired() as bot, bot.online():
        first = await bot.order(f"{bot.lab.bot.mention} it rains today")
        assert first == "I have no model configured. Noted: it rains today."
        assert await bot.order(f"{bot.lab.bot.mention} nice weather") == "Noted: nice weather."
        assert await bot.order(f"{bot.lab.bot.mention} I moved to Porto") == "Noted: I moved to Porto."
        await bot.order("!memory pause")
        assert (await bot.order(f"{bot.lab.bot.mention} I like tea")).startswith("Learning is paused")
