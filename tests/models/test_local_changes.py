"""Changes that are told in a message of their own, in words that no rule has: by the slot that they fill or end."""

from datetime import UTC, datetime, timedelta

import pytest
import yaml

from bench.extract.changes import CORPUS
from recollect import AsyncMemory, Memory

SAID_AT = datetime(2026, 11, 12, 9, tzinfo=UTC)


def known_after(*messages: str, gap: timedelta = timedelta(minutes=5)) -> list[str]:
    with Memory(":memory:") as memory:
        for number, text in enumerate(messages):
            memory.add(text, user="ann", at=SAID_AT + number * gap, wait=True)
        return [memo.text for memo in memory.list(user="ann", statuses="active")]


@pytest.mark.parametrize(
    ("stated", "told", "known"),
    [
        ("My rent is 1,150 a month", "My rent's gone up, it's 1,240 from this month", ["Rent is 1,240 a month"]),
        ("my phone's a Pixel 6", "finally upgraded, 9 pro, camera is insane", ["Phone is a Pixel 9 pro"]),
        ("I'm a test engineer at Siemens", "that was my old job, i'm at Bosch these days", ["Works at Bosch"]),
        ("my flatmate is Jonas", "Jonas moved out, Priti has his room now", ["Their flatmate is called Priti"]),
        ("i live in Croydon", "but now that we're settled in Whitstable i can hear the sea", ["Lives in Whitstable"]),
        ("I'm learning italian on duolingo", "gave up on it after a week lol", []),
        ("My bike is a Trek", "someone nicked the Trek so I'm riding a Giant now", ["Bike is a Giant"]),
        ("I teach year 2", "this year they've given me year 6, wish me luck", ["Teaches year 6"]),
        ("i'm seeing a guy called Marcus", "yeah we're not a thing anymore", []),
        ("mein Freund heißt Lukas", "mit dem ist seit Sonntag Schluss", []),
        ("Ich wohne in Kassel", "die neue Wohnung in Fulda ist ein Traum", ["Wohnt in Fulda"]),
        ("J'habite à Rennes", "on a déménagé à Quimper le mois dernier", ["Habite à Quimper"]),
        ("Mon chef est Bertrand", "Bertrand est parti, c'est Soline qui le remplace", ["Son chef est Soline"]),
        ("Vivo en Bilbao", "nos mudamos a Vitoria en marzo", ["Vive en Vitoria"]),
        ("Mi jefe es Ramiro", "Ramiro se jubilo y ahora manda Belén", ["Su jefe es Belén"]),
        ("Soy enfermera", "ya no trabajo de eso, ahora soy panadera", ["Es panadera"]),
        ("Moro em Recife", "a gente se mudou pra Olinda em abril", ["Mora em Olinda"]),
        ("Minha namorada se chama Bia", "eu e a Bia terminamos", []),
        ("Ich gehe dienstags zum Yoga", "yoga ist jetzt immer donnerstags", ["Geht donnerstags zum Yoga"]),
        ("月曜日にジムに通っています", "ジムは木曜日に変えました", ["木曜日にジムに通っている"]),
        ("I'm learning Korean", "ditched that for Mandarin", ["Learning Mandarin"]),
        ("My favourite colour is green", "these days I'd say purple", ["Favourite colour is purple"]),
        ("My dentist is Naomi", "Naomi's retired, Jude has taken on her patients", ["Their dentist is called Jude"]),
        ("I work at Tesco", "jumped ship to Aldi, better hours", ["Works at Aldi"]),
        ("I'm married to Helen", "the divorce came through on Monday", []),
        ("トヨタで働いています", "それは前の会社で、今はデンソーです", ["デンソーで働いている"]),
        ("家賃は7万円です", "更新で家賃が7万5千円に上がりました", ["家賃は7万5千円"]),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one(stated: str, told: str, known: list[str]):
    assert known_after(stated, told) == known


async def test_what_only_looks_like_a_change_leaves_every_memory_as_it_is():
    corpus = yaml.safe_load(CORPUS.read_text("utf-8"))
    async with AsyncMemory(":memory:", embedder="null", model="local") as memory:
        for number, (stated, remark) in enumerate(pair for lot in corpus["remarks"].values() for pair in lot):
            user = f"u{number}"
            await memory.add(stated, user=user, at=SAID_AT, wait=True)
            before = (await memory.list(user=user, statuses="active")).memos
            await memory.add(remark, user=user, at=SAID_AT + timedelta(minutes=5), wait=True)
            after = (await memory.list(user=user, statuses="active")).memos
            assert {memo.text for memo in before} <= {memo.text for memo in after}, (stated, remark)


def test_it_means_what_was_just_said_and_nothing_said_days_ago():
    assert known_after("I'm learning italian", "gave up on it after a week") == []
    assert known_after("I'm learning italian", "gave up on it after a week", gap=timedelta(days=5)) == [
        "Learning italian"
    ]


def test_where_two_memories_may_be_meant_none_is_changed():
    known = ["Phone is a Pixel 6", "Tablet is a Pixel 7"]
    assert sorted(known_after("my phone is a Pixel 6. my tablet is a Pixel 7", "upgraded it, 9 pro")) == known


@pytest.mark.parametrize(
    "remark",
    [
        "switched to French subtitles",
        "switched to Safari for this one site",
        "Tom took over the barbecue",
        "the walls are purple now",
        "my old Kia was better",
    ],
)
@pytest.mark.parametrize(
    "stated", ["I have two kids", "I live in Norwich", "My manager is Deborah", "My favourite colour is green"]
)
def test_a_value_of_another_sort_takes_the_place_of_nothing(stated: str, remark: str):
    assert set(known_after(stated)) <= set(known_after(stated, remark))
