"""mem0: what `get_all` of its library and of its platform returns."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, Problem
from recollect.core.types import Origin, Provenance
from tests.transfer.forms import MEM0 as FORMAT
from tests.transfer.moving import ANN, import_, memos_of, opened

TEA: dict[str, Any] = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "Likes green tea",
    "hash": "c0ffee",
    "metadata": {"category": "drinks"},
    "score": None,
    "created_at": "2024-07-10T22:44:52.123456-07:00",
    "updated_at": None,
    "user_id": "alice",
    "agent_id": "travel",
}
BOAT: dict[str, Any] = {
    "id": "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c",
    "memory": "Owns a boat",
    "user_id": "alice",
    "categories": ["hobbies", "boats"],
    "created_at": "2024-07-01T10:00:00Z",
    "updated_at": "2024-07-26T10:29:36Z",
    "expiration_date": "2030-01-01",
}
LIBRARY = {"results": [TEA, BOAT], "relations": [{"source": "alice", "relationship": "likes", "target": "tea"}]}
PLATFORM = {"count": 2, "next": None, "previous": None, "results": [TEA, BOAT]}


def read(path: Path, value: object, owner: Owner = ANN) -> list[Item]:
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))
    return list(FORMAT.read(path, owner))


@pytest.mark.parametrize("value", [LIBRARY, PLATFORM, [TEA, BOAT]], ids=["library", "platform", "list"])
def test_every_shape_of_the_answer_is_read(tmp_path: Path, value: object):
    tea, boat, *_ = read(tmp_path / "m.json", value)
    assert tea == Entry(
        location="m.json item 1",
        user="alice",
        guild=None,
        kind=None,
        text="Likes green tea",
        created=datetime(2024, 7, 11, 5, 44, 52, 123000, UTC),
        source=Provenance(
            Origin.IMPORT, "alice", channel="travel", metadata={"category": "drinks", "agent_id": "travel"}
        ),
        id=TEA["id"],
    )
    assert isinstance(boat, Entry)
    assert (boat.tags, boat.updated) == (("hobbies", "boats"), datetime(2024, 7, 26, 10, 29, 36, tzinfo=UTC))
    assert boat.expires == datetime(2030, 1, 1, tzinfo=UTC)


def test_relations_are_said_to_be_left_out(tmp_path: Path):
    assert read(tmp_path / "m.json", LIBRARY)[-1] == Problem(
        "m.json relations", "relations of a graph have no place here", is_broken=False
    )


def test_whose_it_is_may_have_to_be_said(tmp_path: Path):
    anonymous = {name: value for name, value in TEA.items() if name != "user_id"}
    (mine,) = read(tmp_path / "m.json", [anonymous], Owner("ben"))
    (ours,) = read(tmp_path / "m.json", [anonymous], Owner(guild="g1"))
    assert isinstance(mine, Entry)
    assert isinstance(ours, Entry)
    assert (mine.user, mine.guild, ours.user, ours.guild) == ("ben", None, None, "g1")


def test_broken_entries_are_left_out_by_number(tmp_path: Path):
    broken = [TEA, 7, {"id": "x"}, {**TEA, "created_at": "soon"}, {**TEA, "metadata": 3}, BOAT]
    items = read(tmp_path / "m.json", broken)
    assert [item for item in items if isinstance(item, Problem)] == [
        Problem("m.json item 2", "its entry is not an object"),
        Problem("m.json item 3", "its memory is missing"),
        Problem("m.json item 4", "its created_at 'soon' is not a time"),
        Problem("m.json item 5", "its metadata is not an object"),
    ]
    assert isinstance(items[-1], Entry)


def test_of_a_file_that_breaks_off_what_stands_before_is_read(tmp_path: Path):
    whole = json.dumps([TEA, BOAT], indent=1)
    tea, problem = read(tmp_path / "m.json", whole[:-60])
    assert isinstance(tea, Entry)
    assert isinstance(problem, Problem)
    assert "breaks off" in problem.reason


@pytest.mark.parametrize("text", ["", "{", "[}", "nonsense"])
def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path: Path, text: str):
    with pytest.raises(BadInput, match=r"m\.json holds no memories of mem0"):
        read(tmp_path / "m.json", text)


async def test_it_comes_in_once_with_its_times_and_again_when_it_was_updated_there(tmp_path: Path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(LIBRARY))
    async with opened(tmp_path) as memory:
        first, again = await import_(memory, path), await import_(memory, path)
        memo = (await memos_of(memory, "alice"))["Likes green tea"]
        changed = {**TEA, "memory": "Likes black tea", "updated_at": "2024-09-01T00:00:00Z"}
        path.write_text(json.dumps({"results": [changed, BOAT]}))
        third = await import_(memory, path)
        texts = {*await memos_of(memory, "alice")}
    assert (memo.id, memo.created) == (TEA["id"], datetime(2024, 7, 11, 5, 44, 52, 123000, UTC))
    assert first.ok
    assert (first.new, again.new, again.same, third.changed, third.same) == (2, 0, 2, 1, 1)
    assert texts == {"Likes black tea", "Owns a boat"}
