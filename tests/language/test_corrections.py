"""Self-corrections: what a text says once its speaker has put it right."""

import pytest

from recollect.language.corrections import resolve, splice


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("my favourite colour is blue, no wait, green", "my favourite colour is green"),
        ("I prefer tabs. Actually spaces.", "I prefer spaces."),
        ("I live in Rome, I mean Milan", "I live in Milan"),
        ("I work at Ikea - scratch that, at Lidl", "I work at Lidl"),
        ("I have two dogs, sorry, three dogs", "I have three dogs"),
        ("I drive a Ford. Sorry, I meant a Fiat.", "I drive a Fiat."),
        ("I live in Porto. Scratch that, I live in Braga", "I live in Braga"),
    ],
)
def test_the_corrected_words_take_the_place_of_the_wrong_ones(said: str, meant: str):
    assert resolve(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "I live in Berlin. Actually quite nice.",
        "I live in Rome, sorry for the delay",
        "I like tea, no idea why",
        "I use vim, sorry emacs users",
        "I have a dog. I mean, who doesn't?",
        "I love Rust, I mean the compiler is great",
    ],
)
def test_words_that_only_look_like_a_correction_change_nothing(said: str):
    assert resolve(said) == said


@pytest.mark.parametrize(
    ("said", "meant", "corrected"),
    [
        ("京都に住んでいる", "大阪", "大阪に住んでいる"),
        ("寿司が好き", "うどん", "うどんが好き"),
        ("犬の名前はポチ", "タロ", "犬の名前はタロ"),
    ],
)
def test_without_spaces_the_part_before_the_particle_or_after_the_topic_is_replaced(
    said: str, meant: str, corrected: str
) -> None:
    assert splice(said, meant) == corrected
