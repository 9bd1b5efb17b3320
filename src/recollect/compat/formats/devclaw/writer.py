"""Writes DevClaw's files: `memory.db` with the tables of document E, and `memory/MEMORY.md` with a line a memory.

It has no statuses, so only memories in use are written. What its columns have no place for goes into the metadata,
which is free: nothing is lost on the way back. Its pages by category are those that recollect keeps itself.
"""

import base64
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from recollect.compat.formats.devclaw.reader import OURS, TABLE
from recollect.core import serialization
from recollect.core.clock import from_ms, to_ms
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Status
from recollect.policy.kinds import to_category
from recollect.transfer.readers.sqlite_file import writing
from recollect.workspace.disk import create, make_folder

DATABASE, NOTES = "memory.db", "memory/MEMORY.md"
_OTHER_COLUMNS = ("text", "tags", "status", "superseded_by")
"""What the row says, or what can't be otherwise."""
_PINNED = base64.b64encode(b'{"p":true}').decode()
_SCHEMA = f"""
CREATE TABLE {TABLE} (
    id TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    content TEXT NOT NULL,
    keywords TEXT,
    embedding BLOB,
    created_at DATETIME,
    metadata TEXT
);
CREATE VIRTUAL TABLE {TABLE}_fts USING fts5(content, keywords, content='{TABLE}', content_rowid='rowid');
"""


def write_devclaw(memos: Sequence[Memo], folder: Path) -> list[Path]:
    """Write the database and the notes of memories in use; the same ones give the same bytes."""
    active = [memo for memo in memos if memo.active]
    active.sort(key=lambda memo: (memo.created, memo.subject.scope, memo.id))
    make_folder((folder / NOTES).parent)
    with writing(folder / DATABASE, _SCHEMA) as database:
        names = _names(active)
        rows = [_row(memo, name) for memo, name in zip(active, names, strict=True)]
        database.executemany(
            f"INSERT INTO {TABLE} (id, category, content, keywords, created_at, metadata) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 - constants
            rows,
        )
        database.execute(f"INSERT INTO {TABLE}_fts ({TABLE}_fts) VALUES ('rebuild')")  # noqa: S608 - constants
    text = "# DevClaw Memory\n\nLong-term facts and preferences.\n\n" + "".join(map(_line, active))
    create(folder / NOTES, text.encode("utf-8", "replace"))
    return [folder / DATABASE, folder / NOTES]


def left_out(memos: Iterable[Memo]) -> int:
    """How many memos have no place there."""
    return sum(not memo.active for memo in memos if memo.status is not Status.DELETED)


def _names(memos: Sequence[Memo]) -> list[str]:
    """An id for each: two people may have said the same, and have it under one id."""
    counts = Counter(memo.id for memo in memos)
    return [memo.id if counts[memo.id] == 1 else f"{memo.subject.scope}/{memo.id}" for memo in memos]


def _row(memo: Memo, name: str) -> tuple[Any, ...]:
    extra = {key: value for key, value in serialization.memo_to_json(memo).items() if key not in _OTHER_COLUMNS}
    extra["source"] = {key: value for key, value in extra.get("source", {}).items() if key != "metadata"}
    keywords = json.dumps([tag.lower() for tag in memo.tags], ensure_ascii=False)
    metadata = json.dumps({**memo.source.metadata, OURS: extra}, ensure_ascii=False)
    return name, to_category(memo.kind), memo.text, keywords, _second(memo), metadata


def _second(memo: Memo) -> str:
    return f"{from_ms(to_ms(memo.happened or memo.created)):%Y-%m-%dT%H:%M:%S}Z"


def _line(memo: Memo) -> str:
    """`- [2024-01-15 10:30] [fact] content`, with its expiry and what else DevClaw's lines may say."""
    time = from_ms(to_ms(memo.happened or memo.created))
    parts = [f"- [{time:%Y-%m-%d %H:%M}] [{to_category(memo.kind)}]"]
    if memo.expires is not None:
        parts.append(f"[expires:{from_ms(to_ms(memo.expires)):%Y-%m-%d}]")
    if memo.pinned:
        parts.append(f"[meta:{_PINNED}]")
    text = collapse_spaces(memo.text).replace("[expires:", "[expires\\:").replace("[meta:", "[meta\\:")
    return " ".join([*parts, text]) + "\n"
