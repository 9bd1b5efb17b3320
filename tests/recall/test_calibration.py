"""Scores: from 0 to 1, comparable between queries; below one half a hit is merely the nearest."""

import pytest

from recollect import AsyncMemory
from tests import ground

MEMOS = """Lives in Lisbon
Allergic to nuts
Works as a nurse at the children's hospital
Has a dog called Biscuit
Prefers tea to coffee
Plays the cello
Birthday is 14 March
Drives a red Fiat
Is learning Portuguese
Runs ten kilometers every Sunday""".splitlines()
ANSWERED = {
    "where is my home?": "Lives in Lisbon",
    "what can't I eat?": "Allergic to nuts",
    "any pets?": "Has a dog called Biscuit",
    "when is my birthday?": "Birthday is 14 March",
    "which instrument do I play?": "Plays the cello",
    "Where does Ada live?": "Lives in Lisbon",
}
UNANSWERED = ["zzz nothing", "what is the capital of France?", "who wrote Hamlet?", "how do I sort a list in Python?"]


async def memory_of(*texts: str, **settings: object) -> AsyncMemory:
    memory = AsyncMemory(ground.new(), run_worker=False, **settings)
    for text in texts:
        await memory.remember(text, user="ada")
    await memory.vectors.fill()
    return memory


async def test_what_answers_a_question_is_relevant_and_what_does_not_is_only_nearest():
    async with await memory_of(*MEMOS, embedder="static") as memory:
        for question, answer in ANSWERED.items():
            best, *others = await memory.search(question, user="ada")
            assert (best.text, best.relevant) == (answer, True), question
            assert sum(hit.relevant for hit in others) <= 2, question
        for question in UNANSWERED:
            hits = await memory.search(question, user="ada")
            assert len(hits) == len(MEMOS)
            assert not any(hit.relevant for hit in hits), question
            assert await memory.search(question, user="ada", strict=True) == []


async def test_a_question_about_the_world_is_not_answered_by_a_memory_that_has_just_begun():
    for texts in (["Lives in Lisbon"], ["I live in Linz"], ["Uses an Android phone", "Married to Tomás"], MEMOS[:4]):
        async with await memory_of(*texts, embedder="static") as memory:
            for question in (
                "capital of France?",
                "what is the capital of France?",
                "who invented the telephone?",
                "will it rain tomorrow?",
                "what was the score last night?",
                "zzz qqq",
            ):
                assert await memory.search(question, user="ada", strict=True) == [], (question, texts)
    async with await memory_of("Lives in Lisbon", "Enjoys hiking in the hills", embedder="static") as memory:
        for question in ("where does she live?", "what do I do outdoors?", "what does Ada do outdoors?", "outdoors"):
            assert (await memory.search(question, user="ada"))[0].relevant, question


async def test_scores_are_between_0_and_1_and_can_be_cut_off_across_queries():
    async with await memory_of(*MEMOS, embedder="static") as memory:
        answered = [(await memory.search(question, user="ada"))[0].score for question in ANSWERED]
        unanswered = [(await memory.search(question, user="ada"))[0].score for question in UNANSWERED]
        assert 1 >= min(answered) > max(unanswered) >= 0
        hits = await memory.search("when is my birthday?", user="ada")
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        cut = await memory.search("when is my birthday?", user="ada", min_score=scores[0])
        assert [hit.text for hit in cut] == ["Birthday is 14 March"]
        assert await memory.search("when is my birthday?", user="ada", min_score=1.0) == []


async def test_without_vectors_shared_words_decide():
    async with await memory_of(*MEMOS, embedder="null") as memory:
        assert (await memory.search("when is my birthday?", user="ada"))[0].relevant
        assert (await memory.search("where is my home?", user="ada"))[0].text == "Lives in Lisbon"
        hits = await memory.search("who invented the steam engine?", user="ada")
        assert not any(hit.relevant for hit in hits)


@pytest.mark.parametrize("question", ["Was macht mein Hund?", "Wie heißt mein Hund?"])
async def test_a_capitalized_noun_of_another_language_is_not_taken_for_an_unknown_name(question: str):
    async with await memory_of("Mein Hund heißt Biscuit", "Ich wohne in Wien", embedder="static") as memory:
        assert (await memory.search(question, user="ada"))[0].relevant
