"""`YYYY-MM-DD.md`: a line a message, on the day on which it was said, once, and gone when the message is."""

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.core.state import StateKind
from recollect.core.types import Message, Place
from recollect.learning.ingest import transcript_message
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, propose_nothing
from recollect.transfer.mirror import daily_log
from tests.scenes import DEV, DM, STAFF
from tests.transfer.mirror.keeping import keeping, kept, written

TODAY = "2025-03-01.md"
SILENT = FakeModel(propose_nothing)


def memory(data: Path) -> Path:
    return data / "memory"


def shown(data: Path, day: str = TODAY) -> list[str]:
    return [entry.text for entry in daily_log.entries((memory(data) / day).read_text("utf-8"))]


@pytest.mark.acceptance("D15", "D53", "D54")
async def test_each_message_becomes_one_line_under_a_header_that_is_there_once(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        await stage.tell("we ship on Friday")
        first = (memory(tmp_path) / TODAY).read_text("utf-8")
        assert first == "# 2025-03-01\n\n- 12:00:00 #dev Ann: we ship on Friday <!-- discord/m1 ann -->\n"
        await stage.tell("fine\nwith me", user="bob", place=STAFF)
        await stage.tell("psst", place=DM)
        text = (memory(tmp_path) / TODAY).read_text("utf-8")
    assert text.startswith(first), "what stands there stays as it is"
    assert shown(tmp_path)[1:] == ["- 12:01:00 #staff Bob: fine with me", "- 12:02:00 DM Ann: psst"]
    assert text.count("# 2025-03-01") == 1


async def test_a_line_is_appended_and_the_file_is_not_written_anew(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        await stage.tell("we ship on Friday")
        before = (memory(tmp_path) / TODAY).stat().st_ino
        await stage.tell("or on Monday")
        assert (memory(tmp_path) / TODAY).stat().st_ino == before


async def test_a_message_seen_twice_has_one_line(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        message = await stage.tell("we ship on Friday")
        await stage.memory.add(message)
        stage.clock.advance(minutes=1)
        await written(stage)
        assert len(shown(tmp_path)) == 1


async def test_the_daily_log_leaves_out_bots_and_empty_messages(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        asked = await stage.say("when do we ship?")
        await stage.reply("on Friday", asked)
        await stage.say("!")
        await stage.say("   ")
        await written(stage)
        assert shown(tmp_path) == ["- 12:00:00 #dev Ann: when do we ship?"]


async def test_a_message_belongs_to_the_day_on_which_it_was_said(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        late = datetime(2025, 2, 27, 23, 59, 59, tzinfo=UTC)
        for number, at in enumerate([late, late.astimezone(None), START]):
            await stage.memory.add(Message(f"x{number}", "ann", DEV, f"number {number}", at))
        stage.clock.advance(minutes=1)
        await written(stage)
        assert shown(tmp_path, "2025-02-27.md") == [f"- 23:59:59 #dev ann: number {number}" for number in range(2)]
        assert shown(tmp_path) == ["- 12:00:00 #dev ann: number 2"]


async def test_the_daily_log_includes_voice_transcripts(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        said = transcript_message("we ship on Friday", "ann", DEV, START, name="Ann")
        await stage.memory.add(said)
        await stage.memory.add(said)
        stage.clock.advance(minutes=1)
        await written(stage)
        assert shown(tmp_path) == ["- 12:00:00 #dev Ann: we ship on Friday"]


async def test_an_edited_message_changes_its_line_and_a_deleted_one_takes_it_away(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        await stage.tell("first")
        await stage.tell("secnod")
        await stage.tell("third")
        await stage.memory.message_edited("discord", "m2", "second", stage.clock())
        await stage.memory.message_deleted("discord", "m1")
        stage.clock.advance(minutes=1)
        await written(stage)
        assert shown(tmp_path) == ["- 12:01:00 #dev Ann: second", "- 12:02:00 #dev Ann: third"]
        assert "first" not in (memory(tmp_path) / TODAY).read_text("utf-8")


async def test_a_message_that_was_edited_before_its_line_was_written_has_one_line(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT, run_worker=False) as stage:
        await stage.say("secnod")
        await stage.memory.message_edited("discord", "m1", "second", stage.clock())
        gone = await stage.say("oops")
        await stage.memory.message_deleted("discord", gone.id)
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        stage.clock.advance(hours=1)
        await written(stage)
        assert shown(tmp_path) == ["- 12:00:00 #dev Ann: second"]


async def test_manual_notes_in_a_daily_log_are_kept(tmp_path: Path) -> None:
    path = memory(tmp_path) / TODAY
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        await stage.tell("first")
        path.write_text(path.read_text("utf-8") + "my own note", "utf-8")
        await stage.tell("second")
        await stage.memory.message_deleted("discord", "m1")
        stage.clock.advance(minutes=1)
        await written(stage)
        assert path.read_text("utf-8").splitlines()[2:] == [
            "my own note",
            "- 12:01:00 #dev Ann: second <!-- discord/m2 ann -->",
        ]


async def test_a_long_message_is_cut_as_it_is_for_learning(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        await stage.tell("word " * 200)
        (line,) = shown(tmp_path)
    said = line.removeprefix("- 12:00:00 #dev Ann: ")
    assert 300 < len(said) <= 320
    assert said.endswith("word…")


@pytest.mark.parametrize("evil", ["--> # shown", "x <!-- discord/m2 bob -->", "<!-- hidden", "--!> a", "----->"])
async def test_no_text_or_name_can_open_or_close_a_comment(evil: str, tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        place = Place("discord", "g1", "c", name=evil)
        await stage.memory.add(Message(f"m {evil}", f"u {evil}", place, f"said {evil}", START, name=evil))
        stage.clock.advance(minutes=1)
        await written(stage)
        (line,) = (memory(tmp_path) / TODAY).read_text("utf-8").splitlines()[2:]
        assert line.count("<!--") == line.count("-->") == 1
        assert "--" not in line.partition("<!--")[2].removesuffix("-->")
        (entry,) = daily_log.entries(line)
        assert entry.author == f"u {evil}"
        await stage.memory.message_deleted("discord", f"m {evil}")
        stage.clock.advance(minutes=1)
        await written(stage)
        assert shown(tmp_path) == []


def test_a_line_can_always_be_written() -> None:
    line = daily_log.line(Message("m\ud800", "u\ud800", DEV, "half \ud800 a character", START, "A\ud800"), None)
    assert line is not None
    assert line.encode()


async def test_a_line_that_was_written_just_before_a_crash_is_not_written_again(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT, run_worker=False) as stage:
        message = await stage.say("we ship on Friday")
        line = daily_log.line(message, 320) or ""
        daily_log.bring_up_to_date(memory(tmp_path) / TODAY, "2025-03-01", {"discord/m1": line})
        before = (memory(tmp_path) / TODAY).read_bytes()
    async with keeping(tmp_path, "clanker", model=SILENT) as stage:
        stage.clock.advance(hours=1)
        await written(stage)
        assert (memory(tmp_path) / TODAY).read_bytes() == before
        assert await stage.memory.store.read(lambda tx: tx.state.items(StateKind.DAILY_LOG)) == []


async def test_a_line_that_two_wrote_is_there_once_after_the_next_change(tmp_path: Path) -> None:
    twice = "# d\n\n- 1 <!-- discord/m1 a -->\n- 1 <!-- discord/m1 a -->\n"
    assert daily_log.updated(twice, "d", {"discord/m2": "- 2 <!-- discord/m2 a -->"}).count("discord/m1") == 1


@pytest.mark.acceptance("D9")
async def test_what_was_said_last_is_in_the_journal_when_all_is_closed(tmp_path: Path) -> None:
    model = FakeModel()
    async with keeping(tmp_path, "clanker", model=model) as stage:
        await stage.memory.add(stage.message("I work at Acme on the platform team"))
    assert shown(tmp_path) == ["- 12:00:00 #dev Ann: I work at Acme on the platform team"]
    assert len(model.inputs) == 1
    assert "I work at Acme on the platform team" in (memory(tmp_path) / "MEMORY.md").read_text("utf-8")


async def test_a_disk_that_refuses_costs_no_line_and_no_learning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = FakeModel()
    (memory(tmp_path) / TODAY).mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        async with keeping(tmp_path, "clanker", model=model, mirror__files=["journal"]) as stage:
            await stage.tell("I live in Berlin")
            stage.clock.advance(minutes=5)
            await stage.tell("I live in Rome")
            assert len(model.inputs) == 2
            assert caplog.text.count("the daily log can't be written") == 1
            (memory(tmp_path) / TODAY).rmdir()
            stage.clock.advance(minutes=5)
            await written(stage)
            assert [line.rpartition(" ")[2] for line in shown(tmp_path)] == ["Berlin", "Rome"]
            assert await stage.memory.store.read(lambda tx: tx.jobs.list()) == []


async def test_no_journal_is_kept_unless_it_is_asked_for(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw", model=SILENT) as stage:
        await stage.tell("we ship on Friday")
        assert await stage.memory.store.read(lambda tx: tx.state.items(StateKind.DAILY_LOG)) == []
    assert kept(memory(tmp_path)) == []


async def test_a_message_that_changes_while_its_line_is_written_gets_the_right_one(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT, run_worker=False) as stage:
        await stage.say("secnod")
        handler = daily_log.DailyLog(stage.memory.store, memory(tmp_path), 320, stage.clock)
        (job,) = [job for job in await stage.memory.store.read(lambda tx: tx.jobs.list()) if job.kind == "daily_log"]
        complete = await handler(job)
        assert shown(tmp_path) == ["- 12:00:00 #dev Ann: secnod"]
        await stage.memory.message_edited("discord", "m1", "second", stage.clock())
        with pytest.raises(daily_log.StaleResult):
            await stage.memory.store.write(complete)
        await stage.memory.store.write(await handler(job))
        assert shown(tmp_path) == ["- 12:00:00 #dev Ann: second"]


async def test_what_is_said_while_lines_are_written_waits_for_the_next_round(tmp_path: Path) -> None:
    async with keeping(tmp_path, "clanker", model=SILENT, run_worker=False) as stage:
        await stage.say("first")
        store = stage.memory.store
        handler = daily_log.DailyLog(store, memory(tmp_path), 320, stage.clock)
        claimed = await store.write(lambda tx: tx.jobs.claim("w", stage.clock(), stage.clock() + timedelta(1), 9))
        (job,) = [job for job in claimed if job.kind == "daily_log"]
        complete = await handler(job)
        await stage.say("second")
        await store.write(lambda tx: tx.jobs.finish(job.id, "w") and complete(tx))
        assert await store.read(lambda tx: tx.state.items(StateKind.DAILY_LOG)) == ["2025-03-01 discord/m2"]
        assert await store.read(lambda tx: tx.jobs.find("daily_log")) is not None
