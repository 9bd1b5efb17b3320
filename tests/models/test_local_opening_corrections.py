"""Messages that open with a correction and go on."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory

SAID_AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


def learned(*messages: str) -> list[str]:
    with Memory(":memory:") as memory:
        for number, text in enumerate(messages):
            memory.add(text, user="ann", at=SAID_AT + timedelta(minutes=2 * number), wait=True)
        return [memo.text for memo in memory.list(user="ann", statuses="active")]


@pytest.mark.parametrize(
    ("stated", "correction", "expected"),
    [
        ("I'm 41 years old.", "make that 42, I had a birthday in spring", "Is 42 years old"),
        ("I weigh 70 kg.", "Scratch that, 68 kg. The scale was broken.", "Weighs 68 kg"),
    ],
)
def test_a_correction_counts_although_its_reason_follows(stated: str, correction: str, expected: str):
    assert learned(stated, correction) == [expected]


def test_a_statement_after_a_correction_is_learned():
    assert set(learned("I weigh 70 kg.", "Scratch that, 68 kg. I live in Oslo.")) == {"Weighs 68 kg", "Lives in Oslo"}


@pytest.mark.parametrize("text", ["No wait, that train is late. I hate it.", "If I could, make that 42, I would."])
def test_an_opening_that_corrects_nothing_changes_nothing(text: str):
    assert "Is 41 years old" in learned("I'm 41 years old.", text)
