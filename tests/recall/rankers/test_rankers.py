"""What all rankers promise: an order that repeats, scores that explain themselves, nothing made up."""

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import plugins
from recollect.core.errors import ConfigError
from recollect.core.ports.ranker import Ranked, RankItem, RankPool, content_words, in_order, tokens
from recollect.settings.wiring import ranker as named
from tests.recall.rankers.samples import asking, hit, item, keys, pool

ALL = pytest.mark.parametrize("name", plugins.names("rankers"))
ADDENDS = {"words", "vector", "around", "session", "fact"}


def combined(name: str, one: Ranked, ranked: Sequence[Ranked]) -> float:
    """A score put together again from its parts."""
    parts = one.parts
    if name == "recency":
        return -parts["age in days"]
    if name != "unified":
        return sum(parts.values())
    best = max(strength(other.parts) for other in ranked)
    share = strength(parts) / best if best > 0 else 0.0
    return parts["match"] * (share if one.item.kind else math.sqrt(share))


def strength(parts: Mapping[str, float]) -> float:
    factors = math.prod(value for part, value in parts.items() if part not in ADDENDS | {"match"})
    return factors * sum(value for part, value in parts.items() if part in ADDENDS)


items = st.builds(
    lambda key, text, days, kind, hits, frequency, cosine, channel, confidence, dated: item(
        key,
        text,
        days_old=days,
        kind=kind,
        hits=hits,
        shared={"tea": frequency} if frequency else {},
        cosine=cosine,
        channel=channel,
        confidence=confidence,
        happened=item(0, days_old=days).updated if dated else None,
    ),
    st.integers(1, 10_000),
    st.sampled_from(["Likes tea", "Likes green tea", "Repo of the tea shop", "東京に住んでいます", ""]),
    st.sampled_from([0.0, 1.0, 400.0]),
    st.sampled_from(["", "fact", "project"]),
    st.integers(0, 20),
    st.integers(0, 3),
    st.none() | st.floats(-1, 1),
    st.sampled_from([None, "dev"]),
    st.floats(0, 1),
    st.booleans(),
)
pools = st.lists(items, max_size=8, unique_by=lambda one: one.key)
questions = st.sampled_from(
    ["tea", "which repo did I deploy yesterday?", "東京", "", "the", "what happened last week?"]
)


@ALL
@settings(max_examples=60, deadline=None)
@given(found=pools, question=questions)
def test_every_result_explains_its_score(name: str, found: list[RankItem], question: str):
    ranked = named(name).rank(asking(question, "dev"), pool(*found, size=20, lengths=[2, 3]))
    assert len(set(keys(ranked))) == len(ranked)
    assert {id(one.item) for one in ranked} <= {id(one) for one in found}
    for one in ranked:
        assert one.parts
        assert math.isfinite(one.score)
        assert one.score == pytest.approx(combined(name, one, ranked), abs=1e-9)


@ALL
@settings(max_examples=60, deadline=None)
@given(found=pools, question=questions, seed=st.randoms(use_true_random=False))
def test_the_order_depends_on_nothing_but_the_items(name: str, found: list[RankItem], question: str, seed: object):
    shuffled = list(found)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (
        named(name).rank(asking(question), pool(*these, size=20, lengths=[2, 3])) for these in (found, shuffled)
    )
    assert keys(one) == keys(other)
    scores = [each.score for each in one]
    assert scores == sorted(scores, reverse=True)


@ALL
def test_an_empty_pool_gives_an_empty_answer(name: str):
    assert named(name).rank(asking("tea"), RankPool(())) == []


@ALL
def test_equal_scores_go_to_the_newer_item_then_to_the_later_row(name: str):
    found = [item(key, "Likes tea", shared=hit(3), days_old=400) for key in (5, 9, 7)]
    first, second, third = keys(named(name).rank(asking("tea"), pool(*found, size=20))) or (9, 7, 5)
    if name != "rrf":  # there the earlier row has the better place
        assert (first, second, third) == (9, 7, 5)


def test_a_tie_is_broken_by_age_before_the_key():
    older, newer = item(9, days_old=2), item(1, days_old=1)
    ranked = named("overlap").rank(asking("zebra"), pool(older, newer))
    assert keys(in_order(ranked)) == [1, 9]


def test_an_unknown_ranker_is_refused_with_the_names_there_are():
    with pytest.raises(ConfigError, match="unified"):
        named("best")


@pytest.mark.parametrize("name", ["recency", "overlap", "hybrid", "unified"])
def test_what_is_undated_is_never_left_out_of_a_question_about_time(name: str):
    found = [item(1, "Likes tea", shared=hit(2)), item(2, "Drank tea", shared=hit(2), happened=item(0).updated)]
    assert sorted(keys(named(name).rank(asking("tea last week"), pool(*found, size=9)))) == [1, 2]


def test_a_question_without_meaningful_words_keeps_all_of_them():
    assert content_words("what is the answer") == ["answer"]
    assert content_words("who is it") == ["who", "is", "it"]


def test_words_to_compare_are_three_letters_or_a_pair_of_characters():
    assert tokens("Go is C++ on 東京 by Ли") == {"c++", "東京", "ли"}
