"""Backups, rebuilding the word index, self-examination, and the commands that call for them."""

# ruff: noqa: ASYNC240 - a test has its loop to itself

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import plugins
from recollect.core.errors import BadInput, ConfigError, StoreError, StoreUnwritable
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import NewJob
from recollect.core.reasons import Reason
from recollect.stores.postgres import examine
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    texts_of,
    unit_vector,
)
from tests.stores.opening import faults
from tests.stores.postgres import opened, programs, run

CONTRIVED = "s3" + "cr:e\\t @word"


async def restore(file: Path, address: str) -> None:
    command = [programs() / "pg_restore", "--exit-on-error", f"--dbname={address}", file]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def test_a_backup_taken_while_others_write_is_whole_and_consistent(
    database: str, bare_database: str, tmp_path: Path
):
    def write_pair(tx: Tx, n: int) -> None:
        tx.memos.put(make_memo(f"pair {n}", ADA), ("model", unit_vector(1, n)))
        tx.memos.put(make_memo(f"pair {n}", BEN))

    target = tmp_path / "deep" / "copy.dump"
    async with opened(database, programs()) as store:
        await put(store, *(make_memo(f"early {n}") for n in range(50)))
        writers = [asyncio.create_task(store.write(lambda tx, n=n: write_pair(tx, n))) for n in range(60)]
        steps: list[tuple[int, int]] = []
        await store.backup(target, lambda done, total: steps.append((done, total)))
        await asyncio.gather(*writers)
        assert steps[-1][0] == steps[-1][1] > 0
    assert [each.name for each in target.parent.iterdir()] == ["copy.dump"]
    assert target.stat().st_mode & 0o077 == 0, "nobody else may read it"
    await restore(target, bare_database)
    async with opened(bare_database) as copy:
        texts = await texts_of(copy)
        assert len([text for text in texts if text.startswith("early")]) == 50
        assert sorted(text for text in texts if text.startswith("pair")) == sorted(await texts_of(copy, BEN))
        assert not faults(await copy.check_health())
        await put(copy, make_memo("the copy lives on"))
        assert await find(copy, "copy lives") == ["the copy lives on"]


async def test_whoever_follows_the_log_misses_nothing_after_a_restore(
    database: str, bare_database: str, tmp_path: Path
):
    """The copy's server may count transactions from anywhere: here the original is far ahead of it."""

    async def add(store, *reasons: str) -> None:
        await store.write(lambda tx: [tx.events.add(Event("e", at(0), detail=reason)) for reason in reasons])

    async def after(store, event: int) -> list[tuple[int, str]]:
        found = await store.read(lambda tx: tx.events.after(event, 99))
        return [(each.id, each.detail) for each in found]

    async with opened(database, programs()) as store:
        await add(store, "a", "b")
        await add(store, "c")
        run(database, "UPDATE events SET transaction = transaction + 1000000000 WHERE reason > 'a'")
        await store.backup(tmp_path / "copy.dump")
    await restore(tmp_path / "copy.dump", bare_database)
    async with opened(bare_database) as copy:
        seen = await after(copy, 0)
        assert [reason for _, reason in seen] == ["a", "b", "c"]
        await add(copy, "d")
        assert [reason for _, reason in await after(copy, seen[-1][0])] == ["d"]
        assert [reason for _, reason in await after(copy, seen[0][0])] == ["b", "c", "d"]


async def test_a_backup_never_overwrites(database: str, tmp_path: Path):
    target = tmp_path / "copy.dump"
    target.write_text("precious")
    async with opened(database, programs()) as store:
        with pytest.raises(BadInput, match="never overwrites"):
            await store.backup(target)
    assert target.read_text() == "precious"


async def test_a_backup_that_fails_leaves_nothing_behind(database: str, tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    folder = tmp_path / "copies"

    def give_up(done: int, total: int) -> None:
        raise InterruptedError("stopped by the user")

    async with opened(database, programs()) as store:
        with pytest.raises(StoreUnwritable, match=r"copy\.dump"):
            await store.backup(tmp_path / "file" / "copy.dump")
        with pytest.raises(Exception, match=r"stopped by the user|cannot write"):
            await store.backup(folder / "copy.dump", give_up)
        assert list(folder.iterdir()) == []
        await put(store, make_memo("x"))
        await store.backup(folder / "copy.dump")
        assert [each.name for each in folder.iterdir()] == ["copy.dump"]


async def test_a_backup_says_what_is_missing_for_it(database: str, tmp_path: Path):
    async with opened(database, tmp_path) as store:
        with pytest.raises(StoreError, match=r"pg_dump is not found.*install"):
            await store.backup(tmp_path / "copy.dump")
        old = tmp_path / "pg_dump"
        old.write_text("#!/bin/sh\necho pg_dump '(PostgreSQL)' 9.6.1\n")
        old.chmod(0o755)
        with pytest.raises(StoreError, match=r"is older .*9\.6\.1"):
            await store.backup(tmp_path / "copy.dump")
    assert [each.name for each in tmp_path.iterdir()] == ["pg_dump"]


async def test_a_backup_hands_on_the_password_where_nobody_sees_it(database: str, tmp_path: Path):
    program = tmp_path / "pg_dump"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo pg_dump 99.1 && exit\n'
        'for each; do echo "$each"; done > "$0.said"\n'
        'file=$(sed -n "s/.*passfile=\'*\\([^\' ]*\\).*/\\1/p" "$0.said")\n'
        'cp "$file" "$0.read"; stat -c %a "$file" > "$0.mode"; echo "failed for a reason" >&2; exit 1\n'
    )
    program.chmod(0o755)
    user, at_sign, rest = database.partition("@")
    address = f"{user}:s3" + f"cr%3Ae%5Ct%20%40word{at_sign}{rest}"
    async with opened(address, tmp_path) as store:
        with pytest.raises(StoreError, match="failed for a reason") as caught:
            await store.backup(tmp_path / "copy.dump")
    said = Path(f"{program}.said").read_text()
    assert "passfile=" in said
    assert not any(CONTRIVED[:5] in text for text in (said, str(caught.value)))
    escaped = CONTRIVED.replace("\\", "\\\\").replace(":", "\\:")
    assert Path(f"{program}.read").read_text() == f"*:*:*:*:{escaped}\n"
    assert Path(f"{program}.mode").read_text() == "600\n"


async def fill(address: str) -> None:
    async with opened(address) as store:
        await put(store, *(make_memo(f"tea {n}") for n in range(20)), make_memo("milk", BEN))
        await say(store, make_message("tea time"))
        await store.write(lambda tx: tx.memos.put(make_memo("cup"), ("m", unit_vector(1, 0))))
        await store.write(lambda tx: tx.events.add(Event("e", at(0))))
        await store.write(lambda tx: [tx.jobs.add(NewJob("learn", f"{n % 2}", {}, at(0))) for n in range(6)])


REPAIRABLE = {
    "missing entries": "DELETE FROM memo_words WHERE key % 2 = 0",
    "missing messages": "DELETE FROM message_words",
    "stray entries": "INSERT INTO memo_words VALUES (1, 'tea', 999999)",
    "lost rows": "DELETE FROM memos WHERE text = 'milk'",
    "size of an empty scope": "INSERT INTO scopes (name, mark, size) VALUES ('user:gone', 'user:gone', 3)",
    "wrong sizes": "UPDATE scopes SET size = size + 7",
    "stray vectors": "INSERT INTO memo_vectors_1 VALUES (999999, 1, '[1,0]')",
    "queues without a head": "UPDATE jobs SET state = 'blocked'",
    "queues with many heads": "UPDATE jobs SET state = 'waiting'",
    "counts of events": "UPDATE event_days SET count = 7",
}


@pytest.mark.parametrize("kind", REPAIRABLE)
async def test_what_is_derived_is_found_damaged_and_repaired_by_reindexing(database: str, kind: str):
    await fill(database)
    run(database, REPAIRABLE[kind])
    async with opened(database) as store:
        found = faults(await store.check_health())
        assert found
        assert all("recollect rebuild-index" in detail for detail in found.values())
        await store.reindex()
        assert not faults(await store.check_health())
        assert len(await find(store, "tea", limit=99)) == 20
        assert await find(store, "tea", [CHANNEL.stream], "messages") == ["tea time"]
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == 21
        claimed = await store.write(lambda tx: tx.jobs.claim("w", at(0), at(60), 9, 9))
        assert [each.id for each in claimed] == [1, 3, 5, 2, 4, 6]
        assert (await store.read(lambda tx: tx.events.counts()))["e"] == (1, at(0))


async def test_reindexing_goes_on_where_it_was_interrupted_while_others_write(database: str):
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    async with opened(database) as store:
        await put(store, *(make_memo(f"tea {n}") for n in range(1_200)))
        run(database, "DELETE FROM memo_words")
        with pytest.raises(InterruptedError):
            await store.reindex(stop)
        await put(store, make_memo("tea meanwhile"))
    async with opened(database) as store:
        steps: list[tuple[int, int]] = []
        going = asyncio.create_task(store.reindex(lambda done, total: steps.append((done, total))))
        await asyncio.gather(*(put(store, make_memo(f"more tea {n}")) for n in range(20)))
        left = await going
        assert 0 < left < 1_221
        assert len(await find(store, "tea", limit=9_999)) == 1_221
        assert not faults(await store.check_health())


async def test_an_examination_names_each_kind_of_trouble(database: str, bare_database: str, postgres: str):
    assert not faults(examine(bare_database))
    assert "first memory" in {each.check: each.detail for each in examine(bare_database)}["schema"]
    assert run(bare_database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'recollect'") == [(0,)], "only looking"

    nobody = "postgresql://postgres:tr0ub" + "4d@127.0.0.1:1/x"
    assert "can't be reached" in faults(examine(nobody))["server answers"]
    assert "tr0ub" + "4d" not in str(examine(nobody))

    details = {each.check: each.detail for each in examine(database)}
    assert details["server answers"].startswith("PostgreSQL ")
    assert details["extension vector"]
    assert details["schema"].startswith("version ")
    async with opened(database) as store:
        job = await store.write(lambda tx: tx.jobs.add(NewJob("learn", "queue", {}, at(0))))
        await store.write(lambda tx: tx.jobs.claim("w", at(0), at(60), 1))
        await store.write(lambda tx: tx.jobs.fail(job or 0, "w", "no"))
        assert faults(examine(database)) == {"jobs": "1 given up after repeated failures"}
        await put(store, make_memo("to embed"))
        await store.write(lambda tx: tx.memos.put(make_memo("embedded"), ("m", unit_vector(1, 0))))
        details = {finding.check: finding.detail for finding in examine(database)}
        assert details["vectors of memos by m"] == "1 still to embed"
    run(database, "DROP TABLE summaries, jobs")
    assert "jobs" in faults(examine(database))


async def test_other_programs_read_the_log_under_the_names_of_their_document(database: str):
    async with opened(database) as store:
        event = Event("memo.added", at(1.5), "ada", ADA.scope, "m1", Reason.IMPORTED, {"n": 1}, detail="jsonl")
        await store.write(lambda tx: tx.events.add(event))
    (row,) = run(database, "SELECT created_at, kind, actor, scope, content, metadata FROM action_log")
    assert row == ("2025-03-01T12:00:01.500Z", "memory_fact", "ada", "user:ada", "imported: jsonl", '{"n":1}')


@pytest.mark.parametrize(
    "spec",
    [
        "postgresql://ada:tr0ub" + "4d@host/db?pool=none",
        "postgresql://ada:tr0ub" + "4d@host/db?pool=0",
        "postgresql://ada:tr0ub" + "4d@host/db?patience=-1",
        "postgresql://ada:tr0ub" + "4d@host:port:port/db",
        "postgresql://ada:tr0ub" + "4d@host/db?unheard=of",
        "postgresql://ada:p@tr0ub" + "4d@host/db",
    ],
)
def test_an_address_that_can_not_be_used_is_refused_without_showing_the_password(spec: str):
    with pytest.raises(ConfigError) as caught:
        plugins.load("stores", spec)
    assert "tr0ub" + "4d" not in f"{caught.value} {caught.value.__cause__}"
    assert (
        caught.value.__suppress_context__
        or caught.value.__context__ is None
        or "tr0ub" + "4d" not in str(caught.value.__context__)
    )


def recollect(address: str, folder: Path, *arguments: str, code: int = 0) -> str:
    environment = {
        "RECOLLECT_STORE": address,
        "RECOLLECT_EMBEDDER": "null",
        "RECOLLECT_DATA_DIR": str(folder),
        "PATH": f"{programs()}{os.pathsep}{os.environ['PATH']}",
    }
    command = [sys.executable, "-m", "recollect", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_commands_need_nothing_but_another_address(database: str, tmp_path: Path):
    user, at_sign, rest = database.partition("@")
    address = f"{user}:tr0ub" + f"4d{at_sign}{rest}"
    said = recollect(address, tmp_path)
    said += recollect(address, tmp_path, "remember", "I", "prefer", "tea")
    assert "tea" in recollect(address, tmp_path, "search", "what tea?")
    said += recollect(address, tmp_path, "reindex")
    doctor = recollect(address, tmp_path, "doctor")
    assert "✓ store, server answers: PostgreSQL" in doctor
    said += recollect(address, tmp_path, "backup")
    assert [each.suffix for each in (tmp_path / "backups").iterdir()] == [".dump"]
    wrong = recollect(address.replace("127.0.0.1", "127.0.0.1:1,127.0.0.1"), tmp_path, "doctor", code=0)
    assert "tr0ub" + "4d" not in said + doctor + wrong
