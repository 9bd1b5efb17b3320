"""Everything about a person or a guild, in one document or as files, the same bytes each time."""

import json
import shutil
from pathlib import Path

import pytest

from recollect.core.errors import BadInput
from recollect.privacy.export import encode
from recollect.privacy.target import ErasureTarget
from recollect.transfer.mirror.export import durable, write_pages
from tests import ground
from tests.privacy.telling import HERE, bytes_with, opened, tell


async def test_a_person_gets_everything_of_theirs_and_nothing_of_others(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        await stage.memory.forget("xylophone", user="discord:ann")
        document = await stage.memory.privacy.export(ErasureTarget("discord:ann"))
    texts = {memo["text"]: memo for memo in document["memos"]}
    assert len(texts) == 4
    forgotten = texts["I keep a xylophone in the cellar"]
    assert (forgotten["status"], forgotten["source"]["channel"]) == ("deprecated", "c-lobby")
    assert [event["kind"] for event in forgotten["history"]] == ["memo.added", "memo.retired"]
    said = {message["text"] for message in document["messages"]}
    assert said >= {"I dream of a quetzal at night", "A zanzibar lighthouse, how nice!", "So a quetzal it is"}
    assert {message["author"]: message.get("bot", "unsaid") for message in document["messages"]} == {
        "ann": "unsaid",
        "bot": True,
    }
    assert [summary["session"] for summary in document["summaries"]] == ["discord:dm:ann"]
    assert len(document["exchanges"]) == 2
    assert document["events"]
    plain = encode(document).decode()
    assert not [word for word in ("Kirkegaard", "marzipan", "rowing", "library", "cress") if word in plain]


async def test_a_document_has_every_language_in_plain_letters(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await stage.memory.remember("Wohnt in Zürich, 好きな食べ物は寿司", user="discord:ann")
        document = await stage.memory.privacy.export(ErasureTarget("discord:ann"))
    assert "Wohnt in Zürich, 好きな食べ物は寿司" in encode(document).decode()


@pytest.mark.slow
async def test_a_guild_gets_its_lore_and_what_was_said_there(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        document = await stage.memory.privacy.export(ErasureTarget(guild="g1"))
    assert {"We meet in the old library", "My rowing boat leaks badly"} <= {memo["text"] for memo in document["memos"]}
    assert {message["guild"] for message in document["messages"]} == {"g1"}
    assert {summary["session"] for summary in document["summaries"]} == {HERE.session}
    plain = encode(document).decode()
    assert not [word for word in ("xylophone", "aquarium", "quetzal", "marzipan") if word in plain]


@pytest.mark.slow
async def test_the_same_store_gives_the_same_bytes(tmp_path: Path):
    async with opened(tmp_path / "a") as stage:
        await tell(stage)
        first = encode(await stage.memory.privacy.export(ErasureTarget("discord:ann")))
        assert encode(await stage.memory.privacy.export(ErasureTarget("discord:ann"))) == first
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    ground.copy(tmp_path / "a" / "data" / "memory.db", tmp_path / "b" / "data" / "memory.db")
    async with opened(tmp_path / "b") as stage:
        assert encode(await stage.memory.privacy.export(ErasureTarget("discord:ann"))) == first
    assert json.loads(first)["format"] == "recollect-export"


async def test_someone_unknown_gets_an_empty_document(tmp_path: Path):
    async with opened(tmp_path) as stage:
        document = await stage.memory.privacy.export(ErasureTarget("discord:zoe"))
    assert [document[name] for name in ("memos", "messages", "summaries", "exchanges", "events")] == [[]] * 5


@pytest.mark.slow
async def test_memos_as_the_file_of_facts(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        data = durable(await stage.memory.privacy.memos(ErasureTarget("discord:ann")))
        assert data == (tmp_path / "data" / "memory" / "durable" / "ann.json").read_bytes()
    assert json.loads(durable([]))["items"] == []


@pytest.mark.slow
async def test_memos_as_pages(tmp_path: Path):
    async with opened(tmp_path / "store") as stage:
        await tell(stage)
        memos = await stage.memory.privacy.memos(ErasureTarget("discord:ann"))
    first, second = (write_pages(memos, tmp_path / name) for name in ("one", "two"))
    assert [path.relative_to(tmp_path / "one") for path in first] == [
        path.relative_to(tmp_path / "two") for path in second
    ]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert len(first) == sum(memo.active for memo in memos)
    assert bytes_with(tmp_path / "one", "quetzal")
    with pytest.raises(BadInput, match="not an empty folder"):
        write_pages(memos, tmp_path / "one")
    shutil.rmtree(tmp_path / "two")
