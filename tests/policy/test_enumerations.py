"""A statement about several things of which one is over keeps the others, in the store too."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect import Memory
from recollect.policy.enumerations import without_named

SAID_AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "said", "rest"),
    [
        ("Speaks German, French and Italian", "I no longer speak French", "Speaks German and Italian"),
        ("Speaks German, French and Italian", "I no longer speak Italian", "Speaks German and French"),
        ("Has two black dogs and a cat", "my dogs died", "Has a cat"),
        ("Is allergic to nuts and shellfish", "I'm not allergic to nuts after all", "Is allergic to shellfish"),
        ("Lives in Oslo and works at Porr", "I quit my job at Porr", "Lives in Oslo"),
        ("英語とフランス語を話す", "フランス語はもう話せない", "英語を話す"),
        ("英語とフランス語を話す", "英語はもう話せない", "フランス語を話す"),
    ],
)
def test_items_that_are_not_named_stay_in_the_enumeration(text: str, said: str, rest: str):
    assert without_named(text, said) == rest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Speaks German", "I don't speak German any more"),
        ("Speaks German and French", "I speak neither German nor French now"),
        ("Has a black and white cat", "the white cat died"),
        ("Has two cats, Miso and Tofu", "Tofu died"),
        ("Speaks German and French", "I stopped that"),
    ],
)
def test_nothing_is_left_where_all_are_named_or_it_is_one_thing(text: str, said: str):
    assert without_named(text, said) is None


@pytest.mark.parametrize(
    ("stated", "ended", "rest"),
    [
        ("I speak German and French", "I don't speak French any more", "Speaks German"),
        ("I have a dog and a cat", "the cat died last week", "Has a dog"),
        ("I play tennis and chess", "I quit tennis", "Plays chess"),
        ("I speak German and French", "I don't speak French anymore. My German is still fine", "Speaks German"),
        ("I play tennis and chess", "I quit tennis. Still playing chess every week though", "Plays chess"),
        ("Ich spreche Deutsch und Französisch", "Ich spreche kein Französisch mehr", "Spricht Deutsch"),
    ],
)
def test_a_memory_of_several_things_keeps_those_that_are_not_over(stated: str, ended: str, rest: str):
    with Memory(":memory:") as memory:
        memory.add(stated, user="ann", at=SAID_AT, wait=True)
        memory.add(ended, user="ann", at=SAID_AT + timedelta(days=30), wait=True)
        assert [memo.text for memo in memory.list(user="ann", statuses="active")] == [rest]
        memory.undo(user="ann")
        (whole,) = [memo.text for memo in memory.list(user="ann", statuses="active")]
        assert whole.startswith(rest.split()[0])
        assert len(whole) > len(rest)
