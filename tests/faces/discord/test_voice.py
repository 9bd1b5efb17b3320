"""What is said aloud counts like what is written: handed in as transcripts, heard by those who may be there."""

import pytest

from recollect.core.errors import BadInput
from recollect.core.types import Audience
from recollect.faces.discord.listener import NO_VOICE_MESSAGES
from recollect.faces.discord.privacy_notice import NOTICE
from recollect.faces.discord.voice import Transcript
from recollect.testing.model_server import Says
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK
from tests.faces.discord.wire import wired

VOICE_MESSAGE = 1 << 13


def aloud(scene: Scene, channel: int, text: str, speaker: int | None = None, trace: str = "voice") -> Transcript:
    return Transcript(channel, speaker or scene.ann.id, text, scene.env.now(), trace)


async def test_what_is_said_aloud_is_learned_once_with_what_transcribed_it_and_who_could_hear_it() -> None:
    async with acting() as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        board = scene.guild.create_voice_channel("board")
        await scene.allow(board, everyone=False)
        said = aloud(scene, lounge.id, "I like green tea", trace="voice_realtime")
        assert await scene.client.add_transcript(said)
        assert not await scene.client.add_transcript(said), "the same transcript again"
        assert await scene.client.add_transcript(aloud(scene, board.id, "I will be promoted in May"))
        await scene.settle()
        private, public = await scene.memos()
        guild = str(scene.guild.id)
        assert (public.source.trace, public.audience) == ("voice_realtime", Audience("guild", guild, guild))
        closed = Audience("channel", str(board.id), guild, readers="none")
        assert (private.source.trace, private.audience) == ("voice", closed)
        assert (public.source.message or "").startswith("voice_realtime-")
        await scene.ask("what happens in May?", where=scene.general)
        assert "promoted" not in scene.prompts()[-1]


async def test_nobody_is_overheard_who_is_not_allowed_not_told_paused_or_excluded() -> None:
    async with acting() as scene:
        ann, staff = str(scene.ann.id), str(scene.staff_role.id)
    for options in (
        {"allowed_users": []},
        {"privacy_notice": "dm"},
        {"excluded_roles": [staff]},
        {"allowed_users": ["1"]},
    ):
        async with acting(discord=options) as scene:
            lounge = scene.guild.create_voice_channel("lounge")
            assert not await scene.client.add_transcript(aloud(scene, lounge.id, "I like green tea"))
    async with acting(discord={"allowed_users": [ann]}) as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        await scene.order("!memory pause")
        assert await scene.client.add_transcript(aloud(scene, lounge.id, "I like green tea"))
        stranger = scene.env.create_user("eve")
        assert not await scene.client.add_transcript(aloud(scene, lounge.id, "I like black tea", stranger.id))
        assert not await scene.client.add_transcript(aloud(scene, lounge.id, "   "))
        await scene.settle()
        assert await scene.known() == []


async def test_who_talks_too_much_is_asked_for_a_minute_and_others_are_served() -> None:
    async with acting(discord={"replies_per_minute": 1}, summary={"enabled": False}) as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        assert await scene.client.answer(aloud(scene, lounge.id, "hello")) == "I see."
        assert "give me a minute" in (await scene.client.answer(aloud(scene, lounge.id, "hello again")) or "")
        assert await scene.client.answer(aloud(scene, lounge.id, "hello", scene.bob.id)) == "I see."
        said = [aloud(scene, lounge.id, f"My number is {number}") for number in range(5)]
        assert [await scene.client.add_transcript(one) for one in said] == [True] * 3 + [False] * 2


async def test_a_channel_without_voice_or_one_that_is_not_seen_is_refused() -> None:
    async with acting() as scene:
        for channel in (scene.dev.id, 7):
            with pytest.raises(BadInput, match="not a voice channel"):
                await scene.client.add_transcript(aloud(scene, channel, "I like green tea"))


@pytest.mark.acceptance("D21", "D22")
@pytest.mark.parametrize("profile", ["unified", "clanker"])
async def test_what_is_said_to_the_bot_aloud_is_answered_and_its_memory_line_becomes_lore_unsaid(profile: str) -> None:
    answers = [Says("Well done!\nmemory_line: Ann won the quiz night"), Says("Ann did.")]
    async with acting(answers, profile=profile, discord={"privacy_notice": "reply"}) as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        for trace in ("voice", "voice_realtime"):
            heard = await scene.client.answer(aloud(scene, lounge.id, f"I won the {trace} quiz night!", trace=trace))
            assert heard == {"voice": "Well done!", "voice_realtime": "Ann did."}[trace]
        assert [one.content for one in lounge.history()] == [NOTICE], "told once, in writing"
        assert "Ann won the quiz night" in scene.prompts()[-1]
        await scene.settle()
        learned = await scene.memory.show(user=str(scene.ann.id), place=scene.place(lounge))
        assert [memo.source.trace for memo in learned.memos] == ["voice_realtime", "voice"]


async def test_a_line_about_something_said_aloud_leads_to_the_channel() -> None:
    async with acting(discord={"learned_notices": "here"}) as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        await scene.env.advance_time(TICK)
        await scene.client.add_transcript(aloud(scene, lounge.id, "I like green tea"))
        await scene.settle()
        await scene.env.advance_time(TICK)
        (line,) = lounge.history()
        where = f"https://discord.com/channels/{scene.guild.id}/{lounge.id}"
        assert line.content == f"Learned: [fact] I like green tea – {where}"


async def test_after_a_reply_the_conversation_by_voice_goes_on() -> None:
    async with acting([Says("Noted."), Says("Porto.")]) as scene:
        lounge = scene.guild.create_voice_channel("lounge")
        await scene.client.answer(aloud(scene, lounge.id, "we plan the move to Porto"))
        await scene.env.advance_time(60)
        await scene.restart()
        await scene.client.answer(aloud(scene, lounge.id, "what were we talking about?"))
        assert "move to Porto" in scene.prompts()[-1]
        assert "Noted." in scene.prompts()[-1]


async def test_a_voice_message_holds_no_words_and_that_is_said() -> None:
    async with wired() as wire, wire.online():
        dm = wire.lab.world.dm(wire.lab.ada)
        files = {"voice-message.ogg": b"OggS"}
        await wire.lab.say(wire.lab.ada, dm, "", flags=VOICE_MESSAGE, files=files)
        assert (await wire.lab.next_message(dm)).content == NO_VOICE_MESSAGES
        await wire.lab.say(wire.lab.ada, wire.lab.dev, "", flags=VOICE_MESSAGE, files=files)
        assert await wire.order("!memory show")
        assert len(wire.lab.said(wire.lab.dev)) == 1, "nobody asked the bot there"
        user = f"discord:{wire.lab.ada.id}"
        assert await wire.memory.store.read(lambda tx: tx.messages.written_by(user)) == []
