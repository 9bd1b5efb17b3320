"""Self-corrections: what a text says once its speaker has put it right."""

import pytest

from recollect.language.corrections import resolve


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
