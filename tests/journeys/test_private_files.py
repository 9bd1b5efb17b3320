"""Everything that is written holds people's words: nobody else on the machine may read it, whatever the umask says."""

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ground
from tests.doubles.discord.server import DiscordServer
from tests.faces.discord.process import WAIT, running

pytestmark = pytest.mark.sqlite  # a backup of PostgreSQL needs the server's own pg_dump on the PATH
KINDS = "durable,rolling,journal,snapshot,categories"
FORMATS = ("pages", "discoclaw", "clanker", "devclaw")


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """As most machines have it: new files may be read by all."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def recollect(folder: Path, *args: str, stdin: str = "") -> str:
    env = {"PATH": os.environ["PATH"], "RECOLLECT_EMBEDDER": "null", "RECOLLECT_MIRROR_FILES": KINDS}
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "--data-dir", "data", *args],
        input=stdin,
        capture_output=True,
        text=True,
        env=env | ground.environment(str(folder / "data")),
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def open_to_others(folder: Path) -> dict[str, str]:
    """What others may look into, with its rights."""
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    assert any(path.is_file() for path in found), "nothing was written"
    wanted = {path: 0o700 if path.is_dir() else 0o600 for path in found}
    return {str(path.relative_to(folder.parent)): oct(mode) for path, mode in found.items() if mode != wanted[path]}


def talk(folder: Path) -> None:
    """A session on the command line, with all the files that it leaves."""
    recollect(folder, "remember", "I like green tea")
    recollect(folder, "remember", "Standup is at ten", "--lore", "--in", "#dev")
    recollect(folder, "add", "I live in Porto with my cat Tom")
    recollect(folder, "chat", "--no-demo", stdin="I work at Acme Corp\n!memory remember I play chess\n")
    recollect(folder, "backup")
    recollect(folder, "forget", "chess")


@pytest.mark.slow
async def test_the_command_lines_files_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    talk(tmp_path)
    data = tmp_path / "data"
    assert {"memory", "backups"} <= {path.name for path in data.iterdir()}
    assert open_to_others(data) == {}


@pytest.mark.slow
async def test_exports_and_backups_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    recollect(tmp_path, "remember", "I like green tea")
    recollect(tmp_path, "add", "I live in Porto with my cat Tom")
    for form in FORMATS:
        recollect(tmp_path, "export", "me", "--format", form, "--to", f"exports/{form}")
    (tmp_path / "single").mkdir(0o700)
    for form in ("json", "jsonl", "durable"):
        recollect(tmp_path, "export", "me", "--format", form, "--to", f"single/{form}")
    recollect(tmp_path, "backup", "copies/today/memory.db")
    for folder in ("exports", "single", "copies"):
        assert open_to_others(tmp_path / folder) == {}


@pytest.mark.slow
async def test_the_bots_files_are_readable_by_the_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with DiscordServer() as server:
        ada = server.world.user("ada")
        lab = server.world.guild("Lab", ada)
        dev = server.world.text(lab, "dev")
        async with running(server, data, RECOLLECT_MIRROR_FILES=KINDS, RECOLLECT_DISCORD_PRIVACY_NOTICE="off") as bot:
            await server.say(ada, dev, "!memory remember I like green tea")
            await server.next_message(dev, WAIT)
            await server.say(ada, dev, f"{server.bot.mention} I live in Porto with my cat Tom")
            await server.next_message(dev, WAIT)
        assert bot.process is not None
    assert await asyncio.to_thread(open_to_others, data) == {}


@pytest.mark.slow
async def test_what_an_earlier_edition_let_others_read_is_closed_when_it_is_next_written(tmp_path: Path) -> None:
    talk(tmp_path)
    data = tmp_path / "data"
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    recollect(tmp_path, "add", "I live in Lisbon now")
    recollect(tmp_path, "remember", "I like black tea")
    still = open_to_others(data)
    assert "data" not in still
    assert not {name for name in still if name.startswith(("data/memory.db", "data/memory/20", "data/memory/MEMORY"))}
    assert all("/backups/" in name or "/memory/" in name for name in still), "inside of folders that are closed"
    assert not {"data/memory", "data/backups"} & set(still)


async def test_a_folder_that_people_use_for_other_things_as_well_stays_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "data"
    shared.mkdir(0o755)
    (shared / "holiday.jpg").write_bytes(b"\xff\xd8")
    recollect(tmp_path, "remember", "I like green tea")
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert stat.S_IMODE((shared / "holiday.jpg").stat().st_mode) == 0o644
    names = [path for path in shared.iterdir() if path.name.startswith("memory.db")]
    assert [path for path in names if path.stat().st_mode & 0o077] == []
