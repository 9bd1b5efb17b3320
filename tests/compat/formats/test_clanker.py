"""ClankerBot's SQLite file in both schemas, with vectors, its logs and its snapshot; and files that are damaged."""

import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, MessageEntry
from recollect.core.types import Audience, Origin, Place, Status
from tests.scenes import opened
from tests.transfer.elsewhere import (
    CLANKER_FACT,
    CLANKER_SCHEMA,
    brought,
    database,
    entries,
    floats,
    problems,
    read,
    written,
)
from tests.transfer.forms import CLANKER as FORMAT

LORE = {**CLANKER_FACT, "subject": "__lore__", "fact": "Memory line: we meet on Fridays.", "fact_type": "lore"}
LATER_SCHEMA = """
CREATE TABLE memory_facts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    scope TEXT NOT NULL DEFAULT 'guild', guild_id TEXT, channel_id TEXT, user_id TEXT, subject TEXT NOT NULL,
    fact TEXT NOT NULL, fact_type TEXT NOT NULL DEFAULT 'other', evidence_text TEXT, source_message_id TEXT,
    confidence REAL NOT NULL DEFAULT 0.5, is_active INTEGER NOT NULL DEFAULT 1);
"""
SNAPSHOT = """# Clanker Conk Memory

## Identity
- Name: clanker conk

## People (Durable Facts)
- [guild:900] 42: Preference: Likes tea. | Plays the cello.
- [user] 43: Profile: Lives in Oslo.

## Ongoing Lore
- [guild:900] We meet on Fridays.

## Recent Journal Highlights
- (No recent highlights yet.)
"""
LOG = """# Daily Memory Log 2026-02-27

- Append-only chat journal used to distill `memory/MEMORY.md`.

## Entries
- 2026-02-27T10:00:00.123Z | Ann (the first) (42) | [guild:900 channel:77] I play the cello | and the harp
- 2026-02-27T10:01:00.000Z | Bob (43) | hello from a DM
- 2026-02-27T10:02:00.000Z | Bob (43) | [guild:900 channel:77 message:5003 voice] we met on Friday
- 2026-02-27T10:03:00.000Z | Bob (43) | [guild:900 channel:77] ok
- 2026-02-27T10:03:00.000Z | Bob (43) | [guild:900 channel:77] ok
"""


def facts(path: Path, *rows: dict[str, Any], vectors: list[dict[str, Any]] | None = None) -> Path:
    return database(path, CLANKER_SCHEMA, memory_facts=rows, memory_fact_vectors_native=vectors or [])


def vector(fact: int, model: str, blob: bytes, dims: int = 3, at: str = "2026-02-27T10:00:00.000Z") -> dict[str, Any]:
    return {"fact_id": fact, "model": model, "dims": dims, "embedding_blob": blob, "updated_at": at}


def test_its_file_and_its_folders_are_known_by_the_table(tmp_path: Path) -> None:
    file = facts(tmp_path / "bot" / "data" / "clanker.db", CLANKER_FACT)
    assert FORMAT.matches(file)
    assert FORMAT.matches(tmp_path / "bot" / "data")
    assert FORMAT.matches(tmp_path / "bot")
    assert FORMAT.count(tmp_path / "bot") == 1


def test_other_files_are_not_taken_for_it(tmp_path: Path) -> None:
    view = database(tmp_path / "view.db", "CREATE VIEW memory_facts AS SELECT 1 AS subject, 2 AS fact")
    other = database(tmp_path / "other.db", "CREATE TABLE facts (subject, fact)")
    torn = written(tmp_path / "torn.db", b"SQLite format 3\x00" + b"\xff" * 200)
    text = written(tmp_path / "text.db", "memory_facts")
    assert not any(map(FORMAT.matches, (view, other, torn, text, tmp_path, tmp_path / "none")))


async def test_a_store_of_ours_is_not_taken_for_it(tmp_path: Path) -> None:
    async with opened(store=f"sqlite:///{tmp_path}/memory.db") as stage:
        await stage.remember("I keep bees")
    assert not FORMAT.matches(tmp_path / "memory.db")


def test_a_fact_keeps_all_that_it_says(tmp_path: Path) -> None:
    (fact,) = entries(FORMAT, facts(tmp_path / "clanker.db", CLANKER_FACT))
    assert fact == Entry(
        location="clanker.db memory_facts 1",
        user="42",
        guild=None,
        kind="fact",
        label="profile",
        text="Plays the cello in an orchestra.",
        created=datetime(2026, 2, 20, 10, 0, 0, 123_000, tzinfo=UTC),
        updated=datetime(2026, 2, 27, 10, 0, 0, 456_000, tzinfo=UTC),
        confidence=0.8,
        audience=Audience("channel", "77", "900"),
        source=fact.source,
    )
    source = fact.source
    assert (source.origin, source.actor, source.platform, source.guild) == (Origin.DISCORD, "42", "discord", "900")
    assert (source.channel, source.message, source.evidence) == ("77", "5001", "I play the cello in an orchestra")


@pytest.mark.parametrize(
    ("label", "kind", "kept"),
    [
        ("preference", "preference", "preference"),
        ("relationship", "person", "relationship"),
        ("general", "fact", "other"),
    ],
)
def test_types_of_facts_become_kinds_and_stay_as_labels(tmp_path: Path, label: str, kind: str, kept: str) -> None:
    (fact,) = entries(FORMAT, facts(tmp_path / "clanker.db", {**CLANKER_FACT, "fact_type": label}))
    assert (fact.kind, fact.label) == (kind, kept)


def test_lore_belongs_to_its_guild(tmp_path: Path) -> None:
    (lore,) = entries(FORMAT, facts(tmp_path / "clanker.db", LORE))
    assert (lore.user, lore.guild, lore.kind, lore.text) == (None, "900", "lore", "Memory line: we meet on Fridays.")


def test_an_archived_fact_stays_out_of_use(tmp_path: Path) -> None:
    (fact,) = entries(FORMAT, facts(tmp_path / "clanker.db", {**CLANKER_FACT, "is_active": 0}))
    assert fact.status is Status.ARCHIVED


def test_a_fact_without_a_channel_is_of_its_guild(tmp_path: Path) -> None:
    (fact,) = entries(FORMAT, facts(tmp_path / "clanker.db", {**CLANKER_FACT, "channel_id": None}))
    assert fact.audience == Audience("guild", "900", "900")


def test_the_later_schema_with_scopes_is_read(tmp_path: Path) -> None:
    mine = {**CLANKER_FACT, "scope": "user", "guild_id": None, "user_id": "42"}
    ours = {**LORE, "scope": "guild"}
    bots = {**CLANKER_FACT, "scope": "user", "subject": "__self__", "guild_id": None}
    advice = {**CLANKER_FACT, "fact_type": "guidance", "fact": "Likes short answers."}
    file = database(tmp_path / "clanker.db", LATER_SCHEMA, memory_facts=[mine, ours, bots, advice])
    told = [(fact.user, fact.guild, fact.audience) for fact in entries(FORMAT, file)]
    assert told == [("42", None, None), (None, "900", None), ("42", None, Audience("channel", "77", "900"))]
    assert problems(FORMAT, file) == [("clanker.db memory_facts 3", "it is about the bot itself")]
    assert dict(entries(FORMAT, file)[-1].source.metadata) == {"fact_type": "guidance"}


def test_the_newest_vector_comes_along_under_the_name_that_its_model_has_here(tmp_path: Path) -> None:
    old = vector(1, "text-embedding-ada-002", floats(1, 0, 0), at="2026-01-01T00:00:00.000Z")
    new = vector(1, "text-embedding-3-small", floats(0, 3, 4))
    (fact,) = entries(FORMAT, facts(tmp_path / "clanker.db", CLANKER_FACT, vectors=[old, new]))
    assert fact.vector is not None
    assert fact.vector == ("openai:text-embedding-3-small", floats(0, 0.6, 0.8))


@pytest.mark.parametrize(("blob", "dims"), [(b"abc", 3), (b"", 0), (floats(1, 2), 3), (floats(0, 0), 2)])
def test_a_broken_vector_is_left_to_be_made_anew(tmp_path: Path, blob: bytes, dims: int) -> None:
    file = facts(tmp_path / "clanker.db", CLANKER_FACT, vectors=[vector(1, "text-embedding-3-small", blob, dims)])
    assert [fact.vector for fact in entries(FORMAT, file)] == [None]


async def test_a_vector_of_the_model_that_serves_here_is_kept(tmp_path: Path) -> None:
    rows = [{**CLANKER_FACT, "fact": fact} for fact in ("Plays the cello.", "Keeps bees.")]
    made = [vector(1, "local:words", floats(0, 3, 4)), vector(2, "text-embedding-3-small", floats(0, 3, 4))]
    file = facts(tmp_path / "clanker.db", *rows, vectors=made)
    async with opened() as stage:
        store = stage.memory.store
        await stage.remember("I sail", user="42")
        ((key, _),) = await store.read(lambda tx: tx.index.unembedded("memos", "local:words", 5))
        await store.write(lambda tx: tx.index.put_vectors("memos", "local:words", {key: floats(1, 0, 0)}))
        await store.write(lambda tx: tx.index.activate("memos", "local:words"))
        stage.clock.advance(days=800)
        assert (await brought(stage, FORMAT, file)).new == 2
        near = await store.read(
            lambda tx: tx.index.nearest("memos", ["user:discord:42"], "local:words", floats(0, 0.6, 0.8), 5)
        )
        missing = await store.read(lambda tx: tx.index.unembedded("memos", "local:words", 5))
    assert sorted(near.values()) == [pytest.approx(0.0, abs=1e-5), pytest.approx(1.0, abs=1e-5)]
    assert [text for _, text in missing] == ["Keeps bees."]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"fact": " "}, "its fact is empty"),
        ({"subject": ""}, "its subject is missing"),
        ({"created_at": "soon"}, "its created_at 'soon' is not a time"),
        ({"confidence": "high"}, "its confidence is not a number"),
        ({"fact": b"\xff\xfe"}, "its fact is not a text"),
    ],
)
def test_a_broken_fact_is_reported_by_its_row_and_left_out(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    other = {**CLANKER_FACT, "fact": "Keeps bees."}
    file = facts(tmp_path / "clanker.db", {**CLANKER_FACT, **change}, other)
    assert problems(FORMAT, file) == [("clanker.db memory_facts 1", why)]
    assert [fact.text for fact in entries(FORMAT, file)] == ["Keeps bees."]


def test_a_text_that_is_no_utf_8_costs_only_its_fact(tmp_path: Path) -> None:
    file = facts(tmp_path / "clanker.db", CLANKER_FACT, {**CLANKER_FACT, "fact": "Keeps bees."})
    with closing(sqlite3.connect(file)) as made, made:
        made.execute("UPDATE memory_facts SET fact = CAST(X'636166E9' AS TEXT) WHERE id = 1")
    assert problems(FORMAT, file) == [("clanker.db memory_facts 1", "its fact is not in UTF-8")]


def test_a_truncated_file_gives_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    rows = [{**CLANKER_FACT, "fact": f"Fact {n}. " + "x" * 300} for n in range(400)]
    file = facts(tmp_path / "clanker.db", *rows)
    file.write_bytes(file.read_bytes()[:65_536])
    found = read(FORMAT, file)
    assert 0 < len(entries(FORMAT, file)) < 400
    assert ["damaged" in why or "can't be read" in why for _, why in problems(FORMAT, file)] == [True]
    assert len(found) == len(entries(FORMAT, file)) + 1


def test_a_file_with_any_bytes_changed_is_read_or_refused(tmp_path: Path) -> None:
    file = facts(tmp_path / "clanker.db", *({**CLANKER_FACT, "fact": f"Fact {n}."} for n in range(60)))
    whole, chance, refused = file.read_bytes(), random.Random(7), 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 5, 100))):
            data[chance.randrange(chance.choice((100, 4096, len(data))))] = chance.randrange(256)
        file.write_bytes(data[: chance.randrange(1, len(data) * 2)])
        FORMAT.matches(file)
        try:
            read(FORMAT, file)
        except BadInput:
            refused += 1
    assert 0 < refused < 150


def test_a_version_without_the_columns_that_count_is_refused(tmp_path: Path) -> None:
    file = database(tmp_path / "clanker.db", "CREATE TABLE memory_facts (id INTEGER PRIMARY KEY, subject, statement)")
    assert not FORMAT.matches(file)
    with pytest.raises(BadInput, match="no column 'fact'"):
        read(FORMAT, file)


def test_the_file_is_read_while_the_bot_writes_to_it(tmp_path: Path) -> None:
    file = facts(tmp_path / "clanker.db", CLANKER_FACT)
    with closing(sqlite3.connect(file)) as bot:
        bot.execute("PRAGMA journal_mode = WAL")
        bot.execute(
            "INSERT INTO memory_facts (created_at, updated_at, guild_id, subject, fact) VALUES ('', '', 1, 2, 'Bees.')"
        )
        bot.commit()
        bot.execute("BEGIN IMMEDIATE")
        assert [fact.text for fact in entries(FORMAT, file)] == ["Plays the cello in an orchestra.", "Bees."]


def test_a_log_says_who_said_what_where_and_when(tmp_path: Path) -> None:
    written(tmp_path / "memory" / "2026-02-27.md", LOG)
    assert FORMAT.matches(tmp_path)
    found = [item.message for item in read(FORMAT, tmp_path) if isinstance(item, MessageEntry)]
    assert [(said.author, said.name, said.text) for said in found[:2]] == [
        ("42", "Ann (the first)", "I play the cello | and the harp"),
        ("43", "Bob", "hello from a DM"),
    ]
    assert [said.place for said in found[:2]] == [Place("discord", "900", "77"), Place("discord", dm="43")]
    assert (found[2].id, found[2].source, found[2].text) == ("5003", "voice", "we met on Friday")
    assert found[0].at == datetime(2026, 2, 27, 10, 0, 0, 123_000, tzinfo=UTC)
    assert len({said.id for said in found}) == 5
    assert not any(said.place.public for said in found)


def test_a_line_that_is_none_of_a_log_is_reported(tmp_path: Path) -> None:
    broken = "- noon | Bob (43) | hello\nsomething else\n- 2026-02-27T10:05:00.000Z | Bob (43) | \n"
    file = written(tmp_path / "memory" / "2026-02-27.md", LOG + broken)
    lines = LOG.count("\n")
    assert [where for where, _ in problems(FORMAT, file)] == [
        f"2026-02-27.md line {lines + 1}",
        f"2026-02-27.md line {lines + 2}",
        f"2026-02-27.md line {lines + 3}",
    ]


def test_the_snapshot_stands_in_where_the_facts_are_missing(tmp_path: Path) -> None:
    file = written(tmp_path / "memory" / "MEMORY.md", SNAPSHOT)
    assert FORMAT.matches(file)
    told = [(one.user, one.guild, one.kind, one.text) for one in entries(FORMAT, tmp_path)]
    assert told == [
        ("42", None, "preference", "Likes tea."),
        ("42", None, "fact", "Plays the cello."),
        ("43", None, "fact", "Lives in Oslo."),
        (None, "900", "lore", "We meet on Fridays."),
    ]
    facts(tmp_path / "data" / "clanker.db", CLANKER_FACT)
    assert [one.text for one in entries(FORMAT, tmp_path)] == ["Plays the cello in an orchestra."]


async def test_its_memory_is_known_here_afterwards_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    elsewhere = {**CLANKER_FACT, "guild_id": "901"}
    facts(
        tmp_path / "data" / "clanker.db",
        CLANKER_FACT,
        elsewhere,
        LORE,
        {**CLANKER_FACT, "fact": "Old.", "is_active": 0},
    )
    written(tmp_path / "memory" / "2026-02-27.md", LOG)
    async with opened() as stage:
        stage.clock.advance(days=800)
        assert (await brought(stage, FORMAT, tmp_path, dry_run=True)).new == 9
        first = await brought(stage, FORMAT, tmp_path)
        assert (first.new, first.left_out) == (9, 0)
        again = await brought(stage, FORMAT, tmp_path)
        assert (again.new, again.changed, again.left_out, again.same) == (0, 0, 0, 9)
        here = Place("discord", "900", "77")
        assert await stage.known("42", here) == [CLANKER_FACT["fact"]]
        assert await stage.known("42", Place("discord", "900", "78")) == []
        said = await stage.memory.store.read(lambda tx: tx.messages.recent(here, 10))
    assert len(said) == 4
