"""The shapes of other designs, seen from outside: plain SQL on the store that a profile writes."""

import math
import sqlite3
import struct
from pathlib import Path

import pytest

import recollect
from recollect import Place
from recollect.core.errors import ModelError
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.jobs.options import WorkerOptions
from recollect.learning.ingest import transcript_message
from recollect.testing.embedding_server import EmbeddingServer
from recollect.testing.models import FakeModel, proposal_for
from tests import ground
from tests.scenes import DEV as SCENE_DEV
from tests.scenes import DM, opened

DEV = Place("discord", "guild-1", "dev", name="dev", public=True)
ELSEWHERE = Place("discord", "guild-2", "general", name="general", public=True)


@pytest.mark.acceptance("D3")
async def test_facts_stand_in_memory_facts_with_guild_channel_subject_source_and_state(tmp_path: Path):
    store = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(store, profile="clanker", embedder="null") as memory:
        await memory.remember("I prefer tea", user="42", place=DEV, kind="preference", message="m1")
        await memory.remember("The otter is our mascot", user="42", place=DEV, lore=True)
        await memory.remember("I own a kayak", user="42", place=DEV)
        await memory.forget("kayak", user="42", place=DEV)
    columns = "guild_id, channel_id, subject, fact, fact_type, evidence_text, source_message_id, confidence, is_active"
    assert ground.rows(store, f"SELECT {columns} FROM memory_facts ORDER BY subject, id") == [
        ("guild-1", "dev", "42", "I prefer tea", "preference", None, "m1", 1.0, 1),
        ("guild-1", "dev", "42", "I own a kayak", "profile", None, None, 1.0, 0),
        ("guild-1", "dev", "__lore__", "The otter is our mascot", "lore", None, None, 1.0, 1),
    ]


@pytest.mark.acceptance("D4")
async def test_a_fact_is_there_once_per_guild_and_subject_and_stating_it_again_updates_it(tmp_path: Path):
    store = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(store, profile="clanker", embedder="null") as memory:
        for place in (DEV, DEV, ELSEWHERE):
            for user in ("42", "43"):
                await memory.remember("I prefer tea", user=user, place=place)
    rows = ground.rows(store, "SELECT guild_id, subject, count(*) FROM memory_facts GROUP BY 1, 2 ORDER BY 1, 2")
    assert rows == [("guild-1", "42", 1), ("guild-1", "43", 1), ("guild-2", "42", 1), ("guild-2", "43", 1)]


@pytest.mark.sqlite
@pytest.mark.acceptance("E6")
async def test_memories_fts_finds_content_and_keywords_by_rowid_and_follows_every_change(tmp_path: Path):
    store = f"sqlite:///{tmp_path}/memory.db"
    earlier = recollect.AsyncMemory(store, embedder="null", data_dir=str(tmp_path))
    async with earlier as memory:
        await memory.remember("Written before the table was there", user="42")
    async with recollect.AsyncMemory(store, profile="devclaw", embedder="null", data_dir=str(tmp_path)) as memory:
        await memory.remember("API uses JWT tokens", user="42", tags=["auth"])
        gone = await memory.remember("The parrot is called Jack", user="42")
        await memory.forget("parrot", user="42")
        other = await memory.remember("The office is in Ghent", user="42")
        await memory.update(other.memo.id, "The office is in Bruges", user="42")

    def found(words: str) -> list[str]:
        sql = (
            "SELECT content FROM memories WHERE rowid IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH '{}')"
        )
        return [text for (text,) in ground.rows(store, sql.format(words))]

    assert gone.memo.id
    assert found("jwt") == found("auth") == found("keywords:auth") == ["API uses JWT tokens"]
    assert found("before") == ["Written before the table was there"]
    assert found("parrot") == found("ghent") == []
    assert found("bruges") == ["The office is in Bruges"]
    (shape,) = ground.rows(store, "SELECT sql FROM sqlite_schema WHERE name = 'memories_fts'")
    assert "content='memories'" in shape[0]
    assert ground.rows(store, "SELECT content FROM memories_fts WHERE memories_fts MATCH 'jwt'") == [
        ("API uses JWT tokens",)
    ]
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")


@pytest.mark.acceptance("D5", "W16")
async def test_vectors_of_facts_stand_in_memory_fact_vectors_native_as_float32_under_their_model(tmp_path: Path):
    store = ground.at(tmp_path / "memory.db")
    sql = "SELECT fact, model, dims, embedding_blob FROM memory_fact_vectors_native JOIN memory_facts ON id = fact_id"
    async with EmbeddingServer() as server:
        at = {"embedder": "text-embedding-3-small", "embedder_base_url": server.url, "data_dir": str(tmp_path)}
        async with recollect.AsyncMemory(store, profile="clanker", **at):
            pass
        assert ground.rows(store, sql) == []
        async with recollect.AsyncMemory(store, profile="clanker", **at) as memory:
            await memory.remember("I prefer tea", user="42", place=DEV)
            await memory.vectors.fill()
    ((fact, model, dims, blob),) = ground.rows(store, sql)
    assert (fact, model) == ("I prefer tea", "text-embedding-3-small")
    numbers = struct.unpack(f"<{dims}f", blob)
    assert math.isclose(sum(number * number for number in numbers), 1, abs_tol=1e-3)


@pytest.mark.acceptance("D16", "W16")
async def test_clanker_learns_in_guilds_alone_and_no_fact_lacks_its_guild(tmp_path: Path):
    model = FakeModel(lambda given: ExtractionResult(tuple(proposal_for(one) for one in given.messages)))
    async with opened("clanker", ground.at(tmp_path / "memory.db"), model=model) as stage:
        await stage.tell("I live in Lisbon", place=DM)
        await stage.tell("I play the cello in an orchestra", place=SCENE_DEV)
        edited = await stage.tell("I own a boat", place=DM)
        await stage.memory.message_edited("discord", edited.id, "I own a large boat")
        await stage.settle()
        await stage.remember("I prefer tea", place=DM)
        assert [one.text for given in model.inputs for one in given.messages] == ["I play the cello in an orchestra"]
    rows = ground.rows(ground.at(tmp_path / "memory.db"), "SELECT guild_id, fact FROM memory_facts")
    assert rows == [("g1", "I play the cello in an orchestra.")]


@pytest.mark.acceptance("D16")
async def test_clanker_learns_four_facts_of_a_message_at_most_and_of_none_below_four_characters():
    facts = ["I like tea", "I own a boat", "I live in Rome", "I play chess", "I keep bees", "I speak Welsh"]

    def learns(given: ExtractionInput) -> ExtractionResult:
        return ExtractionResult(
            tuple(proposal_for(one, fact) for one in given.messages for fact in facts if fact in one.text)
        )

    model = FakeModel(learns)
    async with opened("clanker", model=model) as stage:
        await stage.tell("tea")
        await stage.tell("Rome")
        await stage.tell(", ".join(facts))
        assert [len(one.text) for given in model.inputs for one in given.messages] == [4, len(", ".join(facts))]
        assert len(await stage.events("memo.added")) == 4


@pytest.mark.acceptance("D64", "W16")
async def test_what_fails_for_good_is_a_bot_error_and_with_speech_a_voice_error(tmp_path: Path):
    def fails(given: ExtractionInput) -> ExtractionResult:
        raise ModelError("no good")

    async with opened("clanker", ground.at(tmp_path / "memory.db"), model=FakeModel(fails)) as stage:
        stage.memory.worker.options = WorkerOptions(max_attempts=1)
        await stage.tell("I play the cello in an orchestra")
        for trace in ("voice", "voice_realtime"):
            await stage.memory.add(
                transcript_message(f"I said this by {trace}", "ann", SCENE_DEV, stage.clock(), trace=trace)
            )
            await stage.settle()
    rows = ground.rows(ground.at(tmp_path / "memory.db"), "SELECT kind, content FROM action_log ORDER BY id")
    assert [kind for kind, _ in rows if kind.endswith("_error") and "extract" not in kind] == [
        "bot_error",
        "voice_error",
        "voice_error",
    ]
    assert ("memory_extract_error", "no good") in rows


@pytest.mark.acceptance("E5", "W17")
async def test_the_id_in_memories_is_the_one_that_the_tool_prints(tmp_path: Path):
    store = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(store, profile="devclaw", embedder="null", data_dir=str(tmp_path)) as memory:
        tool = MemoryTool(memory, user="dev")
        saved = await tool(action="save", content="The API uses JWT tokens with 24h expiration", category="fact")
        found = await tool(action="search", query="authentication token JWT")
    ((memo_id, category),) = ground.rows(store, "SELECT id, category FROM memories")
    assert (memo_id, category) == (saved.data["memory"]["id"], "fact")
    assert f"(id {memo_id}, " in saved.text
    assert f"(id {memo_id}, " in found.text
