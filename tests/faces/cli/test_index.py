"""`recollect sync-files`: what was done to the files is taken over, told, and reflected in the exit code."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.faces.cli.conftest import ENVIRONMENT, Run

DEVCLAW = {"RECOLLECT_PROFILE": "devclaw"}


def pages(folder: Path) -> list[Path]:
    return sorted((folder / "data" / "memory").rglob("*.md"))


@pytest.mark.acceptance("E32")
def test_pages_lie_under_the_data_folder_and_an_edit_comes_back(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW)
    (page,) = pages(folder)
    assert page.parent == folder / "data" / "memory" / "preference"
    assert cli("index", **DEVCLAW).out == "Nothing to do\n"
    page.write_text(page.read_text("utf-8").replace("I prefer tea", "I prefer mate"), "utf-8")
    done = cli("index", **DEVCLAW)
    name = f"preference/{page.name}"
    assert done.out == f"changed\t{name}\t\nDone: 1 changed\n"
    assert "I prefer mate" in cli("show", **DEVCLAW).out


@pytest.mark.acceptance("E38")
def test_the_folder_can_be_set_with_a_variable(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW, DEVCLAW_MEMORY_DIR="vault")
    assert [path.parent for path in (folder / "vault").rglob("*.md")] == [folder / "vault" / "preference"]


def test_a_broken_file_is_named_and_the_exit_code_says_so(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW)
    bad = folder / "data" / "memory" / "fact" / "bad.md"
    bad.parent.mkdir()
    bad.write_text("---\ncategory: nonsense\n---\nText\n", "utf-8")
    done = cli("index", code=1, **DEVCLAW)
    assert "broken\tfact/bad.md\tunknown category 'nonsense'" in done.out
    value = cli("index", "--json", code=1, **DEVCLAW).json
    assert value["ok"] is False
    assert [(file["what"], file["path"]) for file in value["files"]] == [("broken", "fact/bad.md")]


def test_a_dry_run_tells_what_would_be_done(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW)
    pages(folder)[0].unlink()
    assert cli("index", "--dry-run", **DEVCLAW).out.endswith("Would be: 1 retired\n")
    assert "I prefer tea" in cli("show", **DEVCLAW).out
    cli("index", **DEVCLAW)
    assert "I prefer tea" not in cli("show", **DEVCLAW).out
    cli("undo", **DEVCLAW)
    assert len(pages(folder)) == 1


def test_when_all_files_are_gone_one_has_to_decide(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW)
    cli("remember", "I live in Rome", **DEVCLAW)
    (folder / "data" / "memory").rename(folder / "gone")
    done = cli("index", code=1, **DEVCLAW)
    assert "all 2 files are gone" in done.err
    assert "--force" in done.err
    assert "I prefer tea" in cli("show", **DEVCLAW).out
    cli("index", "--restore", **DEVCLAW)
    assert len(pages(folder)) == 2
    (folder / "data" / "memory").rename(folder / "gone again")
    assert "2 retired" in cli("index", "--force", **DEVCLAW).out


def test_a_new_file_is_of_whoever_speaks_when_the_folder_is_nobodys(cli: Run, folder: Path) -> None:
    page = folder / "data" / "memory" / "fact" / "x.md"
    page.parent.mkdir(parents=True)
    page.write_text("I live in Rome", "utf-8")
    assert "1 new" in cli("index", "--as", "ann", **DEVCLAW).out
    assert "I live in Rome" in cli("show", "--as", "ann", **DEVCLAW).out
    assert "user: ann" in page.read_text("utf-8")


@pytest.mark.sqlite
@pytest.mark.acceptance("E10", "E44")
def test_index_rebuilds_the_search_index(cli: Run, folder: Path) -> None:
    cli("remember", "The API uses JWT tokens with 24h expiration", **DEVCLAW)
    with closing(apsw.Connection(str(folder / "data" / "memory.db"))) as connection:
        connection.execute("INSERT INTO memo_words (memo_words) VALUES ('delete-all')")
    cli("search", "JWT", "--strict", code=3, **DEVCLAW)
    assert cli("index", **DEVCLAW).out == "Nothing to do\n"
    assert "JWT tokens" in cli("search", "JWT", "--strict", **DEVCLAW).out


def test_without_such_files_it_says_how_to_switch_them_on(cli: Run) -> None:
    assert "RECOLLECT_MIRROR_FILES=categories" in cli("index", code=2).err
    assert "--watch" in cli("index", "--dry-run", "--watch", code=2, **DEVCLAW).err


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A run in the background of a shell ignores SIGINT, and whatever it starts would too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("_interruptible")
def test_watching_takes_over_what_changes_until_it_is_interrupted(cli: Run, folder: Path) -> None:
    cli("remember", "I prefer tea", **DEVCLAW)
    (page,) = pages(folder)
    command = [sys.executable, "-m", "recollect", "index", "--watch"]
    with subprocess.Popen(
        command, env=ENVIRONMENT | DEVCLAW, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline() == b"Nothing to do\n"
            draft = folder / "draft"
            draft.write_text(page.read_text("utf-8").replace("I prefer tea", "I prefer mate"), "utf-8")
            draft.replace(page)  # at once: nobody looks at a page that is half written, however slow this machine is
            assert running.stdout.readline().startswith(b"changed\tpreference/")
            assert "I prefer mate" in cli("show", **DEVCLAW).out
            os.kill(running.pid, signal.SIGINT)
            _, errors = running.communicate()
        finally:
            running.kill()
    assert (running.returncode, errors) == (0, b"")
