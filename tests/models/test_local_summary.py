"""Summaries of sentences that were said, and reflection on what is known, by the `local` model."""

from datetime import UTC, datetime, timedelta

from recollect.core.types import Kind, Memo, Subject
from recollect.models.local import LocalModel

EXCHANGE = """[Ann]: hi there!
[Bot]: Hello! How can I help?
[Ann]: We decided to ship the importer on Friday. Sounds good?
[Bot]: Sounds good.
[Ann]: I prefer Postgres for the store
and my team uses Terraform.
[Bot]: Thanks, noted.
[Ben]: Who writes the changelog?"""


async def summary(previous: str | None, exchange: str, limit: int = 500) -> str:
    return (await LocalModel().summarize(previous, exchange, limit)).text


async def test_decisions_tastes_and_open_questions_are_kept_with_their_speaker():
    lines = (await summary(None, EXCHANGE)).splitlines()
    assert "Ann: We decided to ship the importer on Friday." in lines
    assert "Ann: I prefer Postgres for the store" in lines
    assert "Ben: Who writes the changelog?" in lines


async def test_greetings_thanks_and_answered_questions_are_dropped():
    text = (await summary(None, EXCHANGE)).lower()
    assert "hi there" not in text
    assert "hello" not in text
    assert "sounds good" not in text
    assert "thanks" not in text


async def test_the_newest_word_takes_the_place_of_the_older_one():
    text = await summary("Ann: I live in Berlin", "[Ann]: I live in Lisbon now")
    assert text == "Ann: I live in Lisbon now"


async def test_the_previous_summary_stays_as_far_as_there_is_room():
    text = await summary("Ann: We decided to use Rust.", "[Ben]: I need to fix the build by Monday.")
    assert text.splitlines() == ["Ann: We decided to use Rust.", "Ben: I need to fix the build by Monday."]


async def test_a_summary_is_never_longer_than_its_limit_and_always_the_same():
    exchange = "\n".join(f"[Ann]: I have to do chore number {n} by Friday, and it is long." for n in range(200))
    for limit in (0, 1, 20, 100, 1_000):
        text = await summary("Ann: We decided on blue.", exchange, limit)
        assert len(text) <= limit
        assert text == await summary("Ann: We decided on blue.", exchange, limit)


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
