"""Attacks by someone who has the id of somebody else, on another platform."""

from pathlib import Path

import pytest
from mcp import Client

from recollect import Place
from recollect.admin import Admin
from recollect.core.errors import BadInput, RecollectError
from recollect.core.outcomes import NotFound
from recollect.faces.mcp.server import build
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.privacy.target import ErasureTarget
from tests import scenes
from tests.transfer.mirror.keeping import keeping, written

ID = "1042"
DISCORD_DM, IRC_DM = Place("discord", dm=ID), Place("irc", dm=ID)
DISCORD, IRC = Place("discord", "g", "c", name="dev", public=True), Place("irc", "net", "#c", name="c", public=True)
SECRET = "Is allergic to peanuts"


async def test_the_same_id_on_another_platform_neither_reads_nor_changes_anything():
    async with scenes.opened() as stage:
        memory = stage.memory
        told = await stage.remember(SECRET, user=ID, place=DISCORD_DM)
        await memory.share(told.id, user=ID, place=DISCORD_DM)
        await stage.say("My dentist is Dr. Molar", user=ID, place=DISCORD_DM)
        for place in (IRC_DM, IRC, Place(dm="local:1042"), Place(channel="c")):
            assert (await memory.show(user=ID, place=place)).memos == ()
            assert await memory.search("peanuts", user=ID, place=place) == []
            assert await memory.search("dentist", user=ID, place=place, over="messages") == []
            prompt = (await stage.prompt("What am I allergic to?", ID, place)).text
            assert "peanut" not in prompt
            assert "Molar" not in prompt
            assert isinstance(await memory.forget(told.id, user=ID, place=place), NotFound)
            for attack in (memory.get, memory.history, memory.pin, memory.share):
                with pytest.raises(RecollectError):
                    await attack(told.id, user=ID, place=place)
            with pytest.raises(RecollectError):
                await memory.update(told.id, "Loves peanuts", user=ID, place=place)
            assert await memory.undo(user=ID, place=place) is None
            assert await memory.view(ID, place).erase() is None
            await memory.view(ID, place).pause_learning()
        assert not await memory.view(ID, DISCORD_DM).is_learning_paused()
        assert [memo.text for memo in (await memory.show(user=ID, place=DISCORD)).memos] == [SECRET]


async def test_what_one_says_is_not_learned_about_the_other():
    async with scenes.opened() as stage:
        await stage.remember("Lives in Lisbon", user=ID, place=DISCORD)
        await stage.remember("Lives in Rome", user=ID, place=IRC)
        assert await stage.known(ID) == ["Lives in Lisbon"]
        assert await stage.known(ID, IRC) == ["Lives in Rome"]
        people = scenes.lines(await stage.prompt("hi", "7", DISCORD), "people")
        assert not any("Rome" in line for line in people)


async def test_erasing_one_leaves_the_other():
    async with scenes.opened() as stage:
        memory = stage.memory
        for place in (DISCORD_DM, IRC_DM, Place(dm=ID)):
            await stage.remember(f"Uses {place.platform} daily", user=ID, place=place)
            await stage.say(f"I have been on {place.platform} for years", user=ID, place=place)
            await memory.view(ID, place).pause_learning()
        receipt = await memory.privacy.erase(ErasureTarget("irc:1042"), asked_by="operator")
        assert receipt.clean, receipt
        assert (await memory.show(user=ID, place=IRC_DM)).memos == ()
        assert await memory.search("years", user=ID, place=IRC_DM, over="messages") == []
        receipt = await memory.privacy.erase(ErasureTarget(ID), asked_by="operator")
        assert receipt.clean, receipt
        assert [memo.text for memo in (await memory.show(user=ID, place=DISCORD_DM)).memos] == ["Uses discord daily"]
        assert len(await memory.search("years", user=ID, place=DISCORD_DM, over="messages")) == 1
        assert (await memory.show(user=ID, place=Place(dm="local:1042"))).memos == ()


async def test_an_id_that_spells_another_platform_is_still_an_id_of_its_own_platform():
    async with scenes.opened() as stage:
        await stage.remember(SECRET, user=ID, place=DISCORD_DM)
        for place in (Place("irc", dm="discord:1042"), IRC):
            assert (await stage.memory.show(user="discord:1042", place=place)).memos == ()


async def test_a_message_in_another_persons_dm_is_refused():
    async with scenes.opened() as stage:
        await stage.remember(SECRET, user="zoe", place=Place("discord", dm="zoe"))
        for author, place in (
            ("eve", Place("discord", dm="zoe")),
            ("eve", Place(dm="zoe")),
            ("irc:zoe", Place("discord", dm="zoe")),
            ("zoe", Place(dm="discord:zoe")),
        ):
            with pytest.raises(BadInput, match="can't speak in the DM"):
                await stage.say("I am zoe", author, place)
            with pytest.raises(BadInput, match="can't speak in the DM"):
                await stage.prompt("What am I allergic to?", author, place)
        answer = await stage.say("Hello", "bot", Place("discord", dm="zoe"), bot=True)
        assert await stage.memory.timeline.message("discord", answer.id)


async def test_the_file_for_the_operator_tells_people_of_one_id_apart(tmp_path: Path):
    async with keeping(tmp_path, "clanker") as stage:
        for place in (DISCORD, IRC, Place(channel="c", public=True)):
            await stage.remember(f"Uses {place.platform} daily", user=ID, place=place)
        await stage.remember("Sails", user="7", place=DISCORD)
        await written(stage)
        people = (tmp_path / "memory" / "MEMORY.md").read_text("utf-8").partition("## Ongoing")[0].split("### ")[1:]
    assert [lines.split("\n")[0] for lines in people] == ["7", "local 1042", "irc 1042", "discord 1042"]
    assert all(f"Uses {lines.split()[0]} daily" in lines for lines in people[1:])


async def test_without_a_platform_an_id_is_local_and_only_readers_look_further(caplog: pytest.LogCaptureFixture):
    async with scenes.opened() as stage:
        memory = stage.memory
        told = await stage.remember(SECRET, user=ID, place=DISCORD_DM)
        assert [memo.text for memo in (await memory.show(user="discord:1042")).memos] == [SECRET]
        assert [memo.text for memo in (await memory.show(user=ID)).memos] == [SECRET]
        assert "discord:1042" in caplog.text
        assert (await memory.show(user="local:1042")).memos == ()
        for attack in (memory.forget, memory.remember, memory.pin, memory.share):
            with pytest.raises(BadInput, match="discord:1042"):
                await attack(told.id, user=ID)
        await memory.remember("Keeps bees", user="local:1042")
        assert [memo.text for memo in (await memory.show(user=ID)).memos] == ["Keeps bees"]
        await memory.remember("Sails", user=ID)
        assert [memo.text for memo in (await memory.show(user="discord:1042")).memos] == [SECRET]


async def test_a_tool_with_a_bare_id_reads_of_the_only_person_who_has_it_says_so_and_asks_before_it_writes():
    async with scenes.opened() as stage:
        told = await stage.remember(SECRET, user=ID, place=DISCORD_DM)
        writes = (
            {"action": "save", "content": "I keep bees", "category": "fact", "keywords": ["bees"]},
            {"action": "update", "id": told.id, "content": "I love peanuts"},
            {"action": "delete", "id": told.id},
            {"action": "restore", "id": told.id},
        )
        tool = MemoryTool(stage.memory, user=ID)
        for reading in ({"action": "search", "query": "peanuts"}, {"action": "list", "category": "fact"}):
            answer = await tool.call(reading)
            assert "this is about discord:1042" in answer.text
            assert SECRET in answer.text
        for write in writes:
            answer = await tool.call(write)
            assert not answer.ok
            assert "say discord:1042, or local:1042 for somebody new" in answer.text
        async with Client(build(stage.memory, user=ID)) as client:
            assert [row.title for row in (await client.list_resources()).resources] == ["All memories", SECRET]
            assert SECRET in str(await client.get_prompt("what-do-you-remember"))
            for write in writes:
                verb = {"delete": "forget"}.get(write["action"], write["action"])
                arguments = {name: value for name, value in write.items() if name != "action"}
                refused = await client.call_tool(f"{verb}_memory", arguments)
                assert refused.is_error
                assert "say discord:1042" in str(refused.content)
        assert [memo.text for memo in (await stage.memory.show(user="discord:1042")).memos] == [SECRET]
        assert (await MemoryTool(stage.memory, user="local:1042").call(writes[0])).ok
        assert SECRET not in (await tool.call({"action": "list", "category": "fact"})).text
        assert (await tool.call(writes[0])).ok, "there is a local one now"


async def test_the_pages_offer_only_places_of_the_persons_platform():
    async with scenes.opened() as stage:
        for place in (DISCORD, IRC, Place(guild="home", channel="dev", public=True)):
            await stage.summarise(f"About {place.platform}", place)
        admin = Admin(stage.memory, stage.clock)
        for user, platforms in (("discord:1042", {"discord"}), ("irc:7", {"irc"}), ("ann", {"local"})):
            await stage.memory.remember("Keeps bees", user=user)
            asker = await admin.asker(user, "")
            assert {place.platform for place in asker.places if place.dm is None} == platforms
        await stage.memory.remember("Keeps bees", user="user:42")
        asker = await admin.asker("user:42", "")
        assert {place.platform for place in asker.places if place.dm is None} == {"local"}, "a local id with a colon"
        answer = await MemoryTool(stage.memory, user="user:42").call({"action": "list", "category": "fact"})
        why = await MemoryTool(stage.memory, user="user:42").call(
            {"action": "why", "id": answer.data["memories"][0]["id"]}
        )
        assert why.data["memory"]["why"]["said_by"] == "user:42"


async def test_a_server_with_the_id_of_another_platforms_is_another_server_also_when_it_is_erased():
    slack, here = Place("slack", "1", "c", name="dev", public=True), Place("discord", "1", "c", name="dev", public=True)
    async with scenes.opened() as stage:
        memory = stage.memory
        for place in (slack, here):
            await stage.say(f"I like {place.platform} a lot", user="ann", place=place)
            await stage.reply(f"You like {place.platform} a lot.", await stage.say("what do I like?", place=place))
            await stage.remember(f"Likes {place.platform}", user="ann", place=place)
            await memory.remember(f"The {place.platform} release is on Friday", user="ann", place=place, lore=True)
            await stage.summarise(f"About {place.platform}", place)
        said = await stage.say("I live in Lisbon", user="ann", place=slack)
        await stage.reply("You live in Lisbon.", await stage.say("where do I live?", place=slack))
        await memory.message_deleted("slack", said.id)
        assert not any("Lisbon" in row.text for row in await memory.timeline.recent(slack, 20))
        left = await memory.view("ann", slack).erase(here=True)
        assert left is not None
        assert left.clean
        assert (await memory.show(user="ann", place=slack)).memos == ()
        assert [memo.text for memo in (await memory.show(user="ann", place=here)).memos] == ["Likes discord"]
        receipt = await memory.privacy.erase(ErasureTarget(guild="slack~1"), asked_by="operator")
        assert receipt.clean
        assert await memory.timeline.recent(slack, 20) == []
        assert not any("slack" in event.text for event in await memory.log(limit=500) if event.kind != "erased")
        assert len(await memory.timeline.recent(here, 20)) == 3
        lore = await memory.list(user="ann", place=here, lore=True, statuses="any")
        assert [memo.text for memo in lore.memos] == ["The discord release is on Friday"]
        await stage.say("Hello", user="ann", place=Place("slack", "2", "c", public=True))
        with pytest.raises(BadInput, match="say slack~2"):
            await memory.privacy.erase(ErasureTarget(guild="2"), asked_by="operator")
