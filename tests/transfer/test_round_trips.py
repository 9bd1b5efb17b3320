"""What goes out in another program's format comes back as it was: the same bytes when it is written again."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.compat.formats.clanker import reader, writer
from recollect.compat.formats.clanker.writer import write_clanker
from recollect.compat.formats.devclaw import writer as devclaw_writing
from recollect.compat.formats.devclaw.writer import write_devclaw
from recollect.compat.formats.discoclaw import writer as discoclaw_writing
from recollect.compat.formats.discoclaw.writer import write_discoclaw
from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.ports.format import Entry, Format, Item
from recollect.core.types import Memo, Message, Place, Status, Subject, Summary, split_person
from recollect.transfer.exporting import Vectors, vectors
from recollect.transfer.mirror.export import write_pages
from tests.scenes import DEV, DM, STAFF, THREAD, Stage, opened
from tests.transfer.elsewhere import brought, floats, read
from tests.transfer.forms import CLANKER, DEVCLAW, DISCOCLAW, recognise


async def tell(stage: Stage) -> None:
    """A memory with something of every sort."""
    await stage.remember("I prefer tea", "東京に住んでいます", tags=["Drinks", "home"], message="m7")
    await stage.remember('A "quoted" | barred [meta:x] line', pinned=True)
    await stage.remember("The visit is on Friday", place=DM, kind="event", happened=stage.clock() - timedelta(days=3))
    await stage.learned("I use Vim", place=STAFF)
    await stage.learned("I work with Terraform", user="bob", place=THREAD)
    await stage.remember("I prefer tea", user="bob")
    await stage.remember("I keep a xylophone")
    await stage.memory.forget("xylophone", user="discord:ann")
    await stage.remember("We meet in the old library", lore=True)
    await stage.summarise("Ann plans a trip.", DEV)
    await stage.summarise("Ann packs.", DEV, 2)
    await stage.summarise("Ann is tired.", DM)
    await stage.say("I play the cello | and the harp\nevery day")
    await stage.say("hello in private", place=DM)
    await stage.say("spoken words", "bob", STAFF, source="voice", name="Bob (the builder)")


async def everything(stage: Stage) -> tuple[list[Memo], list[Summary], list[Message]]:
    def look(tx: Tx) -> tuple[list[Memo], list[Summary], list[Message]]:
        memos = [memo for subject in tx.memos.subjects() for memo in tx.memos.list(subject)]
        summaries = [one for session in tx.summaries.sessions() for one in tx.summaries.history(session)]
        said = {
            message.id: message
            for user in ("discord:ann", "discord:bob")
            for _, message in tx.messages.written_by(user)
        }
        return memos, summaries, list(said.values())

    return await stage.memory.store.read(look)


async def write(form: Format, stage: Stage, folder: Path) -> dict[str, bytes]:
    """All that is known, as the files of a program."""
    memos, summaries, messages = await everything(stage)
    if form is DISCOCLAW:
        write_discoclaw(memos, summaries, folder)
    elif form is CLANKER:
        write_clanker(memos, messages, folder)
    else:
        write_pages(memos, folder / "memory")
        write_devclaw(memos, folder)
    return files_in(folder)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def worded(items: Sequence[Item]) -> list[str]:
    return sorted(item.text for item in items if isinstance(item, Entry))


@pytest.mark.parametrize("form", [DISCOCLAW, CLANKER, DEVCLAW], ids=lambda form: form.name)
async def test_export_import_into_an_empty_store_and_export_gives_the_same_bytes(tmp_path: Path, form: Format) -> None:
    async with opened() as stage:
        await tell(stage)
        first = await write(form, stage, tmp_path / "first")
        assert first == await write(form, stage, tmp_path / "again")
    assert recognise(tmp_path / "first") is form
    async with opened() as stage:
        stage.clock.advance(days=1)
        report = await brought(stage, form, tmp_path / "first")
        assert (report.left_out, report.skipped) == (0, [])
        second = await write(form, stage, tmp_path / "second")
    assert second.keys() == first.keys()
    assert [name for name in first if first[name] != second[name]] == []


async def test_discoclaw_gets_a_file_for_each_person_and_each_session(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        files = await write(DISCOCLAW, stage, tmp_path)
    assert set(files) == {
        "durable/ann.json",
        "durable/bob.json",
        "rolling/discord%3ag1%3achannel%3ac-dev.json",
        "rolling/discord%3adm%3aann.json",
    }
    facts = json.loads((tmp_path / "durable" / "ann.json").read_bytes())
    statuses = {item["text"]: item["status"] for item in facts["items"]}
    assert (statuses["I prefer tea"], statuses["I keep a xylophone"]) == ("active", "deprecated")
    summary = json.loads((tmp_path / "rolling" / "discord%3ag1%3achannel%3ac-dev.json").read_bytes())
    assert summary["summary"] == "Ann packs."


async def test_clanker_gets_the_tables_of_its_document_and_its_pages(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        files = await write(CLANKER, stage, tmp_path)
    assert set(files) == {"data/clanker.db", "memory/2025-03-01.md", "memory/MEMORY.md"}
    with closing(sqlite3.connect(tmp_path / "data" / "clanker.db")) as made:
        made.row_factory = sqlite3.Row
        rows: list[dict[str, Any]] = [dict(row) for row in made.execute("SELECT * FROM memory_facts")]
        unique = made.execute("SELECT count(*) FROM pragma_index_list('memory_facts') WHERE \"unique\"").fetchone()[0]
        assert made.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    by_text = {row["fact"]: row for row in rows if row["subject"] != "bob"}
    assert "The visit is on Friday" not in by_text  # said in a DM: no guild
    assert by_text["I use Vim"]["channel_id"] == "c-staff"
    assert by_text["We meet in the old library"]["subject"] == "__lore__"
    assert (by_text["I keep a xylophone"]["is_active"], by_text["I prefer tea"]["fact_type"]) == (0, "preference")
    assert {row["guild_id"] for row in rows} == {"g1"}
    assert unique == 1
    snapshot = files["memory/MEMORY.md"].decode()
    assert "- [guild:g1] bob: " in snapshot
    assert "- [guild:g1] We meet in the old library" in snapshot
    assert "xylophone" not in snapshot


async def test_devclaw_gets_a_database_that_its_own_search_works_on(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        files = await write(DEVCLAW, stage, tmp_path)
    assert {"memory.db", "memory/MEMORY.md"} <= files.keys()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as made:
        found = made.execute("SELECT content FROM memories_fts WHERE memories_fts MATCH 'tea'").fetchall()
        ids = [row[0] for row in made.execute("SELECT id FROM memories")]
        (event,) = made.execute("SELECT * FROM memories WHERE category = 'event'").fetchall()
        made.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")
    assert found == [("I prefer tea",), ("I prefer tea",)]
    assert len(set(ids)) == len(ids) == 8
    assert event[5] == "2025-02-26T12:03:00Z"  # when it happened
    assert "xylophone" not in files["memory/MEMORY.md"].decode()
    assert '[meta:eyJwIjp0cnVlfQ==] A "quoted" | barred [meta\\:x] line' in files["memory/MEMORY.md"].decode()


async def test_through_devclaw_a_memory_comes_back_with_all_that_it_was(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        await write(DEVCLAW, stage, tmp_path)
        before = {(memo.subject, memo.id): memo for memo in (await everything(stage))[0] if memo.active}
    async with opened() as stage:
        stage.clock.advance(days=1)
        await brought(stage, DEVCLAW, tmp_path / "memory.db")
        after = {(memo.subject, memo.id): memo for memo in (await everything(stage))[0]}
    assert after.keys() == before.keys()
    for key, memo in before.items():
        found = after[key]
        assert (found.text, found.kind, found.audience, found.source) == (
            memo.text,
            memo.kind,
            memo.audience,
            memo.source,
        )
        assert (found.created, found.updated, found.happened) == (memo.created, memo.updated, memo.happened)
        assert (found.pinned, found.confidence, found.label) == (memo.pinned, memo.confidence, memo.label)
        assert found.tags == tuple(tag.lower() for tag in memo.tags)


MODEL = "openai:text-embedding-3-small"


async def embed(stage: Stage, numbers: Iterable[float]) -> None:
    """Give every memo in use a vector that no model would make, and let these serve."""
    store = stage.memory.store
    missing = await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 100))
    made = {key: floats(number, (1 - number**2) ** 0.5) for (key, _), number in zip(missing, numbers, strict=False)}
    assert len(made) == len(missing)
    await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, made))
    await store.write(lambda tx: tx.index.activate("memos", MODEL))


async def exported(stage: Stage, folder: Path) -> tuple[dict[str, bytes], Vectors]:
    memos, _, messages = await everything(stage)
    found = await vectors(stage.memory.store, memos)
    write_clanker(memos, messages, folder, found)
    return files_in(folder), found


async def test_through_clanker_the_vectors_of_the_model_that_serves_come_back(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        await embed(stage, (n / 20 for n in range(20)))
        first, before = await exported(stage, tmp_path / "first")
        texts = {(memo.subject.scope, memo.id): memo for memo in (await everything(stage))[0]}
    with closing(sqlite3.connect(tmp_path / "first" / "data" / "clanker.db")) as made:
        rows = made.execute(
            "SELECT fact, model, dims, length(embedding_blob), vectors.updated_at = facts.updated_at, is_active "
            "FROM memory_fact_vectors_native AS vectors JOIN memory_facts AS facts ON facts.id = fact_id"
        ).fetchall()
    in_a_guild = {key: made for key, made in before.by_memo.items() if writer.left_out([texts[key]]) == 0}
    assert len(rows) == len(in_a_guild) == len(before.by_memo) - 1
    assert {row[1:] for row in rows} == {("text-embedding-3-small", 2, 8, 1, 1)}
    async with opened() as stage:
        await stage.remember("I am here already", user="zoe")
        await embed(stage, [1.0])
        stage.clock.advance(days=1)
        report = await brought(stage, CLANKER, tmp_path / "first")
        assert report.left_out == 0
        await stage.memory.store.write(lambda tx: tx.memos.remove(tx.memos.list(Subject("discord:zoe"))[0]))
        second, after = await exported(stage, tmp_path / "second")
        known = {(memo.subject.scope, memo.id): memo.text for memo in (await everything(stage))[0]}
    assert sorted((key[0], known[key], made) for key, made in after.by_memo.items()) == sorted(
        (key[0].replace("user:discord:", "user:"), texts[key].text, made)  # only a number is taken for a Discord id
        for key, made in in_a_guild.items()
    )
    assert second == first


async def test_where_no_model_serves_no_vectors_are_written(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        _, found = await exported(stage, tmp_path)
    assert found == Vectors()
    with closing(sqlite3.connect(tmp_path / "data" / "clanker.db")) as made:
        assert made.execute("SELECT count(*) FROM memory_fact_vectors_native").fetchone() == (0,)


@pytest.mark.parametrize("model", [MODEL, "static:wordllama-256", "openai:ours:2", "fastembed:a/b@c"])
def test_a_model_is_known_again_by_the_name_that_it_has_there(model: str) -> None:
    assert reader.model_here(reader.model_there(model)) == model


async def test_from_one_program_to_another_the_words_and_times_stay(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        memos, _, messages = await everything(stage)
    in_guild = [memo for memo in memos if memo.source.guild == "g1"]
    write_clanker(in_guild, messages, tmp_path / "clanker")
    async with opened() as stage:
        stage.clock.advance(days=1)
        await brought(stage, CLANKER, tmp_path / "clanker")
        moved, summaries, _ = await everything(stage)
        write_discoclaw(moved, summaries, tmp_path / "discoclaw")
    told = read(DISCOCLAW, tmp_path / "discoclaw")
    assert worded(told) == sorted(memo.text for memo in in_guild if not memo.subject.is_lore)
    times = {(item.user, item.text): item.created for item in told if isinstance(item, Entry)}
    assert times == {
        (split_person(memo.subject.id)[1], memo.text): memo.created for memo in in_guild if not memo.subject.is_lore
    }


async def test_how_many_memories_have_no_place_in_a_format_can_be_told() -> None:
    async with opened() as stage:
        await tell(stage)
        memos, _, _ = await everything(stage)
    assert discoclaw_writing.left_out(memos) == 1  # the lore
    assert writer.left_out(memos) == 1  # what was said in a DM
    assert devclaw_writing.left_out(memos) == 1  # what was forgotten


async def test_guilds_of_other_platforms_stay_theirs(tmp_path: Path) -> None:
    slack = Place("slack", "1", "c-dev", public=True)
    async with opened() as stage:
        await stage.learned("I use Vim", place=slack)
        await stage.remember("We meet on Fridays", place=slack, lore=True)
        memos, _, _ = await everything(stage)
    write_clanker(memos, [], tmp_path)
    async with opened() as stage:
        stage.clock.advance(days=1)
        await brought(stage, CLANKER, tmp_path)
        moved, _, _ = await everything(stage)
    assert {(memo.subject, memo.source.platform, memo.source.guild) for memo in moved} == {
        (memo.subject, memo.source.platform, memo.source.guild) for memo in memos
    }


async def test_a_folder_that_is_not_empty_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for attempt in (lambda: write_discoclaw([], [], tmp_path), lambda: write_clanker([], [], tmp_path)):
        with pytest.raises(BadInput, match="not an empty folder"):
            attempt()
    (tmp_path / "memory.db").write_text("mine too")
    with pytest.raises(BadInput, match=r"memory\.db"):
        write_devclaw([], tmp_path)
    assert (tmp_path / "memory.db").read_text() == "mine too"


async def test_of_nothing_there_are_files_with_nothing_in_them(tmp_path: Path) -> None:
    write_devclaw([], tmp_path / "d")
    write_clanker([], [], tmp_path / "c")
    assert write_discoclaw([], [], tmp_path / "b") == []
    assert read(DEVCLAW, tmp_path / "d") == []
    assert read(CLANKER, tmp_path / "c") == []


async def test_two_facts_with_the_same_words_in_a_guild_become_the_one_in_use(tmp_path: Path) -> None:
    async with opened() as stage:
        await stage.remember("I prefer tea")
        ((memo,), _, _) = await everything(stage)
    old = replace(memo, id="durable-00000000", status=Status.ARCHIVED, created=memo.created - timedelta(days=1))
    write_clanker([old, memo], [], tmp_path)
    (entry,) = read(CLANKER, tmp_path)
    assert isinstance(entry, Entry)
    assert (entry.status, entry.created) == (Status.ACTIVE, memo.created)


async def test_notes_of_several_people_are_not_taken_for_those_of_one(tmp_path: Path) -> None:
    async with opened() as stage:
        await tell(stage)
        await write(DEVCLAW, stage, tmp_path)
    told = read(DEVCLAW, tmp_path, user="operator")
    assert {item.user for item in told if isinstance(item, Entry)} == {"discord:ann", "discord:bob", None}
