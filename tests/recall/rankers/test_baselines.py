"""`bm25` and `cosine` alone, worked out by hand."""

import math

import pytest

from recollect import AsyncMemory, plugins
from recollect.core.ports.ranker import bm25
from recollect.recall.rankers import RANKERS
from recollect.recall.rankers import bm25 as by_words
from recollect.recall.rankers import cosine as by_vector
from tests.recall.rankers.samples import asking, hit, item, keys, pool


def test_the_names_that_faces_offer_are_those_of_the_modules():
    assert sorted(RANKERS) == plugins.names("rankers")


def test_bm25_by_hand():
    one = item(1, length=4, shared=hit(1))
    rarity = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert bm25(one, pool(one, size=3, lengths=[4, 4, 4])) == pytest.approx(rarity * 2.2 / (1 + 1.2))
    longer = pool(one, size=3, lengths=[1, 2, 3])  # twice the mean length of 2
    assert bm25(one, longer) == pytest.approx(rarity * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2)))


def test_a_rare_word_counts_more_and_one_that_stands_everywhere_still_a_little():
    rare, common, everywhere = (item(key, shared=hit(frequency)) for key, frequency in ((1, 1), (2, 5), (3, 10)))
    ranked = by_words.rank(asking("word"), pool(common, everywhere, rare, size=10))
    assert keys(ranked) == [1, 2, 3]
    assert ranked[-1].score > 0


def test_each_lane_knows_only_what_it_found():
    found = pool(item(1, shared=hit(1)), item(2, cosine=-0.5), item(3, cosine=0.5))
    assert keys(by_words.rank(asking("word"), found)) == [1]
    assert keys(by_vector.rank(asking("word"), found)) == [3, 2]


@pytest.mark.parametrize(("ranker", "part", "is_same"), [("cosine", "cosine", True), ("hybrid", "semantic", False)])
async def test_plain_vectors_compare_the_topic_of_a_question_and_an_earlier_design_all_of_it(
    ranker: str, part: str, is_same: bool
):
    async with AsyncMemory("sqlite://", run_worker=False) as memory:
        await memory.remember("The kettle is for green tea", user="ann")
        await memory.vectors.fill()
        (bare,) = await memory.search("tea", user="ann", ranker=ranker)
        (asked,) = await memory.search("what about the tea?", user="ann", ranker=ranker)
    assert (bare.parts[part] == asked.parts[part]) is is_same
