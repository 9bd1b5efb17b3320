"""Files of an earlier version are brought up to date with all that is in them."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from recollect.core.clock import to_ms
from recollect.core.ports.jobs import Job, JobState
from recollect.stores.sqlite import examine
from recollect.stores.sqlite.database import APPLICATION, Database
from recollect.stores.sqlite.schema import MIGRATIONS, migrate
from recollect.testing.store_contract.samples import at
from tests.stores.opening import faults, opened

JOBS = [  # id, lane, state, due, attempts, worker, until, dedupe, error
    (1, "ada", "parked", 0, 5, None, None, None, "hopeless"),
    (2, "ada", "claimed", 0, 1, "old worker", 60, "ada:2", None),
    (3, "ada", "waiting", 0, 0, None, None, "ada:3", None),
    (4, "ben", "waiting", 9, 2, None, None, "ben:4", "no model"),
    (5, "ben", "waiting", 0, 0, None, None, None, None),
    (6, "cem", "waiting", 0, 0, None, None, None, None),  # came back while the next one of its lane ran
    (7, "cem", "claimed", 0, 1, "old worker", 60, None, None),
]

STATES = {"parked": JobState.FAILED, "claimed": JobState.CLAIMED, "waiting": JobState.WAITING}


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path)
    with connection:
        yield connection
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of version 1 with jobs in every state, and events, and a memo that rests on a message."""
    path = tmp_path / "memory.db"
    db = Database(path)
    db.use_log()
    db.pragma("application_id", APPLICATION)
    db.run("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT")
    db.run(MIGRATIONS[0][1])
    db.run("INSERT INTO migrations VALUES (1, ?, 0)", (MIGRATIONS[0][0],))
    db.pragma("user_version", 1)
    for number, lane, state, due, attempts, worker, until, dedupe, error in JOBS:
        times = (to_ms(at(due)), None if until is None else to_ms(at(until)))
        db.run(
            "INSERT INTO jobs (id, kind, lane, payload, state, due, until, attempts, worker, dedupe, error) "
            "VALUES (?, 'learn', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, lane, json.dumps({"n": number}), state, *times, attempts, worker, dedupe, error),
        )
    for seconds, kind in enumerate(["added", "added", "revised", "added"]):
        db.run("INSERT INTO events (kind, at, actor, reason) VALUES (?, ?, '', '')", (kind, to_ms(at(seconds))))
    db.run("INSERT INTO scopes (name) VALUES ('user:ada')")
    db.run(
        "INSERT INTO memos (key, id, kind, text, content, status, confidence, pinned, audience, source, created, "
        "updated) VALUES (1 << 32, 'd1', 'fact', 'likes tea', 1, 'deprecated', 1, 0, 'everywhere', ?, 0, 0)",
        ('{"message":"m1","platform":"discord"}',),
    )
    db.close()
    return path


async def test_jobs_of_an_earlier_version_are_all_there(path: Path):
    async with opened(path) as store:
        jobs = await store.read(lambda tx: tx.jobs.list())
        assert jobs == [
            Job(number, "learn", lane, {"n": number}, at(due), attempts, STATES[state], error)
            for number, lane, state, due, attempts, _, _, _, error in JOBS
        ]
        assert await store.read(lambda tx: tx.jobs.counts()) == {"claimed": 2, "failed": 1, "waiting": 4}
        assert (await store.read(lambda tx: tx.jobs.find("ben:4"))) == jobs[3]


async def test_jobs_of_an_earlier_version_go_on_in_order(path: Path):
    async with opened(path) as store:

        async def claim(now: float, depth: int = 1) -> list[int]:
            jobs = await store.write(lambda tx: tx.jobs.claim("new", at(now), at(now + 60), 9, depth))
            return [job.id for job in jobs]

        assert await claim(0) == []
        assert await claim(9) == [4]
        assert await store.write(lambda tx: tx.jobs.finish(2, "old worker"))
        assert await claim(10) == [3]
        assert await claim(60, depth=2) == [6, 7]
        assert await store.write(lambda tx: tx.jobs.requeue(1, at(0)))
        assert await store.write(lambda tx: tx.jobs.finish(3, "new"))
        assert await claim(61) == [1]
        assert not {check for check in faults(await store.check_health()) if "queues" in check}


async def test_events_of_an_earlier_version_are_counted(path: Path):
    async with opened(path) as store:
        assert await store.read(lambda tx: tx.events.counts()) == {"added": (3, at(3)), "revised": (1, at(2))}
        assert len(await store.read(lambda tx: tx.events.list())) == 4


async def test_memos_of_an_earlier_version_are_found_by_their_message(path: Path):
    async with opened(path) as store:
        (memo,) = await store.read(lambda tx: tx.memos.from_message("discord", "m1"))
        assert memo.text == "likes tea"


def test_an_upgrade_that_fails_half_way_leaves_the_file_as_it_was(path: Path):
    with raw(path) as before:
        tables = before.execute("SELECT name, sql FROM sqlite_schema").fetchall()
        jobs = before.execute("SELECT * FROM jobs").fetchall()
    db = Database(path)
    db.pragma("max_page_count", db.pragma("page_count") + 1)
    with pytest.raises(apsw.FullError):
        migrate(db)
    db.close()
    with raw(path) as after:
        assert after.execute("SELECT name, sql FROM sqlite_schema").fetchall() == tables
        assert after.execute("SELECT * FROM jobs").fetchall() == jobs
        assert after.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_file_of_an_earlier_version_is_examined_without_complaint_and_left_as_it_is(path: Path):
    before = path.read_bytes()
    findings = examine(f"sqlite:///{path}")
    assert faults(findings).keys() == {"jobs"}  # one failed
    assert "version 1, brought up to date" in next(each.detail for each in findings if each.check == "schema")
    assert path.read_bytes() == before
