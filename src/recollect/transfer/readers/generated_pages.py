"""Markdown that a program wrote from its own records: daily logs and the snapshot `MEMORY.md`, not people's notes."""

import re
from pathlib import Path

from recollect.transfer.readers import fields

SNAPSHOT = "MEMORY.md"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_TITLES = ("# Clanker Conk Memory", "# Durable Memory Snapshot", "# Daily Memory Log")


def find(folder: Path) -> list[Path]:
    """The files in a folder, or in its `memory`, that go by the names of such pages."""
    pages = [*fields.files_in(folder, "*.md"), *fields.files_in(folder, "memory/*.md")]
    return [page for page in pages if page.name == SNAPSHOT or DAY.fullmatch(page.name)]


def is_generated(path: Path) -> bool:
    """By the title, as people use these names for their own notes."""
    return path.suffix == ".md" and fields.opening(path, 200).startswith(_TITLES)
