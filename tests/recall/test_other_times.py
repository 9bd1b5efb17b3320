"""Questions about another time: what held then, in which order, and how long ago."""

from datetime import UTC, date, datetime, timedelta

import pytest

from recollect import AsyncMemory, Message
from recollect.language import past
from recollect.recall.query import Hit
from tests.scenes import DEV, DM, STAFF, Stage, lines, opened


async def moved_twice(stage: Stage) -> None:
    """From Lagos (March) to Porto (April) to Berlin (June); now it is October."""
    await stage.remember("Lives in Lagos", "Plays the oboe", place=DM)
    stage.clock.advance(days=40)
    await stage.remember("Lives in Porto", place=DM)
    stage.clock.advance(days=70)
    await stage.remember("Lives in Berlin", place=DM)
    stage.clock.advance(days=110)


def cities(hits: list[Hit]) -> list[str]:
    return [hit.text.rpartition(" ")[2] for hit in hits if hit.text.startswith("Lives")]


QUESTIONS = {
    "where do I live?": ["Berlin"],
    "where did I live in May?": ["Porto", "Berlin", "Lagos"],
    "where did I live in March 2025?": ["Lagos"],
    "where did I live last year?": ["Lagos"],
    "where did I live before Berlin?": ["Porto", "Lagos", "Berlin"],
    "where did I live before Porto?": ["Lagos"],
    "where did I live after Lagos?": ["Porto"],
    "where did I live previously?": ["Porto", "Lagos", "Berlin"],
}


async def test_a_question_about_another_time_finds_what_held_then_and_until_when() -> None:
    async with opened() as stage:
        await moved_twice(stage)
        for question, expected in QUESTIONS.items():
            hits = await stage.memory.search(question, user="ann", place=DM, strict=True)
            assert cities(hits)[: len(expected)] == expected, question
        hits = await stage.memory.search("where did I live in May?", user="ann", place=DM)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        porto = hits[0]
        assert (porto.since, porto.until) == (porto.item.created, hits[1].item.created)
        assert hits[1].until is None
        assert porto.memo is not None
        assert not porto.memo.active


async def test_what_was_forgotten_since_or_may_not_be_heard_here_is_no_answer() -> None:
    async with opened() as stage:
        await stage.remember("Lives in Lagos", place=STAFF)
        stage.clock.advance(days=40)
        await stage.remember("Lives in Porto", place=DEV)  # Lagos was said to fewer: it is not replaced
        stage.clock.advance(days=70)
        await stage.remember("Lives in Berlin", place=DEV)
        asked = "where did I live before Berlin?"
        for place, expected in ((DEV, ["Porto", "Berlin"]), (DM, ["Porto", "Berlin", "Lagos"])):
            hits = await stage.memory.search(asked, user="ann", place=place)
            assert sorted(cities(hits)) == sorted(expected)
        await stage.memory.forget("Lives in Berlin", user="ann", place=DEV)
        assert cities(await stage.memory.search(asked, user="ann", place=DEV)) == []
        assert "Porto" not in (await stage.prompt(asked)).text


@pytest.mark.parametrize("profile", ["discoclaw", "dnam", "clanker", "devclaw"])
async def test_the_documents_rankers_only_find_what_holds(profile: str) -> None:
    async with opened(profile) as stage:
        await moved_twice(stage)
        for question in QUESTIONS:
            assert set(cities(await stage.memory.search(question, user="ann", place=DM))) <= {"Berlin"}


async def test_a_prompt_tells_when_things_held_and_how_long_ago_they_were_said() -> None:
    async with opened() as stage:
        await moved_twice(stage)
        assert "relevant" not in [
            section.name for section in (await stage.prompt("where do I live?", place=DM)).sections
        ]
        assert lines(await stage.prompt("where did I live in May?", place=DM), "relevant") == [
            "- [fact] Lives in Lagos (from 2025-03-01 until 2025-04-10, no longer so)",
            "- [fact] Lives in Porto (from 2025-04-10 until 2025-06-19, no longer so)",
            "- [fact] Lives in Berlin (said on 2025-06-19, 110 days ago)",
        ]
        assert lines(await stage.prompt("how long have I played the oboe?", place=DM), "relevant") == [
            "- [fact] Plays the oboe (said on 2025-03-01, 220 days ago)"
        ]


@pytest.mark.parametrize(
    ("first", "then", "asked", "expected"),
    [
        ("My boss is Carla", "My boss is Ivan now", "Who was my boss in March 2025?", ["Carla", "Ivan"]),
        ("My boss is Carla", "Carla left, Ivan is my new boss", "Who was my boss before Ivan?", ["Carla", "Ivan"]),
        ("My gym is McFit", "I switched my gym to Holmes", "Which gym was mine in March 2025?", ["McFit", "Holmes"]),
        ("My boss is Carla", "Actually, I meant my boss is Clara", "Who was my boss in March 2025?", ["Clara"]),
    ],
)
async def test_what_changed_held_until_then_and_what_was_put_right_never_did(
    first: str, then: str, asked: str, expected: list[str]
) -> None:
    moment = datetime(2025, 3, 1, 12, tzinfo=UTC)
    async with AsyncMemory("sqlite://", embedder="null", model="local", clock=lambda: moment) as memory:
        for number, text in enumerate((first, then)):
            await memory.add(Message(f"m{number}", "ann", DM, text, moment, name="Ann"), wait=True)
            moment += timedelta(days=60)
        hits = await memory.search(asked, user="ann", place=DM)
    assert [hit.text.split()[-1] for hit in hits] == expected


TODAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Wo habe ich im März gewohnt?", (2026, 3, 1), (2026, 3, 31)),
        ("où habitais-je en décembre ?", (2025, 12, 1), (2025, 12, 31)),
        ("¿dónde vivía en marzo de 2024?", (2024, 3, 1), (2024, 3, 31)),
        ("onde eu morava no ano passado?", (2025, 1, 1), (2025, 12, 31)),
        ("3月にどこに住んでいましたか", (2026, 3, 1), (2026, 3, 31)),
        ("where did I live last month?", (2026, 10, 1), (2026, 10, 31)),
        ("what did I study in spring?", (2026, 3, 1), (2026, 5, 31)),
        ("Wo habe ich im Sommer 2025 gewohnt?", (2025, 6, 1), (2025, 8, 31)),
        ("où habitais-je en automne ?", (2026, 9, 1), (2026, 11, 30)),
        ("¿dónde vivía en invierno?", (2025, 12, 1), (2026, 2, 28)),
        ("onde eu morava no verão de 2024?", (2024, 6, 1), (2024, 8, 31)),
        ("2025年の夏にどこに住んでいましたか", (2025, 6, 1), (2025, 8, 31)),
    ],
)
def test_months_and_seasons_are_read_in_six_languages(
    question: str, first: tuple[int, int, int], last: tuple[int, int, int]
) -> None:
    asked = past.parse(question, TODAY)
    assert asked is not None
    assert asked.periods == ((date(*first), date(*last)),)


@pytest.mark.parametrize(
    "question",
    [
        "where do I live?",
        "what may I eat?",
        "I like tea",
        "Wo wohne ich?",
        "今日は何を食べる？",
        "do I like spring rolls?",
    ],
)
def test_a_question_about_now_is_about_no_other_time(question: str) -> None:
    assert past.parse(question, TODAY) is None


@pytest.mark.parametrize(
    "question",
    [
        "Where did I live LAST YEAR?",
        "LAST MONTH?",
        "WHERE DID I LIVE IN MAY?",
        "Wo wohnte ich FRÜHER?",
        "Wo habe ich vor Halle gewohnt?",
        "WO WOHNTE ICH VERGANGENES JAHR IM MÄRZ?",
        "3月にどこに住んでいた?",
        "WHAT DID I EAT YESTERDAY?",
        "two weeks AGO",
        "Where was I on MONDAY?",
        "and after THAT, afterwards?",
        "HOW LONG have I lived here?",
    ],
)
def test_a_word_about_time_is_noticed_however_it_is_written(question: str) -> None:
    assert past.parse(question, date(2025, 10, 1)) is not None
