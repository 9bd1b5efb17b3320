"""Stores of earlier versions are upgraded when they are opened: a copy is kept, nothing is lost, and ids stay."""

import asyncio
import gzip
import json
import logging
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

import recollect
from recollect import AsyncMemory, Place
from recollect.core.errors import NewerSchema, RecollectError, StoreUnwritable
from recollect.core.fingerprints import text_digest
from recollect.core.ports import Tx
from recollect.core.types import Subject
from recollect.privacy.target import ErasureTarget
from recollect.stores.postgres import schema as postgres_schema
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.pool import connect as postgres_connect
from recollect.stores.sqlite.schema import MIGRATIONS
from recollect.transfer.copying import copy
from tests.stores.opening import faults, finished, start
from tests.stores.opening import opened as opened_file
from tests.stores.postgres import Server
from tests.transfer.moving import export, import_

DATA = Path(__file__).parents[1] / "data"
LATER = datetime(2026, 3, 9, tzinfo=UTC)
DEV = Place("discord", "500", "600", name="dev", public=True)
EDITIONS = ("first_edition", "second_edition_start")
COPY = f"memory.db.before-schema-{len(MIGRATIONS)}"


def put_back(edition: str, folder: Path) -> Path:
    path = folder / "memory.db"
    path.write_bytes(gzip.decompress((DATA / edition / "memory.db.gz").read_bytes()))
    return path


@pytest.fixture(params=[(edition, store) for edition in EDITIONS for store in ("sqlite", "postgres")], ids="-".join)
def old_store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    edition, store = request.param
    if store == "sqlite":
        return f"sqlite:///{put_back(edition, tmp_path)}"
    address = request.getfixturevalue("bare_database")
    with psycopg.connect(Address.of(address).conninfo, autocommit=True) as connection:
        connection.execute(gzip.decompress((DATA / edition / "memory.sql.gz").read_bytes()))
    return address


@pytest.fixture(params=EDITIONS)
def old_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return put_back(request.param, tmp_path)


def opened(store: str | Path, folder: Path, **options: Any) -> AsyncMemory:
    address = store if isinstance(store, str) else f"sqlite:///{store}"
    options = {"model": "local", "embedder": "null", "run_worker": False, **options}
    return recollect.AsyncMemory(address, clock=lambda: LATER, data_dir=folder, **options)


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of the tables that hold what people said."""
    with closing(sqlite3.connect(path)) as file:
        tables = ("memos", "messages", "tombstones", "summaries", "exchanges", "events", "jobs", "counters")
        return {table: sorted(map(tuple, file.execute(f"SELECT * FROM {table}")), key=repr) for table in tables}


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        return file.execute("PRAGMA user_version").fetchone()[0]


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*before*"))


async def test_old_ids_stay_and_are_matched_by_id_and_by_text(old_store: str, tmp_path: Path):
    lines = (DATA / "first_edition" / "1001.jsonl").read_text("utf-8").splitlines()
    exported = [json.loads(line) for line in lines if '"type":"memo"' in line]
    async with opened(old_store, tmp_path) as memory:
        for old in exported:
            assert (await memory.get(old["id"], user="1001", place=Place("discord", dm="1001"))).text == old["text"]
        told = await memory.remember("prefers TEA over coffee!", user="1001", place=DEV)
        assert told.memo.id in {old["id"] for old in exported}, "the same text is the same memo"
        changed = await memory.update(told.memo.id, "Prefers tea over everything", user="1001", place=DEV)
        assert changed.id == told.memo.id
        new = await memory.remember("I paint boats", user="1001", place=DEV)
        assert new.memo.id != f"durable-{text_digest('I paint boats')[:8]}"
        assert not set(faults(await memory.store.check_health())) - {"jobs"}


async def test_what_was_forgotten_before_is_not_learned_again(old_store: str, tmp_path: Path):
    entry = {
        "type": "memo",
        "user": "1002",
        "text": "I drive a Skoda",
        "audience": "guild:500",
        "source": {"platform": "discord"},
    }
    (tmp_path / "old.jsonl").write_text('{"format":"recollect","version":1}\n' + json.dumps(entry))
    async with opened(old_store, tmp_path) as memory:
        report = await import_(memory, tmp_path / "old.jsonl")
        assert [reason for _, reason in report.skipped] == ["was forgotten here"]
        records = await memory.store.read(lambda tx: tx.archive.read("tombstones", None, 100).records)
        assert ("user:discord:1002", text_digest("I drive a Skoda")) not in [record[:2] for record in records]
        await memory.store.write(lambda tx: tx.memos.remove(_only(tx, "discord:1002", "I drive a Skoda")))
        report = await import_(memory, tmp_path / "old.jsonl")
        assert [reason for _, reason in report.skipped] == ["was forgotten here"], "the tombstone alone tells"
        await memory.remember("I drive a Skoda", user="1002", place=DEV)
        assert "I drive a Skoda" in [memo.text for memo in (await memory.show(user="1002", place=DEV)).memos]


def _only(tx: Any, user: str, text: str) -> Any:
    (memo,) = tx.memos.same_text(Subject(user), text)
    return memo


async def test_messages_that_were_erased_before_do_not_come_back(tmp_path: Path):
    path = put_back("second_edition_start", tmp_path)
    async with opened(path, tmp_path) as memory:
        place = Place("discord", "501", "610", name="chess", public=True)
        assert not await memory.add(recollect.Message("2900", "1005", place, "I collect old maps", LATER))
        assert await memory.add(recollect.Message("2990", "1005", place, "I collect old maps", LATER))


async def test_a_copy_on_a_server_keeps_ids_and_what_was_forgotten(old_file: Path, tmp_path: Path, database: str):
    async with opened(old_file, tmp_path) as memory, opened(database, tmp_path / "server") as there:
        await memory.remember("I paint boats", user="1001", place=DEV)
        old = await memory.store.read(lambda tx: tx.memos.list(Subject("discord:1001")))
        assert (await copy(memory.store, there.store)).ok
        assert {memo.id: memo.text for memo in old} == {
            memo.id: memo.text for memo in await there.store.read(lambda tx: tx.memos.list(Subject("discord:1001")))
        }
        told = await there.remember("I paint boats.", user="1003", place=DEV)
        assert told.memo.id in {memo.id for memo in old}, "the same kind and text, in a store with the same secret"
        buried = await there.store.read(
            lambda tx: tx.memos.tombstone("user:discord:1002", tx.fingerprints.of_text("I drive a Skoda"))
        )
        assert buried is not None
        exported = await export(there, ErasureTarget("discord:1001"))
        secret = await there.store.read(lambda tx: tx.fingerprints.secret)
        assert secret == await memory.store.read(lambda tx: tx.fingerprints.secret)
        assert secret.encode() not in exported


async def test_a_backup_has_the_ids_of_its_store(tmp_path: Path):
    path = put_back("second_edition_start", tmp_path)
    async with opened(path, tmp_path) as memory:
        here = (await memory.remember("I paint boats", user="1001", place=DEV)).memo.id
        await memory.store.backup(tmp_path / "copy.db")
    async with opened(tmp_path / "copy.db", tmp_path / "other") as memory:
        assert (await memory.remember("I paint boats", user="1003", place=DEV)).memo.id == here


async def test_before_an_upgrade_the_file_is_copied_and_the_log_says_where(
    old_file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    before, old = content(old_file), version(old_file)
    async with opened_file(old_file):
        pass
    kept = tmp_path / COPY
    assert (version(kept), version(old_file)) == (old, len(MIGRATIONS))
    assert content(kept) == before
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert f"from schema {old} to {len(MIGRATIONS)}" in warning
    assert f"rm {kept}" in warning
    caplog.clear()
    async with opened_file(old_file):
        pass
    assert caplog.records == []
    assert copies(tmp_path) == [COPY]


async def test_the_copy_is_a_store_that_opens_by_itself(old_file: Path, tmp_path: Path):
    async with opened_file(old_file):
        pass
    async with opened(tmp_path / COPY, tmp_path / "other") as memory:
        assert (await memory.show(user="1001", place=DEV)).total


async def test_a_new_store_and_one_in_memory_are_not_copied(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    async with opened(tmp_path / "new.db", tmp_path) as memory:
        await memory.remember("I like tea", user="discord:ann")
    async with opened("sqlite://", tmp_path) as memory:
        await memory.remember("I like tea", user="discord:ann")
    assert copies(tmp_path) == []
    assert "schema" not in caplog.text


async def test_a_copy_that_is_there_is_never_overwritten(old_file: Path, tmp_path: Path):
    (tmp_path / COPY).write_bytes(b"precious")
    async with opened_file(old_file):
        pass
    assert (tmp_path / COPY).read_bytes() == b"precious"
    assert copies(tmp_path) == [COPY, f"{COPY}.2"]
    assert 0 < version(tmp_path / f"{COPY}.2") < len(MIGRATIONS)


async def test_without_room_for_a_copy_nothing_is_changed(
    old_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before, old = content(old_file), version(old_file)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9 - 1000, 1000))
    with pytest.raises(StoreUnwritable, match=r"a copy of it kept.*MB.*Nothing was changed; free some space"):
        async with opened_file(old_file):
            pass
    assert (content(old_file), version(old_file)) == (before, old)
    assert copies(tmp_path) == []
    monkeypatch.undo()
    async with opened_file(old_file) as store:
        assert await store.read(lambda tx: tx.memos.count(Subject("discord:1001")))


STOP = """
import os, signal, sys
from pathlib import Path
from recollect.stores.sqlite import create, schema
from recollect.stores.sqlite.database import Database

def stop(*_, **__):
    print("stopped", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

moment = sys.argv[2]
if moment == "while it is copied":
    connect = Database.backup
    def backup(self, *arguments):
        steps = connect(self, *arguments)
        steps.step(3)
        stop()
    Database.backup = backup
elif moment == "after the copy":
    schema._apply = stop
elif moment == "before the commit":
    pragma = Database.pragma
    def watched(self, name, *value):
        if name == "user_version" and value == (len(schema.MIGRATIONS),):
            stop()
        return pragma(self, name, *value)
    Database.pragma = watched
create("sqlite:///" + sys.argv[1])
"""


@pytest.mark.parametrize("moment", ["while it is copied", "after the copy", "before the commit"])
async def test_an_upgrade_that_is_killed_leaves_the_old_store_and_goes_on_at_the_next_start(
    tmp_path: Path, moment: str
):
    path = put_back("second_edition_start", tmp_path)
    before, old = content(path), version(path)
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", STOP, str(path), moment],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (-9, "stopped\n"), done.stderr
    assert (version(path), content(path)) == (old, before), "the program that wrote it can go on with it"
    async with opened(path, tmp_path / "data") as memory:
        assert (await memory.show(user="1001", place=DEV)).total
        assert not set(faults(await memory.store.check_health())) - {"jobs"}
    assert version(path) == len(MIGRATIONS)
    assert content(tmp_path / COPY) == before
    assert copies(tmp_path) == [COPY], "the copy of the first try is used"


STOP_ON_SERVER = """
import os, signal, sys
from recollect.stores.postgres import schema
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.pool import connect

def stop(_):
    print("stopped", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

address = Address.of(sys.argv[1])
schema.MIGRATIONS.insert(int(sys.argv[2]), ("stop", stop))
with connect(address, 5) as connection:
    schema.migrate(connection, address)
"""


def content_of_server(address: str) -> dict[str, list[tuple[Any, ...]]]:
    with psycopg.connect(Address.of(address).conninfo, options="-c search_path=recollect,public") as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recollect'").fetchall()
        rows = {name: connection.execute(f"SELECT * FROM {name}".encode()).fetchall() for (name,) in tables}
        return {name: sorted(map(tuple, table), key=repr) for name, table in rows.items()}


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0], ids=["after the first step", "half-way", "before the commit"])
async def test_an_upgrade_on_a_server_that_is_killed_leaves_what_was_there(
    bare_database: str, tmp_path: Path, edition: str, share: float
):
    with psycopg.connect(Address.of(bare_database).conninfo, autocommit=True) as connection:
        connection.execute(gzip.decompress((DATA / edition / "memory.sql.gz").read_bytes()))
    before = content_of_server(bare_database)
    made = len(before["migrations"])
    stop = made + 1 + round(share * (len(postgres_schema.MIGRATIONS) - made - 1))
    command = [sys.executable, "-c", STOP_ON_SERVER, bare_database, str(stop)]
    done = await asyncio.to_thread(subprocess.run, command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-9, "stopped\n"), done.stderr
    assert content_of_server(bare_database) == before, "the program that wrote it can go on with it"
    async with opened(bare_database, tmp_path) as memory:
        assert (await memory.show(user="1001", place=DEV)).total
        assert not set(faults(await memory.store.check_health())) - {"jobs"}
    assert len(content_of_server(bare_database)["migrations"]) == len(postgres_schema.MIGRATIONS)


STOP_AFTER_WRITES = """
import asyncio, os, signal, sys
from datetime import datetime
import recollect
from recollect.stores.postgres import PostgresStore
from recollect.stores.sqlite import SQLiteStore

left = int(sys.argv[2])

def stopping(write):
    async def stopping_write(self, work, *arguments, **options):
        global left
        result = await write(self, work, *arguments, **options)
        left -= 1
        if left == 0:
            print("stopped", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return stopping_write

for kind in (SQLiteStore, PostgresStore):
    kind.write = stopping(kind.write)

async def main():
    options = {"model": "local", "embedder": "null", "run_worker": False}
    clock = lambda: datetime.fromisoformat(sys.argv[4])
    async with recollect.AsyncMemory(sys.argv[1], data_dir=sys.argv[3], clock=clock, **options):
        pass

asyncio.run(main())
"""


async def told(memory: AsyncMemory) -> list[tuple[Any, ...]]:
    """Every memo and every event, of whomever."""

    def work(tx: Tx) -> list[tuple[Any, ...]]:
        memos = [memo for subject in tx.memos.subjects() for memo in tx.memos.list(subject)]
        events = tx.events.list(limit=100_000)
        return [
            *sorted(
                (memo.subject.scope, memo.id, memo.text, memo.status, str(memo.audience), memo.version)
                for memo in memos
            ),
            *sorted((event.kind, event.scope or "", event.memo or "", event.reason or "") for event in events),
        ]

    return await memory.store.read(work)


def put_back_again(store: str) -> None:
    """The store as the first edition left it, whatever became of it since."""
    if store.startswith("sqlite"):
        path = Path(store.removeprefix("sqlite:///"))
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        put_back("first_edition", path.parent)
        return
    with psycopg.connect(Address.of(store).conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS recollect CASCADE")
        connection.execute(gzip.decompress((DATA / "first_edition" / "memory.sql.gz").read_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "postgres"])
async def test_an_upgrade_that_is_killed_between_two_of_its_writes_goes_on_where_it_was(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
):
    """People of platforms and audiences are settled after the tables, in transactions of their own."""
    store = request.getfixturevalue("bare_database") if place == "postgres" else f"sqlite:///{tmp_path / 'memory.db'}"
    put_back_again(store)
    async with opened(store, tmp_path) as memory:
        expected = await told(memory)
    stops = 0
    while True:
        put_back_again(store)
        arguments = [store, str(stops + 1), str(tmp_path), LATER.isoformat()]
        command = [sys.executable, "-c", STOP_AFTER_WRITES, *arguments]
        done = await asyncio.to_thread(subprocess.run, command, check=False, capture_output=True, text=True)
        if done.returncode == 0:
            break
        assert (done.returncode, done.stdout) == (-9, "stopped\n"), done.stderr
        stops += 1
        async with opened(store, tmp_path) as memory:
            assert await told(memory) == expected
    assert stops > 1


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS)
async def test_a_server_that_crashes_during_an_upgrade_has_what_was_there(
    away: str, own_server: Server, tmp_path: Path, edition: str
):
    with psycopg.connect(Address.of(away).conninfo, autocommit=True) as connection:
        connection.execute(gzip.decompress((DATA / edition / "memory.sql.gz").read_bytes()))
    before = content_of_server(away)

    def crash(_: object) -> None:
        own_server.stop("immediate")

    migrations = [*postgres_schema.MIGRATIONS, ("crash", crash)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres_schema, "MIGRATIONS", migrations)
        with pytest.raises((RecollectError, psycopg.Error)), postgres_connect(Address.of(away), 5) as connection:
            postgres_schema.migrate(connection, Address.of(away))
    own_server.start()
    assert content_of_server(away) == before
    async with opened(away, tmp_path) as memory:
        assert (await memory.show(user="1001", place=DEV)).total


async def test_what_was_written_after_an_upgrade_that_failed_is_copied_again(tmp_path: Path):
    path = put_back("second_edition_start", tmp_path)
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", STOP, str(path), "after the copy"], check=False)
    with closing(sqlite3.connect(path)) as file, file:  # as the earlier program writes
        file.execute("UPDATE memos SET text = 'changed meanwhile' WHERE text = 'I keep bees'")
        file.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation'")
    async with opened_file(path):
        pass
    assert "changed meanwhile" not in str(content(tmp_path / COPY)["memos"])
    assert "changed meanwhile" in str(content(tmp_path / f"{COPY}.2")["memos"])


@pytest.mark.slow
async def test_processes_that_upgrade_at_once_make_one_copy_and_one_upgrade(tmp_path: Path):
    path = put_back("second_edition_start", tmp_path)
    body = "say_aloud(await store.read(lambda tx: tx.memos.count(Subject('1001'))))"
    outputs = [await finished(process) for process in [start(body, path) for _ in range(3)]]
    assert len({tuple(lines) for lines in outputs}) == 1
    assert copies(tmp_path) == [COPY]


async def test_an_earlier_program_refuses_an_upgraded_file_and_leaves_it_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = put_back("second_edition_start", tmp_path)
    async with opened_file(path):
        pass
    before = path.read_bytes()
    monkeypatch.setattr("recollect.stores.sqlite.schema.MIGRATIONS", MIGRATIONS[:6])
    with pytest.raises(NewerSchema, match=rf"schema {len(MIGRATIONS)}, this one knows 6.*left as it is"):
        async with opened_file(path):
            pass
    assert path.read_bytes() == before


async def test_a_server_is_told_how_to_make_a_copy(
    bare_database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with psycopg.connect(Address.of(bare_database).conninfo, autocommit=True) as connection:
        connection.execute(gzip.decompress((DATA / "second_edition_start" / "memory.sql.gz").read_bytes()))
    async with opened(bare_database, tmp_path) as memory:
        assert (await memory.show(user="1001", place=DEV)).total
    warnings = [record.getMessage() for record in caplog.records if "pg_dump" in record.getMessage()]
    assert len(warnings) == 1
    assert "in one transaction" in warnings[0]
    assert "--schema=recollect" in warnings[0]
    caplog.clear()
    async with opened(bare_database, tmp_path) as memory:
        assert (await memory.show(user="1001", place=DEV)).total
    assert "pg_dump" not in caplog.text


async def test_an_erasure_names_the_copy_that_still_holds_the_person(tmp_path: Path):
    path = put_back("second_edition_start", tmp_path)
    async with opened(path, tmp_path / "data") as memory:
        receipt = await memory.privacy.erase(ErasureTarget("discord:1001"), asked_by="1001")
        assert any(
            f"1 backup made earlier may still contain it; delete: {tmp_path / COPY}" in note for note in receipt.notes
        )
        (tmp_path / COPY).unlink()
        receipt = await memory.privacy.erase(ErasureTarget("discord:1002"), asked_by="1002")
        assert not any("may still contain" in note for note in receipt.notes)
