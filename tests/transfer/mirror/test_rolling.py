"""`rolling/<session>.json`: the summary of each session, there while there is one."""

import json
from pathlib import Path

import pytest

from recollect.admin import Admin
from recollect.testing.models import FakeModel, propose_nothing
from recollect.transfer.mirror.json_files import summary_name
from tests.scenes import DEV, DM, Stage
from tests.transfer.mirror.keeping import keeping, kept, written
from tests.waiting import eventually

MINUTE = 60_000
START = 1_740_830_400_000
ONE_TURN = {"every_n_turns": 1}


def rolling(data: Path) -> Path:
    return data / "memory" / "rolling"


def counting() -> FakeModel:
    return FakeModel(propose_nothing, lambda previous, exchange, limit: f"{previous or ''}+")


async def turn(stage: Stage, text: str = "what next?", **how: object) -> None:
    await stage.reply("go on", await stage.say(text, **how))  # type: ignore[arg-type]
    await written(stage)


@pytest.mark.acceptance("B14", "C8", "C9", "C25")
@pytest.mark.parametrize("profile", ["dnam", "rolling"])
async def test_a_summary_lies_under_the_safe_name_of_its_session(tmp_path: Path, profile: str) -> None:
    folder = {"dnam": rolling(tmp_path), "rolling": tmp_path / "summaries"}[profile]
    async with keeping(tmp_path, profile, model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
        name = summary_name(DEV.session)
        assert kept(folder) == [name]
        assert json.loads((folder / name).read_text("utf-8")) == {
            "summary": "+",
            "updatedAt": START + 2 * MINUTE,
        }
    assert not set(name) & set('/\\:*?"<>| ')


def test_no_two_sessions_share_a_file() -> None:
    sessions = ["discord:g:channel:a b", "discord:g:channel:a-b", "discord:g:channel:A-b", "discord:g:channel:a/b"]
    assert len({summary_name(session) for session in sessions}) == len(sessions)


async def test_each_design_has_its_own_folder(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
    assert len(kept(tmp_path / "summaries")) == 1
    assert kept(rolling(tmp_path)) == []


@pytest.mark.acceptance("C6", "C25")
async def test_the_next_summary_takes_the_place_of_the_last(tmp_path: Path) -> None:
    async with keeping(tmp_path, "rolling", model=counting(), summary=ONE_TURN) as stage:
        path = tmp_path / "summaries" / summary_name(DEV.session)
        await turn(stage)
        with path.open("rb") as reader:
            await turn(stage)
            assert json.loads(reader.read())["summary"] == "+", "who reads meanwhile sees the old one whole"
        assert json.loads(path.read_bytes())["summary"] == "++"
        assert kept(path.parent) == [path.name]


async def test_a_summary_that_is_reset_has_no_file_and_others_stay(tmp_path: Path) -> None:
    async with keeping(tmp_path, "dnam", model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
        await turn(stage, place=DM)
        assert len(kept(rolling(tmp_path))) == 2
        assert await stage.memory.reset(user="ann", place=DEV)
        assert not await stage.memory.reset(user="ann", place=DEV)
        assert [event.scope for event in await stage.events("summary.saved")] == [DM.session, DEV.session]
        await written(stage)
        assert kept(rolling(tmp_path)) == [summary_name(DM.session)]
        assert len(await stage.events("summary.reset")) == 1


async def test_a_summary_that_quoted_a_deleted_message_is_made_anew_in_the_file(tmp_path: Path) -> None:
    model = FakeModel(propose_nothing)
    async with keeping(tmp_path, "dnam", model=model, summary=ONE_TURN) as stage:
        secret = await stage.say("the code word is heron")
        await stage.reply("go on", secret)
        await written(stage)
        path = rolling(tmp_path) / summary_name(DEV.session)
        assert "heron" in path.read_text("utf-8")
        await stage.memory.message_deleted("discord", secret.id)
        await written(stage)
        assert "heron" not in path.read_text("utf-8")
        (reset,) = await stage.events("summary.reset")
        assert (reset.scope, reset.reason) == (DEV.session, "a message was deleted")


async def test_a_deleted_summary_file_comes_back_with_the_next_start(tmp_path: Path) -> None:
    async with keeping(tmp_path, "dnam", model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
    path = rolling(tmp_path) / summary_name(DEV.session)
    before = path.read_bytes()
    path.unlink()
    async with keeping(tmp_path, "dnam", model=counting()):
        await eventually(path.exists)
    assert path.read_bytes() == before


@pytest.mark.acceptance("C5", "C25")
async def test_a_session_without_a_summary_has_none(tmp_path: Path) -> None:
    async with keeping(tmp_path, "rolling", model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
        assert await Admin(stage.memory, stage.clock).summaries("discord:dm:nobody") == (None, [])
        assert not (tmp_path / "summaries" / summary_name("discord:dm:nobody")).exists()
        current, _ = await Admin(stage.memory, stage.clock).summaries(DEV.session)
        assert current is not None


async def test_a_summary_that_someone_edited_is_kept_even_when_it_is_reset(tmp_path: Path) -> None:
    async with keeping(tmp_path, "dnam", model=counting(), summary=ONE_TURN) as stage:
        await turn(stage)
        path = rolling(tmp_path) / summary_name(DEV.session)
        path.write_text('{"summary": "mine", "updatedAt": 1}')
        await stage.memory.reset(user="ann", place=DEV)
        await written(stage)
        assert kept(rolling(tmp_path)) == [f"{path.name}.kept-1"]
        assert "mine" in (rolling(tmp_path) / f"{path.name}.kept-1").read_text()
