"""A store of the first edition opens, keeps all that was in it, and works on."""

import gzip
import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

import recollect
from recollect import Place
from recollect.core.ports.jobs import JobState
from recollect.learning.schedule import consolidation_job, daily_log_job, summary_key
from recollect.privacy.target import ErasureTarget
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.rows import handle
from tests.stores.opening import faults

OLD = Path(__file__).parents[1] / "data" / "first_edition"
LATER = datetime(2026, 3, 9, tzinfo=UTC)
DEV = Place("discord", "500", "600", name="dev", public=True)
STATUSES = {"active": 18, "superseded": 1, "archived": 2, "deprecated": 1}
EVENTS = {"memo.added": 22, "memo.retired": 5, "memo.revised": 3, "memo.undone": 1, "message.deleted": 1}
SESSION = "discord:500:channel:600"
MORE_JOBS = [  # kind, lane, state, dedupe, realm: what the recorded stores lack
    ("summarise", f"session:{SESSION}", "waiting", f"summarise:{SESSION}", "discord:500"),
    ("summarise", f"session:{SESSION}", "behind", None, "discord:500"),
    ("summarise", "session:discord:501:channel:610", "parked", None, "discord:501"),
    ("reflect", "dream:1007", "parked", None, "dreams"),
    ("reflect", "dream:1008", "waiting", "reflect:1008", "dreams"),
    ("extract", "user:dream", "waiting", "extract:discord/1", "discord:500"),
]
MORE_EVENTS = [  # kind, actor, scope, data
    ("dream.done", "dream", "user:1007", '{"batch":"b1"}'),
    ("memo.retired", "dream", "user:1007", '{"batch":"b1"}'),
    ("memo.retired", "dream", "user:dream", '{"batch":"b2"}'),  # a person of that name
    ("dream.aborted", "dream", "user:1007", '{"batch":"b3"}'),
    ("reflect.error", "worker", "dream:1007", '{"job":1}'),
    ("job.parked", "worker", "dream:1007", '{"job":1}'),
    ("summarise.error", "worker", f"session:{SESSION}", '{"job":2}'),
    ("journal.error", "worker", "files", '{"job":3}'),
]
RENAMED = {
    "dream.done": "consolidation.done",
    "dream.aborted": "consolidation.aborted",
    "job.parked": "job.failed",
    "summarise.error": "summarize.error",
    "reflect.error": "consolidate.error",
    "journal.error": "daily_log.error",
}
LONG_USER = "1" * 300


def raw(store: str, sql: str, *rows: tuple[object, ...]) -> list[tuple[Any, ...]]:
    """Run SQL with `?` on a store that no recollect has open: for each row, or once and tell what it gives."""
    if store.startswith("sqlite"):
        with closing(sqlite3.connect(store.removeprefix("sqlite:///"))) as file, file:
            return file.executemany(sql, rows).fetchall() if rows else file.execute(sql).fetchall()
    with psycopg.connect(Address.of(store).conninfo, options="-c search_path=recollect,public") as connection:
        if rows:
            connection.cursor().executemany(sql.replace("?", "%s"), rows)
            return []
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(params=["sqlite", "postgres"])
def old_store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        path = tmp_path / "memory.db"
        path.write_bytes(gzip.decompress((OLD / "memory.db.gz").read_bytes()))
        return f"sqlite:///{path}"
    address = request.getfixturevalue("bare_database")
    with psycopg.connect(Address.of(address).conninfo, autocommit=True) as connection:
        connection.execute(gzip.decompress((OLD / "memory.sql.gz").read_bytes()))
    return address


@pytest.fixture
def busy_store(old_store: str) -> str:
    """With jobs of all kinds in all states, and with the events that they logged."""
    due = int(LATER.timestamp() * 1000) - 1000
    raw(
        old_store,
        "INSERT INTO jobs (kind, lane, payload, state, due, dedupe, realm) VALUES (?, ?, '{}', ?, ?, ?, ?)",
        *((kind, lane, state, due, dedupe, realm) for kind, lane, state, dedupe, realm in MORE_JOBS),
    )
    events = [*MORE_EVENTS, ("job.parked", "worker", f"dream:{LONG_USER}", '{"job":4}')]
    known = {name for (name,) in raw(old_store, "SELECT name FROM scopes")}
    fresh = sorted({scope for _, _, scope, _ in events} - known)
    if old_store.startswith("sqlite"):
        raw(old_store, "INSERT INTO scopes (name) VALUES (?)", *((scope,) for scope in fresh))
    else:
        raw(old_store, "INSERT INTO scopes (name, mark) VALUES (?, ?)", *((scope, handle(scope)) for scope in fresh))
    raw(
        old_store,
        "INSERT INTO events (kind, at, actor, scope, reason, data) "
        "VALUES (?, ?, ?, (SELECT id FROM scopes WHERE name = ?), 'why', ?)",
        *((kind, due, actor, scope, data) for kind, actor, scope, data in events),
    )
    shard = "" if old_store.startswith("sqlite") else " 0,"
    raw(old_store, "DELETE FROM event_days")
    raw(
        old_store,
        f"INSERT INTO event_days SELECT kind, at / 86400000,{shard} count(*), max(at) FROM events GROUP BY 1, 2",
    )
    return old_store


def opened(store: str, folder: Path, **options: Any):
    return recollect.AsyncMemory(
        store, clock=lambda: LATER, data_dir=folder, model="local", embedder="static", **options
    )


async def test_every_memo_message_event_and_job_is_still_there(old_store: str, tmp_path: Path):
    exported = [json.loads(line) for user in ("1001", "1002") for line in _lines(f"{user}.jsonl")]
    async with opened(old_store, tmp_path, run_worker=False) as memory:
        memos = await memory.store.read(
            lambda tx: [m for subject in tx.memos.subjects() for m in tx.memos.list(subject)]
        )
        assert Counter(str(memo.status) for memo in memos) == STATUSES
        known = {memo.id: memo for memo in memos}
        for old in exported:
            if old.get("type") == "memo":
                assert known[old["id"]].text == old["text"]
                assert known[old["id"]].source.evidence == old["source"].get("evidence")
        events = Counter(event.kind for event in await memory.log(limit=1000))
        assert {kind: count for kind, count in EVENTS.items() if events[kind] < count} == {}
        heard = {memo.text: str(memo.audience) for memo in memos}
        assert heard["I speak Portuguese and Galician"] == "everywhere", "it was shared"
        assert (heard["I am left-handed"], heard["I drive a Skoda"]) == ("dm:discord:1001", "guild:500"), (
            "nobody shared them"
        )
        jobs = await memory.store.read(lambda tx: tx.jobs.list(None, 100))
        assert Counter(job.kind for job in jobs) == {"extract": 5, "consolidate": 2, "erase": 1, "daily_log": 1}
        assert [job.error for job in jobs if job.error] == ["KeyError: 'message'"]
        summary = (await memory.show(user="1001", place=DEV)).summary
        assert summary is not None
        assert summary.text.startswith("Ann: I moved to Lisbon in May")


async def test_what_was_said_before_is_found_by_words_and_by_meaning(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path, run_worker=False) as memory:
        hits = await memory.search("which drink do I prefer?", user="1001", place=DEV, limit=1)
        assert [hit.text for hit in hits] == ["Prefers tea over coffee"]
        hits = await memory.search("peanuts", user="1003", place=DEV, over="messages")
        assert "I'm allergic to peanuts" in [hit.text for hit in hits]


async def test_the_last_change_of_the_first_edition_can_be_undone(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path, run_worker=False) as memory:
        await memory.undo(user="1003", place=DEV)
        log = await memory.log(user="discord:1003")
        assert log[0].kind == "memo.undone"


async def test_jobs_that_waited_are_done(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path) as memory:
        await memory.worker.wait_for("extract:discord/3004", 30)
        assert "Lives in Basel" in [memo.text for memo in (await memory.show(user="1003", place=DEV)).memos]


async def test_jobs_keep_their_place_under_the_new_names(busy_store: str, tmp_path: Path):
    async with opened(busy_store, tmp_path, run_worker=False) as memory:
        jobs = await memory.store.read(lambda tx: tx.jobs.list(None, 100))
        assert [(job.kind, job.queue, job.state, job.tenant) for job in jobs[-len(MORE_JOBS) :]] == [
            ("summarize", f"session:{SESSION}", JobState.WAITING, "discord:500"),
            ("summarize", f"session:{SESSION}", JobState.WAITING, "discord:500"),  # blocked, which readers don't see
            ("summarize", "session:discord:501:channel:610", JobState.FAILED, "discord:501"),
            ("consolidate", "consolidate:1007", JobState.FAILED, "consolidate"),
            ("consolidate", "consolidate:1008", JobState.WAITING, "consolidate"),
            ("extract", "user:dream", JobState.WAITING, "discord:500"),
        ]
        recorded = {(job.kind, job.queue, job.tenant) for job in jobs[: -len(MORE_JOBS)]}
        assert ("daily_log", "mirror", "mirror") in recorded
        assert {queue for kind, queue, _ in recorded if kind == "consolidate"} <= {
            "consolidate:discord:1002",
            "consolidate:discord:1003",
        }
        assert not faults(await memory.store.check_health()).keys() - {"jobs"}, "queues are in order, counts agree"
    states = dict(raw(busy_store, "SELECT state, count(*) FROM jobs GROUP BY state"))
    assert states.keys() <= {*JobState}
    assert states["blocked"] >= 1


async def test_a_blocked_job_of_the_first_edition_follows_the_one_before_it(busy_store: str, tmp_path: Path):
    until = LATER + timedelta(hours=1)
    async with opened(busy_store, tmp_path, run_worker=False) as memory:

        async def claim() -> list[int]:
            jobs = await memory.store.write(lambda tx: tx.jobs.claim("new", LATER, until, 50))
            return [job.id for job in jobs if job.queue == f"session:{SESSION}"]

        (first,) = await claim()
        assert await claim() == []
        assert await memory.store.write(lambda tx: tx.jobs.finish(first, "new"))
        (second,) = await claim()
        assert second == first + 1
        (failed,) = [
            job
            for job in await memory.store.read(lambda tx: tx.jobs.list(JobState.FAILED))
            if job.queue == "consolidate:1007"
        ]
        assert await memory.store.write(lambda tx: tx.jobs.requeue(failed.id, LATER))


async def test_a_job_that_waits_already_is_not_added_again(busy_store: str, tmp_path: Path):
    async with opened(busy_store, tmp_path, run_worker=False) as memory:
        assert await memory.store.write(lambda tx: tx.jobs.add(consolidation_job("1008", LATER))) is None
        assert await memory.store.write(lambda tx: tx.jobs.add(daily_log_job(LATER))) is None
        waiting = await memory.store.read(lambda tx: tx.jobs.find(summary_key(SESSION)))
        assert waiting is not None
        assert waiting.kind == "summarize"
        assert await memory.store.write(lambda tx: tx.jobs.add(consolidation_job("1007", LATER))) is not None


async def test_the_log_and_its_counts_survive_under_the_new_kinds(busy_store: str, tmp_path: Path):
    before = dict(raw(busy_store, "SELECT kind, count(*) FROM events GROUP BY kind"))
    async with opened(busy_store, tmp_path, run_worker=False) as memory:
        after = {kind: count for kind, (count, _) in (await memory.store.read(lambda tx: tx.events.counts())).items()}
        lost = {RENAMED.get(kind, kind): count for kind, count in before.items()}.items() - after.items()
        assert {kind for kind, _ in lost} <= {"memo.revised"}, "narrowing audiences logs more of these"
        assert not after.keys() & RENAMED.keys()
        events = await memory.store.read(lambda tx: tx.events.list(limit=1000))
        logged = [(event.kind, event.actor, event.scope) for event in reversed(events)]
    for kind, actor, scope in [
        ("consolidation.done", "consolidation", "user:1007"),
        ("memo.retired", "consolidation", "user:1007"),
        ("memo.retired", "dream", "user:dream"),
        ("consolidation.aborted", "consolidation", "user:1007"),
        ("consolidate.error", "worker", "consolidate:1007"),
        ("job.failed", "worker", "consolidate:1007"),
        ("job.failed", "worker", f"consolidate:{LONG_USER}"),
        ("summarize.error", "worker", f"session:{SESSION}"),
        ("daily_log.error", "worker", "mirror"),
    ]:
        assert (kind, actor, scope) in logged
    shown = Counter(kind for (kind,) in raw(busy_store, "SELECT kind FROM action_log"))
    assert shown["bot_error"] == before["job.parked"]


@pytest.mark.parametrize("user", ["1007", LONG_USER])
async def test_an_erasure_finds_what_the_first_edition_logged_under_a_queue(busy_store: str, tmp_path: Path, user: str):
    async with opened(busy_store, tmp_path, run_worker=False) as memory:
        scope = f"consolidate:{user}"
        events = await memory.store.read(lambda tx: tx.events.list(scope=scope))
        assert {event.text for event in events} == {"why"}
        assert ErasureTarget(user).owns_queue(scope)


def _lines(name: str) -> list[str]:
    return (OLD / name).read_text("utf-8").splitlines()
