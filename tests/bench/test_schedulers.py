"""The benchmark of the concurrency controls: that each can be switched off, not what it buys."""

import pytest

from bench import schedulers
from recollect.learning import extract
from recollect.prompting import compose


@pytest.mark.slow
@pytest.mark.parametrize("control", ["background-writes", "read-batcher", "reader-turns"])
async def test_a_control_is_measured_with_it_and_without_it(control: str):
    batchers = compose.ReadBatcher, extract.ReadBatcher
    figures = await schedulers.measure([control], rounds=1)
    assert all(name.startswith(control.replace("-", " ")) for name in figures.wall)
    for name in figures.wall:
        row = figures.row(name)
        assert row["with"] > 0
        assert row["without"] > 0
        assert row["ratio"] == row["with"] / row["without"]
    assert batchers == (compose.ReadBatcher, extract.ReadBatcher), "it is on again"


def test_every_control_can_be_chosen():
    assert set(schedulers.CONTROLS) == {
        "background-writes",
        "read-batcher",
        "foreground-priority",
        "model-limiter",
        "reader-turns",
    }
