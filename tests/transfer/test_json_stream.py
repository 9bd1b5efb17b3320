"""JSON files piece by piece: the same as read whole, whatever they hold and wherever they end."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.transfer.readers.json_stream import Broken, Member, members

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def expected(value: Any) -> list[tuple[str, Any, int]]:
    found: list[tuple[str, Any, int]] = []
    for name, one in value.items() if isinstance(value, dict) else [("", value)]:
        found += (
            [(name, each, number) for number, each in enumerate(one, 1)] if isinstance(one, list) else [(name, one, 0)]
        )
    return found


def pieces(data: bytes) -> list[Member]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(data)
        return list(members(path))


@given(
    st.lists(VALUES, max_size=6) | st.dictionaries(st.text(max_size=5), VALUES, max_size=6), st.sampled_from([None, 2])
)
def test_every_member_comes_as_it_would_from_the_whole(value: Any, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass")
    assert [(one.name, one.value, one.number) for one in pieces(data)] == expected(
        json.loads(data.decode("utf-8", "surrogateescape"))
    )


def until_broken(data: bytes) -> tuple[list[Member], str]:
    found: list[Member] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(data)
        try:
            found.extend(members(path))
        except Broken as error:
            return found, str(error)
    return found, ""


@given(st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=4), st.data())
def test_a_file_that_breaks_off_gives_what_stands_before(value: dict[str, Any], data: st.DataObject) -> None:
    whole = json.dumps(value).encode()
    found, why = until_broken(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert why
    assert [(one.name, one.value, one.number) for one in found] == expected(value)[: len(found)]


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_json_or_broken(data: bytes) -> None:
    _, why = until_broken(data)
    assert "\n" not in why
    assert why or isinstance(json.loads(data.decode("utf-8-sig", "surrogateescape")), list | dict)


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a": ' * 100_000, b"[" + b"9" * 6000 + b"]", b"", b"7", b"[1] 2"])
def test_malicious_json_raises_broken(data: bytes) -> None:
    with pytest.raises(Broken):
        pieces(data)


def test_an_element_may_be_larger_than_the_window() -> None:
    large = "x" * 300_000
    assert [one.value for one in pieces(json.dumps({"items": [large, 1234567890, large]}).encode())] == [
        large,
        1234567890,
        large,
    ]


@pytest.mark.parametrize("shift", range(50))
def test_a_number_may_lie_across_the_border_of_the_window(shift: int) -> None:
    value = {"pad": "x" * (65_536 - 40 + shift), "number": -1.5e16, "list": [12345, 1e9, True]}
    found = [one.value for one in pieces(json.dumps(value).encode()) if one.name != "pad"]
    assert found == [-1.5e16, 12345, 1e9, True]


def test_the_line_of_a_broken_place_is_told() -> None:
    with pytest.raises(Broken, match=r"^line 4: "):
        pieces(b'[\n{"a": 1},\n{"b":\nnope}\n]')
