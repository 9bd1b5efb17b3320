"""Not three wordings of one thing, and nothing lost."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.ports.ranker import Ranked
from recollect.recall.diversity import diversify
from tests.recall.rankers.samples import item, keys


def ranked(*texts: str) -> list[Ranked]:
    return [Ranked(item(number, text), 1.0 / number, {}) for number, text in enumerate(texts, 1)]


def test_a_third_wording_of_one_fact_goes_behind_the_rest():
    found = ranked(
        "Prefers Rust over Go for services",
        "Prefers Rust over Go for all services",
        "Really prefers Rust over Go for services",
        "Has a cat named Tom",
        "Lives in Berlin",
    )
    assert keys(diversify(found, 4)) == [1, 2, 4, 5]
    assert keys(diversify(found, 5)) == [1, 2, 4, 5, 3]


def test_of_results_in_one_wording_only_all_that_is_asked_for_comes():
    assert keys(diversify(ranked(*["Likes green tea"] * 5), 4)) == [1, 2, 3, 4]


def test_in_scripts_without_spaces_too():
    found = ranked("東京に住んでいます", "東京に住んでいます。", "東京に住んでいます！", "猫がいます")
    assert keys(diversify(found, 3)) == [1, 2, 4]


def test_short_texts_without_words_to_compare_are_not_alike():
    assert keys(diversify(ranked("a", "b", "c", "d"), 3)) == [1, 2, 3]


def test_diversify_of_no_results_is_empty():
    assert diversify([], 5) == []


@given(
    st.lists(st.sampled_from(["likes green tea", "likes tea green", "has a cat", "go", "lives in Berlin"])),
    st.integers(1, 12),
)
def test_nothing_is_dropped_or_doubled_and_the_best_stays_first(texts: list[str], limit: int):
    found = ranked(*texts)
    kept = diversify(found, limit)
    assert len(kept) == min(limit, len(found))
    assert len(set(keys(kept))) == len(kept)
    assert kept[:1] == found[:1]
    assert set(keys(diversify(found, len(found)))) == set(keys(found))
