"""Backups, rebuilding the word index, self-examination, and the views that other programs read."""

# ruff: noqa: ASYNC240 - a test has its loop to itself

import asyncio
import json
import sqlite3
import struct
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import BadInput, StoreUnwritable
from recollect.core.ports import Tx, VectorSet
from recollect.core.ports.jobs import NewJob
from recollect.core.types import Kind, Origin, Provenance, Status
from recollect.stores.sqlite import create, examine
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    GUILD_LORE,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    texts_of,
    unit_vector,
)
from tests.stores.opening import faults, opened

FACT_COLUMNS = (
    "id created_at updated_at guild_id channel_id subject fact fact_type evidence_text source_message_id "
    "confidence is_active"
)
SOURCE = Provenance(Origin.DISCORD, "ada", "discord", "g", "c", message="m1", evidence="I like tea", metadata={"n": 1})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def damage(path: Path, *statements: str) -> None:
    raw = apsw.Connection(str(path))
    for statement in statements:
        raw.execute(statement)
    raw.close()


async def test_a_backup_taken_while_others_write_is_whole_and_consistent(path: Path, tmp_path: Path):
    def write_pair(tx: Tx, n: int) -> None:
        tx.memos.put(make_memo(f"pair {n}", ADA))
        tx.memos.put(make_memo(f"pair {n}", BEN))

    async with opened(path) as store:
        await put(store, *(make_memo(f"early {n} " + "x" * 400) for n in range(500)))
        writers = [asyncio.create_task(store.write(lambda tx, n=n: write_pair(tx, n))) for n in range(100)]
        steps: list[tuple[int, int]] = []
        await store.backup(tmp_path / "deep" / "copy.db", lambda done, total: steps.append((done, total)))
        await asyncio.gather(*writers)
        assert steps[-1][0] == steps[-1][1] > 0
    assert [each.name for each in (tmp_path / "deep").iterdir()] == ["copy.db"]
    async with opened(tmp_path / "deep" / "copy.db") as copy:
        texts = await texts_of(copy)
        assert len([text for text in texts if text.startswith("early")]) == 500
        assert sorted(text for text in texts if text.startswith("pair")) == sorted(await texts_of(copy, BEN))
        assert len(await find(copy, "early", limit=999)) == 500
        assert not faults(await copy.check_health())
        await put(copy, make_memo("the copy lives on"))


async def test_a_backup_never_overwrites(path: Path, tmp_path: Path):
    target = tmp_path / "copy.db"
    target.write_text("precious")
    async with opened(path) as store:
        with pytest.raises(BadInput, match="never overwrites"):
            await store.backup(target)
    assert target.read_text() == "precious"


async def test_a_backup_that_fails_leaves_nothing_behind(path: Path, tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")

    def give_up(done: int, total: int) -> None:
        raise InterruptedError("stopped by the user")

    async with opened(path) as store:
        with pytest.raises(StoreUnwritable, match=r"copy\.db"):
            await store.backup(tmp_path / "file" / "copy.db")
        folder = tmp_path / "copies"
        with pytest.raises(Exception, match=r"stopped by the user|cannot write"):
            await store.backup(folder / "copy.db", give_up)
        assert list(folder.iterdir()) == []
        await store.backup(folder / "copy.db")
        assert [each.name for each in folder.iterdir()] == ["copy.db"]


async def test_a_store_in_memory_can_be_saved(tmp_path: Path):
    store = create("sqlite://")
    await put(store, make_memo("volatile"))
    await store.backup(tmp_path / "saved.db")
    await store.close()
    async with opened(tmp_path / "saved.db") as saved:
        assert await texts_of(saved) == ["volatile"]


async def fill(path: Path) -> None:
    async with opened(path) as store:
        await put(store, *(make_memo(f"tea {n}") for n in range(20)), make_memo("milk", BEN))
        await say(store, make_message("tea time"))
        await store.write(lambda tx: tx.memos.put(make_memo("cup"), ("m", unit_vector(1, 0))))


REPAIRABLE = {
    "missing entries": ["DELETE FROM memo_words WHERE rowid % 2"],
    "missing messages": ["DELETE FROM message_words"],
    "stray entries": ["INSERT INTO memo_words (rowid, terms) VALUES (4294967999, '1xtea')"],
    "lost rows": ["DELETE FROM memos WHERE text = 'milk'"],
    "broken blocks": ["UPDATE memo_words_data SET block = x'00ff00ff00ff' WHERE id > 10"],
    "lost blocks": ["DELETE FROM memo_words_data WHERE id > 10"],
    "size of an empty scope": ["INSERT INTO scopes (name, size) VALUES ('user:gone', 3)"],
    "wrong sizes": ["UPDATE scopes SET size = size + 7"],
    "stray vectors": ["INSERT INTO memo_vectors_1 (key, embedding) VALUES (4294967999, x'0000803f00000000')"],
}


@pytest.mark.parametrize("kind", REPAIRABLE)
async def test_what_is_derived_is_found_damaged_and_repaired_by_reindexing(path: Path, kind: str):
    await fill(path)
    damage(path, *REPAIRABLE[kind])
    async with opened(path) as store:
        found = faults(await store.check_health())
        assert found
        assert all("recollect rebuild-index" in detail for detail in found.values())
        await store.reindex()
        assert not faults(await store.check_health())
        assert len(await find(store, "tea", limit=99)) == 20
        assert await find(store, "tea", [CHANNEL.stream], "messages") == ["tea time"]
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == 21
    assert not faults(examine(f"sqlite:///{path}"))


async def test_an_examination_is_right_again_after_much_was_written(path: Path):
    async with opened(path) as store:
        for n in range(5):
            await asyncio.gather(*(put(store, make_memo(f"tea {n} {m}")) for m in range(20)))
            await store.reindex()
            assert not faults(await store.check_health())


async def test_reindexing_goes_on_where_it_was_interrupted(path: Path):
    def stop(done: int, total: int) -> None:
        raise InterruptedError

    async with opened(path) as store:
        await put(store, *(make_memo(f"tea {n}") for n in range(1_700)))
        damage(path, "DELETE FROM memo_words")
        with pytest.raises(InterruptedError):
            await store.reindex(stop)
        await put(store, make_memo("tea meanwhile"))
    async with opened(path) as store:
        steps: list[tuple[int, int]] = []
        left = await store.reindex(lambda done, total: steps.append((done, total)))
        assert 0 < left < 1_701
        assert steps[-1] == (left, left)
        assert len(await find(store, "tea", limit=9_999)) == 1_701
        assert await store.reindex() == 1_701


async def test_an_examination_names_each_kind_of_trouble(path: Path, tmp_path: Path):
    missing = examine(f"sqlite:///{path}")
    assert "not there" in faults(missing)["file exists"]

    other = tmp_path / "other.db"
    damage(other, "CREATE TABLE theirs (x)")
    assert "another program" in faults(examine(f"sqlite:///{other}"))["file is a recollect store"]

    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"garbage " * 1_000)
    assert faults(examine(f"sqlite:///{garbage}"))
    assert garbage.read_bytes() == b"garbage " * 1_000

    async with opened(path) as store:
        job = await store.write(lambda tx: tx.jobs.add(NewJob("learn", "queue", {}, at(0))))
        assert not faults(await store.check_health())
        await store.write(lambda tx: tx.jobs.claim("w", at(0), at(60), 1))
        await store.write(lambda tx: tx.jobs.fail(job or 0, "w", "no"))
        assert faults(await store.check_health()) == {"jobs": "1 given up after repeated failures"}
        await put(store, make_memo("to embed"))
        await store.write(lambda tx: tx.memos.put(make_memo("embedded"), ("m", unit_vector(1, 0))))
        details = {finding.check: finding.detail for finding in await store.check_health()}
        assert details["vectors of memos by m"] == "1 still to embed"
    damage(path, "PRAGMA user_version = 99")
    assert "version 99" in faults(examine(f"sqlite:///{path}"))["schema"]


async def test_an_examination_of_a_damaged_file_lists_findings_and_leaves_it_as_it_is(path: Path):
    await fill(path)
    data = bytearray(path.read_bytes())
    for start in range(4096 * 2, len(data), 4096):
        data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    found = faults(examine(f"sqlite:///{path}"))
    assert "malformed" in " ".join(found.values())
    assert path.read_bytes() == bytes(data)


async def test_an_examination_leaves_the_journal_of_a_crashed_process_alone(path: Path, tmp_path: Path):
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    async with opened(path) as store:
        await put(store, make_memo("in the log"))
        for each in tmp_path.glob("memory.db*"):  # as a crash leaves them: not yet joined
            (crashed / each.name).write_bytes(each.read_bytes())
    copy = crashed / path.name
    before = copy.read_bytes(), Path(f"{copy}-wal").read_bytes()
    assert not faults(examine(f"sqlite:///{copy}"))
    assert (copy.read_bytes(), Path(f"{copy}-wal").read_bytes()) == before
    async with opened(copy) as store:
        assert await texts_of(store) == ["in the log"]


@pytest.mark.acceptance("D67")
async def test_the_view_of_facts_keeps_archived_ones_as_inactive(path: Path):
    tea = make_memo("likes tea", kind=Kind.PREFERENCE, confidence=0.75, source=SOURCE, updated=at(60))
    async with opened(path) as store:
        tea_key, lore_key = await put(store, tea, make_memo("we meet on Fridays", GUILD_LORE, kind=Kind.LORE))
        await put(store, replace(tea, status=Status.ARCHIVED))
    raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    raw.row_factory = sqlite3.Row
    rows = {row["id"]: dict(row) for row in raw.execute("SELECT * FROM memory_facts")}
    raw.close()
    assert list(rows[tea_key]) == FACT_COLUMNS.split()
    assert rows[tea_key] == {
        "id": tea_key,
        "created_at": int(at(0).timestamp() * 1000),
        "updated_at": int(at(60).timestamp() * 1000),
        "guild_id": "g",
        "channel_id": "c",
        "subject": "ada",
        "fact": "likes tea",
        "fact_type": "preference",
        "evidence_text": "I like tea",
        "source_message_id": "m1",
        "confidence": 0.75,
        "is_active": 0,
    }
    lore = rows[lore_key]
    assert (lore["subject"], lore["fact_type"], lore["is_active"]) == ("__lore__", "lore", 1)


@pytest.mark.parametrize(
    ("kind", "label", "fact_type"),
    [
        (Kind.FACT, None, "profile"),
        (Kind.PERSON, None, "relationship"),
        (Kind.PROJECT, None, "project"),
        (Kind.TOOL, None, "other"),
        (Kind.FACT, "relationship", "relationship"),
        (Kind.FACT, "something else", "profile"),
    ],
)
async def test_the_view_of_facts_speaks_its_documents_types(path: Path, kind: Kind, label: str | None, fact_type: str):
    async with opened(path) as store:
        await put(store, make_memo("x", kind=kind, label=label, source=SOURCE))
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT fact_type FROM memory_facts").fetchall() == [(fact_type,)]
    raw.close()


@pytest.mark.acceptance("E5")
async def test_the_view_of_memories_has_its_documents_columns(path: Path):
    tea = make_memo("likes tea", id="a", kind=Kind.PREFERENCE, tags=("drink", "tea"), source=SOURCE)
    event = make_memo("went to Rome", id="b", kind=Kind.EVENT, happened=at(3600))
    tool = make_memo("uses vim", id="c", kind=Kind.TOOL)
    async with opened(path) as store:
        await store.write(lambda tx: tx.memos.put(tea, ("first", unit_vector(3, 4))))
        await put(store, event, tool, make_memo("gone", id="d", status=Status.DELETED))
        raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        raw.row_factory = sqlite3.Row
        rows = {row["id"]: dict(row) for row in raw.execute("SELECT * FROM memories")}
        assert list(rows) == ["a", "b", "c"]
        row = rows["a"]
        assert list(row) == ["id", "category", "content", "keywords", "embedding", "created_at", "metadata", "rowid"]
        assert (row["category"], row["content"]) == ("preference", "likes tea")
        assert json.loads(row["keywords"]) == ["drink", "tea"]
        assert json.loads(row["metadata"]) == {"n": 1}
        assert struct.unpack("<2f", row["embedding"]) == pytest.approx((0.6, 0.8))
        assert row["created_at"] == "2025-03-01T12:00:00Z"
        plain = rows["b"]
        assert (plain["category"], plain["created_at"]) == ("event", "2025-03-01T13:00:00Z")
        assert (plain["keywords"], plain["embedding"], plain["metadata"]) == ("[]", None, "{}")
        assert rows["c"]["category"] == "fact"
        key = await store.read(lambda tx: tx.index.recent("memos", [ADA.scope], 9)[-1])
        await store.write(lambda tx: tx.index.put_vectors("memos", "second", {key: unit_vector(1, 0, 0)}))
        await store.write(lambda tx: tx.index.activate("memos", "second"))
        (embedding,) = raw.execute("SELECT embedding FROM memories WHERE embedding IS NOT NULL").fetchone()
        assert struct.unpack("<3f", embedding) == (1, 0, 0)
        raw.close()


@pytest.mark.acceptance("D5", "D6")
async def test_a_fact_has_one_float32_vector_a_model_and_similarity_is_the_cosine(path: Path):
    small, large = unit_vector(1, 0), unit_vector(0, 0, 1)
    async with opened(path) as store:
        key = await store.write(lambda tx: tx.memos.put(make_memo("a"), ("small", small)))
        await store.write(lambda tx: tx.index.put_vectors("memos", "large", {key: large}))
        await store.write(lambda tx: tx.index.put_vectors("memos", "small", {key: unit_vector(3, 4)}))
        sets = await store.read(lambda tx: tx.index.vectors("memos"))
        assert set(sets) == {VectorSet("small", 2, True), VectorSet("large", 3, False)}
        for query, expected in ((unit_vector(1, 0), 0.6), (unit_vector(-1, 0), -0.6), (unit_vector(3, 4), 1)):
            found = await store.read(lambda tx, query=query: tx.index.nearest("memos", [ADA.scope], "small", query, 1))
            assert found == pytest.approx({key: expected}, abs=1e-6)
        found = await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], "large", large, 1))
        assert found == pytest.approx({key: 1.0})


@pytest.mark.acceptance("E18")
async def test_jwt_expiration_finds_the_tokens_with_24h_expiration(path: Path):
    async with opened(path) as store:
        await put(
            store,
            make_memo("The API uses JWT tokens with 24h expiration"),
            make_memo("The API is written in Go"),
            make_memo("JWT is pronounced jot"),
        )
        found = await find(store, "JWT expiration")
        assert found[0] == "The API uses JWT tokens with 24h expiration"
        assert "The API is written in Go" not in found


@pytest.mark.acceptance("B78")
async def test_a_write_happens_as_a_whole_or_not_at_all(path: Path):
    def half(tx: Tx) -> None:
        tx.memos.put(make_memo("changed", id="a"))
        tx.memos.put(make_memo("new"))
        raise RuntimeError("the power fails here")

    async with opened(path) as store:
        await put(store, make_memo("as it was", id="a"))
        with pytest.raises(RuntimeError, match="power"):
            await store.write(half)
        assert await texts_of(store) == ["as it was"]
    async with opened(path) as store:
        assert await texts_of(store) == ["as it was"]
        assert await find(store, "changed new") == []
