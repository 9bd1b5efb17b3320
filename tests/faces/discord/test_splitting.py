"""Text cut into messages, and people's words made harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.faces.discord.splitting import harmless, split

CODE = "```py\n" + "\n".join(f"x{number} = {number}" for number in range(50)) + "\n```"


def test_a_short_text_is_one_message_as_it_is() -> None:
    text = f"Look:\n\n{CODE}\n\nThat is all."
    assert split(text) == [text]
    assert split("") == split("\n \n") == []


def test_a_long_text_is_cut_between_paragraphs() -> None:
    first, second = "one " * 20, "two " * 20
    assert split(f"{first}\n\n{second}", 100) == [first, second]


def test_a_code_block_is_kept_whole_where_it_fits_and_opened_again_where_not() -> None:
    pages = split(f"{'word ' * 30}\n\n{CODE}", 500)
    assert pages[1] == CODE
    parts = split(CODE, 100)
    assert all(part.startswith("```py\n") and part.endswith("\n```") for part in parts)


def test_a_code_block_left_open_is_closed() -> None:
    assert split("```py\nx = 1") == ["```py\nx = 1\n```"]


@given(st.text(st.sampled_from("ab \n`#-*"), max_size=400), st.integers(80, 120))
def test_no_message_is_too_long_and_no_word_is_lost(text: str, limit: int) -> None:
    pages = split(text, limit)
    assert all(0 < len(page) <= limit for page in pages)
    assert "".join(text.split()).replace("`", "") == "".join("".join(pages).split()).replace("`", "")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("- [fact] likes *tea*", r"- [fact] likes \*tea\*"),
        ("1. [fact] a_b", r"1. [fact] a\_b"),
        ("- # not a heading", r"- \# not a heading"),
        ("[a](http://b)", r"\[a]\(http://b)"),
    ],
)
def test_our_own_bullets_stay_and_marks_of_others_do_nothing(said: str, shown: str) -> None:
    assert harmless(said) == shown


def test_mentions_are_broken() -> None:
    assert "@everyone" not in harmless("hello @everyone")
    assert "<@12345678901234567>" not in harmless("hello <@12345678901234567>")
