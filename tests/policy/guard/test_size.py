"""How long a fact may be."""

import pytest

from recollect.core.reasons import Reason
from tests.policy.guard.test_check import reason


@pytest.mark.parametrize(
    ("fact", "length"),
    [("tea", Reason.TOO_SHORT), ("teas", None), ("茶", Reason.TOO_SHORT), ("緑茶", None), ("é", Reason.TOO_SHORT)],
)
def test_a_fact_has_four_characters_or_two_of_a_script_in_which_they_say_as_much(
    fact: str, length: Reason | None
) -> None:
    assert (reason(f"{fact}", fact) == Reason.TOO_SHORT) == (length is Reason.TOO_SHORT)


def test_a_fact_has_three_hundred_characters_at_the_most() -> None:
    sentence = "I like tea with " + "milk and " * 40
    assert reason(sentence, sentence[:301]) == Reason.TOO_LONG
    assert reason(sentence, sentence[:300]) != Reason.TOO_LONG
