"""What goes wrong around a store: a file that is gone, one that can't be written, a kill, a clock that jumps."""

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect import AsyncMemory
from recollect.core.errors import CorruptStore
from recollect.core.ports import Tx
from recollect.core.ports.jobs import CONSOLIDATE, NewJob
from recollect.faces.cli.main import build
from recollect.privacy.receipt import Receipt
from recollect.privacy.target import ErasureTarget
from recollect.stores.sqlite.maintenance import examine_file
from recollect.testing.models import FakeModel
from tests.scenes import DEV, opened
from tests.waiting import eventually

pytestmark = pytest.mark.sqlite


def a_store(folder: Path) -> Path:
    path = folder / "memory.db"

    async def remember() -> None:
        async with open_at(path) as memory:
            await memory.remember("I like green tea from Uji", user="me")

    asyncio.run(remember())
    return path


def open_at(path: Path) -> AsyncMemory:
    return AsyncMemory(f"sqlite:///{path}", embedder="null", data_dir=str(path.parent), run_worker=False)


async def opens(path: Path) -> None:
    async with open_at(path):
        pass


def run_cli(folder: Path, *arguments: str) -> tuple[int, str]:
    environment = {"RECOLLECT_DATA_DIR": str(folder), "RECOLLECT_EMBEDDER": "null", "RECOLLECT_MODEL": "local"}
    result = CliRunner(env=environment).invoke(build(colors=False), list(arguments))
    return result.exit_code, result.output


@pytest.mark.parametrize("fault", ["missing beside its log", "empty beside its log", "empty", "without its log"])
def test_a_store_that_lost_its_data_is_refused_with_advice_wherever_it_is_opened(tmp_path: Path, fault: str) -> None:
    path = a_store(tmp_path)
    log = path.with_name("memory.db-wal")
    if "beside" in fault:
        log.write_bytes(os.urandom(20_000))
    if fault.startswith("missing"):
        path.unlink()
    elif fault == "without its log":  # as earlier editions left it: only the log held the tables
        path.write_bytes(_header_of_an_empty_file(tmp_path))
    else:
        path.write_bytes(b"")
    before = log.read_bytes() if log.exists() else b""
    with pytest.raises(CorruptStore, match=r"restore a backup.*empty memory instead"):
        asyncio.run(opens(path))
    for command in (("show",), ("remember", "I like coffee"), ("export", "me")):
        code, output = run_cli(tmp_path, *command)
        assert code == 1
        assert "restore a backup" in output
    code, output = run_cli(tmp_path, "doctor")
    assert code == 1
    assert "✗ store" in output
    assert (log.read_bytes() if log.exists() else b"") == before, "nothing that could still be rescued is touched"
    for part in tmp_path.glob("memory.db*"):
        part.unlink()
    assert run_cli(tmp_path, "remember", "I like coffee")[0] == 0, "to start afresh is a decision"


def _header_of_an_empty_file(folder: Path) -> bytes:
    other = folder / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("PRAGMA journal_mode = wal")
    connection.close()
    data = other.read_bytes()
    other.unlink()
    return data


REMEMBERING = """
import asyncio, os, sys
import recollect
async def main(address, user, text, end):
    async with recollect.AsyncMemory(address, embedder="null", run_worker=False) as memory:
        await memory.remember(text, user=user)
        if end == "kill":
            os.kill(os.getpid(), 9)
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
def test_many_processes_may_create_a_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    command = [sys.executable, "-c", REMEMBERING, f"sqlite:///{path}"]
    processes = [subprocess.Popen([*command, user, f"I am {user}", "close"]) for user in ("ann", "bob", "cy")]
    assert [process.wait(60) for process in processes] == [0, 0, 0]

    async def known() -> list[int]:
        async with open_at(path) as memory:
            return [(await memory.show(user=user)).total for user in ("ann", "bob", "cy")]

    assert asyncio.run(known()) == [1, 1, 1]
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]


def _without_override(*command: str) -> list[str]:
    """A command that may not write what it has no permission for, even as root."""
    if os.geteuid() != 0:
        return [*command]
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and there is no setpriv to take that away")
    capabilities = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={capabilities}", f"--inh-caps={capabilities}", *command]


READING = """
import asyncio, sys
import recollect
async def main(address, folder):
    async with recollect.AsyncMemory(address, embedder="null", data_dir=folder) as memory:
        print("shown", [memo.text for memo in (await memory.show(user="me")).memos])
        print("found", [hit.text for hit in await memory.search("tea", user="me")])
        message = recollect.Message("m1", "me", recollect.Place(dm="me"), "tea?", recollect.core.clock.now())
        print("context", "Uji" in (await memory.context(message)).text)
        try:
            await memory.remember("I like coffee", user="me")
        except recollect.RecollectError as error:
            print("refused", type(error).__name__, error)
import recollect.core.clock
asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("with_log", [False, True])
def test_a_read_only_store_is_read_searched_and_exported_and_writes_say_why_not(tmp_path: Path, with_log: bool) -> None:
    path = a_store(tmp_path)
    environment = {**os.environ, "RECOLLECT_DATA_DIR": str(tmp_path), "RECOLLECT_EMBEDDER": "null"}
    if with_log:  # a process was killed before its log was taken in
        command = [sys.executable, "-c", REMEMBERING, f"sqlite:///{path}", "me", "I like dark tea", "kill"]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
        assert path.with_name("memory.db-wal").stat().st_size
        path.with_name("memory.db-shm").unlink()
    for part in [*tmp_path.iterdir(), tmp_path]:
        part.chmod(part.stat().st_mode & ~0o222)
    try:
        command = _without_override(sys.executable, "-c", READING, f"sqlite:///{path}", str(tmp_path))
        read = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        cli = _without_override(sys.executable, "-m", "recollect", "export", "me")
        exported = subprocess.run(cli, capture_output=True, text=True, check=True, env=environment)
    finally:
        tmp_path.chmod(0o700)
    shown, found, context, refused = read.stdout.splitlines()
    assert "Uji" in shown
    assert ("dark tea" in shown) == with_log
    assert "Uji" in found
    assert context == "context True"
    assert refused.startswith("refused StoreUnwritable")
    assert "read-only" in refused
    assert "Uji" in exported.stdout


ERASING = """
import asyncio, os, sys
import recollect
from recollect.privacy.target import ErasureTarget
from recollect.stores.sqlite.maintenance import examine_file
from recollect.stores.sqlite import SQLiteStore
SQLiteStore.purge_deleted = lambda *given, **more: os.kill(os.getpid(), 9)
async def main():
    async with recollect.AsyncMemory(sys.argv[1], embedder="null", data_dir=sys.argv[2], run_worker=False) as memory:
        await memory.privacy.erase(ErasureTarget("me"), asked_by="me")
asyncio.run(main())
"""


def test_an_erasure_that_was_killed_goes_on_and_searches_for_all_that_it_had_erased(tmp_path: Path) -> None:
    path = a_store(tmp_path)
    command = [sys.executable, "-c", ERASING, f"sqlite:///{path}", str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL

    async def erase_again() -> tuple[int, Receipt, Receipt]:
        async with open_at(path) as memory:
            total = (await memory.show(user="me")).total
            receipts = [await memory.privacy.erase(ErasureTarget("me"), asked_by="me") for _ in range(2)]
            return total, *receipts

    total, receipt, last = asyncio.run(erase_again())
    assert total == 0, "it was killed after the rows were gone"
    assert receipt.clean
    assert receipt.samples > 0
    assert last.samples == 0
    assert [file for file in tmp_path.rglob("*") if file.is_file() and b"Uji" in file.read_bytes()] == []
    assert list(tmp_path.glob("erasing-*")) == []


async def test_a_clock_that_was_a_year_ahead_leaves_no_job_and_no_lease_for_then() -> None:
    year, stranded = timedelta(days=365), ("user:bob", "user:cy")
    async with opened(model=FakeModel(), summary={"enabled": False}) as stage:
        stage.clock.advance(days=365)
        now = stage.clock()
        lost = NewJob("extract", "user:bob", {"messages": []}, now + timedelta(minutes=5), "lost")
        idle = NewJob(CONSOLIDATE, "consolidate:bob", {"user": "bob"}, now + timedelta(hours=1), "idle")
        leased = NewJob("extract", "user:cy", {"messages": []}, now, "leased")

        def queue(tx: Tx) -> None:
            for job in (lost, idle):
                tx.jobs.add(job)
            tx.jobs.add(leased)
            tx.jobs.claim("a worker that died", now, now + timedelta(seconds=30), 5)

        await stage.memory.store.write(queue)
        stage.clock.advance(days=-365)
        await stage.tell("I live in Ghent", place=DEV)  # learned at once, whatever else waits
        assert await stage.known() == ["I live in Ghent"]

        async def is_nothing_stranded() -> bool:
            jobs = await stage.memory.store.read(lambda tx: tx.jobs.list())
            return not [job for job in jobs if job.due > stage.clock() + year / 2 or job.queue in stranded]

        await eventually(is_nothing_stranded)


@pytest.mark.parametrize("damage", ["SET block = zeroblob(length(block))", None])
async def test_a_word_index_that_lost_its_content_is_found_by_the_doctor_and_built_again(
    tmp_path: Path, damage: str | None
) -> None:
    path = tmp_path / "memory.db"
    async with AsyncMemory(str(path), embedder="null", run_worker=False) as memory:
        await memory.remember("Likes green tea", user="ann")
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM memo_words_data" if damage is None else f"UPDATE memo_words_data {damage}")
        db.commit()
    assert not all(check.ok for check in examine_file(path))
    async with AsyncMemory(str(path), embedder="null", run_worker=False) as memory:
        await memory.reindex()
        assert [hit.memo.text for hit in await memory.search("tea", user="ann")] == ["Likes green tea"]
        await memory.remember("Likes black coffee", user="ann")
    assert all(check.ok for check in examine_file(path))


@pytest.mark.parametrize("damage", ["memos SET tags", "events SET data"])
def test_a_row_whose_json_is_damaged_is_refused_with_advice_and_not_with_a_decoder_s_error(
    tmp_path: Path, damage: str
) -> None:
    path = a_store(tmp_path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"UPDATE {damage} = '{{not json'")
        db.commit()

    async def remember() -> None:
        async with open_at(path) as memory:
            await memory.remember("I like black coffee", user="me")

    with pytest.raises(CorruptStore, match=r"damaged row.*recollect doctor"):
        asyncio.run(remember())
    code, said = run_cli(tmp_path, "remember", "I like black coffee")
    assert code != 0
    assert "damaged row" in said.replace("\n", " ")


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM memo_vectors_1",
        "DROP TABLE memo_vectors_1",
        "UPDATE memo_vectors_1 SET embedding = zeroblob(length(embedding))",
        "UPDATE memo_vectors_1 SET embedding = x'0102'",
    ],
)
async def test_vectors_that_are_gone_or_damaged_are_told_of_and_made_again(tmp_path: Path, damage: str) -> None:
    path, texts = tmp_path / "memory.db", ("I like green tea", "I live in Ghent", "I own a red bike")
    async with AsyncMemory(str(path), embedder="static", run_worker=False) as memory:
        for text in texts:
            await memory.remember(text, user="ann")
        assert await memory.vectors.fill() == 0
    with closing(sqlite3.connect(path)) as db:
        db.execute(damage)
        db.commit()
    is_found = not all(check.ok for check in examine_file(path))
    assert is_found or damage.startswith("DELETE"), "what is missing is no damage: it is made again"
    async with AsyncMemory(str(path), embedder="static", run_worker=False) as memory:
        with contextlib.suppress(CorruptStore):  # with the advice to rebuild the index
            await memory.search("tea", user="ann")
        await memory.reindex()
        assert (await memory.search("green tea", user="ann"))[0].memo.text == texts[0]
        await memory.remember("I play the cello", user="ann")
    assert all(check.ok for check in examine_file(path))
    with closing(sqlite3.connect(path)) as db:
        (table,) = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'memo_vectors__'")]
        lengths = [len(vector) for (vector,) in db.execute(f"SELECT embedding FROM {table}") if any(vector)]
    assert len(lengths) == len(texts) + 1
    assert len(set(lengths)) == 1
