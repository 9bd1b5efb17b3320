"""What a file or folder is taken for, and how lines and pages are read whatever they hold."""

import json
import random
from pathlib import Path

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import CountsEntries, Owner
from recollect.transfer.readers import json_lines
from recollect.transfer.readers.notes import Statement, statements
from tests.transfer.forms import FORMATS, NAMES, named, recognise

MEM0 = [{"id": "a1b2c3d4-1", "memory": "Likes tea", "user_id": "ann"}]


def make(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("files", "chosen", "name"),
    [
        ({"x.jsonl": '{"format":"recollect","version":1}\n'}, "x.jsonl", "recollect"),
        ({"x.json": json.dumps(MEM0)}, "x.json", "mem0"),
        ({"x.json": json.dumps({"results": MEM0, "relations": []}, indent=2)}, "x.json", "mem0"),
        ({"x.json": json.dumps({"count": 1, "next": None, "results": MEM0})}, "x.json", "mem0"),
        ({"AGENTS.md": "Be kind.", "MEMORY.md": "- Likes tea"}, ".", "openclaw"),
        ({"MEMORY.md": "- Likes tea", "memory/2025-03-01.md": "- Met Bob"}, ".", "openclaw"),
        ({"SOUL.md": "Be kind.", "memory/2025-03-01.md": "- Met Bob"}, ".", "openclaw"),
        ({"memories/prefs.md": "- Likes tea"}, ".", "anthropic"),
        ({"memories/prefs.xml": "<p>Likes tea</p>"}, "memories", "anthropic"),
        ({"durable/42.json": '{"version": 1, "updatedAt": 1, "items": []}'}, ".", "discoclaw"),
        ({"memory/2025-03-01.md": "# Daily Memory Log\n"}, ".", "clanker"),
        ({"fact/2025-03-01-tea.md": "---\ncategory: fact\n---\nLikes tea\n"}, ".", "devclaw"),
    ],
)
def test_each_format_is_recognised_by_exactly_one(tmp_path: Path, files: dict[str, str], chosen: str, name: str):
    path = make(tmp_path, files) / chosen
    assert [one.name for one in FORMATS if one.matches(path)] == [name]
    assert recognise(path).name == name


@pytest.mark.parametrize(
    "files",
    [
        {"x.json": "{}"},
        {"x.json": "[]"},
        {"x.json": '{"memory": 1'},
        {"x.txt": "hello"},
        {"x.jsonl": '{"format":"something else"}\n'},
        {"x.jsonl": "[" * 100_000},
        {"x.bin": "\x00\x01\x02"},
        {"x": ""},
        {"folder/readme.txt": "hello"},
    ],
)
def test_what_is_foreign_is_nobodys_and_the_formats_are_named(tmp_path: Path, files: dict[str, str]):
    make(tmp_path, files)
    path = tmp_path / next(iter(files)).split("/")[0]
    with pytest.raises(BadInput, match="looks like nothing known here") as told:
        recognise(path)
    assert all(name in str(told.value) for name in NAMES)


def test_random_bytes_never_make_a_format_raise(tmp_path: Path):
    dice = random.Random(7)
    starts = [b"", b"[{", b'{"results":[{"memory":', b'{"format":', b"SQLite format 3\x00", b"---\n", b'{"version":1,']
    for number in range(140):
        path = tmp_path / f"{number}{dice.choice(['.json', '.jsonl', '.md', '.db', ''])}"
        path.write_bytes(dice.choice(starts) + dice.randbytes(dice.randrange(300)))
        for one in FORMATS:
            one.matches(path)


def test_an_ambiguous_format_asks_for_the_option(tmp_path: Path):
    path = make(tmp_path, {"memories/a.md": "- Likes tea", "AGENTS.md": "x", "MEMORY.md": "- Likes mate"})
    with pytest.raises(BadInput, match="may be anthropic or openclaw: say which with --format"):
        recognise(path)


def test_a_path_that_is_not_there_is_said_to_be_missing(tmp_path: Path):
    with pytest.raises(BadInput, match="there is no"):
        recognise(tmp_path / "nothing")


def test_a_format_is_found_by_its_name():
    assert [named(name).name for name in NAMES] == list(NAMES)
    assert named(" Mem0 ").name == "mem0"
    with pytest.raises(BadInput, match=r"there is no format 'letta'; there are anthropic, "):
        named("letta")


@pytest.mark.parametrize("form", FORMATS, ids=lambda one: one.name)
def test_a_missing_path_is_no_crash_but_bad_input(tmp_path: Path, form):
    assert not form.matches(tmp_path / "nothing")
    with pytest.raises(BadInput):
        list(form.read(tmp_path / "nothing", Owner("ann")))


def test_formats_of_one_long_file_say_how_much_there_is(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(MEM0 * 3))
    counting = named("mem0")
    assert isinstance(counting, CountsEntries)
    assert counting.count(path) == 3
    assert isinstance(named("recollect"), CountsEntries)


def read_lines(path: Path, data: bytes) -> list[tuple[int, object]]:
    path.write_bytes(data)
    return [(number, one if isinstance(one, dict) else one.why) for number, one in json_lines.lines(path)]


def test_a_broken_line_costs_itself_alone(tmp_path: Path):
    data = b'\xef\xbb\xbf{"a":1}\n\n{"a":\n\xff\xfe\n[1]\n{"a":2}\r\n' + b"[" * 100_000 + b'\n{"a":3}\n{"a":'
    assert read_lines(tmp_path / "x", data) == [
        (1, {"a": 1}),
        (3, "it is not JSON: Expecting value"),
        (4, "it is not UTF-8"),
        (5, "it is not an object"),
        (6, {"a": 2}),
        (7, "it nests too deeply"),
        (8, {"a": 3}),
        (9, "it breaks off"),
    ]


@pytest.mark.parametrize("more", [-1, 0, 1, json_lines.MAX_LINE_BYTES - 9, json_lines.MAX_LINE_BYTES + 9])
def test_an_endless_line_is_read_over(tmp_path: Path, more: int):
    long = b'{"a":"' + b"x" * (json_lines.MAX_LINE_BYTES + more - 8) + b'"}'
    found = read_lines(tmp_path / "x", b'{"b":1}\n' + long + b'\n{"c":1}\n')
    assert [number for number, _ in found] == [1, 2, 3]
    is_read = isinstance(found[1][1], dict)
    assert is_read == (len(long) < json_lines.MAX_LINE_BYTES)
    assert (found[0][1], found[2][1]) == ({"b": 1}, {"c": 1})


def test_lines_are_counted(tmp_path: Path):
    (tmp_path / "x").write_bytes(b"a\nb\nc\n")
    assert json_lines.count(tmp_path / "x") == 3


def test_a_page_is_taken_apart_into_statements():
    page = """---
title: mine
---
# Memory

Ann lives in Lyon
and works at **Acme**.

## People
- Bob: __brother__
  of Ann
* [x] Carl is done
1. Dora
<!-- a
comment -->
---
| name | age |
|------|-----|
| Eve  | 30  |

```sh
rm -rf /
```
### Tools ###
Uses vim
"""
    assert list(statements(page)) == [
        Statement(6, "", "Ann lives in Lyon and works at Acme."),
        Statement(10, "People", "Bob: brother of Ann"),
        Statement(12, "People", "Carl is done"),
        Statement(13, "People", "Dora"),
        Statement(17, "People", "| name | age |"),
        Statement(19, "People", "| Eve  | 30  |"),
        Statement(25, "Tools", "Uses vim"),
    ]


@pytest.mark.parametrize("page", ["", "\n", "# Title\n", "---\nnever closed", "```\nnever closed", "<!-- open"])
def test_an_odd_page_says_little(page: str):
    assert len(list(statements(page))) <= 1
