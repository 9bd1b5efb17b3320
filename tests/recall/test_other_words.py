"""Messages are found that say what is asked in another form, or in another word."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import AsyncMemory, Message, Place
from recollect.language.other_words import other_words

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PLACE = Place(dm="ann")
TALK = ["The weather was lovely", "We cooked with the neighbors", "Work is quiet these days", "I watered the plants"]


async def found(question: str, *texts: str, ranker: str = "unified") -> list[str]:
    """What a search by words alone finds among other talk, and not merely shows as its neighbor."""
    async with AsyncMemory("sqlite://", embedder="null", run_worker=False, clock=lambda: NOW) as memory:
        for number, text in enumerate([*TALK, *texts, *TALK]):
            at = NOW - timedelta(days=1) + timedelta(minutes=number)
            await memory.add(Message(f"m{number}", "ann", PLACE, text, at, name="Ann"))
        hits = await memory.search(question, user="ann", place=PLACE, over="messages", ranker=ranker, limit=3)
    return [hit.text for hit in hits if hit.score > 0]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Which instrument did I buy?", "I bought a cello from Marek"),
        ("Who is teaching me?", "Marek taught for ten years"),
        ("What did I choose?", "I chose the blue one"),
        ("Do I have siblings?", "My sister came over"),
        ("Which movie was it?", "The film was far too long"),
    ],
)
async def test_another_form_or_word_finds_a_message(question: str, line: str) -> None:
    assert (await found(question, line))[0] == line


async def test_the_word_that_was_asked_for_counts_more_than_another() -> None:
    lines = "The film was far too long", "The movie was far too long"
    assert (await found("Which movie was it?", *lines))[0] == lines[1]


async def test_long_messages_are_searched_for_the_words_of_the_question_only() -> None:
    long = "The film was far too long. " + "Nothing else of note happened on that evening either. " * 200
    assert await found("Which movie was it?", long, long, long) == []


async def test_a_question_in_another_language_has_no_other_english_words() -> None:
    assert await found("Wann war das Photo?", "My pic is gone") == []


async def test_a_plain_ranker_searches_for_the_words_of_the_question_only() -> None:
    assert await found("Which movie was it?", "The film was far too long", ranker="bm25") == []


def test_each_other_word_stands_for_one_word_of_the_question() -> None:
    others = other_words(["buy", "siblings"], {"buy", "siblings", "purchase"})
    assert others["bought"] == "buy"
    assert others["sister"] == "siblings"
    assert "purchase" not in others
