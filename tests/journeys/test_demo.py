"""`recollect demo`: the week is told as it happens, and leaves nothing behind."""

import re
from pathlib import Path

import pytest

from recollect.core.types import Status, Subject
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.chat.demo import WeekClock, open_demo_memory, play_days, script
from recollect.faces.chat.output import ChatOutput
from recollect.faces.cli.output import Screen
from tests.faces.cli.conftest import Run
from tests.journeys.terminal import CTRL_C, CTRL_D, Terminal, without_ids

pytestmark = [pytest.mark.usefixtures("folder"), pytest.mark.sqlite]  # it tells its story in a file of its own

SECRET = "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.mark.slow
async def test_what_is_told_as_learned_is_what_the_store_holds(capsys: pytest.CaptureFixture[str]):
    clock, week = WeekClock(), script()
    people = {step.speaker.user for day in week for step in day.steps}
    thread, leak = week[-1].steps[-1].speaker.place, week[4].steps[0].speaker.place
    async with open_demo_memory(clock) as memory:
        output = ChatOutput(Screen())
        await play_days(week, memory, Assistant(memory, clock=clock), clock, output, slowly=False)
        held = await memory.store.read(lambda tx: [memo for who in people for memo in tx.memos.list(Subject(who))])
        said = await memory.store.read(lambda tx: tx.messages.recent(leak, 10))
        summary = await memory.store.read(lambda tx: tx.summaries.get(thread.session))
    told = capsys.readouterr().out
    learned = re.findall(r"^ {6}learned: (.+)$", told, re.MULTILINE)
    retired = re.findall(r"^ {6}no longer so: (.+)$", told, re.MULTILINE)
    assert sorted(learned) == sorted(f"[{memo.kind}] {memo.text}" for memo in held)
    assert retired == [f"[{memo.kind}] {memo.text}" for memo in held if memo.status is Status.SUPERSEDED]
    assert len(learned) >= 5
    assert len(retired) == 1
    assert f"kept as: {said[-1].text}" in told
    assert SECRET not in "".join(one.text for one in said)
    assert summary is not None
    assert all(f"      {line}\n" in told for line in summary.text.splitlines())


def days(told: str) -> dict[str, str]:
    """What was told, by the day it was told of."""
    parts = re.split(r"^(\w+day)\. ", told, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.slow
def test_the_week_shows_each_thing_that_memory_does(process: Run):
    week = days(process("demo").out)
    assert list(week) == ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert 'Said by you in #general on 2026-03-02 09:02: "I live in Lisbon"' in week["Monday"]
    assert "ben in #general/lunch › What am I allergic to?\n" in week["Tuesday"]
    assert "- Is allergic to peanuts" in week["Tuesday"]
    in_dm, in_public = week["Wednesday"].split("11:00 ben in #general")
    assert "- Your partner Mia is pregnant" in in_dm
    assert "pregnant" not in in_public
    assert 'It took the place of: "Lives in Lisbon"' in week["Thursday"]
    assert "kept as: The key of the staging bucket is [redacted: AWS key]" in week["Friday"]
    assert "not learned: gives instructions" in week["Friday"]
    assert 'Nothing matches "allergic"' in week["Saturday"]
    assert 'Restored: "Is allergic to peanuts"' in week["Saturday"]
    assert "Summary of this conversation:\n      cleo: Decided: lake house, 12 to 14 June." in week["Sunday"]


@pytest.mark.slow
def test_no_setting_of_this_machine_changes_the_story_and_nothing_is_left(process: Run, folder: Path):
    (folder / "recollect.yaml").write_text(
        "privacy: user_global\nextraction: {enabled: false}\nsummary: {enabled: false}"
    )
    told = process(
        "demo", RECOLLECT_STORE="sqlite:///mine.db", RECOLLECT_VISIBILITY="user_global", TMPDIR=str(folder)
    ).out
    assert [path.name for path in folder.iterdir()] == ["recollect.yaml"]
    (folder / "recollect.yaml").unlink()
    assert without_ids(process("demo").out) == without_ids(told)


@pytest.mark.slow
def test_a_demo_can_be_left_with_ctrl_c_and_the_chat_begins(folder: Path):
    with Terminal(folder, "chat") as terminal:
        terminal.shows("Play a one-minute demo first? [Y/n] ")
        terminal.write("\r")
        terminal.shows("learned: [fact] Lives in Lisbon")
        terminal.write(CTRL_C)
        greeting = terminal.prompt()
        assert "Memory: data/memory.db, 0 memories about you" in greeting
        assert "What I remember (0 memories):" in terminal.say("!memory show")
        terminal.write(CTRL_D)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.raw


@pytest.mark.slow
def test_after_the_week_one_can_ask_in_the_same_server_and_then_goes_on_to_ones_own_chat(folder: Path):
    (folder / "tmp").mkdir()
    with Terminal(folder, "chat", TMPDIR=str(folder / "tmp")) as terminal:
        terminal.shows("Play a one-minute demo first? [Y/n] ")
        terminal.write("y\r")
        assert "goes on to your own chat" in terminal.prompt(seconds=100)
        assert "- Lives in Porto" in terminal.say("where do I live?")
        terminal.say("/as ben")
        assert "Mia" in terminal.say("!memory show")
        terminal.say("/in #general")
        assert "Mia" not in terminal.say("!memory show")
        terminal.write("/quit\r")
        assert terminal.prompt().endswith("you › ")
        assert "What I remember (0 memories):" in terminal.say("!memory show")
        terminal.write(CTRL_D)
        assert terminal.end() == 0
    assert list((folder / "tmp").iterdir()) == []
