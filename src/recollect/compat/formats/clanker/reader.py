"""ClankerBot: facts about people and lore of guilds in the table `memory_facts` of its SQLite file, with vectors.

Beside it lie daily logs of what was said, and a snapshot that is made from the facts: it is read where the file with
the facts is missing. Both schemas of the facts are known, that of document D and the later one with scopes.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.compat.formats.clanker import pages as clanker_pages
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, NeedsOwner, Owner, Problem, problem
from recollect.core.text import unescape
from recollect.core.types import LORE, Audience, AudienceLevel, Origin, Provenance, Status, guild_key
from recollect.policy.kinds import TYPES, from_type
from recollect.transfer.readers import fields, generated_pages
from recollect.transfer.readers.sqlite_file import Row, columns_of, count, has_table, is_database, reading, rows

FACTS, VECTORS = "memory_facts", "memory_fact_vectors_native"
SELF = "__self__"
PLATFORM = "discord"
TYPE = "fact_type"
"""Where the metadata of a memo keeps a type that isn't one of the six."""
_OPENAI_PREFIX = "openai:"
_MESSAGES = "messages"
_NEEDED = ("subject", "fact")
_COLUMNS = (
    "id created_at updated_at scope guild_id channel_id user_id subject fact fact_type evidence_text "
    "source_message_id confidence is_active"
).split()


class ClankerReader:
    name = "clanker"
    about = "ClankerBot: its SQLite file with memory_facts, daily logs and MEMORY.md"

    def matches(self, path: Path) -> bool:
        if path.is_file():
            return has_table(path, FACTS, *_NEEDED) or generated_pages.is_generated(path)
        return bool(_databases(path)) or any(map(generated_pages.is_generated, generated_pages.find(path)))

    def count(self, path: Path) -> int:
        databases = _databases(path) if path.is_dir() else [path]
        return sum(count(database, FACTS) for database in databases if is_database(database))

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        if not path.exists():
            raise BadInput(f"there is no {path}")
        databases = _databases(path) if path.is_dir() else [path] if is_database(path) else []
        if path.is_file() and not databases and path.suffix != ".md":
            raise BadInput(f"{path.name} is neither ClankerBot's SQLite file nor one of its pages")
        for file in databases:
            yield from _facts(file, file.name, owner)
        pages = generated_pages.find(path) if path.is_dir() else [] if databases else [path]
        for file in pages:
            yield from clanker_pages.read(file, owner, snapshot=not databases)


def _databases(path: Path) -> list[Path]:
    files = [*fields.files_in(path, "*.db"), *fields.files_in(path, "data/*.db")]
    return [file for file in files if has_table(file, FACTS, *_NEEDED)]


def _facts(path: Path, where: str, owner: Owner) -> Iterator[Item]:
    with reading(path) as database:
        columns = columns_of(database, FACTS)
        missing = [name for name in _NEEDED if name not in columns]
        if missing:
            raise BadInput(f"{where}: {FACTS} has no column {missing[0]!r}, a version that this program doesn't know")
        try:
            for number, row in enumerate(rows(database, _query(database, list(columns))), 1):
                yield _entry(row, f"{where} {FACTS} {row.get('id') or number}", owner)
        except BadInput as error:
            yield Problem(where, str(error))
        if columns_of(database, _MESSAGES):
            yield Problem(
                f"{where} {_MESSAGES}", "what was said is read from the daily logs in memory/", is_broken=False
            )


def _query(database: sqlite3.Connection, columns: list[str]) -> str:
    """All facts in their order, each with its newest vector; what a version doesn't have is not asked for."""
    named = ", ".join(f"facts.{name}" for name in _COLUMNS if name in columns)
    if "id" not in columns or not {"fact_id", "model", "embedding_blob"} <= columns_of(database, VECTORS).keys():
        return f"SELECT {named} FROM {FACTS} AS facts"  # noqa: S608 - names of columns that are ours
    return (
        f"SELECT {named}, vectors.model, vectors.dims, vectors.embedding_blob FROM {FACTS} AS facts "  # noqa: S608 - as above
        f"LEFT JOIN {VECTORS} AS vectors ON vectors.rowid = (SELECT rowid FROM {VECTORS} "
        "WHERE fact_id = facts.id ORDER BY updated_at DESC, rowid DESC LIMIT 1) ORDER BY facts.id"
    )


def _entry(row: Row, where: str, owner: Owner) -> Entry | Problem:
    try:
        return _read_fact(row, where, owner)
    except BadInput as error:
        return problem(where, error)


def _read_fact(row: Row, where: str, owner: Owner) -> Entry | Problem:
    subject = fields.text(fields.name_of(row["subject"], "subject"), "subject")
    if subject == SELF:
        return Problem(where, "it is about the bot itself", is_broken=False)
    guild = fields.name_of(row.get("guild_id"), "guild_id")
    is_lore = subject == LORE
    if is_lore and not (guild or owner.guild):
        raise NeedsOwner("it is lore, and its guild is not known: say it with --guild")
    label = fields.name_of(row.get("fact_type"), "fact_type") or "other"
    kind, known_label = from_type(label)
    source = _source(row, "" if is_lore else subject, label)
    return Entry(
        location=where,
        user=None if is_lore else subject,
        guild=guild or owner.guild if is_lore else None,
        kind="lore" if is_lore else kind.value,
        label=known_label,
        text=fields.text(row["fact"], "fact"),
        status=Status.ACTIVE if row.get("is_active", 1) else Status.ARCHIVED,
        created=fields.timestamp(row.get("created_at"), "created_at"),
        updated=fields.timestamp(row.get("updated_at"), "updated_at"),
        confidence=fields.share(row.get("confidence"), "confidence", 0.5),
        source=source,
        audience=None if is_lore else _audience(source),
        vector=_vector(row),
    )


def _audience(source: Provenance) -> Audience | None:
    """Who could hear it: those in its channel, or in the guild where none is named; None when that isn't known."""
    if source.guild is None:
        return None
    key = guild_key(source.platform, source.guild)
    return (
        Audience(AudienceLevel.CHANNEL, source.channel, key)
        if source.channel
        else Audience(AudienceLevel.GUILD, key, key)
    )


def split_guild_key(key: str | None) -> tuple[str, str | None]:
    """Platform and guild: ClankerBot knows Discord alone, recollect writes others as `slack~1`."""
    if key is None or "~" not in key:
        return PLATFORM, key
    platform, _, guild = key.partition("~")
    return unescape(platform, "~"), guild


def _source(row: Row, actor: str, label: str) -> Provenance:
    platform, guild = split_guild_key(fields.name_of(row.get("guild_id"), "guild_id"))
    evidence = row.get("evidence_text")
    return Provenance(
        origin=Origin.DISCORD,
        actor=actor,
        platform=platform,
        guild=guild,
        channel=fields.name_of(row.get("channel_id"), "channel_id"),
        message=fields.name_of(row.get("source_message_id"), "source_message_id"),
        evidence=fields.text(evidence, "evidence_text") if evidence else None,
        metadata={} if label.lower() in (*TYPES, "general") else {TYPE: label},
    )


def _vector(row: Row) -> tuple[str, bytes] | None:
    model: Any = row.get("model")
    vector = fields.vector(row.get("embedding_blob"), row.get("dims"))
    return (model_here(model), vector) if isinstance(model, str) and vector else None


def model_here(model: str) -> str:
    """A model by the name that its embedder has here: ClankerBot asks OpenAI, and says the bare name."""
    return model if ":" in model else f"{_OPENAI_PREFIX}{model}"


def model_there(model: str) -> str:
    """A model of ours by the name that ClankerBot knows it under."""
    bare = model.removeprefix(_OPENAI_PREFIX)
    return model if ":" in bare else bare
