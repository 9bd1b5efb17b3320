"""Samples: which piece of an erased text is searched for afterwards."""

import pytest

from recollect.privacy.samples import Samples, longest_piece


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("ten chars!", "ten chars!"),
        ("nine char", None),
        ("zehn Wörä", "zehn Wörä"),  # in bytes, as it is searched for in files
        ("short\nthe longest line of these\nno", "the longest line of these"),
        ("x" * 99, "x" * 60),
        ("", None),
    ],
)
def test_the_sample_is_the_longest_piece_that_is_distinctive(text: str, piece: str | None):
    assert longest_piece(text) == piece


@pytest.mark.parametrize(("name", "is_held"), [("Ann", True), ("Al", False), (None, False), ('A "B" C', False)])
def test_a_name_is_searched_for_if_it_is_long_enough(name: str | None, is_held: bool):
    samples = Samples()
    samples.name(name)
    assert samples.names == ({name} if is_held else set())
