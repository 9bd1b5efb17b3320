"""Pictures, files, polls, stickers and forwards are named; small text files are read as the sender's words."""

from datetime import timedelta
from functools import partial

from simcord.backend.models.message import MessageSticker, Poll, PollAnswer

from recollect.faces.discord.attachments import MAX_FILE_CHARS
from recollect.faces.discord.client import Client
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_nothing
from tests.faces.discord.scene import acting
from tests.faces.discord.test_slash_commands import text


async def test_pictures_and_text_files_reach_prompt_and_journal_and_what_is_not_read_says_so() -> None:
    async with acting(summary={"enabled": False}) as scene:
        mention = f"<@{scene.client.user.id}>"
        files = [
            ("cat.png", b"\x89PNG"),
            ("notes.txt", b"I moved to Porto"),
            ("plan.pdf", b"%PDF"),
            ("broken.txt", b"\xff\xfe\xfa"),
        ]
        sent = await scene.ann.send(scene.dev, f"{mention} look at [this]", attachments=files)
        assert scene.dev.last_message is not None
        assert scene.dev.last_message.content == "I see."
        stored = await scene.memory.timeline.message("discord", str(sent.id))
        assert stored is not None
        lines = stored.text.splitlines()
        assert lines[:5] == [
            "look at [this]",
            "[picture: cat.png]",
            "[file: notes.txt]",
            "I moved to Porto",
            "[file: plan.pdf, not read]",
        ]
        assert "[file: broken.txt, not read]" in lines
        assert "[picture: cat.png]" in scene.prompts()[-1]
        await scene.settle()
        assert any("I moved to Porto" in text for text in await scene.known())
        long = await scene.ann.send(scene.general, attachments=[("long.md", b"word " * 2000)])
        shortened = await scene.memory.timeline.message("discord", str(long.id))
        assert shortened is not None
        assert len(shortened.text) < MAX_FILE_CHARS + 50
        await scene.ann.delete(sent)
        await scene.settle()
        assert await scene.known() == []


async def test_a_picture_alone_is_answered_and_a_file_of_someone_who_was_not_told_is_not_opened() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        await scene.ann.send(scene.dev, attachments=[("notes.txt", b"I moved to Porto")])
        assert not [call for call in scene.env.http_requests if "attachments" in call.path]
        await scene.ann.send(scene.dev, f"<@{scene.client.user.id}>", attachments=[("cat.png", b"\x89PNG")])
        assert scene.dev.last_message is not None
        assert scene.dev.last_message.content == "I see."
        await scene.settle()
        assert not any("Porto" in text for text in await scene.known())


async def test_remember_this_takes_captions_and_text_files_and_says_what_it_does_not_look_into() -> None:
    async with acting() as scene:
        menu = partial(scene.ann.context_menu, scene.general, "Remember this")
        picture = await scene.ann.send(scene.general, attachments=[("cat.png", b"\x89PNG")])
        stored = scene.env.backend.messages[scene.general.id][picture.id]
        assert text(await menu(picture)) == "There are no words in it to remember. I can't look into cat.png."
        stored.attachments[0]["description"] = "This is my cat Miso"
        assert text(await menu(picture)).startswith('Remembered: "This is my cat Miso"')
        note = await scene.ann.send(scene.general, attachments=[("notes.txt", b"My sister Ida lives in Porto")])
        assert text(await menu(note)).startswith('Remembered: "My sister Ida lives in Porto"')


async def test_a_file_of_someone_who_was_not_told_is_not_opened_to_remember_it() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        theirs = await scene.bob.send(scene.general, attachments=[("notes.txt", b"My sister Ida lives in Porto")])
        scene.env.http_requests.clear()
        asked = await scene.ann.context_menu(scene.general, "Remember this", theirs)
        assert asked.followups[-1].content.startswith("I may not keep what they say")
        assert not [call for call in scene.env.http_requests if "attachments" in call.path]


async def test_without_a_model_the_answer_says_what_was_not_read() -> None:
    async with acting(model=FakeModel(propose_nothing)) as scene:
        await scene.env.restart_bot(Client(scene.memory, None, clock=lambda: scene.env.now(), shard_count=1))
        await scene.ask("hello")
        mention = f"<@{scene.client.user.id}>"
        files = [("plan_a.pdf", b"%PDF"), ("notes.txt", b"Nothing new"), ("old.txt", b"caf\xe9")]
        sent = await scene.ann.send(scene.dev, f"{mention} look", attachments=files)
        (said,) = scene.said_since(scene.dev, sent)
        assert said.endswith("\nI can't look into plan\\_a.pdf, old.txt.")


async def test_polls_stickers_and_forwards_are_named_and_a_forwards_words_are_nobodys() -> None:
    async with acting(model=FakeModel(propose_nothing)) as scene:
        said = await scene.bob.send(scene.general, "My PIN is on the fridge")
        await scene.ann.forward(said, scene.dev)
        answers = [PollAnswer(1, "Pizza", None), PollAnswer(2, "Soup", None)]
        poll = Poll("Lunch [today]?", answers, (START + timedelta(days=1)).isoformat())
        sticker = MessageSticker(7, "wave", 1, scene.guild.id)
        for parts in ({"poll": poll}, {"stickers": [sticker]}):
            scene.env.backend.create_message(scene.dev.id, scene.ann.id, "", **parts)
            await scene.env.settle()
        stored = await scene.memory.timeline.recent(scene.place(scene.dev), 9)
        assert [one.text for one in stored] == [
            "[forwarded message, not read]",
            "[poll: Lunch (today)? (Pizza, Soup)]",
            "[sticker: wave]",
        ]
