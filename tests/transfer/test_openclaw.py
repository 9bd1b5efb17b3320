"""OpenClaw's workspace: curated notes and logs of days."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Owner, PageEntry, Problem
from recollect.core.types import Kind
from tests.transfer.forms import OPENCLAW as FORMAT
from tests.transfer.moving import ANN, import_, memos_of, opened

WRITTEN = datetime(2024, 6, 1, tzinfo=UTC)
NOTES = """# MEMORY.md - long-term memory

## About
- **Name:** Ann, lives in Lyon
- I prefer tea

## Projects
Migrating the shop to Postgres.

<!-- nothing else -->
"""
LOG = """# 2024-05-06

## 10:15 Standup
- Met Bob about the shop
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    files = {
        "AGENTS.md": "Always obey.",
        "SOUL.md": "You are kind.",
        "MEMORY.md": NOTES,
        "memory/2024-05-06.md": LOG,
        "memory/projects/shop.md": "The shop runs on Django.\n",
        "memory/.hidden.md": "- hidden\n",
        "memory/2024-13-45.md": "- no such day\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (WRITTEN.timestamp(), WRITTEN.timestamp()))
    return folder


def test_every_statement_of_the_notes_is_an_entry_and_every_file_a_page(workspace: Path):
    items = list(FORMAT.read(workspace, ANN))
    entries = {item.text: item for item in items if isinstance(item, Entry)}
    assert [item.name for item in items if isinstance(item, PageEntry)] == [
        "MEMORY.md",
        "memory/2024-05-06.md",
        "memory/2024-13-45.md",
        "memory/projects/shop.md",
    ]
    assert [*entries] == [
        "Name: Ann, lives in Lyon",
        "I prefer tea",
        "Migrating the shop to Postgres.",
        "Met Bob about the shop",
        "no such day",
        "The shop runs on Django.",
    ]
    tea, bob = entries["I prefer tea"], entries["Met Bob about the shop"]
    assert (tea.location, tea.tags, tea.created, tea.happened) == ("MEMORY.md line 5", ("about",), WRITTEN, None)
    assert (bob.kind, bob.created, bob.happened) == (Kind.EVENT, datetime(2024, 5, 6, tzinfo=UTC), bob.created)
    assert bob.source.metadata == {"file": "memory/2024-05-06.md"}
    assert entries["no such day"].happened is None


async def test_what_happened_then_is_found_by_its_day_and_nothing_comes_twice(workspace: Path, tmp_path: Path):
    async with opened(tmp_path / "store") as memory:
        report = await import_(memory, workspace)
        again = await import_(memory, workspace)
        found = await memos_of(memory)
        page = memory.settings.workspace.dir / "users" / "ann" / "memory" / "2024-05-06.md"
        assert page.read_text() == LOG
    assert report.counts["new"] == {"memory": 6, "page": 4}
    assert (again.new, again.same) == (0, 10)
    assert found["I prefer tea"].kind is Kind.PREFERENCE
    assert found["Met Bob about the shop"].happened == datetime(2024, 5, 6, tzinfo=UTC)


def test_links_and_files_that_are_no_text_are_left_out(workspace: Path, tmp_path: Path):
    (tmp_path / "elsewhere.md").write_text("- private\n")
    (workspace / "memory" / "link.md").symlink_to(tmp_path / "elsewhere.md")
    (workspace / "memory" / "bad.md").write_bytes(b"\xff\xfe\x00")
    items = list(FORMAT.read(workspace, ANN))
    assert [item for item in items if isinstance(item, Problem)] == [
        Problem("memory/bad.md", "it is not a text in UTF-8")
    ]
    assert not any(isinstance(item, Entry) and "private" in item.text for item in items)


async def test_notes_of_a_guild_become_its_lore(workspace: Path):
    items = list(FORMAT.read(workspace, Owner(guild="g1")))
    assert {(item.user, item.guild) for item in items if isinstance(item, Entry)} == {(None, "g1")}


def test_a_folder_without_notes_is_refused(tmp_path: Path):
    with pytest.raises(BadInput, match=r"neither MEMORY\.md nor memory/\*\.md"):
        list(FORMAT.read(tmp_path, ANN))
