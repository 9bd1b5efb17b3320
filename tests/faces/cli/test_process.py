"""The program as people meet it: a process with pipes, a terminal, signals."""

import os
import pty
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.faces.cli.conftest import ENVIRONMENT, Run

PROGRAM = [sys.executable, "-m", "recollect"]


class Terminal:
    """A process at a terminal, of 80 columns unless `COLUMNS` says otherwise."""

    def __init__(self, *args: str, **said: str) -> None:
        self.here, there = pty.openpty()
        env = ENVIRONMENT | {"TERM": "xterm", "LINES": "40", **said}
        # Whoever runs the tests in the background ignores Ctrl-C, and so would every process that they start.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.process = subprocess.Popen([*PROGRAM, *args], stdin=there, stdout=there, stderr=there, env=env)
        signal.signal(signal.SIGINT, handler)
        os.close(there)
        self.seen = ""

    def wait_for(self, text: str) -> None:
        while text not in self.seen:
            self.seen += os.read(self.here, 4096).decode()

    def write(self, text: str) -> None:
        os.write(self.here, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, and again if the program was between its question and the reading of an answer."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)

    def end(self) -> int:
        try:
            while part := os.read(self.here, 4096):
                self.seen += part.decode()
        except OSError:  # the other end is closed
            pass
        os.close(self.here)
        return self.process.wait(30)


def test_a_memory_from_one_process_is_found_by_the_next(process: Run):
    assert process("remember", "-", stdin=b"I like tea\n").out.startswith('Remembered: "I like tea"\n')
    assert process("search", "tea", RECOLLECT_EMBEDDER="static").out == "- [preference] I like tea\n"


@pytest.mark.slow
def test_the_first_start_on_a_store_of_an_earlier_edition_says_how_many_memories_are_narrower_now(
    process: Run, folder: Path
):
    process("remember", "I am HIV positive")
    process("remember", "I like green tea", "--in", "#dev")
    with closing(sqlite3.connect(folder / "data" / "memory.db")) as store, store:
        store.execute("UPDATE memos SET audience = 'everywhere'")
        store.execute("DELETE FROM state WHERE kind = 'audiences_narrowed'")
    first = process("show", "--in", "#dev")
    assert first.err.startswith("recollect: warning: 2 memories could be heard everywhere without having been shared")
    assert "'recollect share'" in first.err
    assert ("green tea" in first.out, "HIV" in first.out) == (True, False)
    assert process("show").err == ""
    assert {memo["audience"] for memo in process("list", "--json").json["memos"]} == {"dm:me", "guild:home"}


def test_version_loads_nothing_heavy():
    heavy = {"numpy", "rich", "apsw", "discord", "fastapi", "mcp", "pydantic_ai"}
    program = f"""
import sys
from recollect.faces.cli.main import build
build(colors=False)(["version"], standalone_mode=False)
print(*({heavy} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout.splitlines()[1:] == [""]


@pytest.mark.slow
def test_colours_are_for_terminals(process: Run):
    process("remember", "I like tea")
    assert "\x1b" not in process("show").out + process("config").out + process("--help").out
    terminal = Terminal("show")
    assert terminal.end() == 0
    assert "\x1b[" in terminal.seen
    assert "I like tea" in terminal.seen


@pytest.mark.slow
def test_a_terminal_shows_hostile_text_as_text(process: Run):
    process("add", "careful \x1b]0;owned\x07 [red]now[/red]")
    terminal = Terminal("search", "careful", "--messages")
    assert terminal.end() == 0
    assert r"careful \x1b]0;owned\x07 [red]now[/red]" in terminal.seen


@pytest.mark.slow
def test_a_narrow_terminal_shows_the_words_of_a_memory_in_one_piece(process: Run):
    process("remember", "I keep nineteen bees in Graz")
    for columns, line in (("80", "I keep nineteen bees in Graz"), ("40", "  I keep nineteen bees in Graz")):
        for command in ("show", "list"):
            terminal = Terminal(command, COLUMNS=columns)
            assert terminal.end() == 0
            assert line in terminal.seen


def test_a_memory_is_worded_for_its_owner_in_every_answer(process: Run):
    process("add", "my sister Nora plays the cello")
    for words in (["show"], ["search", "cello"], ["pin", "1"], ["edit", "1", "Their sister plays"], ["forget", "1"]):
        terminal = Terminal(*words)
        assert terminal.end() == 0
        assert ("Your sister" in terminal.seen, "Their sister" in terminal.seen) == (True, False), words


def test_an_ambiguous_forget_asks_which(process: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad", "I like tea"):
        process("remember", text)
    terminal = Terminal("forget", "acme")
    terminal.wait_for("all or none) ")
    terminal.write("3\n")
    assert terminal.end() == 0
    assert "Acme pays me" in process("list", "--status", "deprecated").out
    assert process("show", "--json").json["total"] == 2


@pytest.mark.slow
def test_an_ambiguous_pin_asks_which(process: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad"):
        process("remember", text)
    for answer, code, pinned in (("none\n", 3, []), ("2\n", 0, ["Acme pays me"])):
        terminal = Terminal("pin", "acme")
        terminal.wait_for("or none) ")
        terminal.write(answer)
        assert terminal.end() == code
        memos = process("show", "--json").json["memos"]
        assert [memo["text"] for memo in memos if memo["pinned"]] == pinned


@pytest.mark.slow
def test_an_ambiguous_forget_takes_all_or_none_for_an_answer(process: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad"):
        process("remember", text)
    for answer, code, left in (("none\n", 3, 2), ("\x04", 3, 2), ("1x\n", 3, 2), ("all\n", 0, 0)):
        terminal = Terminal("forget", "acme")
        terminal.wait_for("all or none) ")
        terminal.write(answer)
        assert terminal.end() == code
        assert process("show", "--json").json["total"] == left


@pytest.mark.slow
def test_forgetting_several_at_a_terminal_asks_first_unless_told_yes(process: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad"):
        process("remember", text)
    terminal = Terminal("forget", "acme", "--all")
    terminal.wait_for("yes or no) ")
    terminal.write("no\n")
    assert terminal.end() == 3
    assert Terminal("forget", "acme", "--all", "--yes").end() == 0
    assert process("show", "--json").json["total"] == 0


@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_no_traceback(process: Run):
    for text in ("Acme pays me", "Lunch at Acme is bad"):
        process("remember", text)
    terminal = Terminal("forget", "acme")
    terminal.wait_for("all or none) ")
    terminal.interrupt()
    assert terminal.end() == 130
    assert "Traceback" not in terminal.seen
    assert process("show", "--json").json["total"] == 2


def test_a_reader_that_goes_away_is_no_error(process: Run):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, "config"], stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_an_ascii_output_loses_no_memory(process: Run):
    process("remember", "I like café crème ☕")
    ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    assert r"caf\xe9" in process("show", **ascii_only).out
    assert process("show", "--json", **ascii_only).json["memos"][0]["text"] == "I like café crème ☕"


def test_debug_shows_the_traceback_of_what_went_wrong(process: Run):
    assert "Traceback" in process("show", "--debug", "--profile", "nonsense", code=1).err
    assert "Traceback" not in process("show", "--profile", "nonsense", code=1).err


def test_warnings_are_one_quiet_line_on_the_error_stream(process: Run):
    done = process("show", RECOLLECT_LAYUOT="B")
    assert done.err == "recollect: warning: RECOLLECT_LAYUOT is not a setting; did you mean RECOLLECT_LAYOUT?\n"
    assert done.out == "What I remember (0 memories):\n"


def test_completion_can_be_shown_for_a_shell(process: Run):
    done = process(_RECOLLECT_COMPLETE="source_bash")
    assert "complete" in done.out


@pytest.mark.slow
def test_progress_is_drawn_for_people_only(process: Run, folder: Path):
    process("remember", "I like tea")
    terminal = Terminal("backup", "copy.db")
    assert terminal.end() == 0
    assert (folder / "copy.db").exists()
    assert process("reindex").err == ""


@pytest.mark.slow
def test_wrong_values_are_told_in_plain_words(process: Run):
    assert "'--limit' / '-n': it must be 1 or more." in process("show", "--limit", "0", code=2).err
    assert "'--limit' / '-n': it is not a number." in process("show", "--limit", "x", code=2).err
    assert "'--kind': 'nope' is not one of 'fact', " in process("search", "tea", "--kind", "nope", code=2).err
