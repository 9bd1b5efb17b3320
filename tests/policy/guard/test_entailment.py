"""A fact follows from its quote: no stronger verb, nobody else's action, nothing beyond what was said."""

from datetime import UTC, datetime

import pytest

from recollect.core.ports.model import Proposal
from recollect.core.types import Kind, Memo, Message, Place, Subject
from recollect.policy.guard.verdicts import Accepted, Refused, check

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)


def judged(said: str, fact: str, *, by: str = "Ann", known: str = "", **more: str) -> Accepted | Refused:
    message = Message("m1", by.lower(), Place(guild="g", channel="c"), said, AT, by)
    memos = [Memo("d1", Subject("u1"), Kind.FACT, known, AT, AT)] if known else []
    proposal = Proposal(fact, "fact", more.get("evidence", said), id="d1" if known else None, about=more.get("about"))
    return check(proposal, [message], memos)


def reason(said: str, fact: str, **more: str) -> str:
    found = judged(said, fact, **more)
    return found.reason if isinstance(found, Refused) else "accepted"


FOLLOWS = [
    ("moved to Lisbon in May", "Lives in Lisbon", "visited Lisbon in May"),
    ("I bought a kayak", "Owns a kayak", "I borrowed a kayak"),
    ("my van is here", "Owns a van", "call me when the van is here"),
    ("I've got asthma", "Has asthma", "the doctor suspects asthma"),
    ("I started at Spotify", "Works at Spotify", "I applied at Spotify"),
    ("I'm a nurse at the hospital", "Works at a hospital", "I'm a patient at the hospital"),
    ("switched to Fedora", "Uses Fedora", "tried Fedora"),
    ("I really like sushi", "Loves sushi", "I like sushi"),
    ("kimchi is delicious", "Likes kimchi", "I ate kimchi"),
    ("I'm fluent in Greek", "Speaks Greek", "I heard some Greek"),
    ("I've lived in Cairo since 2019", "Lives in Cairo", "I lived in Cairo until 2019"),
    ("I have a parrot", "Has a parrot", "I had a parrot as a kid"),
    ("I play handball", "Plays handball", "I played handball in school"),
    ("Ich wohne in Graz", "Lives in Graz", "Ich war letztes Jahr in Graz"),
    ("Tengo una moto", "Has a motorbike", "Quiero comprar una moto"),
    ("京都に住んでいます", "Lives in Kyoto", "先月京都に行きました"),
]


@pytest.mark.parametrize(("carries", "fact", "does_not"), FOLLOWS)
def test_a_verb_follows_from_what_carries_it_and_not_from_less(carries: str, fact: str, does_not: str):
    assert isinstance(judged(carries, fact), Accepted), judged(carries, fact)
    assert isinstance(judged(does_not, fact), Refused)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("my sister Inês studies in Dresden", "Her sister Inês studies medicine"),
        ("I work at a hospital", "Works as a doctor at a hospital"),
        ("I quit my job", "Quit their job due to burnout"),
        ("my wife is a lawyer", "User's wife is a successful lawyer"),
        ("Je travaille à Lyon", "Travaille comme avocat à Lyon"),
    ],
)
def test_a_single_word_that_was_not_said_is_too_many(said: str, fact: str):
    assert reason(said, fact) == "too few of its words were said"


@pytest.mark.parametrize(
    ("said", "fact", "by"),
    [
        ("I'm afraid of dogs, sorry Ayo", "Ayo is afraid of dogs", "Lena"),
        ("I broke my arm last week, thanks for asking Mira", "Mira broke her arm last week", "Tom"),
        ("Klaus, I finally sold the boat", "Klaus sold the boat", "Ann"),
        ("my daughter's teacher plays the harp", "User's daughter plays the harp", "Ann"),
        ("Bea's sister studies law", "User's sister studies law", "Ann"),
        ("I know someone who works at CERN", "Works at CERN", "Ann"),
        ("I helped a friend move to Leipzig", "Moved to Leipzig", "Ann"),
        ("the new intern speaks five languages", "Speaks five languages", "Ann"),
        ("I'm so jealous of your trip to Bali", "Is going on a trip to Bali", "Ann"),
        ("I follow a few vegan recipe blogs", "Is vegan", "Ann"),
        ("Mon voisin est pompier", "Is a firefighter", "Ann"),
        ("父は教師です", "Is a teacher", "Ann"),
    ],
)
def test_a_fact_is_about_the_one_of_whom_it_was_said(said: str, fact: str, by: str):
    assert reason(said, fact, by=by) == "is about somebody else"


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I'm afraid of dogs, sorry Lena", "Ayo is afraid of dogs"),
        ("my daughter's teacher plays the harp", "User's daughter's teacher plays the harp"),
        ("my mum's a dentist", "User's mother is a dentist"),
        ("Meine Schwester wohnt in Köln", "User's sister lives in Köln"),
        ("they promoted me to head chef", "Was promoted to head chef"),
        ("the doctor told me I have high blood pressure", "Has high blood pressure"),
        ("my laptop runs Debian", "Uses Debian"),
        ("my sister had a baby, so I'm an aunt now", "Is an aunt"),
        ("I'm someone who loves rain", "Loves rain"),
    ],
)
def test_whoever_is_meant_may_be_told_of_in_other_words(said: str, fact: str):
    assert isinstance(judged(said, fact, by="Ayo"), Accepted), judged(said, fact, by="Ayo")


def test_naming_the_person_beside_a_fact_does_not_make_it_theirs():
    fact, said = "Ayo is afraid of dogs", "I'm afraid of dogs, sorry Ayo"
    assert reason(said, fact, by="Lena", about="Ayo") == "is about somebody else"


@pytest.mark.parametrize(
    ("said", "fact", "why"),
    [
        ("I usually take the bus", "Only takes the bus", "says more than was said"),
        ("one of my brothers lives in Malmö", "User's brothers live in Malmö", "says more than was said"),
        ("I hate this keyboard", "Hates keyboards", "says more than was said"),
        ("I have a few plants", "Has many plants", "says more than was said"),
        ("I prefer trains to planes", "Prefers planes to trains", "says the opposite"),
        ("I moved from Gdańsk to Turin", "Lives in Gdańsk", "says the opposite"),
        ("I'm allergic to cats, not dogs", "Is allergic to dogs", "leaves out a negation"),
        ("I was engaged once", "Is engaged", "is no longer so"),
        ("if I pass, I'm a certified diver", "Is a certified diver", "is not meant"),
        ("are you a nurse? yes, I thought so", "Is a nurse", "is asked, not stated"),
    ],
)
def test_a_fact_reaches_no_further_than_its_quote(said: str, fact: str, why: str):
    assert reason(said, fact) == why


def test_a_known_memo_carries_its_own_verb_only_for_what_it_told():
    assert reason("I visited Paris", "Lives in Paris", known="Lives in Rome") == "does not follow"
    fact = "Lives in Rome and has visited Paris"
    assert isinstance(judged("I visited Paris", fact, known="Lives in Rome"), Accepted)


def test_what_was_said_before_counts_where_the_quote_refers_to_it():
    said = "We adopted a cat last week. She is called Mia."
    assert isinstance(judged(said, "User's cat is called Mia", evidence="She is called Mia"), Accepted)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["Bob ", "住", "my sister's ", "x", "one of my ", "tea, ", "i have "])
def test_a_long_message_is_judged_in_bounded_work(unit: str):
    said = unit * (40_000 // len(unit))
    for fact in ("Bob is a pilot", "User's sister lives in Oslo", "Prefers tea over coffee every day"):
        assert isinstance(judged(said, fact, evidence=said[:4_000]), Accepted | Refused)
