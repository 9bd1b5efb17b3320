"""A reply as it streams in: words stay whole at a terminal, and nothing is changed in a pipe."""

import pytest

from recollect.faces.chat.output import ChatOutput, StreamedReply, wrapped
from recollect.faces.cli.output import Screen


def streamed(text: str, width: int | None, indent: str = "") -> StreamedReply:
    reply = StreamedReply(ChatOutput(Screen()), indent, width)
    for start in range(0, len(text), 3):
        reply(text[start : start + 3])
    return reply


def test_a_word_that_does_not_fit_begins_the_next_line(capsys: pytest.CaptureFixture[str]):
    streamed("The quick brown fox jumps over the lazy dog, again.\n\nTwo", 20).end_line()
    assert capsys.readouterr().out == "The quick brown fox \njumps over the lazy \ndog, again.\n\nTwo\n"
    streamed("one two three four", 10, indent="  ").end_line()
    assert capsys.readouterr().out == "  one two \n  three \n  four\n"


def test_a_word_longer_than_a_line_is_left_to_the_terminal(capsys: pytest.CaptureFixture[str]):
    streamed("see https://example.org/a/long/path now", 12).end_line()
    assert capsys.readouterr().out == "see \nhttps://example.org/a/long/path\nnow\n"


def test_scripts_without_spaces_are_shown_at_once_and_broken_by_their_width(capsys: pytest.CaptureFixture[str]):
    reply = streamed("日本語の文章です", 10)
    assert capsys.readouterr().out == "日本語の文\n章です"
    reply.end_line()
    assert capsys.readouterr().out == "\n"


def test_a_pipe_gets_the_text_as_it_is(capsys: pytest.CaptureFixture[str]):
    text = "one  two " * 40 + "\n\n  three"
    streamed(text, None).end_line()
    assert capsys.readouterr().out == f"{text}\n"


def test_a_line_in_between_comes_after_all_that_was_said_before_it(capsys: pytest.CaptureFixture[str]):
    reply = streamed("Let me look", 80)
    reply.aside("  · memory search")
    reply("It is tea.")
    reply.end_line()
    assert capsys.readouterr().out == "Let me look\n  · memory search\nIt is tea.\n"


def test_an_empty_reply_prints_no_line(capsys: pytest.CaptureFixture[str]):
    streamed("", 80).end_line()
    streamed("said\n", 80).end_line()
    assert capsys.readouterr().out == "said\n"


def test_what_is_said_at_a_terminal_breaks_between_words_and_goes_on_below_its_item() -> None:
    text = "No model configured: I learn by simple patterns.\n- Lives in a house\n  /show  what is remembered"
    assert wrapped(text, 18).split("\n") == [
        "No model",
        "configured: I",
        "learn by simple",
        "patterns.",
        "- Lives in a house",
        "  /show  what is",
        "         remembered",
    ]
    assert wrapped("東京に住んでいます、よろしくお願いします", 10) == "東京に住んでいます、よろしくお願いします"
