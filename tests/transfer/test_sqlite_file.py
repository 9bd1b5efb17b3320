"""SQLite files as a bot leaves them: in use, with a log beside them, in the middle of a change, on read-only media."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recollect.core.errors import BadInput
from tests.transfer.elsewhere import CLANKER_FACT, CLANKER_SCHEMA, database, entries
from tests.transfer.forms import CLANKER as FORMAT
from tests.transfer.forms import recognise

pytestmark = pytest.mark.sqlite
INSERT = "INSERT INTO memory_facts (created_at, updated_at, guild_id, subject, fact) VALUES ('', '', '1', '2', ?)"
NOBODY = 65534


def made(path: Path) -> Path:
    return database(path, CLANKER_SCHEMA, memory_facts=[CLANKER_FACT])


def texts(path: Path) -> list[str]:
    return [fact.text for fact in entries(FORMAT, path)]


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """While a bot has written half of a large change to the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as bot:
        bot.execute("PRAGMA cache_size = 2")
        bot.execute("BEGIN EXCLUSIVE")
        bot.executemany(INSERT, ((f"Not said yet {n} " + "x" * 500,) for n in range(200)))
        yield
        bot.execute("ROLLBACK")


def copied(path: Path, folder: Path) -> Path:
    """The file as it is at present, with what lies beside it but for the memory that programs share."""
    folder.mkdir()
    for one in path.parent.glob(f"{path.name}*"):
        if not one.name.endswith("-shm"):
            shutil.copyfile(one, folder / one.name)
    return folder / path.name


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder of ours that everybody may look into: those of pytest are closed, and not ours to open."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """While nobody may write to a folder, we neither."""
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(NOBODY)
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


def test_a_file_that_is_in_use_is_not_read_half(tmp_path: Path) -> None:
    path = made(tmp_path / "clanker.db")
    with changing(path):
        with pytest.raises(BadInput, match=r"clanker\.db is in use by another program"):
            texts(path)
        with pytest.raises(BadInput, match="in use by another program"):
            recognise(tmp_path)
    assert texts(path) == [CLANKER_FACT["fact"]]


def test_a_change_that_a_killed_bot_left_half_done_is_taken_back_in_a_copy(tmp_path: Path) -> None:
    path = made(tmp_path / "bot" / "clanker.db")
    with changing(path):
        torn = copied(path, tmp_path / "torn")
    before = {one.name: one.read_bytes() for one in torn.parent.iterdir()}
    assert set(before) == {"clanker.db", "clanker.db-journal"}
    assert recognise(torn) is FORMAT
    assert texts(torn) == [CLANKER_FACT["fact"]]
    assert {one.name: one.read_bytes() for one in torn.parent.iterdir()} == before


def test_what_stands_in_the_log_beside_a_file_is_read_on_read_only_media_too(open_folder: Path) -> None:
    path = made(open_folder / "bot" / "clanker.db")
    with closing(sqlite3.connect(path)) as bot:
        bot.execute("PRAGMA journal_mode = WAL")
        bot.execute(INSERT, ("Keeps bees.",))
        bot.commit()
        moved = copied(path, open_folder / "moved")
    with read_only(moved.parent):
        assert texts(moved) == [CLANKER_FACT["fact"], "Keeps bees."]
    assert {one.name for one in moved.parent.iterdir()} == {"clanker.db", "clanker.db-wal"}


def test_a_file_in_the_mode_of_logs_but_without_one_is_read_on_read_only_media(open_folder: Path) -> None:
    path = made(open_folder / "bot" / "clanker.db")
    with closing(sqlite3.connect(path)) as bot:
        bot.execute("PRAGMA journal_mode = WAL")
    with read_only(path.parent):
        assert texts(path) == [CLANKER_FACT["fact"]]
