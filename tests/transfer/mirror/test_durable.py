"""`durable/<user>.json`: a user's facts in the form of document B, following the store."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from recollect.core.types import EVERYWHERE, Kind, Memo, Status, Subject
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_nothing
from recollect.transfer.mirror.json_files import durable_name, render_durable
from tests.scenes import DEV, DM, THREAD, opened
from tests.transfer.mirror.keeping import keeping, kept, written
from tests.waiting import eventually

MS = 1_740_830_400_000
"""When the stage's clock starts."""


def folder(data: Path) -> Path:
    return data / "memory" / "durable"


def items(data: Path, user: str = "ann") -> list[dict[str, Any]]:
    return json.loads((folder(data) / durable_name(user)).read_text("utf-8"))["items"]


def memo(text: str, **how: object) -> Memo:
    given = {"kind": Kind.FACT, "created": START, "updated": START, "audience": EVERYWHERE, **how}
    return Memo(f"durable-{text}", Subject("ann"), text=text, **given)  # type: ignore[arg-type]


@pytest.mark.acceptance("B13", "B15")
async def test_a_users_facts_lie_in_a_versioned_file_under_the_data_folder(tmp_path: Path) -> None:
    async with keeping(tmp_path, "dnam") as stage:
        fact = await stage.remember("I prefer tea", user="1234", message="m7", tags=["Drinks"])
        await written(stage)
        whole = json.loads((tmp_path / "memory" / "durable" / "1234.json").read_text("utf-8"))
    assert whole == {
        "version": 1,
        "updatedAt": MS,
        "items": [
            {
                "id": fact.id,
                "kind": "preference",
                "text": "I prefer tea",
                "tags": ["drinks"],
                "status": "active",
                "source": {
                    "type": "manual",
                    "channelId": "c-dev",
                    "messageId": "m7",
                    "guildId": "g1",
                    "channelName": "dev",
                },
                "createdAt": MS,
                "updatedAt": MS,
            }
        ],
    }


@pytest.mark.acceptance("A54", "A55")
async def test_the_source_names_a_thread_by_itself_and_a_dm_without_guild_and_name(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("Has a cat", place=THREAD, message="m1")
        await stage.remember("Has a boat", place=DM, message="m2")
        await written(stage)
    thread, dm = (item["source"] for item in items(tmp_path))
    assert (thread["channelId"], thread["channelName"]) == ("t-1", "release")
    assert dm == {"type": "manual", "channelId": "dm-1", "messageId": "m2"}


async def test_every_change_of_a_memo_reaches_the_file(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", model=FakeModel(), extraction={"enabled": True}) as stage:
        tea = await stage.remember("I prefer tea")
        await stage.reply("noted", await stage.say("I live in Berlin"))
        await written(stage)
        assert [(item["text"], item["status"]) for item in items(tmp_path)] == [
            ("I prefer tea", "active"),
            ("I live in Berlin", "active"),
        ]
        await stage.memory.update(tea.id, "I prefer green tea", user="ann", place=DEV)
        await written(stage)
        assert items(tmp_path)[0]["text"] == "I prefer green tea"
        await stage.memory.forget("green tea", user="ann", place=DEV)
        await written(stage)
        assert items(tmp_path)[0]["status"] == "deprecated"
        await stage.memory.undo(user="ann", place=DEV)
        await written(stage)
        assert items(tmp_path)[0]["status"] == "active"
        await stage.memory.message_deleted("discord", "m1")
        await written(stage)
        assert [item["text"] for item in items(tmp_path)] == ["I prefer green tea"]


async def test_only_the_files_of_those_who_changed_are_written(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea", user="ann")
        await stage.remember("I prefer coffee", user="bob")
        await written(stage)
        before = (folder(tmp_path) / "ann.json").stat().st_ino
        await stage.remember("I live in Rome", user="bob")
        await written(stage)
        after = (folder(tmp_path) / "ann.json").stat().st_ino
    assert before == after
    assert [item["text"] for item in items(tmp_path, "bob")] == ["I prefer coffee", "I live in Rome"]


async def test_lore_makes_no_users_file(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("The build is called Nightly", lore=True)
        await written(stage)
    assert kept(folder(tmp_path)) == []


@pytest.mark.parametrize("user", ["../../etc/passwd", "a/b", "Ann", "ann ", "..", "CON:", "x" * 256, "üser"])
async def test_no_user_id_leads_out_of_the_folder_or_shares_a_file(user: str, tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea", user=user)
        await stage.remember("I prefer coffee", user="ann")
        await written(stage)
    assert len(kept(folder(tmp_path))) == 2
    assert [item["text"] for item in items(tmp_path, user)] == ["I prefer tea"]


async def test_a_deleted_file_comes_back_with_the_next_start(tmp_path: Path) -> None:
    path = folder(tmp_path) / "ann.json"
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea")
        await written(stage)
        before = path.read_bytes()
    path.unlink()
    async with keeping(tmp_path, "discoclaw"):
        await eventually(path.exists)
    assert path.read_bytes() == before


async def test_files_that_were_deleted_meanwhile_come_back_when_asked_for(tmp_path: Path) -> None:
    path = folder(tmp_path) / "ann.json"
    async with keeping(tmp_path, "discoclaw", run_worker=False) as stage:
        await stage.remember("I prefer tea")
        await written(stage)
        path.unlink()
        await written(stage)
        assert not path.exists()
        await stage.memory.mirror.restore()
        assert [item["text"] for item in items(tmp_path)] == ["I prefer tea"]


async def test_what_a_process_without_a_keeper_wrote_is_caught_up(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", mirror__files=[]) as stage:
        await stage.remember("I prefer tea")
    assert kept(folder(tmp_path)) == []
    async with keeping(tmp_path, "discoclaw", run_worker=False) as stage:
        assert stage.memory.settings.mirror.files == ("durable", "rolling", "shortterm")
    assert [item["text"] for item in items(tmp_path)] == ["I prefer tea"]


@pytest.mark.sqlite
async def test_a_store_that_lives_in_memory_leaves_no_files(tmp_path: Path) -> None:
    async with opened("discoclaw", data_dir=tmp_path) as stage:
        await stage.remember("I prefer tea")
        await written(stage)
    assert kept(tmp_path) == []


async def test_the_same_memory_gives_the_same_bytes_in_whatever_order_it_comes() -> None:
    one, other = memo("a"), memo("b", tags=("x", "Y"), status=Status.SUPERSEDED, kind=Kind.EVENT)
    assert render_durable([one, other]) == render_durable([other, one])
    value = json.loads(render_durable([one, other]) or b"")
    assert [(item["kind"], item["status"], item["tags"]) for item in value["items"]] == [
        ("fact", "active", []),
        ("fact", "deprecated", ["x", "y"]),
    ]


def test_a_user_without_memos_has_no_file() -> None:
    assert render_durable([]) is None
    assert render_durable([memo("gone", status=Status.DELETED)]) is None


@pytest.mark.acceptance("B77")
@pytest.mark.parametrize("profile", ["discoclaw", "dnam"])
async def test_a_file_holds_what_is_known_and_who_is_unknown_has_none(tmp_path: Path, profile: str) -> None:
    async with keeping(tmp_path, profile) as stage:
        await stage.remember("I prefer tea ☕")
        await written(stage)
        assert (await stage.memory.show(user="nobody", place=DEV)).memos == ()
    document = json.loads((folder(tmp_path) / "ann.json").read_bytes())
    assert (document["updatedAt"], [item["text"] for item in document["items"]]) == (MS, ["I prefer tea ☕"])
    assert not (folder(tmp_path) / "nobody.json").exists()


@pytest.mark.parametrize("theirs", [b"{ not json", b'{"version": 2, "items": []}', b'{"version":1,"items":[]}'])
async def test_a_file_that_others_changed_is_kept_beside_ours(
    theirs: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder(tmp_path) / "ann.json"
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea")
        await written(stage)
        path.write_bytes(theirs)
        with caplog.at_level(logging.WARNING):
            await stage.remember("I live in Rome")
            await written(stage)
        assert [item["text"] for item in items(tmp_path)] == ["I prefer tea", "I live in Rome"]
        assert (folder(tmp_path) / "ann.json.kept-1").read_bytes() == theirs
        assert "ann.json.kept-1" in caplog.text
        path.write_bytes(b"changed again")
        await stage.remember("I have a cat")
        await written(stage)
    assert kept(folder(tmp_path)) == ["ann.json", "ann.json.kept-1", "ann.json.kept-2"]


async def test_a_file_of_an_earlier_run_is_known_as_ours(tmp_path: Path) -> None:
    for text in ("I prefer tea", "I live in Rome", "I have a cat"):
        async with keeping(tmp_path, "discoclaw") as stage:
            await stage.remember(text)
            await written(stage)
    assert kept(folder(tmp_path)) == ["ann.json"]
    assert len(items(tmp_path)) == 3


async def test_a_file_that_was_made_private_stays_private(tmp_path: Path) -> None:
    path = folder(tmp_path) / "ann.json"
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea")
        await written(stage)
        path.chmod(0o600)
        await stage.remember("I live in Rome")
        await written(stage)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(items(tmp_path)) == 2


@pytest.mark.acceptance("A50", "B19", "B78")
@pytest.mark.parametrize("profile", ["discoclaw", "dnam"])
async def test_whoever_reads_while_a_file_is_written_sees_a_whole_one(tmp_path: Path, profile: str) -> None:
    async with keeping(tmp_path, profile) as stage:
        await stage.remember("I prefer tea")
        await written(stage)
        before = (folder(tmp_path) / "ann.json").read_bytes()
        with (folder(tmp_path) / "ann.json").open("rb") as reader:
            await stage.remember("I live in Rome")
            await written(stage)
            assert reader.read() == before, "the new file took the place of the old one, which stayed as it was"
    assert kept(folder(tmp_path)) == ["ann.json"], "nothing temporary is left"


async def test_one_file_that_cant_be_written_does_not_hold_up_the_others(tmp_path: Path) -> None:
    (folder(tmp_path) / "ann.json").mkdir(parents=True)
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea", user="ann")
        await stage.remember("I prefer coffee", user="bob")
        with pytest.raises(OSError, match=r"ann\.json"):
            await stage.memory.mirror.catch_up()
        assert [item["text"] for item in items(tmp_path, "bob")] == ["I prefer coffee"]
    (folder(tmp_path) / "ann.json").rmdir()
    async with keeping(tmp_path, "discoclaw") as stage:
        await written(stage)
    assert [item["text"] for item in items(tmp_path)] == ["I prefer tea"]


async def test_nothing_is_learned_by_keeping_files(tmp_path: Path) -> None:
    model = FakeModel(propose_nothing)
    async with keeping(tmp_path, "discoclaw", model=model) as stage:
        await stage.remember("I prefer tea")
        await written(stage)
    assert model.inputs == []


async def test_a_fact_goes_from_the_file_with_the_message_that_said_it(tmp_path: Path) -> None:
    async with keeping(tmp_path, "dnam", model=FakeModel(), extraction={"trigger": "on_ingest"}) as stage:
        said = await stage.tell("I live in Lisbon", place=DM)
        await stage.tell("I have two cats", place=DM)
        await written(stage)
        assert sorted(item["text"] for item in items(tmp_path)) == ["I have two cats", "I live in Lisbon"]
        assert await stage.memory.message_deleted("discord", said.id)
        await written(stage)
        assert [item["text"] for item in items(tmp_path)] == ["I have two cats"]
