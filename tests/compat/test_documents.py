"""The shapes of other designs, seen from outside: plain SQL on the store that a profile writes."""

import sqlite3
from pathlib import Path

import pytest

import recollect
from recollect import Place
from tests import ground

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
