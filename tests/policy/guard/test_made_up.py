"""The figures that the guard must keep: of what a model makes up hardly anything passes, of what was said most does."""

import pytest

from bench.extract.claims import judge, load_claims, passed, share


@pytest.fixture(scope="module")
def verdicts():
    return [judge(claim) for claim in load_claims()]


@pytest.mark.parametrize("part", ["development", "held-out"])
def test_of_twenty_made_up_facts_one_passes_at_the_most(verdicts, part: str):
    of_part = [one for one in verdicts if one.claim.part == part]
    assert passed(of_part, holds=False)[1] >= 60
    assert share(of_part, holds=False) <= 0.05


@pytest.mark.parametrize("part", ["development", "held-out"])
def test_of_twenty_true_facts_seventeen_pass(verdicts, part: str):
    of_part = [one for one in verdicts if one.claim.part == part]
    assert passed(of_part, holds=True)[1] >= 60
    assert share(of_part, holds=True) >= 0.85


def test_every_quote_stands_in_its_message_and_no_pair_comes_twice(verdicts):
    claims = [one.claim for one in verdicts]
    assert all(claim.quote.casefold() in claim.text.casefold() for claim in claims)
    assert len({(claim.text, claim.fact) for claim in claims}) == len(claims)
