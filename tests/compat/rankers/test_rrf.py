"""`rrf`, worked out by hand."""

import pytest

from recollect.compat.rankers import rrf
from tests.recall.rankers.samples import asking, hit, item, keys, pool

QUESTION = asking("word")


@pytest.mark.acceptance("E19")
def test_a_place_in_each_lane_gives_60_over_60_plus_place():
    first = item(1, shared=hit(1), cosine=0.5)  # words 1st, vector 2nd
    second = item(2, shared=hit(2), cosine=0.9)  # words 2nd, vector 1st
    third = item(3, cosine=0.4)  # vector 3rd only
    ranked = {one.item.key: one for one in rrf.rank(QUESTION, pool(first, second, third, size=10))}
    assert ranked[1].score == pytest.approx(60 / 62 + 60 / 61)
    assert ranked[2].score == pytest.approx(60 / 61 + 60 / 62)
    assert ranked[3].score == pytest.approx(60 / 63)
    assert ranked[1].parts == pytest.approx({"vector": 60 / 62, "words": 60 / 61})


def test_what_both_lanes_found_comes_before_the_best_of_one():
    both = item(1, shared=hit(2), cosine=0.3)
    words_only, vector_only = item(2, shared=hit(1)), item(3, cosine=0.9)
    assert keys(rrf.rank(QUESTION, pool(both, words_only, vector_only, size=10)))[0] == 1


def test_items_without_any_score_are_left_out():
    assert rrf.rank(QUESTION, pool(item(1), item(2, cosine=0.0), item(3, cosine=-0.2))) == []


def test_the_order_is_that_of_standard_reciprocal_rank_fusion():
    cosines = (0.9, 0.1, 0.5, 0.7)
    items = [item(n, shared=hit(5 - n), cosine=cosine) for n, cosine in enumerate(cosines, 1)]
    by_vector = {1: 1, 4: 2, 3: 3, 2: 4}
    by_words = {4: 1, 3: 2, 2: 3, 1: 4}
    standard = sorted(by_words, key=lambda key: -(1 / (60 + by_vector[key]) + 1 / (60 + by_words[key])))
    assert keys(rrf.rank(QUESTION, pool(*items, size=10))) == standard
