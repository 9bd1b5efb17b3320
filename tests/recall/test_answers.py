"""What a question asks for is looked for in short lines."""

from recollect.core.ports.ranker import RankItem, RankPool
from recollect.recall.answers import bonus_for
from recollect.recall.rankers import unified
from tests.recall.rankers.samples import asking, item, keys


def talk(*texts: str, words_each: int = 12) -> RankPool:
    """Lines with the same word of the question; the first is the newest."""
    lines: list[RankItem] = [
        item(key, text, speaker="Ada", session="s", position=key, length=words_each, shared={"marathon": 3})
        for key, text in enumerate(texts, 1)
    ]
    return RankPool(lines, 50, [words_each] * len(lines))


def first(question: str, pool: RankPool) -> int:
    return keys(unified.rank(asking(question), pool))[0]


def test_when_is_answered_by_a_line_with_a_time() -> None:
    pool = talk("The marathon was such a thrill for me", "I ran the marathon last weekend", "A marathon is long")
    assert first("When did Ada run the marathon?", pool) == 2
    assert first("What was the marathon like for Ada?", pool) != 2


def test_how_many_is_answered_by_a_line_with_a_number() -> None:
    pool = talk("The marathon was such a thrill for me", "That was marathon number seven", "A marathon is long")
    assert first("How many times did Ada run a marathon?", pool) == 2


def test_where_is_answered_by_a_line_with_a_name() -> None:
    pool = talk("The marathon was such a thrill for me", "We ran the marathon in Lisbon", "A marathon is long")
    assert first("Where did Ada run the marathon?", pool) == 2


def test_long_texts_do_not_differ_by_having_a_time() -> None:
    pool = talk("The marathon was such a thrill", "I ran the marathon last weekend", words_each=400)
    ranked = unified.rank(asking("When did Ada run the marathon?"), pool)
    assert len({round(result.score, 6) for result in ranked}) == 1


def test_among_short_lines_one_with_more_words_says_more() -> None:
    lines = [
        item(1, "Marathon!", speaker="Ada", session="s", length=1, cosine=None),
        item(2, "The marathon took me through the whole town", speaker="Ada", session="s", length=9),
    ]
    ranked = unified.rank(asking("the marathon"), RankPool(lines, 50, [1, 9]))
    parts = {result.item.key: result.parts["substance"] for result in ranked}
    assert parts[1] < 1 < parts[2]


def test_a_question_for_nothing_that_can_be_seen_has_no_bonus() -> None:
    assert bonus_for("What does Ada think about marathons?") is None


def test_a_question_in_another_language_has_no_bonus() -> None:
    assert bonus_for("Quand est-ce qu'Ada a couru le marathon ?") is None


def test_lines_in_another_language_than_the_question_are_not_compared_by_names_or_length() -> None:
    pool = talk("Ich bin im Mai den Marathon in Leipzig mit Hund und Katze gelaufen", "My marathon was in Lisbon")
    parts = {hit.item.key: hit.parts for hit in unified.rank(asking("Where did Ada run the marathon?"), pool)}
    assert parts[1]["answer"] == parts[1]["substance"] == 1
    assert parts[2]["answer"] > 1
