"""People name a memory in their own words: as they said it, or by what it is about."""

from datetime import UTC, datetime

import pytest

from recollect.core.types import Kind, Memo, Provenance, Subject
from recollect.recall.listing import find

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KNOWN = (
    ("Is 34 years old", "I'm 34"),
    ("Is a nurse in Leeds", "I'm a nurse in Leeds"),
    ("Lives in Leeds", "I live in Leeds"),
    ("Their daughter Mia is 7 years old", "My daughter Mia is 7"),
    ("Their colleague Bob is 40 years old", "My colleague Bob is 40"),
    ("Birthday is on 3 May", "My birthday is on 3 May"),
    ("Likes tea", "I'm mad about tea"),
    ("Likes coffee", "I like coffee"),
    ("Is allergic to peanuts", "I'm allergic to peanuts"),
    ("Has two dogs", "I have two dogs"),
    ("Ist Koch", "Ich bin Koch"),
    ("Ist 35 Jahre alt", "Ich bin 35"),
    ("Vive en Madrid", "Vivo en Madrid"),
    ("Tiene 36 años", "Tengo 36 años"),
    ("Trabaja en Acme desde hace 5 años", "Trabajo en Acme desde hace 5 años"),
    ("A 37 ans", "J'ai 37 ans"),
    ("Tem 38 anos", "Tenho 38 anos"),
    ("39歳", "私は39歳"),
    ("東京に住んでいる", "東京に住んでいます"),
)


def memo(number: int, text: str, said: str) -> Memo:
    kind = Kind.PERSON if text.startswith("Their") else Kind.FACT
    return Memo(f"m{number}", Subject("ann"), kind, text, NOW, NOW, Provenance(evidence=said))


MEMOS = [memo(number, text, said) for number, (text, said) in enumerate(KNOWN)]


@pytest.mark.parametrize(
    ("reference", "named"),
    [
        ("I'm 34", ["Is 34 years old"]),
        ("my age", ["Is 34 years old"]),
        ("how old I am", ["Is 34 years old"]),
        ("my daughter's age", ["Their daughter Mia is 7 years old"]),
        ("what I do for a living", ["Is a nurse in Leeds"]),
        ("where I live", ["Lives in Leeds"]),
        ("my daughter", ["Their daughter Mia is 7 years old"]),
        ("my birthday", ["Birthday is on 3 May"]),
        ("my allergies", ["Is allergic to peanuts"]),
        ("my drinks", ["Likes tea", "Likes coffee"]),
        ("I'm mad about tea", ["Likes tea"]),
        ("I have 2 dogs", ["Has two dogs"]),
        ("ich bin 35", ["Ist 35 Jahre alt"]),
        ("mein Alter", ["Ist 35 Jahre alt"]),
        ("mi edad", ["Tiene 36 años"]),
        ("dónde vivo", ["Vive en Madrid"]),
        ("mon âge", ["A 37 ans"]),
        ("a minha idade", ["Tem 38 anos"]),
        ("私の年齢", ["39歳"]),
        ("住所", ["東京に住んでいる"]),
    ],
)
def test_a_memory_is_found_by_what_its_owner_calls_it(reference: str, named: list[str]) -> None:
    assert [memo.text for memo in find(MEMOS, reference, 0.0)] == named


@pytest.mark.parametrize("reference", ["I'm 7", "I'm 40", "my horse", "I'm 33", "I have 3 dogs", "my cat"])
def test_what_someone_else_is_or_something_else_says_is_not_meant(reference: str) -> None:
    assert find(MEMOS, reference, 0.0) == []


def test_to_the_letter_means_to_the_letter() -> None:
    assert find(MEMOS, "my age", 0.0, literal=True) == []
