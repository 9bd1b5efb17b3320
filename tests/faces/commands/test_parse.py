"""Which messages are commands, and how they are parsed."""

import pytest

from recollect import AsyncMemory
from recollect.faces.commands.dispatcher import ChatCommands, pages
from recollect.faces.commands.parse import ParsedCommand, parse, unquoted
from recollect.settings import load
from tests.faces.commands.talk import talking
from tests.scenes import DEV


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "!memoryfoo",
        "!memory_show",
        "!mem show",
        "memory show",
        "say !memory show",
        "!memory: show",
        "! memory",
    ],
)
def test_other_texts_are_no_order(text: str):
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("!memory", ParsedCommand("show")),
        ("  !memory  ", ParsedCommand("show")),
        ("/memory show", ParsedCommand("show")),
        ("!MEMORY SHOW", ParsedCommand("show")),
        ("!memory\tremember   I like  tea ", ParsedCommand("remember", "I like  tea")),
        ("!memory\nremember\nI like tea\nand cake", ParsedCommand("remember", "I like tea\nand cake")),
        ("!Memory Forget Acme", ParsedCommand("forget", "Acme")),
        ("!memory remember 🫖 is <@42>'s favourite", ParsedCommand("remember", "🫖 is <@42>'s favourite")),
    ],
)
def test_an_order_is_a_verb_and_the_words_after_it(text: str, order: ParsedCommand):
    assert parse(text) == order


@pytest.mark.parametrize(
    ("words", "bare"),
    [
        ('"Acme"', "Acme"),
        ("'Acme'", "Acme"),
        ("“Acme Corp”", "Acme Corp"),
        ("`Acme`", "Acme"),
        ('""', ""),
        ('"', '"'),
        ('"Acme" and "Beta"', '"Acme" and "Beta"'),
        ("Acme's", "Acme's"),
    ],
)
def test_a_pair_of_quotation_marks_around_the_words_is_taken_off(words: str, bare: str):
    assert unquoted(words) == bare


async def test_text_that_is_no_command_is_not_answered():
    async with talking() as talk:
        assert await talk.commands.answer("hello", user="ann", place=DEV) is None
        assert await talk.commands.answer("!memoryfoo", user="ann", place=DEV) is None


@pytest.mark.acceptance("B52")
@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_orders_can_be_switched_off_by_an_environment_variable(profile: str):
    here = {"store": "sqlite://", "embedder": "null", "model": "null", "profile": profile}
    for value, answered in (("0", False), ("1", True)):
        loaded = load({"DISCOCLAW_MEMORY_COMMANDS_ENABLED": value}, **here)
        async with AsyncMemory.from_settings(loaded) as memory:
            answer = await ChatCommands(memory).answer("!memory show", user="ann", place=DEV)
            assert (answer is not None) is answered


def test_pages_are_cut_between_lines_and_lose_none():
    text = "\n".join(f"{number}. item" for number in range(1, 300))
    cut = pages(text, 100)
    assert all(len(page) <= 100 for page in cut)
    assert "\n".join(cut) == text


def test_a_line_is_only_cut_when_it_is_too_long_for_a_page():
    assert pages("short\n" + "word " * 30 + "end", 50) == (
        "short",
        *["word " * 9 + "word"] * 3,
        "end",
    )
    assert pages("x" * 120, 50) == ("x" * 50, "x" * 50, "x" * 20)


def test_pagination_yields_no_empty_page():
    assert pages("", 50) == ()
    assert pages("a\n\n" + "b" * 50 + "\n\n", 50) == ("a", "b" * 50)
