"""Writes ClankerBot's files: `data/clanker.db` with the tables of document D, and the snapshot `memory/MEMORY.md`.

A fact without a guild has no place there: its scope is the guild. The vectors of the model that serves come along;
ClankerBot fills in what is missing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recollect.compat.formats.clanker.reader import FACTS, TYPE, VECTORS, model_there
from recollect.core.text import collapse_spaces
from recollect.core.types import LORE, Memo, Message, Status, guild_key, split_person
from recollect.policy.kinds import to_type
from recollect.transfer.exporting import Vectors, check_empty
from recollect.transfer.readers.fields import iso
from recollect.transfer.readers.sqlite_file import writing
from recollect.workspace.disk import create, make_folder

Fact = tuple[Any, ...]
DATABASE, PAGES = "data/clanker.db", "memory"
_MAX_FACTS_PER_PERSON = 6
_LABELS = {name: name.capitalize() for name in ("preference", "profile", "relationship", "project")}
_SCHEMA = f"""
CREATE TABLE {FACTS} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    guild_id TEXT NOT NULL,
    channel_id TEXT,
    subject TEXT NOT NULL,
    fact TEXT NOT NULL,
    fact_type TEXT NOT NULL DEFAULT 'other',
    evidence_text TEXT,
    source_message_id TEXT,
    confidence REAL NOT NULL DEFAULT 0.5,
    is_active INTEGER NOT NULL DEFAULT 1,
    UNIQUE (guild_id, subject, fact)
);
CREATE TABLE {VECTORS} (
    fact_id INTEGER NOT NULL,
    model TEXT NOT NULL,
    dims INTEGER NOT NULL,
    embedding_blob BLOB NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (fact_id, model)
);
"""
_FLOAT_BYTES = 4
_NAMES = (
    "created_at updated_at guild_id channel_id subject fact fact_type evidence_text source_message_id confidence "
    "is_active"
).split()


def write_clanker(
    memos: Sequence[Memo], messages: Iterable[Message], folder: Path, vectors: Vectors | None = None
) -> list[Path]:
    """Write all files into an empty folder; the same memory gives the same bytes."""
    check_empty(folder)
    rows = _unique_rows(memos)
    facts = [row for row, _ in rows]
    database = folder / DATABASE
    make_folder(database.parent)
    with writing(database, _SCHEMA) as connection:
        places = ", ".join("?" * len(_NAMES))
        connection.executemany(f"INSERT INTO {FACTS} ({', '.join(_NAMES)}) VALUES ({places})", facts)  # noqa: S608 - constants
        if vectors is not None:
            connection.executemany(f"INSERT INTO {VECTORS} VALUES (?, ?, ?, ?, ?)", _vectors(rows, vectors))  # noqa: S608 - a constant
    make_folder(folder / PAGES)
    logs = _logs(messages)
    pages = {f"{day}.md": lines for day, lines in sorted(logs.items())} | {"MEMORY.md": _snapshot(facts, logs)}
    return [database, *(_write_lines(folder / PAGES / name, lines) for name, lines in pages.items())]


def left_out(memos: Iterable[Memo]) -> int:
    """How many memos have no place there: those of no guild, and those that say what another says already."""
    remaining = [memo for memo in memos if memo.status is not Status.DELETED]
    return len(remaining) - len(_unique_rows(remaining))


def _unique_rows(memos: Iterable[Memo]) -> list[tuple[Fact, Memo]]:
    """Rows in the order of their age; of several memos with the same words in one guild, the one in use."""
    by_content: dict[tuple[str, str, str], tuple[Fact, Memo]] = {}
    for memo in sorted(memos, key=lambda memo: (not memo.active, memo.created, memo.id)):
        if memo.status is not Status.DELETED and _guild(memo) is not None:
            row = _fact(memo)
            by_content.setdefault((row[2], row[4], row[5]), (row, memo))
    return sorted(by_content.values(), key=lambda entry: (entry[0][0], entry[0][2], entry[0][4], entry[0][5]))


def _vectors(rows: Sequence[tuple[Fact, Memo]], vectors: Vectors) -> Iterator[tuple[Any, ...]]:
    """A row for each fact that has a vector; facts are numbered in the order in which they were written."""
    model = model_there(vectors.model)
    for row_id, (_, memo) in enumerate(rows, 1):
        vector = vectors.of(memo)
        if vector is not None:
            yield row_id, model, len(vector) // _FLOAT_BYTES, vector, iso(memo.updated)


def _fact(memo: Memo) -> Fact:
    source = memo.source
    named = to_type(memo.kind, memo.label)
    return (
        iso(memo.created),
        iso(memo.updated),
        _guild(memo),
        source.thread or source.channel,
        LORE if memo.subject.is_lore else split_person(memo.subject.id)[1],
        memo.text,
        source.metadata.get(TYPE, named) if named == "other" else named,
        source.evidence,
        source.message,
        memo.confidence,
        int(memo.active),
    )


def _guild(memo: Memo) -> str | None:
    """As it is called among those of all platforms."""
    source = memo.source
    if memo.subject.is_lore:
        return memo.subject.guild
    return None if source.guild is None else guild_key(source.platform, source.guild)


def _snapshot(facts: Sequence[Fact], logs: dict[str, list[str]]) -> list[str]:
    newest = sorted((row for row in facts if row[-1]), key=lambda row: row[1], reverse=True)
    people: dict[tuple[str, str], list[str]] = {}
    lore: list[str] = []
    for row in newest:
        if row[4] == LORE:
            lore.append(f"- [guild:{row[2]}] {_cell(row[5])}")
        else:
            people.setdefault((row[2], row[4]), []).append(_typed(row))
    listed = [
        f"- [guild:{guild}] {person}: {' | '.join(person_facts[:_MAX_FACTS_PER_PERSON])}"
        for (guild, person), person_facts in people.items()
    ]
    recent_lines = [line for day in sorted(logs, reverse=True)[:3] for line in logs[day][:5:-1]][:24]
    return [
        "# Durable Memory Snapshot",
        "",
        *_section("People (Durable Facts)", listed),
        *_section("Ongoing Lore", lore[:_MAX_FACTS_PER_PERSON]),
        *_section("Recent Journal Highlights", recent_lines),
        *_section("Source Daily Logs", [f"- memory/{day}.md" for day in sorted(logs, reverse=True)]),
    ]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield from (f"## {title}", *(lines or ["- (None yet.)"]), "")


def _typed(row: Sequence[Any]) -> str:
    label = _LABELS.get(row[6])
    return f"{label}: {_cell(row[5])}" if label else _cell(row[5])


def _logs(messages: Iterable[Message]) -> dict[str, list[str]]:
    """The lines of each day under its heading; who speaks as a bot is not logged."""
    logs: dict[str, list[str]] = {}
    for message in sorted(messages, key=lambda message: (message.at, message.place.platform, message.id)):
        if message.bot or not message.text.strip():
            continue
        day = iso(message.at)[:10]
        header = [f"# Daily Memory Log {day}", "", "- Append-only journal of what was said.", "", "## Entries", ""]
        logs.setdefault(day, header).append(_logged(message))
    return logs


def _logged(message: Message) -> str:
    place = message.place
    parts = {"guild": place.guild, "channel": place.thread or place.channel, "message": message.id}
    scope = " ".join(f"{name}:{value}" for name, value in parts.items() if value)
    spoken = " voice" if message.source == "voice" else ""
    speaker = re.sub(r"[()]", "", _cell(message.name or message.author))
    context = f"[{scope}{spoken}] " if place.guild else f"[message:{message.id}{spoken}] "
    return f"- {iso(message.at)} | {speaker} ({message.author}) | {context}{collapse_spaces(message.text)}"


def _cell(text: str) -> str:
    """A text that a bar can stand after."""
    return collapse_spaces(text).replace("|", "/")


def _write_lines(path: Path, lines: Sequence[str]) -> Path:
    create(path, ("\n".join(lines).rstrip("\n") + "\n").encode("utf-8", "replace"))
    return path
