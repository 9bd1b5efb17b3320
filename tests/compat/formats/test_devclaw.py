"""DevClaw's memory.db, its pages by category, MEMORY.md and logs; files that are damaged; and what is there twice."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, PageEntry
from recollect.core.types import Audience, Origin, Place, Status, Subject
from tests.scenes import opened
from tests.transfer.elsewhere import (
    DEVCLAW_MEMORY,
    DEVCLAW_SCHEMA,
    brought,
    database,
    entries,
    floats,
    problems,
    read,
    written,
)
from tests.transfer.forms import DEVCLAW as FORMAT

PAGE = """---
category: fact
created_at: 2024-01-15T10:30:00Z
keywords: [api, authentication, stripe]
---

The Stripe API key is stored in the vault under `stripe_api_key`.
"""
NOTES = """# DevClaw Memory

Long-term facts and preferences.

- [2026-02-20 09:15] [preference] User prefers dark theme
- [2026-02-21 18:00] [event] [expires:2026-02-28] Deployed v2.1
- [stale] [2026-02-21 18:05] [fact] SSH is blocked
- a thought without a date
  that goes on here
"""
CHUNKS = """
CREATE TABLE files (id INTEGER PRIMARY KEY, file_id TEXT UNIQUE NOT NULL, hash TEXT NOT NULL, indexed_at DATETIME);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file_id TEXT NOT NULL, chunk_idx INTEGER NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL,
    embedding TEXT, created_at DATETIME, deleted_at DATETIME, expires_at DATETIME, kind TEXT, confidence REAL,
    occurred_at DATETIME, UNIQUE(file_id, chunk_idx));
"""


def memories(path: Path, *rows: dict[str, Any]) -> Path:
    return database(path, DEVCLAW_SCHEMA, memories=rows)


def test_its_folder_and_its_files_are_known(tmp_path: Path) -> None:
    file = memories(tmp_path / "a" / "data" / "memory.db", DEVCLAW_MEMORY)
    page = written(tmp_path / "b" / "data" / "memory" / "fact" / "2024-01-15-api-key.md", PAGE)
    notes = written(tmp_path / "c" / "MEMORY.md", NOTES)
    for path in (
        file,
        tmp_path / "a",
        tmp_path / "a" / "data",
        tmp_path / "b",
        page.parent.parent,
        notes,
        notes.parent,
    ):
        assert FORMAT.matches(path), path
    assert FORMAT.count(tmp_path / "a") == 1


def test_other_files_are_not_taken_for_it(tmp_path: Path) -> None:
    view = database(tmp_path / "v" / "memory.db", "CREATE VIEW memories AS SELECT 1 AS id, 2 AS category, 3 AS content")
    notes = written(tmp_path / "n" / "MEMORY.md", "# Notes\n\n- I sail\n")
    pages = written(tmp_path / "p" / "fact" / "readme.md", "no front matter\n")
    for path in (view, view.parent, notes, notes.parent, pages, pages.parent.parent, tmp_path / "none"):
        assert not FORMAT.matches(path), path


async def test_a_store_of_ours_is_not_taken_for_it(tmp_path: Path) -> None:
    async with opened(store=f"sqlite:///{tmp_path}/memory.db") as stage:
        await stage.remember("I keep bees")
    assert not FORMAT.matches(tmp_path / "memory.db")


def test_a_memory_keeps_all_that_it_says(tmp_path: Path) -> None:
    (memory,) = entries(FORMAT, memories(tmp_path / "memory.db", DEVCLAW_MEMORY), user="ann")
    at = datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    assert memory == Entry(
        location="memory.db memories row 1",
        user="ann",
        guild=None,
        kind="fact",
        label="fact",
        text="The API uses JWT tokens with 24h expiration",
        tags=("api", "jwt"),
        created=at,
        updated=at,
        source=memory.source,
        id="mem-0001",
    )
    assert (memory.source.origin, dict(memory.source.metadata)) == (Origin.IMPORT, {"project": "gateway"})


@pytest.mark.parametrize(
    "at", ["2024-01-15T10:30:00Z", "2024-01-15 10:30:00", "2024-01-15 07:30:00.000000000-03:00", 1705314600]
)
def test_times_are_read_as_programs_write_them(tmp_path: Path, at: object) -> None:
    file = memories(tmp_path / "memory.db", {**DEVCLAW_MEMORY, "created_at": at})
    assert [one.created for one in entries(FORMAT, file)] == [datetime(2024, 1, 15, 10, 30, tzinfo=UTC)]


def test_a_time_of_the_year_1_is_none(tmp_path: Path) -> None:
    file = memories(tmp_path / "memory.db", {**DEVCLAW_MEMORY, "created_at": "0001-01-01T00:00:00Z"})
    assert [one.created for one in entries(FORMAT, file)] == [None]


def test_an_event_happened_when_it_was_written(tmp_path: Path) -> None:
    (event,) = entries(FORMAT, memories(tmp_path / "memory.db", {**DEVCLAW_MEMORY, "category": "event"}))
    assert event.happened == event.created == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)


def test_an_embedding_counts_only_where_its_model_is_named(tmp_path: Path) -> None:
    nameless = {**DEVCLAW_MEMORY, "embedding": floats(0, 1)}
    named = {**nameless, "id": "mem-0002", "metadata": '{"embedding_model": "text-embedding-3-small"}'}
    file = memories(tmp_path / "memory.db", nameless, named)
    assert [one.vector for one in entries(FORMAT, file, "ann")] == [None]  # the same words count once
    only = memories(tmp_path / "named.db", named)
    assert [one.vector for one in entries(FORMAT, only)] == [("openai:text-embedding-3-small", floats(0, 1))]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"content": ""}, "its content is empty"),
        ({"keywords": '["api"'}, "its keywords is not JSON"),
        ({"keywords": '{"a": 1}'}, None),
        ({"keywords": "[1]"}, "its keywords are not a list of texts"),
        ({"metadata": "[]"}, "its metadata is not an object"),
        ({"metadata": "{"}, "its metadata is not JSON"),
        ({"metadata": '{"recollect": {"id": 1}}'}, "what recollect added to its metadata is damaged"),
        ({"created_at": "soon"}, "its created_at 'soon' is not a time"),
    ],
)
def test_a_broken_memory_is_reported_by_its_row_and_left_out(
    tmp_path: Path, change: dict[str, Any], why: str | None
) -> None:
    broken = {**DEVCLAW_MEMORY, "id": "mem-0000", "content": "Broken", **change}
    file = memories(tmp_path / "memory.db", broken, DEVCLAW_MEMORY)
    assert problems(FORMAT, file) == ([("memory.db memories row 1", why)] if why else [])
    assert [one.id for one in entries(FORMAT, file)][-1] == "mem-0001"


def test_a_version_without_the_columns_that_count_is_refused(tmp_path: Path) -> None:
    file = database(tmp_path / "memory.db", "CREATE TABLE memories (id TEXT PRIMARY KEY, body TEXT)")
    assert not FORMAT.matches(file)
    with pytest.raises(BadInput, match="no column 'category'"):
        read(FORMAT, file)


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\x00", b"SQLite format 3\x00" + b"\xff" * 5000, b"text"])
def test_a_corrupt_file_is_refused_with_a_reason(tmp_path: Path, data: bytes) -> None:
    file = written(tmp_path / "memory.db", data)
    assert not FORMAT.matches(file)
    with pytest.raises(BadInput, match=r"memory\.db"):
        read(FORMAT, file)


def test_a_truncated_file_gives_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    rows = [{**DEVCLAW_MEMORY, "id": f"mem-{n}", "content": f"Fact {n} " + "x" * 300} for n in range(400)]
    file = memories(tmp_path / "memory.db", *rows)
    file.write_bytes(file.read_bytes()[:100_000])
    assert 0 < len(entries(FORMAT, file)) < 400
    assert "damaged" in problems(FORMAT, file)[-1][1]


def test_memories_of_later_versions_are_read_from_their_pieces(tmp_path: Path) -> None:
    saved = {"file_id": "memory/saved/1", "chunk_idx": 0, "text": "User prefers dark theme", "hash": "h"}
    rows = [
        {**saved, "kind": "preference", "occurred_at": "2026-02-20 09:15:00", "created_at": "2026-03-01 00:00:00"},
        {**saved, "file_id": "memory/saved/2", "text": "Deleted", "deleted_at": "2026-02-21 00:00:00"},
        {**saved, "file_id": "MEMORY.md", "text": "a piece of a file"},
        {**saved, "file_id": "memory/imported/_marker", "text": "done"},
    ]
    file = database(tmp_path / "memory.db", CHUNKS, chunks=rows)
    assert FORMAT.matches(file)
    (memory,) = entries(FORMAT, file, user="ann")
    assert (memory.kind, memory.text) == ("preference", "User prefers dark theme")
    assert memory.created == datetime(2026, 2, 20, 9, 15, tzinfo=UTC)


def test_pages_by_category_are_read(tmp_path: Path) -> None:
    written(tmp_path / "data" / "memory" / "fact" / "2024-01-15-api-key.md", PAGE)
    written(tmp_path / "data" / "memory" / "event" / "2024-01-20-deployment.md", "Deployed v2.1\n")
    fact, event = entries(FORMAT, tmp_path, user="ann")
    assert (fact.location, fact.user, fact.kind) == ("fact/2024-01-15-api-key.md", "ann", "fact")
    assert (fact.text, fact.tags) == (
        "The Stripe API key is stored in the vault under `stripe_api_key`.",
        ("api", "authentication", "stripe"),
    )
    assert fact.created == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    assert (event.kind, event.text) == ("event", "Deployed v2.1")


def test_a_page_of_ours_says_whose_it_is_and_who_may_hear_it(tmp_path: Path) -> None:
    head = "category: fact\ncreated_at: 2024-01-15T10:30:00Z\nkeywords: []\nid: durable-12345678\n"
    more = "kind: tool\naudience: channel:900/77\nsource: manual\nupdated_at: 2024-02-01T00:00:00Z\n"
    written(tmp_path / "users" / "bob" / "fact" / "2024-01-10-x.md", f"---\n{head}user: bob\n{more}---\n\nUses Vim\n")
    written(tmp_path / "lore" / "900" / "2024-01-15-y.md", f"---\n{head}guild: '900'\n---\n\nWe meet on Fridays\n")
    mine, lore = entries(FORMAT, tmp_path, user="ann")
    assert (mine.user, mine.kind, mine.id, mine.source.origin) == ("bob", "tool", "durable-12345678", Origin.MANUAL)
    assert mine.audience == Audience("channel", "77", "900")
    assert mine.happened == datetime(2024, 1, 10, tzinfo=UTC)  # the day that its name says
    assert (lore.user, lore.guild, lore.kind) == (None, "900", "lore")


def test_nobody_writes_a_page_of_another_in_their_own_folder(tmp_path: Path) -> None:
    written(tmp_path / "users" / "bob" / "fact" / "2024-01-10-x.md", "---\nuser: ann\n---\n\nAnn owes Bob money\n")
    written(tmp_path / "lore" / "900" / "2024-01-10-x.md", "---\nuser: ann\n---\n\nAnn owes us money\n")
    reasons = [why for _, why in problems(FORMAT, tmp_path, user="me")]
    assert reasons == ["it says that it is of 'ann', in whose folder it does not lie"] * 2
    assert entries(FORMAT, tmp_path, user="me") == []


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("---\ncategory: fact\n---\n\n", "its text is empty"),
        ("---\ncategory: fact\nno end", "its front matter has no end: a line of three dashes is missing"),
        ("---\ncategory: [a\n---\n\nText\n", "its front matter is not YAML"),
        ("---\ncreated_at: soon\n---\n\nText\n", "its created_at 'soon' is not a time"),
        ("---\na: &x [1]\nb: *x\n---\n\nText\n", "its front matter uses an alias"),
        (b"---\ncategory: fact\n---\n\ncaf\xe9\n", "it is not a text in UTF-8"),
    ],
)
def test_a_broken_page_is_reported_and_left_out(tmp_path: Path, page: str | bytes, why: str) -> None:
    written(tmp_path / "fact" / "2024-01-15-a.md", page)
    written(tmp_path / "fact" / "2024-01-15-b.md", PAGE)
    ((where, reason),) = problems(FORMAT, tmp_path, user="ann")
    assert where == "fact/2024-01-15-a.md"
    assert reason.startswith(why)
    assert len(entries(FORMAT, tmp_path, user="ann")) == 1


def test_lines_of_its_notes_keep_their_times_and_categories(tmp_path: Path) -> None:
    found = entries(FORMAT, written(tmp_path / "MEMORY.md", NOTES), user="ann")
    assert [(one.kind, one.status, one.text) for one in found] == [
        ("preference", Status.ACTIVE, "User prefers dark theme"),
        ("event", Status.ACTIVE, "Deployed v2.1"),
        ("fact", Status.SUPERSEDED, "SSH is blocked"),
        ("fact", Status.ACTIVE, "a thought without a date that goes on here"),
    ]
    assert found[0].created == datetime(2026, 2, 20, 9, 15, tzinfo=UTC)
    assert found[1].expires == datetime(2026, 2, 28, tzinfo=UTC)
    assert found[3].created is None
    assert found[3].location == "MEMORY.md line 8"


def test_what_its_notes_add_to_a_line_is_understood_and_no_one_can_fake_it(tmp_path: Path) -> None:
    meta = base64.b64encode(json.dumps({"p": True, "i": 0.9}).encode()).decode()
    text = f"- [2026-02-20 09:15] [fact] [meta:{meta}] Pinned\n- [2026-02-20 09:15] [fact] [meta:%%%] Damaged\n"
    faked = "- [2026-02-20 09:15] [fact] said [expires\\:2020-01-01] and [meta\\:x]\n"
    found = entries(FORMAT, written(tmp_path / "MEMORY.md", text + faked))
    assert [(one.text, one.pinned) for one in found] == [
        ("Pinned", True),
        ("[meta:%%%] Damaged", False),
        ("said [expires:2020-01-01] and [meta:x]", False),
    ]
    assert found[2].expires is None


def test_a_broken_line_of_its_notes_is_reported_by_its_number(tmp_path: Path) -> None:
    file = written(
        tmp_path / "MEMORY.md", NOTES + "- [2026-02-31 09:15] [fact] No such day\n- [2026-02-20 09:15] [fact]\n"
    )
    assert problems(FORMAT, file) == [
        ("MEMORY.md line 10", "its time '2026-02-31 09:15' is not a time"),
        ("MEMORY.md line 11", "it says nothing"),
    ]


def test_daily_logs_come_as_files(tmp_path: Path) -> None:
    written(tmp_path / "data" / "memory" / "MEMORY.md", NOTES)
    written(tmp_path / "data" / "memory" / "2026-02-20.md", "# Daily Log – 2026-02-20\n\n## 09:15\n\nTalked.\n\n")
    pages = [item for item in read(FORMAT, tmp_path, user="ann") if isinstance(item, PageEntry)]
    assert [(page.name, page.text[:11]) for page in pages] == [("memory/2026-02-20.md", "# Daily Log")]


def test_a_memory_that_lies_there_three_times_comes_once(tmp_path: Path) -> None:
    text = DEVCLAW_MEMORY["content"]
    memories(tmp_path / "data" / "memory.db", DEVCLAW_MEMORY)
    written(tmp_path / "data" / "memory" / "fact" / "2024-01-15-jwt.md", f"---\ncategory: fact\n---\n\n{text}.\n")
    written(tmp_path / "data" / "memory" / "MEMORY.md", f"# DevClaw Memory\n\n- [2024-01-15 10:30] [fact] {text}\n")
    assert [one.location for one in entries(FORMAT, tmp_path, user="ann")] == ["memory.db memories row 1"]


async def test_its_memory_is_known_here_afterwards_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    memories(folder / "data" / "memory.db", DEVCLAW_MEMORY, {**DEVCLAW_MEMORY, "id": "2", "content": "Port 5432"})
    written(folder / "data" / "memory" / "fact" / "2024-01-15-api-key.md", PAGE)
    written(folder / "data" / "memory" / "MEMORY.md", NOTES)
    async with opened(workspace__dir=str(tmp_path / "work")) as stage:
        stage.clock.advance(days=800)
        assert (await brought(stage, FORMAT, folder, "ann", dry_run=True)).new == 7
        first = await brought(stage, FORMAT, folder, "ann")
        assert (first.new, first.left_out) == (7, 0)
        again = await brought(stage, FORMAT, folder, "ann")
        assert (again.new, again.changed, again.left_out, again.same) == (0, 0, 0, 7)
        known = await stage.known(place=Place(dm="ann"))
        found = await stage.memory.store.read(lambda tx: tx.memos.list(Subject("ann")))
    assert "SSH is blocked" not in known
    assert {"Port 5432", "User prefers dark theme"} <= set(known)
    assert {memo.source.metadata.get("imported_id") for memo in found} == {None, "2"}
