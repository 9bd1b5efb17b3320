"""copy: from one store to another."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from tests.faces.cli.conftest import ENVIRONMENT, Run


@pytest.fixture
def store(cli: Run, folder: Path) -> Path:
    cli("remember", "I like tea")
    cli("remember", "I work at Acme")
    cli("forget", "I work at Acme")
    return folder / "data" / "memory.db"


def test_copy_prints_both_counts_and_what_to_do_next(cli: Run, store: Path, folder: Path):
    done = cli("copy", str(store), "new/copy.db")
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert ["memos", "2", "2", "same"] in lines
    assert ["tombstones", "1", "1", "same"] in lines
    assert lines[-1][0].startswith("Copied ")
    assert lines[-1][0].endswith("counts and content agree. To use it: RECOLLECT_STORE=sqlite:///new/copy.db")
    assert done.err == ""
    shown = cli("show", "--store", "new/copy.db").out
    assert "I like tea" in shown
    assert "Acme" not in shown


def test_copy_again_has_nothing_to_do_and_then_brings_what_is_new(cli: Run, store: Path):
    cli("copy", str(store), "copy.db")
    assert cli("copy", str(store), "copy.db").out.splitlines()[-1].startswith("Nothing to do; ")
    cli("remember", "I have a cat")
    assert cli("copy", str(store), "copy.db").out.splitlines()[-1].startswith("Copied ")
    assert "I have a cat" in cli("show", "--store", "copy.db").out


def test_copy_as_one_document(cli: Run, store: Path):
    done = cli("copy", str(store), "copy.db", "--json").json
    assert done["ok"] is True
    assert done["disturbed"] is False
    assert done["written"] == sum(section["target"] for section in done["sections"])
    by_name = {section["section"]: section for section in done["sections"]}
    assert by_name["memos"]["source_checksum"] == by_name["memos"]["target_checksum"] != "0" * 32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("used.db", "the target holds memories of its own; a copy needs an empty store"),
        ("data/memory.db", "both are the same store, or one is a backup of the other"),
        ("sqlite://", "sqlite:// lives in memory only"),
    ],
)
def test_copy_refuses_what_it_would_spoil(cli: Run, store: Path, target: str, complaint: str):
    cli("remember", "mine", "--store", "used.db")
    done = cli("copy", str(store), target, code=2)
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert complaint in done.err
    assert "mine" in cli("show", "--store", "used.db").out


def test_copy_needs_a_source_that_is_there_and_makes_none(cli: Run, folder: Path):
    assert "there is no store at nowhere.db" in cli("copy", "nowhere.db", "copy.db", code=1).err
    assert list(folder.iterdir()) == []


def test_copy_of_a_newer_store_is_refused_on_either_side(cli: Run, store: Path):
    cli("remember", "from the future", "--store", "newer.db")
    with apsw.Connection("newer.db") as connection:
        connection.pragma("user_version", 99)
    connection.close()
    for args in (["newer.db", "copy.db"], [str(store), "newer.db"]):
        assert "newer recollect" in cli("copy", *args, code=1).err


def test_copy_ends_with_an_error_when_the_target_keeps_something_else(cli: Run, store: Path):
    cli("jobs", "--store", "copy.db")
    with apsw.Connection("copy.db") as connection:
        connection.execute(
            "CREATE TRIGGER spoil AFTER INSERT ON memos BEGIN "
            "UPDATE memos SET text = text || '!' WHERE key = new.key; END"
        )
    connection.close()
    done = cli("copy", str(store), "copy.db", code=1)
    assert ["memos", "2", "2", "DIFFERENT"] in [line.split("\t") for line in done.out.splitlines()]
    assert done.out.splitlines()[-1] == "Not the same: memos"
    assert "copy into an empty one" in done.err
    assert cli("copy", str(store), "copy.db", code=2).err.startswith("recollect: the target was written to since")


def test_copy_never_prints_a_password(cli: Run, store: Path):
    password = "hunter" + "2"
    for args in ([str(store), f"nosuch://me:{password}@host/db"], [f"nosuch://me:{password}@host/db", "copy.db"]):
        done = cli("copy", *args, code=1)
        assert "nosuch" in done.err
        assert password not in done.out + done.err


def test_copy_shows_a_bar_and_a_table_at_a_terminal(store: Path):
    here, there = pty.openpty()
    command = [sys.executable, "-m", "recollect", "copy", str(store), "copy.db"]
    env = ENVIRONMENT | {"TERM": "xterm", "LINES": "40"}
    process = subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=env)
    os.close(there)
    seen = ""
    with suppress(OSError):  # the other end is closed
        while part := os.read(here, 4096):
            seen += part.decode()
    os.close(here)
    assert process.wait(30) == 0
    assert "copying" in seen
    assert "section" in seen
    assert "counts and content agree" in " ".join(seen.split())
