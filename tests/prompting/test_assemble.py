"""Assembling a prompt: layouts, headers, budgets, and marks for the provider's cache."""

import pytest

from recollect import plugins
from recollect.core.errors import ConfigError
from recollect.core.ports.layer import Block, Line
from recollect.core.ports.layout import Layout
from recollect.prompting.assemble import Prompt, assemble, quoted

LAYOUTS = {layout: plugins.load("layouts", layout) for layout in plugins.names("layouts")}


def layout(name: str) -> Layout:
    return plugins.load("layouts", name)


def block(name: str, *texts: str, **limits: object) -> Block:
    return Block(name, tuple(Line(text, "because") for text in texts), **limits)  # type: ignore[arg-type]


def everything(name: str) -> Prompt:
    sections = {each for one in LAYOUTS.values() for each in one.order}
    return assemble([block(each, f"<{each}>") for each in sorted(sections)], layout(name))


def order(prompt: Prompt, *names: str) -> list[str]:
    return [section.name for section in prompt.sections if section.name in names]


@pytest.mark.acceptance("A47")
def test_the_order_of_document_a():
    """X9"""
    wanted = "context durable shortterm rolling history actions message".split()
    assert order(everything("discoclaw"), *wanted) == wanted


@pytest.mark.acceptance("B9", "B10")
def test_the_order_and_the_headers_of_document_b():
    """X9, X10"""
    blocks = [block(name, f"<{name}>") for name in ("actions", "message", "history", "rolling", "durable", "context")]
    assert assemble(blocks, layout("dnam")).text == (
        "Context files (read with Read tool before responding, in order):\n<context>\n\n---\n"
        "Durable memory (user-specific notes; may be empty):\n<durable>\n\n---\n"
        "Conversation memory (rolling summary; may be empty):\n<rolling>\n\n---\n"
        "Recent conversation:\n<history>\n\n---\n"
        "User message:\n<message>\n\n---\n"
        "Discord Actions:\n<actions>"
    )


@pytest.mark.acceptance("C3")
def test_the_order_and_the_headers_of_document_c():
    """X9, X10"""
    blocks = [block(name, f"<{name}>") for name in ("actions", "message", "history", "rolling", "context")]
    assert assemble(blocks, layout("rolling")).text == (
        "Context files (read with Read tool before responding, in order):\n<context>\n\n---\n"
        "Conversation memory:\n<rolling>\n\n---\n"
        "Recent conversation:\n<history>\n\n---\n"
        "User message:\n<message>\n\n---\n"
        "Discord Actions:\n<actions>"
    )


@pytest.mark.acceptance("E22")
def test_the_section_of_document_e():
    assert assemble([block("durable", "- [fact] a", "- [event] b")], layout("devclaw")).text == (
        "## Relevant Memories\n\n- [fact] a\n- [event] b"
    )


def test_stable_sections_come_first_in_ours():
    prompt = everything("unified")
    stable, changing = "instructions lore durable people rolling history".split(), "shortterm past relevant message"
    assert [section.name for section in prompt.sections if section.name != "context"][: len(stable)] == stable
    assert order(prompt, *changing.split()) == changing.split()


def test_no_layout_drops_a_section_that_a_layer_may_offer():
    offered = set("context durable relevant lore people shortterm rolling past history".split())
    for name in ("discoclaw", "dnam", "unified"):
        assert offered <= set(LAYOUTS[name].order)
        assert set(LAYOUTS[name].order) <= set(LAYOUTS[name].headers) | {"instructions"}


@pytest.mark.acceptance("A39")
@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_empty_leaves_no_header_and_no_separator(name: str):
    """X10"""
    blocks = [Block("durable", ()), Block("rolling", (), chars=9), block("history", chars=0), block("message", "hi")]
    assert assemble(blocks, layout(name)).text in ("User message:\nhi", "")
    assert assemble([], layout(name)) == Prompt((), layout(name).separator)


def test_a_section_in_which_nothing_fits_is_empty_too():
    for overflow in ("stop", "skip", "notice"):
        assert assemble([block("durable", "x" * 50, chars=40, overflow=overflow)], layout("discoclaw")).text == ""


@pytest.mark.acceptance("E24")
def test_over_budget_the_section_ends_with_how_many_more_there_are():
    texts = [f"- [fact] number {n:02} {'x' * 370}" for n in range(28)]
    prompt = assemble([block("durable", *texts, tokens=2000, overflow="notice")], layout("devclaw"))
    assert prompt.text.endswith("\n...\n[truncated - 8 more memories available]")
    (section,) = prompt.sections
    assert (section.left_out, section.limit) == (8, 8000)
    assert section.used <= 8000


def test_blocks_of_one_name_share_a_section():
    prompt = assemble([block("lore", "a", chars=10), block("lore", "b", chars=20)], layout("discoclaw"))
    (section,) = prompt.sections
    assert (section.text, section.limit) == ("Lore of this guild:\na\nb", 30)


def test_every_line_says_why_it_is_there():
    prompt = assemble([block("durable", "x" * 90, "y" * 20, chars=80, overflow="notice")], layout("discoclaw"))
    assert [line.reason for line in prompt.sections[0].lines] == ["because", "over the budget", "over the budget"]


def test_blocks_for_anthropic_join_to_the_text_and_mark_what_is_stable():
    prompt = everything("unified")
    blocks = prompt.blocks()
    assert "".join(each["text"] for each in blocks) == prompt.text
    assert [each.get("cache_control") for each in blocks] == [{"type": "ephemeral"}] * 2 + [None]
    assert blocks[0]["text"].endswith("<durable>")
    assert blocks[1]["text"].endswith("<history>")
    assert assemble([], layout("discoclaw")).blocks() == []


def test_placeholders_are_text():
    texts = ["{recentExchange}", "$& $1 $$ \\1", "{0} %s %(x)s {{message}}"]
    prompt = assemble([block("rolling", *texts), block("history", "real")], layout("discoclaw"))
    assert prompt.text == "Conversation memory:\n" + "\n".join(texts) + "\n\n---\nRecent conversation:\nreal"


def test_quoting_keeps_why_and_limits():
    one = quoted(block("lore", "---", chars=7))
    assert (one.lines, one.chars) == ((Line("· ---", "because"),), 7)


def test_a_layout_that_does_not_exist_is_named():
    with pytest.raises(ConfigError, match="no 'Z' among the layouts; known here: devclaw, discoclaw"):
        layout("Z")


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layer_may_name_a_section_that_no_layout_lists(name: str):
    blocks = [block("durable", "a"), block("weather", "It rains.", header="Weather:"), block("message", "hi")]
    prompt = assemble(blocks, layout(name))
    assert [section.name for section in prompt.sections][:2] == ["durable", "weather"]
    assert prompt.sections[1].text == f"Weather:{layout(name).after_header}It rains."
    assert [section.name for section in prompt.sections][2:] in (["message"], [])


def test_a_section_that_a_layout_does_not_list_is_not_lost():
    prompt = assemble([block("lore", "We meet on Tuesdays"), block("rolling", "x")], layout("rolling"))
    assert [section.name for section in prompt.sections] == ["rolling", "lore"]
    assert prompt.sections[1].text == "Lore of this guild:\nWe meet on Tuesdays"
