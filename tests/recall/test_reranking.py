"""The reranker's step of a search, by itself: what it is asked, and what it changes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect.core.types import Kind, Memo, Subject
from recollect.recall.query import Hit
from recollect.recall.reranking import MAX_TEXT_CHARS, RERANKED_HITS, WEIGHT, Reranking

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Rater:
    """Rates by the number at the end of a text."""

    name = "rater"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        del question
        self.asked.append(list(texts))
        return [float(text.rsplit(maxsplit=1)[-1]) if text[-1].isdigit() else 0.0 for text in texts]

    async def close(self) -> None: ...


def hit(text: str, score: float = 0.5) -> Hit:
    return Hit(Memo(text[:40], Subject("discord:ann"), Kind.FACT, text, NOW, NOW), score, {}, score >= 0.5)


async def order(*hits: Hit) -> tuple[list[str], Rater]:
    rater = Rater()
    ordered = await Reranking(rater, 5).order("which?", hits)
    return [found.item.text for found in ordered], rater


async def test_fewer_than_two_hits_are_not_reranked() -> None:
    for hits in ((), (hit("boat 1"),)):
        texts, rater = await order(*hits)
        assert texts == [found.item.text for found in hits]
        assert rater.asked == []


@pytest.mark.parametrize("score", [0.0, 0.7])
async def test_a_better_rating_goes_first_even_where_no_hit_has_a_score(score: float) -> None:
    texts, _ = await order(hit("a red boat 1", score), hit("one green kite 9", score))
    assert texts == ["one green kite 9", "a red boat 1"]


async def test_a_rating_outweighs_as_much_of_the_score_as_it_is_worth() -> None:
    better, worse = hit("a red boat 0", 0.8), replace(hit("one green kite 3"), score=0.8 * (1 - 3.1 * WEIGHT))
    assert (await order(better, worse))[0] == ["a red boat 0", "one green kite 3"]
    nearly = replace(worse, score=0.8 * (1 - 2.9 * WEIGHT))
    assert (await order(better, nearly))[0] == ["one green kite 3", "a red boat 0"]


async def test_so_many_hits_are_rated_and_so_much_of_each() -> None:
    hits = [hit(f"thing{number} " + "long " * 2_000, 0.9 - number / 100) for number in range(RERANKED_HITS + 5)]
    texts, rater = await order(*hits)
    (asked,) = rater.asked
    assert len(asked) == RERANKED_HITS
    assert {len(text) for text in asked} == {MAX_TEXT_CHARS}
    assert texts[RERANKED_HITS:] == [found.item.text for found in hits[RERANKED_HITS:]]


async def test_what_held_at_the_time_asked_about_stays_first() -> None:
    then = replace(hit("lived at number 1", 0.9), parts={"as_of": 1.0})
    texts, rater = await order(then, hit("lives at number 9", 0.6))
    assert texts == ["lived at number 1", "lives at number 9"]
    assert rater.asked == []
