"""erase and export."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

import recollect
from recollect.core.types import Message, Origin, Place
from recollect.testing.clock import START
from tests import ground
from tests.faces.cli.conftest import Run
from tests.privacy.telling import bytes_with


@pytest.fixture
def store(cli: Run, folder: Path) -> Path:
    cli("remember", "I like zanzibar tea", "--as", "ann")
    cli("remember", "I own a xylophone", "--as", "ann", "--in", "guild/#dev")
    cli("remember", "I like marzipan", "--as", "ben")
    return folder / "data" / "memory.db"


def test_erase_removes_a_person_and_says_so(cli: Run, store: Path, folder: Path):
    done = cli("erase", "ann", "--yes", "--as", "root", "--receipt", "receipt.json")
    assert done.out.splitlines() == [
        "Erased of user ann: 2 memories, 2 lines of the log",
        "Searched for 2 texts of it everywhere: nothing found",
    ]
    assert bytes_with(folder, "zanzibar", "xylophone") == {}
    assert "marzipan" in cli("show", "--as", "ben").out
    receipt = json.loads((folder / "receipt.json").read_text())
    assert (receipt["clean"], receipt["asked_by"], receipt["erased"]["memos"]) == (True, "root", 2)
    assert stat.S_IMODE((folder / "receipt.json").stat().st_mode) == 0o600


async def told(folder: Path, user: str, name: str) -> None:
    place = Place("discord", "g1", "c1", public=True)
    async with recollect.AsyncMemory(
        ground.at(folder / "data" / "memory.db"), embedder="null", run_worker=False
    ) as memory:
        await memory.add(Message(f"m-{user}", user, place, "I collect walnuts", START, name=name))
        source = {"user": user, "place": place, "message": f"m-{user}", "origin": Origin.DISCORD}
        await memory.remember("Collects walnuts", **source)


def test_a_person_is_erased_and_exported_by_name(cli: Run, store: Path, folder: Path):
    asyncio.run(told(folder, "310", "Ada"))
    exported = cli("export", "ada", "--format", "json")
    assert exported.json["user"] == "discord:310"
    assert exported.err == "recollect: ada is user discord:310\n"
    assert cli("erase", "Ada", "--yes").out.startswith("Erased of user discord:310: 1 memory, 1 message")
    assert cli("erase", "ben", "--dry-run").err == ""


def test_a_name_that_several_have_erases_nobody_and_one_that_nobody_has_brings_near_ones(
    cli: Run, store: Path, folder: Path
):
    asyncio.run(told(folder, "310", "Ada"))
    asyncio.run(told(folder, "311", "Ada"))
    refused = cli("erase", "Ada", "--yes", code=2)
    assert refused.err == "recollect: 2 people are called Ada: discord:310, discord:311; say which by the id\n"
    assert all(cli("export", user, "--format", "json").json["memos"] for user in ("310", "311"))
    near = cli("erase", "Adda", "--dry-run")
    assert near.err == (
        "recollect: warning: nobody is known by the id or name Adda; "
        "did you mean Ada (discord:310), Ada (discord:311)?\n"
    )
    assert near.out == "Nothing is known of user Adda\n"


def test_erase_in_one_guild_keeps_the_rest(cli: Run, store: Path, folder: Path):
    assert cli("erase", "ann", "--guild", "guild", "--yes", "--json").json["erased"]["memos"] == 1
    assert bytes_with(folder, "xylophone") == {}
    assert "zanzibar" in cli("show", "--as", "ann").out


def test_erase_a_guild(cli: Run, store: Path, folder: Path):
    cli("remember", "We meet at noon", "--lore", "--as", "ben", "--in", "guild/#dev")
    assert cli("erase", "--guild", "guild", "--yes", "--json").json["erased"]["memos"] == 2
    assert bytes_with(folder, "xylophone", "at noon") == {}


def test_a_dry_run_tells_and_changes_nothing(cli: Run, store: Path, folder: Path):
    done = cli("erase", "ann", "--dry-run")
    assert done.out == "Would be erased of user ann: 2 memories, 2 lines of the log\n"
    assert cli("erase", "ann", "--dry-run", "--json").json["counts"]["memos"] == 2
    assert bytes_with(folder, "zanzibar")
    assert cli("erase", "nobody", "--dry-run").out == "Nothing is known of user nobody\n"


def test_erase_without_confirmation_changes_nothing(cli: Run, store: Path, folder: Path):
    assert "--yes" in cli("erase", "ann", code=2).err
    assert bytes_with(folder, "zanzibar")
    assert cli("erase", "--yes").out.startswith("Erased of user me: nothing"), "who speaks, as everywhere"
    assert bytes_with(folder, "zanzibar")


def test_a_receipt_never_overwrites_and_nothing_is_erased_then(cli: Run, store: Path, folder: Path):
    (folder / "receipt.json").write_text("mine")
    cli("erase", "ann", "--yes", "--receipt", "receipt.json", code=2)
    assert bytes_with(folder, "zanzibar")
    assert (folder / "receipt.json").read_text() == "mine"


def test_erase_fails_when_a_file_still_holds_the_text(cli: Run, store: Path, folder: Path):
    notes = folder / "data" / "workspace" / "MEMORY.md"
    notes.parent.mkdir()
    notes.write_text("I like zanzibar tea")
    done = cli("erase", "ann", "--yes", code=1)
    assert f"still found in files: {notes}: 1" in done.err
    assert "nothing found" not in done.out


def test_without_a_store_there_is_nothing_to_erase_or_export(cli: Run, folder: Path):
    cli("erase", "ann", "--yes", code=1)
    cli("export", "ann", code=1)
    assert list(folder.iterdir()) == []


def test_export_prints_one_document_or_writes_it(cli: Run, store: Path, folder: Path):
    document = cli("export", "ann", "--format", "json").json
    assert {memo["text"] for memo in document["memos"]} == {"I like zanzibar tea", "I own a xylophone"}
    cli("export", "ann", "--format", "json", "--to", "ann.json")
    assert json.loads((folder / "ann.json").read_text()) == document
    assert stat.S_IMODE((folder / "ann.json").stat().st_mode) == 0o600
    cli("export", "ann", "--to", "ann.json", code=2)
    assert [memo["text"] for memo in cli("export", "--guild", "guild", "--format", "json").json["memos"]] == [
        "I own a xylophone"
    ]
    assert cli("export").err == "recollect: warning: nothing is known of user me\n", "who speaks, as everywhere"


def test_an_export_can_be_imported_again(cli: Run):
    cli("remember", "I live in Lisbon")
    cli("remember", "I like tea", "--pin")
    cli("forget", "Lisbon")
    exported = cli("export").out
    Path("me.jsonl").write_text(exported)
    taken = cli("import", "me.jsonl", RECOLLECT_DATA_DIR="other")
    assert taken.out.startswith("Imported from recollect: 2 memories")
    assert cli("show", RECOLLECT_DATA_DIR="other").out == "What I remember (1 memory):\n1. I like tea\n"
    again = cli("export", RECOLLECT_DATA_DIR="other").out
    texts = [[json.loads(line).get("text") for line in document.splitlines()] for document in (exported, again)]
    assert texts[0] == texts[1]


def test_export_as_files(cli: Run, store: Path, folder: Path):
    cli("export", "ann", "--format", "durable", "--to", "facts.json")
    assert len(json.loads((folder / "facts.json").read_bytes())["items"]) == 2
    assert cli("export", "ann", "--format", "pages", "--to", "pages", "--json").json["bytes"] > 0
    assert len(list((folder / "pages").rglob("*.md"))) == 2
    cli("export", "ann", "--format", "pages", "--to", "pages", code=2)
    cli("export", "ann", "--format", "pages", code=2)
