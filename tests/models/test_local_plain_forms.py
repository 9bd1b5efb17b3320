"""Forms that leave something away, or say the matter twice, and how a birthday makes a known age one more."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory

SAID_AT = datetime(2026, 11, 12, 9, tzinfo=UTC)


def known_after(*messages: str) -> list[str]:
    with Memory(":memory:", embedder="null", model="local") as memory:
        for number, text in enumerate(messages):
            memory.add(text, user="ann", at=SAID_AT + number * timedelta(minutes=5), wait=True)
        return sorted(memo.text for memo in memory.list(user="ann", statuses="active"))


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("i collect old stamps, about ninety so far", "Collects old stamps"),
        ("wife's a nurse so the fridge is always full", "Their wife is a nurse"),
        ("brother lives in Oslo", "Their brother lives in Oslo"),
        ("my sister, Ana, lives in Oslo", "Their sister Ana lives in Oslo"),
        ("half japanese half german", "Is half Japanese half German"),
        ("three cats and a parrot", "Has three cats and a parrot"),
        ("nights at the hospital, days asleep", "Works nights at the hospital"),
        ("freelance translator since 2016", "Is a freelance translator"),
        ("my team is in Toronto", "Their team is in Toronto"),
        ("most of my job is writing SQL", "Most of their job is writing SQL"),
        ("skating is the only sport I watch", "Skating is the only sport they watch"),
        ("I mentor three students", "Mentors three students"),
        ("wir haben daheim zwei Sittiche", "Hat zwei Sittiche"),
        ("mes deux fils jouent au rugby", "Ses deux fils jouent au rugby"),
        ("me crié en Cuenca", "Se crió en Cuenca"),
        ("a gente usa Trello e Miro na empresa", "Usa Trello e Miro na empresa"),
        ("うちの犬、ハチっていいます", "犬の名前はハチ"),
    ],
)
def test_what_leaves_something_away_or_says_it_twice_is_learned(said: str, known: str):
    assert known_after(said) == [known]


@pytest.mark.parametrize(
    "said",
    [
        "I love mondays, not",
        "I hate coriander, jk",
        "kids are amazingly resilient",
        "I prefer simple, minimal dependencies",
        "doctor, can I ask you something",
        "customer since 2012, very disappointed",
        "home is where the heart is",
        "my team is in trouble",
        "na toll, ich liebe Besprechungen ja so sehr",
        "sí, claro, me encanta limpiar, cómo no",
        "his wife is a nurse",
    ],
)
def test_what_takes_itself_back_or_is_of_others_is_not(said: str):
    assert known_after(said) == []


@pytest.mark.parametrize(
    ("stated", "told", "known"),
    [
        ("I'm 51", "52 since yesterday", "Is 52 years old"),
        ("my son is 8", "he had his ninth birthday on sunday", "Their son is 9 years old"),
        ("my son is 8", "he just turned 9", "Their son is 9 years old"),
        ("ich bin 45", "46 seit gestern", "Ist 46 Jahre alt"),
        ("j'ai 39 ans", "40 ans depuis hier", "A 40 ans"),
        ("tengo 28 años", "ayer cumplí 29", "Tiene 29 años"),
        ("meu filho tem 4 anos", "fez 5 ontem", "Seu filho tem 5 anos"),
        ("娘は3歳です", "昨日で4歳になりました", "娘は4歳"),
        ("I live in Utrecht", "no wait, Arnhem, I moved in spring", "Lives in Arnhem"),
        ("I work for Lidl", "at Aldi now, not Lidl", "Works for Aldi"),
        ("j'habite à Nantes", "enfin non, à Rennes, j'ai déménagé", "Habite à Rennes"),
        ("I play squash every week", "can't do squash any longer, my knee's had it", ""),
    ],
)
def test_a_birthday_or_a_correction_with_its_reason_changes_what_is_known(stated: str, told: str, known: str):
    assert known_after(stated, told) == ([known] if known else [])


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ("my daughter is 11", "she just turned 12 pages"),
        ("I'm 51", "58 since yesterday"),
        ("I'm 51", "my brother is 52 since yesterday"),
    ],
)
def test_another_number_leaves_a_known_age_as_it_is(stated: str, told: str):
    assert set(known_after(stated)) <= set(known_after(stated, told))
