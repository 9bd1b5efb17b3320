"""`shortterm/<guild>.json`: what was said in a guild's public channels lately, until it expires or is taken back."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from recollect import Place
from recollect.core.state import StateKind
from recollect.privacy.target import ErasureTarget
from recollect.settings import load
from tests.scenes import DEV, DM, ELSEWHERE, GENERAL, STAFF, Stage
from tests.transfer.mirror.keeping import keeping, kept, written

START = 1_740_830_400_000
MINUTE, HOUR = 60_000, 3_600_000
ON = {"exchanges": {"enabled": True}}


def folder(data: Path) -> Path:
    return data / "memory" / "shortterm"


def entries(path: Path) -> list[dict[str, Any]]:
    document = json.loads(path.read_text("utf-8"))
    assert document["version"] == 1
    return document["entries"]


def texts(path: Path) -> list[str]:
    return [entry["text"] for entry in entries(path)]


async def ask(stage: Stage, text: str, answer: str, **how: object) -> str:
    """A question and its answer; the question's id."""
    question = await stage.say(text, **how)  # type: ignore[arg-type]
    await stage.reply(answer, question)
    return question.id


async def test_each_guild_has_a_file_with_its_entries(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await ask(stage, "can you debug the auth test?", "the mock returns a wrong token")
        await ask(stage, "who is here?", "you and me", place=ELSEWHERE)
        await written(stage)
        assert kept(folder(tmp_path)) == ["g1.json", "g2.json"]
        assert entries(folder(tmp_path) / "g1.json") == [
            {
                "id": "m1/m2",
                "channelId": "c-dev",
                "channelName": "dev",
                "author": "ann",
                "text": "Ann: can you debug the auth test? | Bot: the mock returns a wrong token",
                "at": START + MINUTE,
                "expires": START + MINUTE + 6 * HOUR,
            }
        ]
        if os.name == "posix":
            assert (folder(tmp_path) / "g1.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.acceptance("A71")
async def test_the_directory_is_set_by_the_variable_of_the_design(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCOCLAW_SHORTTERM_DATA_DIR", str(tmp_path / "elsewhere"))
    async with keeping(tmp_path / "data", "discoclaw", **ON) as stage:
        await ask(stage, "what next?", "lunch")
        await written(stage)
        assert kept(tmp_path / "elsewhere") == ["g1.json"]
        assert not folder(tmp_path / "data").exists()


async def test_exchanges_of_private_places_are_not_mirrored(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        for place in (DM, STAFF):
            await ask(stage, "what next?", "lunch", place=place)
        await written(stage)
        assert kept(folder(tmp_path)) == []


async def test_files_are_kept_only_where_they_are_wanted(tmp_path: Path) -> None:
    assert "shortterm" in load(profile="discoclaw").settings.mirror.files
    async with keeping(tmp_path, "unified") as stage:
        await ask(stage, "what next?", "lunch")
        await written(stage)
    assert not folder(tmp_path).exists()


async def test_an_entry_leaves_the_file_when_it_expires_and_the_file_goes_with_the_last(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        path = folder(tmp_path) / "g1.json"
        await ask(stage, "first?", "one")
        stage.clock.advance(hours=3)
        await ask(stage, "second?", "two", place=GENERAL)
        await written(stage)
        assert [entry["id"] for entry in entries(path)] == ["m1/m2", "m3/m4"]
        stage.clock.advance(hours=3)
        await stage.memory.mirror.catch_up()
        assert [entry["id"] for entry in entries(path)] == ["m3/m4"]
        stage.clock.advance(hours=3)
        await stage.memory.mirror.catch_up()
        assert kept(folder(tmp_path)) == []


async def test_what_expired_while_nothing_ran_is_gone_after_the_next_start(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await ask(stage, "what next?", "lunch")
    assert kept(folder(tmp_path)) == ["g1.json"]
    async with keeping(tmp_path, "discoclaw", run_worker=False) as stage:  # no longer recorded, either
        stage.clock.advance(hours=7)
    assert kept(folder(tmp_path)) == []


async def test_an_entry_goes_with_a_message_that_it_quotes(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        path = folder(tmp_path) / "g1.json"
        secret = await ask(stage, "the code word is heron", "noted, heron")
        await ask(stage, "what next?", "lunch", user="bob")
        await written(stage)
        assert "heron" in path.read_text("utf-8")
        await stage.memory.message_deleted("discord", secret)
        await stage.memory.mirror.catch_up()
        assert texts(path) == ["Bob: what next? | Bot: lunch"]


async def test_what_was_forgotten_is_not_in_the_file_until_it_counts_again(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        path = folder(tmp_path) / "g1.json"
        await stage.remember("I live in Lisbon")
        await ask(stage, "where does Ann live?", "Ann lives in Lisbon.", user="bob")
        await ask(stage, "what next?", "lunch")
        await written(stage)
        assert "Lisbon" in path.read_text("utf-8")
        await stage.memory.forget("Lisbon", user="ann", place=DEV)
        await stage.memory.mirror.catch_up()
        assert texts(path) == ["Ann: what next? | Bot: lunch"]
        await stage.memory.undo(user="ann", place=DEV)
        await stage.memory.mirror.catch_up()
        assert len(texts(path)) == 2


@pytest.mark.parametrize("mirrored", [["shortterm"], []], ids=["kept", "left behind"])
async def test_an_erased_person_is_in_no_file_and_others_stay(tmp_path: Path, mirrored: list[str]) -> None:
    path = folder(tmp_path) / "g1.json"
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await ask(stage, "my parrot is called Kirkegaard", "hello Kirkegaard")
        await ask(stage, "what next?", "lunch", user="bob")
        await ask(stage, "who is here?", "you and me", user="bob", place=ELSEWHERE)
        await written(stage)
    copy = path.with_name("g1.json.kept-1")
    copy.write_bytes(path.read_bytes())
    async with keeping(tmp_path, "discoclaw", mirror__files=mirrored, run_worker=False, **ON) as stage:
        receipt = await stage.memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="discord:ann")
        assert receipt.clean
        assert not copy.exists()
        assert kept(folder(tmp_path)) == (["g1.json", "g2.json"] if mirrored else ["g2.json"])
        if mirrored:
            assert texts(path) == ["Bob: what next? | Bot: lunch"]


async def test_an_erased_guild_has_no_file_and_none_is_remembered(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await ask(stage, "what next?", "lunch")
        await ask(stage, "who is here?", "you and me", place=ELSEWHERE)
        await written(stage)
        target = ErasureTarget(guild="g1")
        preview = await stage.memory.privacy.preview(target)
        assert str(folder(tmp_path) / "g1.json") in preview.files
        assert (await stage.memory.privacy.erase(target, asked_by="op")).clean
        assert kept(folder(tmp_path)) == ["g2.json"]
        files = await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.FILE_DIGESTS))
        assert [file for file in files if file.startswith("shortterm")] == ["shortterm g2"]
        assert await stage.memory.store.read(lambda tx: tx.state.items(StateKind.MIRROR_GUILDS)) == ["g2"]


async def test_a_file_that_someone_edited_is_kept_aside_and_a_deleted_one_comes_back(tmp_path: Path) -> None:
    path = folder(tmp_path) / "g1.json"
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await ask(stage, "what next?", "lunch")
        await written(stage)
        before = path.read_bytes()
        path.write_text("mine")
        await ask(stage, "and then?", "dinner")
        await written(stage)
        assert kept(folder(tmp_path)) == ["g1.json", "g1.json.kept-1"]
        assert path.with_name("g1.json.kept-1").read_text() == "mine"
        assert len(entries(path)) == 2
        assert before != path.read_bytes()
        path.unlink()
        await stage.memory.mirror.restore()
        assert len(entries(path)) == 2


async def test_a_guild_of_another_platform_has_a_safe_name_and_its_own_rules(tmp_path: Path) -> None:
    place = Place("slack", "T/1", "c-1", name="dev", public=True)
    async with keeping(tmp_path, "discoclaw", **ON) as stage:
        await stage.remember("I live in Lisbon", place=place)
        await ask(stage, "where does Ann live?", "Ann lives in Lisbon.", user="bob", place=place)
        await ask(stage, "what next?", "lunch", place=place)
        await written(stage)
        (name,) = kept(folder(tmp_path))
        assert name == "slack%7e%54%2f1.json"
        await stage.memory.forget("Lisbon", user="ann", place=place)
        await stage.memory.mirror.catch_up()
        assert texts(folder(tmp_path) / name) == ["Ann: what next? | Bot: lunch"]


async def test_a_folder_that_cant_be_written_is_tried_again(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", run_worker=False, **ON) as stage:
        await ask(stage, "what next?", "lunch")
        folder(tmp_path).parent.mkdir(parents=True)
        folder(tmp_path).write_text("a file where the folder should be")
        with pytest.raises(OSError):
            await stage.memory.mirror.catch_up()
        folder(tmp_path).unlink()
        await stage.memory.mirror.catch_up()
        assert kept(folder(tmp_path)) == ["g1.json"]


async def test_two_processes_keep_the_same_files(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", **ON) as one, keeping(tmp_path, "discoclaw", **ON) as other:
        other.said = 100
        for number in range(5):
            await asyncio.gather(ask(one, f"question {number}", "yes"), ask(other, f"riddle {number}", "no"))
            await asyncio.gather(one.memory.mirror.catch_up(), other.memory.mirror.catch_up())
        await one.memory.mirror.catch_up()
        assert len(entries(folder(tmp_path) / "g1.json")) == 10
        assert kept(folder(tmp_path)) == ["g1.json"]
