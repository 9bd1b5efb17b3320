"""A store of the first edition opens, keeps all that was in it, and works on."""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

import recollect
from recollect import Place
from recollect.stores.postgres.address import Address

OLD = Path(__file__).parents[1] / "data" / "first_edition"
LATER = datetime(2026, 3, 9, tzinfo=UTC)
DEV = Place("discord", "500", "600", name="dev", public=True)
STATUSES = {"active": 18, "superseded": 1, "archived": 2, "deprecated": 1}
EVENTS = {"memo.added": 22, "memo.retired": 5, "memo.revised": 3, "memo.undone": 1, "message.deleted": 1}


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


def opened(store: str, folder: Path, **options: Any):
    return recollect.AsyncMemory(
        store, clock=lambda: LATER, data_dir=folder, model="local", embedder="static", **options
    )


async def test_every_memo_message_event_and_job_is_still_there(old_store: str, tmp_path: Path):
    exported = [json.loads(line) for user in ("1001", "1002") for line in _lines(f"{user}.jsonl")]
    async with opened(old_store, tmp_path, works=False) as memory:
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
        assert (heard["I am left-handed"], heard["I drive a Skoda"]) == ("dm:1001", "guild:500"), "nobody shared them"
        jobs = await memory.store.read(lambda tx: tx.jobs.list(None, 100))
        assert Counter(job.kind for job in jobs) == {"extract": 5, "reflect": 2, "erase": 1, "journal": 1}
        assert [job.error for job in jobs if job.error] == ["KeyError: 'message'"]
        summary = (await memory.show(user="1001", place=DEV)).summary
        assert summary is not None
        assert summary.text.startswith("Ann: I moved to Lisbon in May")


async def test_what_was_said_before_is_found_by_words_and_by_meaning(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path, works=False) as memory:
        hits = await memory.search("which drink do I prefer?", user="1001", place=DEV, limit=1)
        assert [hit.text for hit in hits] == ["Prefers tea over coffee"]
        hits = await memory.search("peanuts", user="1003", place=DEV, over="messages")
        assert "I'm allergic to peanuts" in [hit.text for hit in hits]


async def test_the_last_change_of_the_first_edition_can_be_undone(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path, works=False) as memory:
        await memory.undo(user="1003", place=DEV)
        log = await memory.log(user="1003")
        assert log[0].kind == "memo.undone"


async def test_jobs_that_waited_are_done(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path) as memory:
        await memory.worker.wait_for("extract:discord/3004", 30)
        assert "Lives in Basel" in [memo.text for memo in (await memory.show(user="1003", place=DEV)).memos]


def _lines(name: str) -> list[str]:
    return (OLD / name).read_text("utf-8").splitlines()
