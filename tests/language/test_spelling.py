"""Words as they were meant, where a letter is doubled or not, or two have changed places."""

import pytest

from recollect.language.spelling import corrected

WORDS = frozenset(("allerg", "girlfriend", "medikament"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("im alergic to nuts", "im allergic to nuts"),
        ("my girlfreind", "my girlfriend"),
        ("ein Medikamment", "ein medikament"),
    ],
)
def test_a_slip_in_a_known_word_is_put_right(written: str, meant: str) -> None:
    assert corrected(written, WORDS) == meant


@pytest.mark.parametrize("text", ["Allergic to pollen", "a large garden", "my friend Algernon", "25 MB"])
def test_any_other_word_stays_as_it_is(text: str) -> None:
    assert corrected(text, WORDS) == text
