"""`hybrid`, worked out by hand: signals, weights, gate."""

from dataclasses import replace

import pytest

from recollect.compat.rankers import hybrid
from tests.recall.rankers.samples import asking, item, keys, pool

RUST = item(1, "Prefers Rust for CLI tools", days_old=45, confidence=0.9, channel="dev", cosine=0.6)
ASKED = asking("rust tools please", channel="dev")


@pytest.mark.acceptance("D44", "D45", "D48")
def test_the_score_with_vectors():
    (ranked,) = hybrid.rank(ASKED, pool(RUST))
    assert ranked.parts == pytest.approx(
        {
            "semantic": 0.50 * 0.6,
            "lexical": 0.28 * 2 / 3,
            "confidence": 0.10 * 0.9,
            "recency": 0.07 * 0.5,
            "channel": 0.05 * 1.0,
        }
    )
    assert ranked.score == pytest.approx(0.30 + 0.186666667 + 0.09 + 0.035 + 0.05)


@pytest.mark.acceptance("D49")
def test_the_score_without_vectors():
    (ranked,) = hybrid.rank(ASKED, pool(replace(RUST, cosine=None)))
    assert ranked.score == pytest.approx(0.75 * 2 / 3 + 0.10 * 0.9 + 0.10 * 0.5 + 0.05)
    assert ranked.score == pytest.approx(0.69)


def test_one_vector_in_the_pool_is_enough_to_weigh_meaning():
    ranked = hybrid.rank(ASKED, pool(RUST, replace(RUST, key=2, cosine=None)))
    assert keys(ranked) == [1, 2]
    assert ranked[1].parts["semantic"] == 0
    assert ranked[1].parts["lexical"] == pytest.approx(0.28 * 2 / 3)


@pytest.mark.acceptance("D43")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rust tools please", 2 / 3),
        ("Rust", 1.0),
        ("for cli", 1.0),  # stands in the fact as a whole
        ("tools rust", 1.0),
        ("gardening", 0.0),
        ("he said crabs", 1 / 2),  # from the evidence
        ("it is", 0.0),
        ("", 0.0),
    ],
)
def test_words_count_by_share_and_a_whole_phrase_counts_fully(query: str, expected: float):
    fact = item(1, "Prefers Rust for CLI tools", evidence="crabs are great")
    (ranked,) = hybrid.rank(asking(query), pool(fact))
    assert ranked.parts["lexical"] == pytest.approx(0.75 * expected)


def test_only_the_first_32_words_of_a_query_count():
    query = " ".join(f"word{n:02}" for n in range(31, -1, -1)) + " aaa"
    found = item(1, "aaa"), item(2, "word00")
    assert [one.parts["lexical"] for one in hybrid.rank(asking(query), pool(*found))] == [
        pytest.approx(0.75 / 32),
        0.0,
    ]


@pytest.mark.acceptance("D46")
@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (45, 0.5), (90, 1 / 3), (15, 0.75), (-3, 1.0)])
def test_recency_halves_in_45_days(days: float, expected: float):
    assert hybrid.recency(item(1, days_old=days), ASKED) == pytest.approx(expected)


@pytest.mark.acceptance("D47")
@pytest.mark.parametrize(("channel", "expected"), [("dev", 1.0), (None, 0.25), ("random", 0.0)])
def test_the_channel_is_a_hint(channel: str | None, expected: float):
    assert hybrid.channel(item(1, channel=channel), ASKED) == expected


@pytest.mark.acceptance("D50")
@pytest.mark.parametrize(
    ("semantic", "lexical", "combined", "passes"),
    [
        (0.20, 0.0, 0.0, True),
        (0.19, 0.0, 0.0, False),
        (0.0, 0.22, 0.0, True),
        (0.0, 0.21, 0.0, False),
        # A strong combined score with a little signal; no real item gets there, the rule stands all the same.
        (0.08, 0.0, 0.52, True),
        (0.0, 0.10, 0.52, True),
        (0.08, 0.10, 0.51, False),
        (0.07, 0.09, 0.99, False),
    ],
)
def test_the_gate_with_vectors(semantic: float, lexical: float, combined: float, passes: bool):
    assert hybrid.passes(semantic, lexical, combined, has_vectors=True) is passes


@pytest.mark.acceptance("D51")
@pytest.mark.parametrize(
    ("lexical", "combined", "passes"),
    [(0.24, 0.0, True), (0.23, 0.0, False), (0.0, 0.62, True), (0.23, 0.61, False)],
)
def test_the_gate_without_vectors(lexical: float, combined: float, passes: bool):
    assert hybrid.passes(1.0, lexical, combined, has_vectors=False) is passes


def test_an_item_says_whether_it_passed():
    relevant, not_relevant = hybrid.rank(
        asking("rust"), pool(item(1, "Likes tea", cosine=0.1), item(2, "Rust", cosine=0.1))
    )
    assert (relevant.item.key, relevant.relevant, not_relevant.relevant) == (2, True, False)
