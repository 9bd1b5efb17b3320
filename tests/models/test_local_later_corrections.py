"""Corrections and ends in a message of their own, told in the many ways of chats, and remarks that look like them."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory

SAID_AT = datetime(2026, 11, 12, 9, tzinfo=UTC)


def known_after(*messages: str) -> list[str]:
    with Memory(":memory:") as memory:
        for number, text in enumerate(messages):
            memory.add(text, user="ann", at=SAID_AT + timedelta(minutes=2 * number), wait=True)
        return [memo.text for memo in memory.list(user="ann", statuses="active")]


@pytest.mark.parametrize(
    ("stated", "told", "known"),
    [
        ("I'm 34", "no wait, 35. time flies", ["Is 35 years old"]),
        ("I work at Siemens", "left Siemens last month, I'm with Bosch now", ["Works at Bosch"]),
        ("I work for Oracle", "quit Oracle, joined SAP in May", ["Works at SAP"]),
        ("I have two cats", "three cats now, we adopted another one", ["Has three cats"]),
        ("I'm learning Dutch", "dropped Dutch, doing Swedish instead", ["Learning Swedish"]),
        ("I study biology", "changed my major to chemistry", ["Studies chemistry"]),
        ("I smoke", "haven't smoked since new year", []),
        ("I live alone", "my girlfriend moved in with me", []),
        ("I use Slack for everything", "we ditched Slack for Zulip", ["Uses Zulip for everything"]),
        ("I run every morning", "I no longer run in the mornings, my knee is done", []),
        ("I'm from Poland", "oops, I typed Poland, I'm from Portugal", ["Is from Portugal"]),
        ("I live in Turin", "we moved! Milan is home now", ["Lives in Milan"]),
        ("I'm left-handed", "typo, right-handed", ["Is right-handed"]),
        ("I play the cello", "I switched from the cello to the double bass", ["Plays the double bass"]),
        ("I use Spotify", "cancelled Spotify", []),
        ("Mon chien s'appelle Rex", "il s'appelle Max, pas Rex", ["Son chien s'appelle Max"]),
        ("Vivo en Cádiz", "no espera, Málaga", ["Vive en Málaga"]),
        ("Meine Katze heißt Mia", "sorry, meinte Mina", ["Katze heißt Mina"]),
        ("Mein Geburtstag ist am 4. Mai", "ups, am 14. Mai", ["Geburtstag ist am 14. Mai"]),
        ("Ich bin Vegetarierin", "ich esse wieder Fleisch", []),
        ("猫を飼っています", "猫は去年死にました", []),
    ],
)
def test_a_change_takes_the_place_of_what_was_known(stated: str, told: str, known: list[str]):
    assert known_after(stated, told) == known


@pytest.mark.parametrize(
    ("stated", "remark"),
    [
        ("I work at Siemens", "left work early, I'm at Starbucks now"),
        ("I work at Siemens", "left Siemens last week, I'm with Anna now"),
        ("I live in Bergen", "Bosch is home now to 400k people"),
        ("I drink beer", "sorry, I meant the other file"),
        ("I'm on the payments team", "sorry, I meant the other file"),
        ("I drink beer", "my mistake, should be fixed"),
        ("I'm single", "I just met a girlfriend of Tom's"),
        ("my daughter is 11", "she just turned 12 pages"),
        ("My boss is Anna", "new boss fight: Malenia is brutal"),
    ],
)
def test_a_remark_that_looks_like_a_change_makes_nothing_up(stated: str, remark: str):
    assert set(known_after(stated, remark)) <= set(known_after(stated))


@pytest.mark.parametrize(
    ("messages", "known"),
    [
        (
            ("I'm allergic to strawberries", "I work at the aquarium", "what do I do?", "no I meant raspberries"),
            {"Is allergic to raspberries", "Works at the aquarium"},
        ),
        (
            (
                "Mein Bruder Aksel ist Fischer",
                "Ich bin gegen Erdbeeren allergisch",
                "was isst man dazu?",
                "nein, ich meinte Himbeeren",
            ),
            {"Bruder Aksel ist Fischer", "Ist gegen Erdbeeren allergisch"},
        ),
        (("I live in Lisbon", "what's for lunch?", "no wait, Porto"), {"Lives in Porto"}),
        (("I'm 34", "what's for lunch?", "no wait, 35"), {"Is 35 years old"}),
    ],
)
def test_after_other_messages_only_a_value_of_the_same_sort_is_put_right(messages: tuple[str, ...], known: set[str]):
    assert set(known_after(*messages)) == known
