"""The benchmark of the concurrency controls: that each can be switched off, not what it buys."""

import pytest

from bench import schedulers


@pytest.mark.slow
async def test_a_control_is_measured_with_it_and_without_it():
    figures = await schedulers.measure(["reader-turns"], rounds=1)
    assert list(figures.wall) == ["reader turns: 8 searchers", "reader turns: 32 prompts at once"]
    for name in figures.wall:
        row = figures.row(name)
        assert row["with"] > 0
        assert row["without"] > 0
        assert row["ratio"] == row["with"] / row["without"]


def test_every_control_can_be_chosen():
    assert set(schedulers.CONTROLS) == {"foreground-priority", "model-limiter", "reader-turns"}
