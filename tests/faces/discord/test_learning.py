"""What is said on Discord is learned from; edits and deletions take back what rested on it."""

from pathlib import Path

import pytest

from recollect.testing.models import FakeModel, propose_everything
from tests import ground
from tests.faces.discord.scene import acting


@pytest.mark.acceptance("A53")
async def test_what_people_say_is_learned_with_where_it_was_said_and_what_the_bot_says_is_not() -> None:
    model = FakeModel(propose_everything)
    async with acting(model=model) as scene:
        sent = await scene.ann.send(scene.dev, f"<@{scene.client.user.id}> I work on the platform team")
        await scene.settle()
        (memo,) = await scene.memos()
        assert memo.text == "I work on the platform team"
        source = memo.source
        assert (source.origin, source.message, source.channel_name) == ("summary", str(sent.id), "dev")
        assert (source.guild, source.channel) == (str(scene.guild.id), str(scene.dev.id))
        assert [one.author for hearing in model.inputs for one in hearing.messages] == [str(scene.ann.id)]


async def test_unaddressed_messages_are_learned_from() -> None:
    async with acting() as scene:
        await scene.ann.send(scene.dev, "I work on the platform team")
        await scene.settle()
        assert await scene.known() == ["I work on the platform team"]
        assert scene.server.requests == []


async def test_without_the_intent_only_what_is_meant_for_the_bot_is_learned() -> None:
    async with acting(discord={"message_content": False}) as scene:
        await scene.ann.send(scene.dev, "I work on the platform team")
        await scene.ask("I like green tea")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]


async def test_an_edited_message_is_learned_anew() -> None:
    async with acting() as scene:
        sent = await scene.ann.send(scene.dev, "I live in Berlin")
        await scene.settle()
        await scene.ann.edit(sent, "I live in Lisbon")
        await scene.settle()
        assert await scene.known() == ["I live in Lisbon"]


async def test_what_was_said_in_a_deleted_message_is_gone_from_the_next_prompt() -> None:
    async with acting() as scene:
        sent = await scene.ann.send(scene.dev, "I am allergic to peanuts")
        await scene.settle()
        await scene.ask("what may I eat?")
        assert "peanuts" in scene.prompts()[-1]
        await scene.ann.delete(sent)
        await scene.settle()
        assert await scene.known() == []
        await scene.restart()
        await scene.ask("and what may I drink?")
        assert "peanuts" not in scene.prompts()[-1]


async def test_a_deleted_question_leaves_the_conversation_that_the_model_sees() -> None:
    async with acting() as scene:
        await scene.ask("I am allergic to peanuts")
        asked = scene.dev.history()[0]
        await scene.settle()
        await scene.ann.delete(asked)
        await scene.settle()
        await scene.ask("and what may I drink?")
        assert "peanuts" not in scene.prompts()[-1]


async def test_what_was_said_in_a_deleted_message_is_gone_from_the_snapshot_the_journal_and_the_pages(
    tmp_path: Path,
) -> None:
    files = ["snapshot", "journal", "categories"]
    async with acting(store=ground.at(tmp_path / "memory.db"), data_dir=str(tmp_path), mirror__files=files) as scene:
        sent = await scene.ann.send(scene.dev, "I am allergic to peanuts")
        await scene.settle()
        await scene.memory.mirror.catch_up()
        assert any("peanuts" in text for text in texts(tmp_path))
        await scene.ann.delete(sent)
        await scene.settle()
        await scene.memory.mirror.flush()
        await scene.settle()
        await scene.memory.mirror.catch_up()
        assert [text for text in texts(tmp_path) if "peanuts" in text] == []


def texts(folder: Path) -> list[str]:
    return [path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in (".md", ".json")]


async def test_messages_deleted_in_bulk_and_unknown_to_the_cache_count_too() -> None:
    async with acting() as scene:
        sent = [await scene.ann.send(scene.dev, f"I like tea number {number}") for number in range(3)]
        await scene.settle()
        assert len(await scene.known()) == 3
        await scene.restart()
        assert list(scene.client.cached_messages) == []
        scene.env.backend.bulk_delete_messages(scene.dev.id, [one.id for one in sent[:2]])
        await scene.env.settle()
        await scene.settle()
        assert await scene.known() == ["I like tea number 2"]


async def test_a_preview_that_discord_adds_to_a_message_is_no_edit() -> None:
    async with acting() as scene:
        sent = await scene.ann.send(scene.dev, "I like https://example.org")
        await scene.settle()
        scene.env.backend.set_pinned(scene.dev.id, sent.id, True, actor_id=scene.ann.id)
        await scene.env.settle()
        assert await scene.events("message.edited") == []


async def test_pause_is_honoured_at_once() -> None:
    async with acting() as scene:
        await scene.order("!memory pause")
        await scene.ask("I work on the platform team")
        await scene.settle()
        assert await scene.known() == []
        await scene.order("!memory resume")
        await scene.ask("I like green tea")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]
