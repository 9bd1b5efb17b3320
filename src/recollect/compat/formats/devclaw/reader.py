"""DevClaw: `memory.db` with the table `memories` of document E, pages by category, `MEMORY.md` and daily logs.

It knows one person, who has to be named, unless recollect wrote the files. The same memory lies there more than once:
the database counts before pages, and these before lines of MEMORY.md.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from recollect.compat.formats.clanker.reader import model_here
from recollect.compat.formats.devclaw import pages
from recollect.core import serialization
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, Problem
from recollect.core.text import digest, normalize
from recollect.core.types import Origin, Provenance
from recollect.policy.kinds import CATEGORIES
from recollect.transfer.readers import fields
from recollect.transfer.readers.sqlite_file import Row, columns_of, count, has_table, is_database, reading, rows

TABLE, CHUNKS = "memories", "chunks"
OURS = "recollect"
"""Where the metadata of a memory holds what the other columns have no place for."""
MODEL = "embedding_model"
"""Where the metadata may say which model made the embedding; without it that can't be known."""
_NEEDED = ("id", "category", "content")
_OPTIONAL = ("keywords", "embedding", "created_at", "metadata")
_SAVED = ("memory/saved/", "memory/imported/")


class DevClawReader:
    name = "devclaw"
    about = "DevClaw: memory.db, pages in fact/, preference/, event/ and summary/, and MEMORY.md"

    def matches(self, path: Path) -> bool:
        if path.is_file():
            return _is_database(path) or pages.is_notes(path)
        return bool(_databases(path)) or pages.matches(path)

    def count(self, path: Path) -> int:
        databases = _databases(path) if path.is_dir() else [path]
        return sum(count(database, TABLE) or count(database, CHUNKS) for database in databases if is_database(database))

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        if not path.exists():
            raise BadInput(f"there is no {path}")
        databases = _databases(path) if path.is_dir() else [path] if is_database(path) else []
        if path.is_file() and not databases and path.suffix != ".md":
            raise BadInput(f"{path.name} is neither DevClaw's memory.db nor its MEMORY.md")
        seen = _Deduplicator()
        for database in databases:
            yield from seen.first(_rows(database, database.name, owner))
        if path.is_dir():
            yield from seen.first(pages.pages(path, owner))
            yield from seen.unseen(pages.notes_in(path, owner))
            yield from pages.logs(path)
        elif not databases:
            yield from pages.notes(path, path.name, owner)


class _Deduplicator:
    """Passes on what each person's memory holds once."""

    def __init__(self) -> None:
        self._fingerprints: set[str] = set()

    def first(self, items: Iterator[Item]) -> Iterator[Item]:
        """What wasn't said of the same person before."""
        for item in items:
            fingerprint = _fingerprint(item.text, item.user, item.guild) if isinstance(item, Entry) else ""
            if not fingerprint or fingerprint not in self._fingerprints:
                self._fingerprints |= {fingerprint, _fingerprint(item.text)} if isinstance(item, Entry) else set()
                yield item

    def unseen(self, items: Iterator[Item]) -> Iterator[Item]:
        """What wasn't said of anybody before: lines that don't tell whose they are may be someone else's."""
        for item in items:
            if not isinstance(item, Entry) or _fingerprint(item.text) not in self._fingerprints:
                self._fingerprints |= {_fingerprint(item.text)} if isinstance(item, Entry) else set()
                yield item


def _fingerprint(text: str, *whose: str | None) -> str:
    return digest(normalize(text), *(name or "" for name in whose))[:24]


def _is_database(path: Path) -> bool:
    return has_table(path, TABLE, *_NEEDED) or has_table(path, CHUNKS, "file_id", "text")


def _databases(path: Path) -> list[Path]:
    files = [*fields.files_in(path, "memory.db"), *fields.files_in(path, "data/memory.db")]
    return [file for file in files if _is_database(file)]


def _rows(path: Path, where: str, owner: Owner) -> Iterator[Item]:
    with reading(path) as database:
        columns, chunks = columns_of(database, TABLE), columns_of(database, CHUNKS)
        missing = [name for name in _NEEDED if name not in columns]
        if missing and not {"file_id", "text"} <= chunks.keys():
            raise BadInput(f"{where}: {TABLE} has no column {missing[0]!r}, a version that this program doesn't know")
        try:
            if not missing:
                names = ", ".join([*_NEEDED, *(name for name in _OPTIONAL if name in columns)])
                records = rows(database, f"SELECT {names} FROM {TABLE} ORDER BY rowid")  # noqa: S608 - names that are ours
                for number, row in enumerate(records, 1):
                    yield _entry(row, f"{where} {TABLE} row {number}", owner)
            else:
                for number, row in enumerate(rows(database, f"SELECT * FROM {CHUNKS} ORDER BY rowid"), 1):  # noqa: S608 - a constant
                    yield from _chunk(row, f"{where} {CHUNKS} row {number}", owner)
        except BadInput as error:
            yield Problem(where, str(error))


def _entry(row: Row, where: str, owner: Owner) -> Entry | Problem:
    try:
        metadata = dict(fields.record(row.get("metadata"), "metadata"))
        ours = metadata.pop(OURS, None)
        if isinstance(ours, dict):
            return _restored(row, cast("dict[str, Any]", ours), metadata, where)
        return _read_memory(row, metadata, where, owner)
    except BadInput as error:
        return Problem(where, str(error))


def _read_memory(row: Row, metadata: dict[str, Any], where: str, owner: Owner) -> Entry:
    category = (fields.name_of(row["category"], "category") or "fact").lower()
    created = fields.timestamp(row.get("created_at"), "created_at")
    model = metadata.pop(MODEL, None)
    vector = fields.vector(row.get("embedding"))
    return Entry(
        location=where,
        user=owner.user,
        guild=None if owner.user else owner.guild,
        kind=category if category in CATEGORIES else "fact",
        label=category,
        text=fields.text(row["content"], "content"),
        tags=keywords(row.get("keywords")),
        created=created,
        updated=created,
        happened=created if category == "event" else None,
        source=Provenance(origin=Origin.IMPORT, actor=owner.user or "", metadata=metadata),
        id=fields.name_of(row["id"], "id"),
        vector=(model_here(model), vector) if isinstance(model, str) and vector else None,
    )


def _restored(row: Row, ours: dict[str, Any], metadata: dict[str, Any], where: str) -> Entry:
    """A memory that recollect wrote: its row says the words, our part of the metadata the rest."""
    try:
        source = {**ours.get("source", {}), "metadata": metadata}
        memo = serialization.memo_from_json(
            {**ours, "text": row["content"], "tags": keywords(row.get("keywords")), "source": source}
        )
    except (KeyError, ValueError, TypeError, AttributeError):
        raise BadInput("what recollect added to its metadata is damaged") from None
    return Entry(
        location=where,
        user=None if memo.subject.is_lore else memo.subject.id,
        guild=memo.subject.guild,
        kind=memo.kind.value,
        label=memo.label,
        text=fields.text(memo.text, "content"),
        tags=memo.tags,
        created=memo.created,
        updated=memo.updated,
        happened=memo.happened,
        expires=memo.expires,
        confidence=memo.confidence,
        pinned=memo.pinned,
        audience=memo.audience,
        source=memo.source,
        id=memo.id,
        supersedes=memo.supersedes,
        hits=memo.hits,
        version=memo.version,
    )


def _chunk(row: Row, where: str, owner: Owner) -> Iterator[Item]:
    """A memory of later versions, which keep them as pieces of text; pieces of files are read from the files."""
    if not str(row["file_id"]).startswith(_SAVED) or row.get("deleted_at") or str(row["file_id"]).endswith("_marker"):
        return
    try:
        happened = fields.timestamp(row.get("occurred_at"), "occurred_at")
        created = happened or fields.timestamp(row.get("created_at"), "created_at")
        kind = (fields.name_of(row.get("kind"), "kind") or "fact").lower()
        yield Entry(
            location=where,
            user=owner.user,
            guild=None if owner.user else owner.guild,
            kind=kind if kind in CATEGORIES else "fact",
            label=kind,
            text=fields.text(row["text"], "text"),
            created=created,
            updated=created,
            happened=happened if kind == "event" else None,
            expires=fields.timestamp(row.get("expires_at"), "expires_at"),
            confidence=fields.share(row.get("confidence"), "confidence", 1.0),
            source=Provenance(origin=Origin.IMPORT, actor=owner.user or ""),
        )
    except BadInput as error:
        yield Problem(where, str(error))


def keywords(value: Any) -> tuple[str, ...]:
    """A list in JSON, or words with commas between them."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return fields.words(value.split(","), "keywords")
    items = fields.record('{"words": ' + value + "}", "keywords")["words"] if isinstance(value, str) else value
    return fields.words(items, "keywords")
