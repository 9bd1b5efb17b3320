"""Which questions lean on what was said before."""

import pytest

from recollect.language.context_dependence import depends_on_context

LEANING = [
    "and the other one?",
    "why?",
    "what about hers?",
    "since when?",
    "who with?",
    "is he allergic too?",
    "which kind?",
    "und mein Bruder?",
    "warum nicht?",
    "et l'autre ?",
    "¿y el otro?",
    "e por quê?",
    "それはなぜ？",
]
STANDING = [
    "where do I live?",
    "what is my job?",
    "where does my brother live?",
    "what does Tomás do?",
    "when does the book club meet?",
    "which tires does the red bike that I bought in Italy have?",
    "wann trifft sich der Lesekreis in der Stadtbibliothek?",
    "what is on this week at the cinema?",
]


@pytest.mark.parametrize("question", LEANING)
def test_a_question_that_refers_to_something_leans(question: str) -> None:
    assert depends_on_context(question)


@pytest.mark.parametrize("question", STANDING)
def test_a_question_that_names_what_it_is_about_stands_alone(question: str) -> None:
    assert not depends_on_context(question)
