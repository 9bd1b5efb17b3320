"""A pattern is passed over only where it could not match."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.language.prefilter import LiteralIndex, literals_of, required_literals
from recollect.policy.guard.instructions import instruction_patterns


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:ignore|disregard) (?:all )?rules", {"ignore", "disregard"}),
        (r"(?<!i )\bignor(?:e|ing)\b", {"ignor"}),
        (r"(?:abc|de)+f?", {"abc", "de"}),
        (r"(?:abc)?x{0,3}", {""}),
        (r"(?:abc|\w+)", {""}),
        (r"[ab]c.{0,20}", {"c"}),
        (r"\d(?= left|right)", {" left", "right"}),
        (r"\d(?! left)", {""}),
        (r"", {""}),
    ],
)
def test_the_words_that_a_pattern_needs(pattern: str, words: set[str]):
    assert set(required_literals(pattern)) == words


def test_the_words_of_several_patterns_are_those_of_each():
    assert set(literals_of(re.compile("abc|de"), re.compile("de?f"))) == {"abc", "de", "d"}


@given(st.text("abcd-", max_size=30))
def test_a_list_is_found_where_a_text_has_one_of_its_literals(text: str):
    lists = {"long": ("abc", "bcda", "abca"), "short": ("-", "dd"), "both": ("dab", "a-")}
    expected = {name for name, literals in lists.items() if any(literal in text for literal in literals)}
    assert LiteralIndex(lists).found_in(text) == expected


@pytest.mark.parametrize("number", range(len(instruction_patterns().patterns)))
@given(data=st.data())
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_whatever_a_sign_matches_is_searched_with_it(number: int, data: st.DataObject):
    signs = instruction_patterns()
    sign = signs.patterns[number]
    text = data.draw(st.from_regex(re.compile(sign.pattern, sign.flags)))  # it may not be compiled yet
    assert signs.patterns[number] in signs.candidates(text)


def test_most_signs_are_passed_over_in_ordinary_talk():
    told = "i prefer tea over coffee when i work at night, and my sister nora lives in lyon with two cats."
    signs = instruction_patterns()
    assert len(signs.candidates(told)) < len(signs.patterns) / 10
