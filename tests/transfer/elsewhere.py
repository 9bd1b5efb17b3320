"""Other programs' memories, made as these programs make them, and a memory of ours to bring them into."""

import json
import sqlite3
from array import array
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from recollect.core.ports.format import Entry, Format, Item, Owner, Problem
from recollect.learning import ingest
from recollect.settings import wiring
from recollect.transfer.importing.convert import ImportOptions
from recollect.transfer.importing.limits import Limits
from recollect.transfer.importing.report import Report
from recollect.transfer.importing.run import Destination, run_import
from recollect.workspace import Workspace
from tests.scenes import Stage

MS = 1_739_140_000_000
"""2025-02-09, 22:26:40 UTC: what the documents take as an example."""
DISCO_FACT = {
    "id": "durable-a1b2c3d4",
    "kind": "preference",
    "text": "User prefers explicit for-loops over list comprehensions.",
    "tags": ["python", "style"],
    "status": "active",
    "source": {"type": "manual", "channelId": "123", "messageId": "456"},
    "createdAt": MS - 10_000_000,
    "updatedAt": MS,
}
CLANKER_SCHEMA = """
CREATE TABLE memory_facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, guild_id TEXT NOT NULL,
    channel_id TEXT, subject TEXT NOT NULL, fact TEXT NOT NULL, fact_type TEXT NOT NULL DEFAULT 'general',
    evidence_text TEXT, source_message_id TEXT, confidence REAL NOT NULL DEFAULT 0.5,
    is_active INTEGER NOT NULL DEFAULT 1, UNIQUE(guild_id, subject, fact));
CREATE TABLE memory_fact_vectors_native (
    fact_id INTEGER NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, embedding_blob BLOB NOT NULL,
    updated_at TEXT NOT NULL, PRIMARY KEY (fact_id, model));
"""
CLANKER_FACT = {
    "created_at": "2026-02-20T10:00:00.123Z",
    "updated_at": "2026-02-27T10:00:00.456Z",
    "guild_id": "900",
    "channel_id": "77",
    "subject": "42",
    "fact": "Plays the cello in an orchestra.",
    "fact_type": "profile",
    "evidence_text": "I play the cello in an orchestra",
    "source_message_id": "5001",
    "confidence": 0.8,
    "is_active": 1,
}
DEVCLAW_SCHEMA = """
CREATE TABLE memories (
    id TEXT PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL, keywords TEXT, embedding BLOB,
    created_at DATETIME, metadata TEXT);
CREATE VIRTUAL TABLE memories_fts USING fts5(content, keywords, content='memories', content_rowid='rowid');
"""
DEVCLAW_MEMORY = {
    "id": "mem-0001",
    "category": "fact",
    "content": "The API uses JWT tokens with 24h expiration",
    "keywords": '["api", "jwt"]',
    "created_at": "2024-01-15T10:30:00Z",
    "metadata": '{"project": "gateway"}',
}


def durable(path: Path, *items: object, version: object = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"version": version, "updatedAt": MS, "items": items}, indent=2) + "\n", "utf-8")
    return path


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def database(path: Path, schema: str, **tables: Iterable[Mapping[str, Any]]) -> Path:
    """An SQLite file with these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as made, made:
        made.executescript(schema)
        for table, rows in tables.items():
            for row in rows:
                marks = ", ".join("?" * len(row))
                made.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    return path


def floats(*numbers: float) -> bytes:
    return array("f", numbers).tobytes()


def read(form: Format, path: Path, user: str | None = None, guild: str | None = None) -> list[Item]:
    return list(form.read(path, Owner(user, guild)))


def entries(form: Format, path: Path, user: str | None = None, guild: str | None = None) -> list[Entry]:
    return [item for item in read(form, path, user, guild) if isinstance(item, Entry)]


def problems(form: Format, path: Path, user: str | None = None, guild: str | None = None) -> list[tuple[str, str]]:
    return [(item.location, item.reason) for item in read(form, path, user, guild) if isinstance(item, Problem)]


async def brought(
    stage: Stage, form: Format, path: Path, user: str | None = None, guild: str | None = None, **how: Any
) -> Report:
    """Bring all of it into a memory."""
    settings = stage.memory.settings
    destination = Destination(
        store=stage.memory.store,
        actor="operator",
        limits=Limits(wiring.memo_limits(settings), wiring.memo_limits(settings, lore=True)),
        model=stage.memory.vectors.model,
        workspace=lambda user: Workspace(settings.workspace.dir, user),
        add_message=lambda tx, message: ingest.add_message(tx, message, stage.clock()),
        max_message_chars=ingest.MAX_MESSAGE_CHARS,
    )
    terms = ImportOptions(form.name, stage.clock(), how.pop("everywhere", False))
    return await run_import(destination, form.read(path, Owner(user, guild)), terms, **how)
