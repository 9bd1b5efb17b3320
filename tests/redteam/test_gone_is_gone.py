"""What was deleted or forgotten is gone from everything that was derived from it: rows, files and later requests."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from recollect import AsyncMemory
from recollect.core.clock import from_ms
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.types import Place
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.mcp.server import build
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.privacy.target import ErasureTarget
from recollect.recall import withheld
from recollect.recall.withheld import MAX_ITEMS, MAX_PEOPLE, Retired, newest_of_each
from recollect.testing.model_server import Request, Says
from recollect.testing.models import FakeModel, proposal_for
from tests import ground
from tests.faces.assistant.test_assistant import Talk, talking
from tests.faces.discord.scene import acting
from tests.faces.discord.test_memory_channel import TICK, channel_id, mirrored
from tests.scenes import DEV, DM, GENERAL, opened
from tests.waiting import eventually

SECRET = "lisbon"
PROFILES = ["unified", "discoclaw", "dnam", "clanker", "devclaw"]
PARAPHRASES = [
    "You live in Lisbon, as you told me.",
    "Your home town Lisbon is lovely.",
    "How is Lisbon treating you these days?",
    "Lisbon.",
]
UNRELATED = "Trams are fun to ride on Sundays."
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_data' ESCAPE '\\' "
    "AND sql NOT LIKE 'CREATE VIRTUAL%'",
    "postgresql": "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables "
    "WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')",
}


def learning(hearing: ExtractionInput) -> ExtractionResult:
    stated = [one for one in hearing.messages if "?" not in one.text and "!" not in one.text and "yes" not in one.text]
    return ExtractionResult(tuple(map(proposal_for, stated)))


def condensing(previous: str | None, exchange: str, limit: int) -> str:
    return f"{previous or ''}\n{exchange}".strip()[-limit:]


ANSWERS = {
    **{f"where do I live, number {number}?": f"{text} {UNRELATED}" for number, text in enumerate(PARAPHRASES)},
    "where does Ann live?": f"Ann lives in Lisbon. {UNRELATED}",
    "do you know it?": "Shall I say it?",
    "yes please!": "Lisbon.",
    "what is new in town?": "All right.",
    "I live in Lisbon": "All right.",
    "and now?": "All right.",
}


def answering(request: Request) -> Says:
    """Answer what was said last; the fact comes in other words each time it is asked for."""
    told = str(request.body["messages"][-1])
    return Says(ANSWERS[max(ANSWERS, key=told.rfind)])


async def rows_with(memory: AsyncMemory, text: str) -> list[str]:
    """Every row of every table that has a text, whatever its column; read by the store's own connection."""

    def work(tx: Any) -> list[str]:
        kind = "sqlite" if type(tx).__name__.startswith("SQLite") else "postgresql"
        tables = [name for (name,) in tx.db.rows(TABLES[kind])]
        found = ((table, row) for table in tables for row in tx.db.rows(f"SELECT * FROM {table}"))
        return [f"{table}: {row}" for table, row in found if text in str(row).lower()]

    return await memory.store.read(work)


def excerpts(text: str) -> list[str]:
    """Where a text has the secret, with what stands before it."""
    return [text[max(0, hit.start() - 160) : hit.end() + 40] for hit in re.finditer(SECRET, text, re.IGNORECASE)]


def files_with(folder: Path, text: str) -> Iterator[str]:
    """Files beside the store that have a text. The store's own free pages are another matter."""
    for path in folder.rglob("*"):
        if (
            path.is_file()
            and not path.name.startswith("memory.db")
            and text in path.read_text("utf-8", "replace").lower()
        ):
            yield f"{path}: {path.read_text('utf-8', 'replace')}"


@asynccontextmanager
async def a_talk(folder: Path, profile: str = "unified") -> AsyncIterator[Talk]:
    address = ground.at(folder / "memory.db")
    settings: dict[str, Any] = {"model": FakeModel(learning, condensing), "summary": {"every_n_turns": 1}}
    settings |= {"mirror": {"files": ["durable", "rolling", "shortterm", "journal", "snapshot"]}}
    settings |= {"exchanges": {"enabled": True}}  # where the document has it off by default, too
    async with talking(answering, store=address, profile=profile, **settings) as talk:
        yield talk


async def walk(talk: Talk, place: Place = DEV) -> None:
    """Ann states it, asks in several ways, once in two turns; Bob asks too, here and elsewhere; all is summarized."""
    await talk.ask("I live in Lisbon", "ann", place)  # m1
    await talk.stage.settle()
    for number in range(len(PARAPHRASES)):
        await talk.ask(f"where do I live, number {number}?", "ann", place)
    await talk.ask("do you know it?", "ann", place)
    await talk.ask("yes please!", "ann", place)
    await talk.ask("where does Ann live?", "bob", place)
    await talk.ask("where does Ann live?", "bob", GENERAL)
    await talk.stage.settle()


async def three_more(talk: Talk, place: Place = DEV) -> str:
    """The next three requests at the model server, of two people in two channels."""
    since = len(talk.server.requests)
    for user, where in (("ann", place), ("bob", place), ("bob", GENERAL)):
        await talk.ask("what is new in town?", user, where)
    await talk.stage.settle()
    await talk.stage.memory.mirror.catch_up()
    requests = talk.server.requests[since:]
    assert len(requests) >= 3
    return str([request.body for request in requests])


@pytest.mark.slow
@pytest.mark.parametrize("change", ["delete", "edit"])
async def test_what_a_deleted_or_edited_message_said_is_in_no_row_no_file_and_no_request(
    tmp_path: Path, change: str
) -> None:
    async with a_talk(tmp_path) as talk:
        await walk(talk)
        assert await rows_with(talk.stage.memory, SECRET)
        if change == "delete":
            assert await talk.stage.memory.message_deleted("discord", "m1")
        else:
            assert await talk.stage.memory.message_edited("discord", "m1", "I keep bees")
        requests = await three_more(talk)
        assert excerpts(requests) == []
        assert UNRELATED in requests
        assert await rows_with(talk.stage.memory, SECRET) == []
        assert list(files_with(tmp_path, SECRET)) == []
        talk.assistant = Assistant(talk.stage.memory, talk.model, name="Rec", clock=talk.stage.clock)
        assert excerpts(await three_more(talk)) == []


@pytest.mark.slow
@pytest.mark.acceptance("W11")
@pytest.mark.parametrize("profile", PROFILES)
async def test_under_every_profile_what_was_forgotten_or_deleted_is_in_no_later_request(
    tmp_path: Path, profile: str
) -> None:
    async with a_talk(tmp_path, profile) as talk:
        await walk(talk)
        await talk.stage.memory.flush(DEV)
        await talk.stage.settle()
        is_learned = bool(await talk.stage.known("ann", DEV))
        if not is_learned:  # this design learns at other times
            await talk.ask("!memory remember I live in Lisbon")
        answer = await talk.ask("!memory forget I live in Lisbon")
        assert "also hides" in answer
        requests = await three_more(talk)
        assert excerpts(requests) == []
        # Document A's file of facts keeps what was forgotten, marked as deprecated.
        assert [name for name in files_with(tmp_path, SECRET) if '"status": "deprecated"' not in name] == []
        await talk.ask("!memory undo")
        assert SECRET in str(await talk.stage.known("ann", DEV)).lower()
        if profile != "devclaw":  # which sends no memory unless a tool asks for it
            await talk.ask("and now?")
            assert SECRET in str(talk.server.requests[-1].body).lower()
        if not is_learned:
            await talk.ask("!memory forget I live in Lisbon")
        await talk.stage.memory.message_deleted("discord", "m1")
        assert excerpts(await three_more(talk)) == []
        own = await rows_with(talk.stage.memory, SECRET)
        tables = {row.partition(":")[0].rpartition(".")[2] for row in own}
        assert own == [] if is_learned else tables <= {"memos", "memo_words", "state", "changes"}


@pytest.mark.acceptance("W11")
async def test_where_there_are_only_summaries_what_was_deleted_is_in_no_row_no_file_and_no_later_request(
    tmp_path: Path,
) -> None:
    async with a_talk(tmp_path, "rolling") as talk:
        await walk(talk)
        await talk.ask("and now?")
        assert SECRET in str(talk.server.requests[-1].body).lower()
        await talk.stage.memory.message_deleted("discord", "m1")
        assert excerpts(await three_more(talk)) == []
        assert await rows_with(talk.stage.memory, SECRET) == []
        assert list(files_with(tmp_path, SECRET)) == []


@pytest.mark.slow
@pytest.mark.acceptance("W11")
@pytest.mark.parametrize("profile", [*PROFILES, "rolling"])
async def test_under_every_profile_what_an_erased_person_said_is_in_no_later_request(
    tmp_path: Path, profile: str
) -> None:
    async with a_talk(tmp_path, profile) as talk:
        await talk.ask("I live in Lisbon")
        await talk.ask("where does Ann live?", "bob")
        await talk.ask("where does Ann live?", "bob", GENERAL)
        await talk.stage.settle()
        await talk.ask("and now?", "bob", GENERAL)
        assert excerpts(str(talk.server.requests[-1].body))
        receipt = await talk.stage.memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="discord:ann")
        assert receipt.clean
        assert excerpts(await three_more(talk)) == []
        assert await rows_with(talk.stage.memory, SECRET) == []


async def test_on_discord_a_deleted_message_leaves_no_row_no_file_no_request_and_no_line_of_the_memory_channel(
    tmp_path: Path,
) -> None:
    settings: dict[str, Any] = {
        "model": FakeModel(learning, condensing),
        "summary": {"every_n_turns": 1},
        "data_dir": str(tmp_path),
        "mirror": {"files": ["durable", "rolling", "shortterm", "journal", "snapshot"]},
    }
    address, channel = ground.at(tmp_path / "memory.db"), await channel_id()
    async with acting(answering, store=address, discord__memory_channel=channel, **settings) as scene:
        await mirrored(scene)
        await scene.ask("I live in Lisbon")
        await scene.settle()
        for number in range(len(PARAPHRASES)):
            await scene.ask(f"where do I live, number {number}?")
        await scene.ask("where does Ann live?", scene.bob)
        assert any(SECRET in one.content.lower() for one in await mirrored(scene) if one.content.startswith("<@"))
        await scene.ann.delete(scene.dev.history()[0])
        await scene.settle()
        since = len(scene.prompts())
        for person, where in ((scene.ann, scene.dev), (scene.bob, scene.dev), (scene.ann, scene.general)):
            await scene.ask("what is new in town?", person, where)
        shown = [one.content for one in await mirrored(scene) if one.content.startswith("<@")]
        assert excerpts(str(scene.prompts()[since:])) == []
        assert excerpts(str(shown)) == []
        assert await rows_with(scene.memory, SECRET) == []

        async def are_files_clean() -> bool:  # the daily log follows within moments
            await scene.env.advance_time(TICK)
            await scene.memory.mirror.catch_up()
            return not list(files_with(tmp_path, SECRET))

        await eventually(are_files_clean)


REPEATED = {
    "walnut": (
        "I am allergic to walnuts",
        ["Here is what I know:\n- You play the cello\n- You are allergic to walnuts", "**Allergies**: walnuts"],
    ),
    "54321": ("My salary is 54321 euros", ["Your pay: **54321 €** a year", "With 54321 you could rent a flat."]),
    "gundula": ("Meine Schwester heißt Gundula", ["Gundula, richtig?", "Ich weiß: Cello, Bienen, Gundula."]),
    "diabetes": ("I have type 1 diabetes", ["Since you have diabetes, skip the cake.", "Watch your diabetes."]),
    "grenoble": ("J'habite à Grenoble", ["Tu habites à Grenoble.", "À Grenoble, il fait beau chez toi."]),
    "marius": ("I broke up with Marius in June", ["Marius will regret it.", "- single since June (Marius)"]),
}
"""What is stated, by the word that may not be seen again, and replies that tell it in a list, by its name or by
half of its words."""


@pytest.mark.parametrize("word", REPEATED)
async def test_replies_that_tell_it_in_a_list_under_a_heading_or_by_a_name_alone_go_with_it(
    tmp_path: Path, word: str
) -> None:
    stated, replies = REPEATED[word]

    def tells(request: Request) -> Says:
        asked = str(request.body["messages"][-1])[-60:]
        told = next((reply for number, reply in enumerate(replies) if f"question {number}?" in asked), "All right.")
        return Says(f"{told}\n\n{UNRELATED}")

    settings: dict[str, Any] = {"model": FakeModel(learning, condensing), "exchanges": {"enabled": True}}
    settings |= {"mirror": {"files": ["durable", "rolling", "shortterm", "journal", "snapshot"]}}
    async with talking(tells, store=ground.at(tmp_path / "memory.db"), profile="unified", **settings) as talk:
        await talk.ask(stated, "ann", DEV)  # m1
        await talk.stage.settle()
        for number in range(len(replies)):
            await talk.ask(f"question {number}?", "ann", DEV)
        await talk.stage.settle()
        assert await talk.stage.memory.message_deleted("discord", "m1")
        requests = await three_more(talk)
        assert word not in requests.lower()
        assert UNRELATED in requests
        assert await rows_with(talk.stage.memory, word) == []
        assert list(files_with(tmp_path, word)) == []


async def test_words_that_merely_resemble_what_was_deleted_stay(tmp_path: Path) -> None:
    async with a_talk(tmp_path) as talk:
        stage = talk.stage
        said = await stage.tell("I live in Lisbon")
        question = await stage.say("what is the capital of Portugal?", "bob")
        kept = [
            await stage.reply("Lisbon is the capital of Portugal.", question),
            await stage.reply("You could fly to Lisbon.", question),
            await stage.reply("Bob lives in Lisbon as well.", question),
            await stage.say("I live in Lisbon too", "bob"),
        ]
        gone = await stage.reply("Ann, who lives in Lisbon, knows that.", question)
        await stage.memory.message_deleted("discord", said.id)
        stored = await stage.memory.timeline.recent(DEV, 20)
    texts = [message.text for message in stored]
    assert [message.text for message in kept if message.text not in texts] == []
    assert gone.text not in texts


async def test_replies_to_others_that_repeat_what_an_erased_person_said_are_erased_too(tmp_path: Path) -> None:
    async with a_talk(tmp_path) as talk:
        await talk.stage.tell("I live in Lisbon")
        await talk.ask("where does Ann live?", "bob", GENERAL)
        receipt = await talk.stage.memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="discord:ann")
        assert receipt.clean
        assert await rows_with(talk.stage.memory, SECRET) == []
        assert excerpts(await three_more(talk)) == []


@pytest.mark.parametrize("how", ["delete", "edit", "erase", "forget"])
async def test_a_reply_that_was_under_way_does_not_bring_back_what_was_removed_meanwhile(
    tmp_path: Path, how: str
) -> None:
    """Ann states it; she and Bob ask; while the model answers, it goes; then the replies arrive."""
    async with a_talk(tmp_path) as talk:
        memory = talk.stage.memory
        said = await talk.stage.tell("I live in Lisbon")
        asked = [talk.stage.message("where do I live, number 0?"), talk.stage.message("where does Ann live?", "bob")]
        replies = [await talk.assistant.reply(message) for message in asked]
        assert all("Lisbon" in reply.text for reply in replies)
        if how == "delete":
            assert await memory.message_deleted("discord", said.id)
        elif how == "edit":
            assert await memory.message_edited("discord", said.id, "I keep bees")
        elif how == "erase":
            await memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="discord:ann")
        else:
            await memory.forget("I live in Lisbon", user="ann", place=DEV)
        for message, reply in zip(asked, replies, strict=True):
            await talk.assistant.record_reply(reply.text, message, f"r-{message.id}")
        assert excerpts(await three_more(talk)) == []
        assert list(files_with(tmp_path, SECRET)) == [] or how == "forget"
        rows = await rows_with(memory, SECRET)
        assert rows == [] if how != "forget" else rows
        stored = [row.text for row in await memory.timeline.recent(DEV, 20) if row.bot]
        assert any(UNRELATED in text for text in stored)


async def test_a_reply_to_a_message_that_was_deleted_meanwhile_goes_with_it_and_what_is_stated_again_stays(
    tmp_path: Path,
) -> None:
    async with a_talk(tmp_path) as talk:
        stage = talk.stage
        question = await stage.say("Is it odd that my flat in Lisbon is so cold?")
        await stage.memory.message_deleted("discord", question.id)
        await stage.reply("Flats in Lisbon are often cold.", question)
        assert await rows_with(stage.memory, SECRET) == []
        await stage.tell("I live in Lisbon")
        await stage.reply("You live in Lisbon, noted.", await stage.say("where do I live?"))
        stored = [row.text for row in await stage.memory.timeline.recent(DEV, 20)]
    assert "You live in Lisbon, noted." in stored


async def test_what_an_erased_person_said_long_ago_goes_from_replies_too_although_nothing_was_learned_from_it() -> None:
    async with opened(extraction={"enabled": False}, summary={"enabled": False}) as stage:
        await stage.say("I live in Lisbon")
        await stage.reply("Ann lives in Lisbon.", await stage.say("where does Ann live?", "bob"))
        for number in range(205):
            await stage.say(f"good morning number {number}")
        receipt = await stage.memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="discord:ann")
        assert receipt.clean
        assert await rows_with(stage.memory, SECRET) == []


@pytest.mark.slow
async def test_nobody_brings_back_what_another_forgot_by_forgetting_much() -> None:
    """A server remembers the newest 500 forgotten statements, in turn of each person."""
    async with opened() as stage:
        kept = await stage.remember("I take lithium every evening")
        question = await stage.say("what do I take in the evening?")
        await stage.reply("You take lithium every evening, Ann.", question)
        assert "lithium" in (await stage.prompt("what is taken?", user="carl")).text
        await stage.memory.forget(kept.id, user="ann", place=DEV)
        other = await stage.remember("I like tea", user="mallory")
        trivia = [replace(other, id=f"durable-{n}", text=f"I like tea number {n}") for n in range(2 * MAX_ITEMS + 2)]
        await stage.memory.store.write(lambda tx: [withheld.retire(tx, memo, stage.clock()) for memo in trivia])
        for number in range(MAX_PEOPLE + 1):  # Ann is no longer among those whose own lists are read
            await stage.say("good evening", user=f"guest{number}")
        prompt = await stage.prompt("what is taken?", user="carl")
    assert "lithium" not in prompt.text


def test_of_what_many_forgot_the_newest_of_each_is_kept() -> None:
    def forgotten(user: str, number: int) -> Retired:
        return Retired(f"user:{user}", f"{user}{number}", f"fact {number}", from_ms(0))

    items = [forgotten("ann", 0), forgotten("bob", 0), *(forgotten("mallory", number) for number in range(9))]
    kept = [item.memo for item in newest_of_each(items, 5)]
    assert kept == ["ann0", "bob0", "mallory6", "mallory7", "mallory8"]


async def test_a_model_reads_nothing_of_what_was_forgotten_by_the_id_that_it_knows() -> None:
    async with opened() as stage:
        gone = await stage.remember("Lives in Lisbon", place=DM)
        await stage.memory.forget(gone.id, user="ann", place=DM)
        tool = MemoryTool(stage.memory, user="ann", place=DM)
        for call in ({"action": "why", "id": gone.id}, {"action": "update", "id": gone.id, "content": "Lives here"}):
            answer = await tool.call(call)
            assert "Lisbon" not in f"{answer.text} {answer.data}"
        async with Client(build(stage.memory, user="ann", place=DM)) as client:
            with pytest.raises(MCPError):
                await client.read_resource(f"recollect://memory/{gone.id}")
            assert "Lisbon" not in str(await client.call_tool("why_memory", {"id": gone.id}))
        assert (await tool.call({"action": "restore", "id": gone.id})).ok
