"""Questions in other words than what was said, over whole transcripts: bench.chat has the data and the verdicts."""

from collections import Counter

import pytest

from bench.chat.__main__ import SETS, ask_all

MIN_FOUND = 21


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in SETS.glob("*.toml")))
async def test_most_questions_are_answered_or_marked_as_nearest_and_none_wrongly(name: str) -> None:
    _, judged = await ask_all(name)
    counts = Counter(item.verdict for item in judged)
    assert counts["right"] + counts["mixed"] + counts["nearest"] >= MIN_FOUND, judged
    assert not counts["wrong"], [item for item in judged if item.verdict == "wrong"]
