"""What only files have: schema, damage, other programs, lack of space or permission, several processes."""

# ruff: noqa: ASYNC220, ASYNC221, ASYNC240 - a test has its loop to itself

import asyncio
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from recollect.core.errors import ConfigError, CorruptStore, NewerSchema, StoreBusy, StoreError, StoreUnwritable
from recollect.core.ports import Store, Tx
from recollect.stores.sqlite import create, opening
from recollect.stores.sqlite.database import APPLICATION, Database
from recollect.stores.sqlite.errors import translated
from recollect.stores.sqlite.schema import MIGRATIONS, migrate
from recollect.testing.store_contract.samples import ADA, find, make_memo, make_message, put, say, texts_of
from tests.stores.opening import faults, finished, opened, script, start


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


async def fill(path: Path, rows: int = 300) -> None:
    async with opened(path) as store:
        await put(store, *(make_memo(f"tea number {n} " + "x" * 200) for n in range(rows)))
        await say(store, *(make_message(f"talk number {n} " + "y" * 200) for n in range(rows)))


async def read_everything(path: Path) -> None:
    async with opened(path) as store:
        await texts_of(store)
        await store.read(lambda tx: tx.messages.recent(make_message("").place, 10_000))
        await find(store, "tea")


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


async def test_every_migration_is_recorded_with_the_version(path: Path):
    async with opened(path):
        pass
    with sqlite3.connect(path) as raw:
        recorded = raw.execute("SELECT number, name FROM migrations").fetchall()
        assert recorded == [(number, name) for number, (name, _) in enumerate(MIGRATIONS, 1)]
        assert raw.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    raw.close()


async def test_every_commit_is_synced_to_disk_and_readers_see_the_past_meanwhile(path: Path):
    async with opened(path) as store:
        settings = await store.write(lambda tx: (tx.db.pragma("synchronous"), tx.db.pragma("journal_mode")))
        assert settings == (2, "wal")  # 2 is full: no power cut takes back what was acknowledged


async def test_opening_again_changes_nothing(path: Path):
    await fill(path, 5)
    before = files(path.parent)
    await read_everything(path)
    async with opened(path):
        pass
    assert files(path.parent) == before


async def test_a_migration_that_fails_half_way_leaves_no_trace(path: Path):
    db = Database(path)
    db.pragma("max_page_count", 12)
    with pytest.raises(apsw.FullError):
        migrate(db)
    assert db.value("SELECT count(*) FROM sqlite_schema") == 0
    assert (db.pragma("user_version"), db.pragma("application_id")) == (0, 0)
    db.close()


async def test_a_store_that_could_not_be_made_leaves_no_file(path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(db: Database) -> None:
        raise apsw.FullError

    with monkeypatch.context() as broken:
        broken.setattr(opening, "create_tables", fail)
        with pytest.raises(StoreUnwritable):
            await fill(path, 2)
    assert list(path.parent.iterdir()) == []
    await fill(path, 2)
    async with opened(path) as store:
        assert not faults(await store.check_health())


@pytest.mark.parametrize("journal", ["wal", "delete"])
async def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(path: Path, journal: str):
    await fill(path, 3)
    raw = apsw.Connection(str(path))
    raw.pragma("user_version", len(MIGRATIONS) + 1)
    assert raw.pragma("journal_mode", journal) == journal
    raw.close()
    before = files(path.parent)
    with pytest.raises(NewerSchema, match=rf"{path}.*newer.*left as it is.*pip install"):
        create(f"sqlite:///{path}")
    assert files(path.parent) == before


@pytest.mark.parametrize("journal", ["wal", "delete"])
async def test_another_programs_file_is_refused_and_left_as_it_is(path: Path, journal: str):
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA journal_mode = {journal}")
    raw.execute("CREATE TABLE memos (text)")
    raw.execute("INSERT INTO memos VALUES ('theirs')")
    raw.commit()
    raw.close()
    before = files(path.parent)
    with pytest.raises(CorruptStore, match=rf"{path}.*another program.*left as it is"):
        create(f"sqlite:///{path}")
    assert files(path.parent) == before


def _truncate(data: bytearray) -> None:
    del data[len(data) // 2 // 4096 * 4096 :]


def _truncate_inside_a_page(data: bytearray) -> None:
    del data[len(data) // 2 + 1_000 :]


def _garble_header(data: bytearray) -> None:
    data[:100] = bytes(range(100))


def _replace_by_text(data: bytearray) -> None:
    data[:] = b'{"version": 1, "items": []}\n' * 200


def _flip_bytes_in_the_middle(data: bytearray) -> None:
    for at in range(4096 * 2, len(data), 4096):  # the head of every page behind the first two
        for offset in range(8):
            data[at + offset] ^= 0xFF


@pytest.mark.parametrize(
    "damage",
    [_truncate, _truncate_inside_a_page, _garble_header, _replace_by_text, _flip_bytes_in_the_middle],
    ids=lambda damage: damage.__name__.strip("_"),
)
async def test_a_damaged_file_is_refused_with_advice_and_left_as_it_is(path: Path, damage):
    await fill(path)
    data = bytearray(path.read_bytes())
    damage(data)
    path.write_bytes(data)
    with pytest.raises(CorruptStore, match=rf"{path}.*left as it is.*doctor.*backup"):
        await read_everything(path)
    assert files(path.parent) == {path.name: bytes(data)}


async def test_a_place_that_cannot_hold_a_file_is_unwritable(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    for place in (tmp_path, tmp_path / "file" / "memory.db", Path("/proc/nowhere/memory.db")):
        with pytest.raises(StoreUnwritable, match=str(place if place == tmp_path else place.parent)):
            create(f"sqlite:///{place}")


@pytest.mark.parametrize("address", ["postgres://x", "sqlite", "memory.db", "sqlite:/x"])
def test_an_address_of_another_kind_is_refused(address: str):
    with pytest.raises(ConfigError, match="sqlite:///"):
        create(address)


READ_ONLY = """
import asyncio, concurrent.futures.thread, os, sys  # all now: later the libraries may be out of reach
from recollect.core.errors import StoreUnwritable
from recollect.stores.sqlite import create
from recollect.testing.store_contract.samples import make_memo, put

async def main():
    store = create("sqlite:///" + sys.argv[1])
    try:
        await put(store, make_memo("one too many"))
    finally:
        await store.close()

if os.geteuid() == 0:  # root may write everywhere
    os.setuid(65534)
try:
    asyncio.run(main())
except StoreUnwritable as error:
    print("unwritable:", error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("lock", ["file", "folder", "both"])
async def test_a_file_that_may_not_be_written_is_unwritable(lock: str):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "memory.db")
        await fill(path, 1)
        Path(folder).chmod(0o777 if lock == "file" else 0o555)
        path.chmod(0o666 if lock == "folder" else 0o444)
        before = path.read_bytes()
        command = [sys.executable, "-c", READ_ONLY, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert f"unwritable: {path} is read-only" in done.stdout, done.stderr
        assert path.read_bytes() == before
        Path(folder).chmod(0o777)


async def fill_up(store: Store, stored: list[str]) -> None:
    for n in range(1_000):
        text = f"{n} " + "x" * 500
        await put(store, make_memo(text))
        stored.append(text)


def test_that_the_disk_is_full_is_said_also_where_the_file_beside_the_store_cannot_be_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    """SQLite calls that an I/O error."""
    for free, told in ((4096, "no space left"), (10**9, "check that folder and file are writable")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
        with pytest.raises(StoreUnwritable, match=told), translated(path):
            raise apsw.IOError("disk I/O error")


async def test_a_full_store_refuses_keeps_what_it_has_and_works_again_with_space(path: Path):
    def limit(tx: Tx, spare: int) -> None:
        db = tx.db
        db.pragma("max_page_count", db.pragma("page_count") + spare)

    async with opened(path) as store:
        await put(store, make_memo("before"))
        await store.write(lambda tx: limit(tx, 10))
        kept = ["before"]
        with pytest.raises(StoreUnwritable, match="no space left"):
            await fill_up(store, kept)
        assert len(kept) > 1
        assert sorted(await texts_of(store)) == sorted(kept)
        await store.write(lambda tx: limit(tx, 1_000))
        await put(store, make_memo("after"))
        assert sorted(await texts_of(store)) == sorted([*kept, "after"])
        assert await find(store, "after before") == ["after", "before"]
        assert not faults(await store.check_health())


FULL_DISK = """
import resource
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
await put(store, make_memo("first"))
say_aloud("first")
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
refused = 0
for n in range(400):
    text = f"row {n} " + "x" * 3000
    try:
        await put(store, make_memo(text))
    except StoreUnwritable:
        refused += 1
        if refused == 3:
            break
    else:
        say_aloud(text)
assert refused == 3
assert "first" in await texts_of(store)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
await put(store, make_memo("last"))
say_aloud("last")
"""


async def test_a_disk_that_runs_full_costs_nothing_that_was_acknowledged(path: Path):
    acknowledged = await finished(start(FULL_DISK, path))
    assert len(acknowledged) > 3
    async with opened(path) as store:
        assert sorted(await texts_of(store)) == sorted(acknowledged)
        assert await find(store, "last first") == ["last", "first"]
        assert not faults(await store.check_health())


TWO_WRITERS = """
name = sys.argv[2]
await store.read(lambda tx: tx.generation())
sys.stdin.readline()

def work(tx, n):
    count = tx.memos.get(ADA, "count")
    tx.memos.put(replace(count, hits=count.hits + 1))
    tx.memos.put(make_memo(f"{name} wrote {n}"))
    tx.messages.add(make_message(f"{name} said {n}"))

for start in range(0, 120, 10):
    await asyncio.gather(*(store.write(lambda tx, n=n: work(tx, n)) for n in range(start, start + 10)))
"""


async def test_processes_that_write_at_once_lose_nothing(path: Path):
    names = ["left", "right", "middle"]
    command = [sys.executable, "-c", script(TWO_WRITERS), str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen([*command, name], text=True, **pipes) for name in names]
    async with opened(path) as store:  # all of them make the file and its tables at the same time
        await put(store, make_memo("shared count", id="count"))
        results = await asyncio.gather(*(asyncio.to_thread(process.communicate, "go\n") for process in processes))
        assert [process.returncode for process in processes] == [0, 0, 0], results
        expected = {f"{name} wrote {n}" for name in names for n in range(120)}
        assert set(await texts_of(store)) == {*expected, "shared count"}
        count = await store.read(lambda tx: tx.memos.get(ADA, "count"))
        assert count is not None
        assert count.hits == 360
        said = await store.read(lambda tx: tx.messages.recent(make_message("").place, 999))
        assert {message.text for message in said} == {text.replace("wrote", "said") for text in expected}
        assert len(await find(store, "wrote", limit=999)) == 360
        assert not faults(await store.check_health())


async def test_a_process_sees_what_another_one_wrote(path: Path):
    async with opened(path) as store, opened(path) as other:
        generation = await store.read(lambda tx: tx.generation())
        await put(other, make_memo("from next door"))
        assert await find(store, "door") == ["from next door"]
        assert await store.read(lambda tx: tx.generation()) != generation


async def test_a_write_waits_for_another_processs_lock(path: Path):
    async with opened(path) as store:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(put(store, make_memo("patient")))
        assert await texts_of(store) == []  # readers don't wait
        assert not waiting.done()
        other.execute("ROLLBACK")
        other.close()
        await waiting
        assert await texts_of(store) == ["patient"]


async def test_a_lock_held_for_too_long_is_an_error_for_all_who_wait_and_then_over(path: Path):
    async with opened(path) as store:
        await store.write(lambda tx: tx.db.set_busy_timeout(400))
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        waiting = [put(store, make_memo(f"{n}")) for n in range(100)]
        results = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 60)
        assert all(isinstance(result, StoreBusy) for result in results)
        assert "locked by another process" in str(results[0])
        other.execute("ROLLBACK")
        other.close()
        await put(store, make_memo("later"))
        assert await texts_of(store) == ["later"]


async def test_errors_of_the_file_are_errors_of_the_store():
    for error in (CorruptStore, NewerSchema, StoreBusy, StoreUnwritable):
        assert issubclass(error, StoreError)


async def test_a_file_that_was_deleted_in_use_takes_nothing_more(tmp_path: Path):
    path = tmp_path / "memory.db"
    async with opened(path) as store:
        await put(store, make_memo("Likes tea"))
        path.unlink()
        with pytest.raises(StoreUnwritable, match="deleted or replaced"):
            await put(store, make_memo("Lost"))
