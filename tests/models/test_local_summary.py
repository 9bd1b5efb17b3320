"""Summaries of sentences that were said, and reflection on what is known, by the `local` model."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from bench.summaries import LABELS
from recollect.core.types import Kind, Memo, Subject
from recollect.models.local import LocalModel

EXCHANGE = """[Ann]: hi there!
[Bot]: Hello! How can I help?
[Ann]: the importer looks fine now, the tests went green last night after I fixed the fixture and threw out the old one
[Ann]: We decided to ship the importer on Friday. Sounds good?
[Bot]: Sounds good.
[Ann]: I prefer Postgres for the store
and my team uses Terraform.
[Bot]: Thanks, noted. I will remember that you prefer Postgres for the store.
[Ben]: lunch was great today by the way, they had those little dumplings again and nobody was in the queue
[Cem]: lucky you, I was stuck in a call with the people from the other building until after two
[Ben]: When is the review?
[Ann]: Tuesday at ten.
[Cem]: I'll write the changelog by Thursday.
[Ben]: Who announces it?
[Bot]: I am listening."""


async def summary(previous: str | None, exchange: str, limit: int = 500) -> str:
    return (await LocalModel().summarize(previous, exchange, limit)).text


async def test_decisions_and_action_items_come_first_then_questions_with_their_answers():
    assert (await summary(None, EXCHANGE)).splitlines()[:3] == [
        "Ann: We decided to ship the importer on Friday.",
        "Cem: I'll write the changelog by Thursday.",
        "Ben: When is the review? - Ann: Tuesday at ten.",
    ]


async def test_greetings_thanks_and_the_repeated_memory_of_the_assistant_are_dropped():
    text = (await summary(None, EXCHANGE)).lower()
    for phrase in ("hi there", "hello", "sounds good", "thanks", "noted", "remember", "i am listening", "bot:"):
        assert phrase not in text
    listed = "[Ann]: what do you know about me, and is it a lot by now?\n[Bot]: Here is what I remember about you:\n"
    assert (
        await summary(None, f"{listed}- [fact] Lives in Lisbon\n- [preference] Likes tea, and only in the morning")
        == ""
    )


async def test_what_the_assistant_answers_is_kept_with_the_question_unless_it_is_a_memory():
    noise = "[Ben]: the build was slow this morning, it took twenty minutes until it ended, and then it failed\n" * 2
    asked = f"{noise}[Ann]: Which port does Postgres use?\n[Bot]: It listens on port 5432 by default."
    assert "Ann: Which port does Postgres use? - Bot: It listens on port 5432" in await summary(None, asked)
    recalled = f"{noise}[Ann]: Where do I live, again?\n[Bot]: You live in Lisbon."
    assert "Lisbon" not in await summary(None, recalled)
    replies = "[Bot]: You decided to go to Galway in May.\n[Ann]: right\n[Bot]: Sure thing, Ann."
    decided = f"{noise}[Ann]: What about the trip?\n{replies}"
    assert "Bot:" not in await summary(None, decided)


async def test_what_people_agree_to_do_is_a_decision_in_other_words_too():
    noise = "[Ben]: the build was slow this morning, it took twenty minutes until it ended, and then it failed\n" * 2
    agreed = "agreed, let's accept both formats", "we'll take the train on Friday", "decision then: no new fields"
    for said in (*agreed, "fine, Olive it is"):
        assert (await summary(None, f"{noise}[Ann]: {said}")).splitlines()[0] == f"Ann: {said}"
    for said in ("I have no idea what it is", "that's just how it is"):
        duty = "Cem: I'll write the changelog by Thursday."
        assert (await summary(None, f"{noise}[Ann]: {said}\n[{duty.replace(':', ']:', 1)}")).splitlines()[0] == duty


async def test_what_someone_will_do_outlasts_a_question_of_one_word_that_nobody_answered():
    noise = "[Ben]: the build was slow this morning, it took twenty minutes until it ended, and then it failed\n"
    text = await summary(None, f"{noise}[Cem]: tell the docs people\n[Ben]: i'll ping Sana\n[Ann]: lunch?")
    assert "Ben: i'll ping Sana" in text
    assert "lunch" not in text


@pytest.mark.parametrize("entry", yaml.safe_load(LABELS.read_text("utf-8")), ids=lambda entry: entry["name"])
async def test_in_each_language_a_summary_is_short_keeps_what_was_decided_and_drops_small_talk(entry: dict[str, Any]):
    exchange = "\n".join("[{}]: {}".format(*line.split(": ", 1)) for line in entry["chat"])
    text = await summary(None, exchange, 2_000)
    assert 0 < len(text) <= 0.4 * sum(len(line.split(": ", 1)[1]) for line in entry["chat"])
    assert [part for part in (*entry["decisions"], *entry["actions"]) if part not in text] == []
    assert [part for part in entry["never"] if part in text] == []


async def test_a_source_too_short_for_a_summary_gets_none_rather_than_a_copy():
    assert await summary(None, "[Ann]: We decided to ship on Friday.\n[Ben]: ok, fine") == ""
    assert await summary("Ann: We chose Rust.", "[Ben]: ok, fine") == "Ann: We chose Rust."


async def test_over_many_rounds_decisions_and_open_action_items_outlast_the_talk():
    text = await summary(None, EXCHANGE, 400)
    for number in range(40):
        talk = f"I watched film number {number} with my brother, and it was rather long for what it had to tell us"
        text = await summary(
            text, f"[Ben]: {talk}\n[Cem]: was it good?\n[Ben]: it was fine, we liked number {number}", 400
        )
        assert len(text) <= 400
    assert text.splitlines()[:2] == [
        "Ann: We decided to ship the importer on Friday.",
        "Cem: I'll write the changelog by Thursday.",
    ]
    assert "number 39" in text
    done = await summary(
        text, "[Cem]: the changelog is finished, I sent it to everyone this morning before the call", 400
    )
    assert "I'll write the changelog" not in done


async def test_what_someone_only_asked_is_no_part_of_what_they_and_the_assistant_talked_about():
    asked = "[me]: When is the wedding?\n[me]: how many guests are there\n[me]: We need to book the venue by Friday"
    first = await summary(None, f"{asked}\n[me]: I live in Leeds and work as a nurse there, in the children's ward")
    assert first.splitlines() == ["me: We need to book the venue by Friday"]
    earlier = "me: When is the wedding?\nme: I live in Leeds"
    assert await summary(earlier, "[me]: Who is catering?\n[Bot]: I am listening.") == "me: I live in Leeds"
    talk = (
        "the train was late again and so was the one after it, which nobody at the station could explain to us at all"
    )
    answered = (
        f"[me]: {talk}\n[me]: and {talk}\n[me]: When is the wedding?\n[Bot]: The hall is free on the third of May."
    )
    assert "When is the wedding? - Bot: The hall" in await summary(None, answered)


async def test_the_newest_word_takes_the_place_of_the_older_one():
    text = await summary("Ann: I live in Berlin", "[Ann]: I live in Lisbon now")
    assert text == "Ann: I live in Lisbon now"


async def test_a_summary_is_never_longer_than_its_limit_and_always_the_same():
    exchange = "\n".join(f"[Ann]: I have to do chore number {n} by Friday, and it is long." for n in range(200))
    for limit in (0, 1, 20, 100, 1_000):
        text = await summary("Ann: We decided on blue.", exchange, limit)
        assert len(text) <= limit
        assert text == await summary("Ann: We decided on blue.", exchange, limit)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("word", ["w", "ok ", "thanks you ", "haha", "はい", "hi, "])
async def test_text_that_is_almost_filler_takes_no_exponential_time(word: str):
    assert len(await summary(None, f"[Ann]: {word * 100}x")) <= 400


async def test_shortening_keeps_whole_sentences():
    long = "Ann: We decided to use Rust.\nAnn: The weather was nice in the afternoon.\nBen: I must call Eva tomorrow."
    short = (await LocalModel().shorten(long, 70)).text
    assert short.splitlines() == ["Ann: We decided to use Rust.", "Ben: I must call Eva tomorrow."]
    assert (await LocalModel().shorten("Ann: Hm, fine.", 70)).text == "Ann: Hm, fine."


def memo(number: int, text: str, **details) -> Memo:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
    return Memo(f"k{number}", Subject("ann"), Kind.FACT, text, at, at, **details)


async def test_other_words_for_one_fact_become_one_memo():
    reflected = await LocalModel().consolidate(
        [memo(1, "Likes hiking"), memo(2, "Enjoys hiking"), memo(3, "Owns a boat")]
    )
    (joined,) = reflected.proposals
    assert (joined.id, joined.replaces, joined.evidence) == ("k2", ("k1",), "Enjoys hiking")
    assert reflected.retractions == ()


async def test_what_a_newer_memo_denies_is_retracted_unless_it_is_pinned():
    old, new = memo(1, "Lives in Berlin"), memo(2, "Lives in Lisbon")
    assert [each.id for each in (await LocalModel().consolidate([new, old])).retractions] == ["k1"]
    pinned = memo(1, "Lives in Berlin", pinned=True)
    assert (await LocalModel().consolidate([pinned, new])).retractions == ()
