"""Whose words a question asks for: someone's by name, the assistant's, or the asker's own."""

import pytest

from recollect.recall.rankers.unified import parse_query
from tests.recall.rankers.samples import asking

SPEAKERS = {"Ann Lee", "Will", "Bo J", "Assistant", "User", "Bot"}


@pytest.mark.parametrize(
    ("text", "named", "target", "topic"),
    [
        ("what did Ann say about boats?", {"Ann Lee"}, "speaker", {"boats"}),
        ("what did lee say about boats?", {"Ann Lee"}, "speaker", {"boats"}),
        ("will it rain on the boats?", set(), "", {"rain", "boats"}),
        ("did Will like boats?", {"Will"}, "speaker", {"boats"}),
        ("who wrote letter j on boats?", set(), "", {"wrote", "letter", "boats"}),
        ("which user or bot has boats?", set(), "", {"user", "bot", "boats"}),
        ("what did you recommend about boats?", set(), "assistant", {"boats"}),
        ("which boats do I own?", set(), "asker", {"boats"}),
        ("which boats do we own? I forgot", set(), "", {"boats"}),
        ("what did Ann and Bo say about my boats?", {"Ann Lee", "Bo J"}, "speaker", {"boats"}),
    ],
)
def test_a_question_names_whose_words_it_asks_for(text: str, named: set[str], target: str, topic: set[str]) -> None:
    query = parse_query(asking(text), SPEAKERS)
    assert (query.named, query.target) == (named, target)
    assert topic <= set(query.terms)
    assert query.names.isdisjoint(query.terms)


def test_a_question_that_is_a_name_alone_is_about_that_word() -> None:
    assert parse_query(asking("Ann?"), SPEAKERS).terms == ("ann",)
