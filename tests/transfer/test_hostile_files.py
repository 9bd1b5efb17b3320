"""Files that are made to break an import, or just odd: links, pipes, wrong encodings, numbers and names without end."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Format
from tests.faces.cli.conftest import Run
from tests.transfer.elsewhere import CLANKER_FACT, CLANKER_SCHEMA, DISCO_FACT, database, durable, read, written
from tests.transfer.forms import ANTHROPIC, CLANKER, DEVCLAW, DISCOCLAW, MEM0, OPENCLAW, RECOLLECT, recognise
from tests.transfer.moving import import_, memos_of, opened

HEADER = '{"format":"recollect","version":1}\n'


def lines(path: Path, *records: dict[str, Any]) -> Path:
    return written(path, HEADER + "".join(json.dumps(record) + "\n" for record in records))


def memo(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "memo", "user": "ann", "text": text, **more}


def elsewhere(folder: Path) -> Path:
    """A folder with what each of the formats would read."""
    written(folder / "notes" / "MEMORY.md", "- I keep it elsewhere\n")
    written(folder / "notes" / "2025-01-01.md", "- I kept it elsewhere\n")
    written(folder / "fact" / "a.md", "---\ncategory: fact\n---\nI keep it elsewhere\n")
    durable(folder / "durable" / "42.json", DISCO_FACT)
    database(folder / "data" / "clanker.db", CLANKER_SCHEMA, memory_facts=[CLANKER_FACT])
    return folder


@pytest.mark.parametrize(
    ("form", "link", "target"),
    [
        (OPENCLAW, "memory", "notes"),
        (OPENCLAW, "MEMORY.md", "notes/MEMORY.md"),
        (OPENCLAW, "memory/out", "notes"),
        (ANTHROPIC, "memories", "notes"),
        (ANTHROPIC, "memories/out", "notes"),
        (DISCOCLAW, "durable", "durable"),
        (DISCOCLAW, "data/memory", "."),
        (DEVCLAW, "fact", "fact"),
        (DEVCLAW, "users/ann", "."),
        (CLANKER, "data", "data"),
        (CLANKER, "bot.db", "data/clanker.db"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_symbolic_links_out_of_the_folder_are_not_read(tmp_path: Path, form: Format, link: str, target: str):
    elsewhere(tmp_path / "elsewhere")
    here = tmp_path / "here" / link
    here.parent.mkdir(parents=True)
    here.symlink_to(tmp_path / "elsewhere" / target)
    assert not form.matches(tmp_path / "here")
    with suppress(BadInput):  # there is nothing else in it
        assert read(form, tmp_path / "here", "ann") == []


def test_a_folder_may_be_named_by_a_link_to_it(tmp_path: Path):
    elsewhere(tmp_path / "elsewhere")
    (tmp_path / "here").symlink_to(tmp_path / "elsewhere")
    for form in (DISCOCLAW, DEVCLAW, CLANKER):
        assert form.matches(tmp_path / "here")
        assert any(isinstance(item, Entry) for item in read(form, tmp_path / "here", "ann"))


def test_links_that_were_left_out_are_told(cli: Run, folder: Path):
    written(folder / "notes" / "MEMORY.md", "- I prefer tea\n")
    (folder / "notes" / "memory").symlink_to(folder / "data")
    done = cli("import", "notes")
    assert done.out.splitlines() == [
        "memory\tleft out on purpose: it is a link, and what lies elsewhere is not read",
        "Imported from openclaw: 1 memory, 1 page new; 1 entry left out on purpose",
    ]
    (folder / "notes" / "MEMORY.md").unlink()
    assert "there are links in it, which are not followed" in cli("import", "notes", code=2).err


@pytest.mark.timeout(20)
def test_a_pipe_is_not_waited_for(cli: Run, folder: Path):
    os.mkfifo(folder / "pipe")
    for name in ("notes/MEMORY.md", "notes/memory.db", "notes/memory/2025-01-01.md", "notes/durable/42.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(folder / name)
    assert "looks like nothing known" in cli("import", "notes", code=2).err
    for path in ("pipe", "/dev/zero", "/dev/null"):
        for form in ("recollect", "mem0", "clanker"):
            assert "neither a file nor a folder" in cli("import", path, "--format", form, code=2).err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04rest", "is an archive: unpack it first"),
        (b"\x1f\x8brest", "is an archive: unpack it first"),
        (HEADER.encode("utf-16"), "is a text in UTF-16: save it as UTF-8 first"),
        (b"", "looks like nothing known here"),
    ],
)
def test_an_unreadable_file_is_refused_with_advice(tmp_path: Path, data: bytes, said: str):
    with pytest.raises(BadInput, match=said):
        recognise(written(tmp_path / "file", data))


@pytest.mark.parametrize("opening", ["", "\ufeff"], ids=["plain", "with a byte order mark"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_marks_and_line_ends_of_other_systems_make_no_difference(tmp_path: Path, opening: str, end: str):
    ours = written(tmp_path / "a.jsonl", opening + HEADER.replace("\n", end) + json.dumps(memo("I like tea")) + end)
    notes = written(tmp_path / "n" / "MEMORY.md", opening + f"## Food{end}{end}- I like tea{end}- I like mate{end}")
    logs = written(tmp_path / "c" / "memory" / "MEMORY.md", opening + f"# Durable Memory Snapshot{end}## Ongoing Lore")
    logs.write_bytes(logs.read_bytes() + f"{end}- [guild:g1] We sail{end}".encode())
    found = {path: read(recognise(path), path, "ann") for path in (ours, notes.parent, logs.parent.parent)}
    texts = [[item.text for item in items if isinstance(item, Entry)] for items in found.values()]
    assert texts == [["I like tea"], ["I like tea", "I like mate"], ["We sail"]]


async def test_metadata_that_nests_without_end_costs_its_entry(tmp_path: Path):
    deep: Any = "bottom"
    for _ in range(600):
        deep = [deep]
    path = lines(tmp_path / "a.jsonl", memo("I like tea", source={"metadata": {"a": deep}}), memo("I like mate"))
    async with opened(tmp_path) as memory:
        report = await import_(memory, path)
        assert set(await memos_of(memory)) == {"I like mate"}
    assert report.skipped == [("a.jsonl line 2", "its metadata nests too deeply")]


async def test_numbers_that_no_store_can_hold_are_no_numbers(tmp_path: Path):
    summary = {"type": "summary", "session": "discord:dm:ann", "text": "They planned.", "sequence": 10**30}
    path = lines(
        tmp_path / "a.jsonl", memo("I like tea", hits=10**30, version=10**30), memo("I like mate", hits=-3), summary
    )
    async with opened(tmp_path) as memory:
        report = await import_(memory, path)
        assert {one.hits for one in (await memos_of(memory)).values()} == {0}
        kept = await memory.store.read(lambda tx: tx.summaries.get("discord:dm:ann"))
    assert (report.new, report.left_out) == (3, 0)
    assert kept is not None
    assert kept.sequence == 1


TIMES = [
    "0000-01-01T00:00:00Z",
    "-001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-12:00",
    "0001-01-01T00:00:00+14:00",
    "NaN",
]


@pytest.mark.parametrize("at", TIMES)
async def test_times_outside_of_the_calendar_cost_their_entry(tmp_path: Path, at: str):
    message = {"type": "message", "id": "1", "author": "ann", "place": {"dm": "ann"}, "text": "hi", "at": at}
    path = lines(tmp_path / "a.jsonl", memo("I like tea", created=at), message, memo("I like mate"))
    async with opened(tmp_path) as memory:
        report = await import_(memory, path)
    assert (report.new, [where for where, _ in report.skipped]) == (1, ["a.jsonl line 2", "a.jsonl line 3"])


def test_times_at_the_edge_of_the_calendar_are_shown_in_every_zone(cli: Run, folder: Path):
    edges = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    told = [memo(f"I sail at {at}", created=at, updated=at, happened=at, expires=at) for at in edges]
    lines(folder / "a.jsonl", *told)
    cli("import", "a.jsonl")
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        for command in ("list", "show", "export ann --format durable", "export ann --format jsonl"):
            assert "I sail" in cli(*command.split(), *(["--as", "ann"] if " " not in command else []), TZ=zone).out


async def test_names_of_any_length_are_kept_and_those_that_are_none_are_refused(tmp_path: Path):
    long = "x" * 10_000
    said = {"type": "message", "text": "hi", "at": "2024-01-01T00:00:00Z"}
    place = {"platform": long, "guild": long, "channel": long}
    path = lines(
        tmp_path / "a.jsonl",
        memo("I like tea", id=long, user=long),
        {**said, "id": long, "author": long, "place": place},
        {"type": "summary", "session": long, "text": "They planned."},
        {"type": "tombstone", "scope": f"user:{long}", "fingerprint": long, "at": "2024-01-01T00:00:00Z"},
        memo("I like mate", id="a\0b"),
        {**said, "id": "a\0b", "author": "ann", "place": {"dm": "ann"}},
        {**said, "id": "1", "author": "a\0", "place": {"dm": "ann"}},
        {**said, "id": "2", "author": "ann", "place": {"guild": "g\0"}},
        {"type": "summary", "session": "a\0", "text": "They planned."},
        {"type": "tombstone", "scope": "user:\0", "fingerprint": "b", "at": "2024-01-01T00:00:00Z"},
    )
    async with opened(tmp_path) as memory:
        report = await import_(memory, path)
        assert (report.new, report.total("broken")) == (4, 6)
        assert list(await memos_of(memory, long)) == ["I like tea"]
        again = await import_(memory, path)
    assert (again.new, again.same, [why for _, why in again.skipped if "character" not in why]) == (0, 4, [])


async def test_of_tags_without_end_a_few_are_kept(tmp_path: Path):
    theirs = [{"memory": "Likes tea", "user_id": "ann", "categories": [f"t{n}" for n in range(200_000)]}]
    ours = lines(tmp_path / "a.jsonl", memo("I like mate", tags=[f"t{n}" for n in range(20_000)]))
    async with opened(tmp_path) as memory:
        await import_(memory, written(tmp_path / "b.json", json.dumps(theirs)))
        await import_(memory, ours)
        found = await memos_of(memory)
    assert (len(found["Likes tea"].tags), len(found["I like mate"].tags)) == (50, 1_000)


def test_a_line_without_end_is_read_over_and_an_entry_without_end_ends_the_file(tmp_path: Path):
    endless = "x" * 40_000_000
    ours = lines(tmp_path / "a.jsonl", memo(endless), memo("I like tea"))
    told = [getattr(item, "text", None) or getattr(item, "reason", None) for item in read(RECOLLECT, ours)]
    assert told == ["it is longer than 4,000,000 bytes", "I like tea"]
    theirs = [{"memory": "Likes tea", "user_id": "a"}, {"memory": endless}, {"memory": "Likes mate"}]
    found = read(MEM0, written(tmp_path / "b.json", json.dumps(theirs)))
    assert [getattr(item, "reason", "") for item in found] == [
        "",
        "line 1: an entry is longer than 16,777,216 characters, or never ends; what follows is left out",
    ]


def test_of_a_name_that_stands_twice_the_last_value_counts(tmp_path: Path):
    path = written(tmp_path / "a.jsonl", HEADER + '{"type":"lore","type":"memo","user":"ann","text":"a","text":"b"}\n')
    assert [(item.user, item.text) for item in read(RECOLLECT, path) if isinstance(item, Entry)] == [("ann", "b")]


def test_no_name_of_a_file_acts_on_the_terminal(cli: Run, folder: Path):
    (folder / "notes" / "memory").mkdir(parents=True)
    written(folder / "notes" / "memory" / "a\x1b[31m\x1b]0;b\x07\n.md", b"\0")
    with open(os.fsencode(folder / "notes" / "memory") + b"/\xff.md", "wb") as file:  # noqa: PTH123 - a Path has no such name
        file.write(b"\0")
    (folder / "x\x1b[2J.jsonl").write_text(HEADER + "{")
    told = [cli("import", "notes", code=1), cli("import", "x\x1b[2J.jsonl", code=1), cli("import", "no\x1b[2J", code=2)]
    for done in told:
        assert "\x1b" not in done.out + done.err
        assert "\\x1b" in done.out + done.err
    assert len(told[0].out.splitlines()) == 3
    assert "\\udcff.md" in told[0].out


@pytest.mark.slow
def test_among_thousands_of_pages_only_names_and_few_beginnings_are_looked_at(tmp_path: Path):
    for number in range(3_000):
        written(tmp_path / "memory" / "x" / f"{number}.md", f"- I like tea number {number}\n")
    unreadable = tmp_path / "memory" / "x" / "0.md"
    unreadable.unlink()
    unreadable.mkdir()
    assert recognise(tmp_path) is OPENCLAW
    assert sum(isinstance(item, Entry) for item in read(OPENCLAW, tmp_path, "ann")) == 2_999
