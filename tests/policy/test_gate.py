"""The gate: what may hold something that lasts, in every language that is supported, and in all that are not."""

import pytest

from bench.extract.corpus import load
from recollect.policy.gate import is_urgent, may_contain_facts


def test_the_gate_passes_every_fact_of_the_labelled_corpus() -> None:
    facts = [each.text for each in load() if each.retracts or any(not learn.optional for learn in each.learn)]
    missed = [text for text in facts if not may_contain_facts(text)]
    assert len(facts) > 300
    assert missed == []


@pytest.mark.parametrize(
    "text",
    [
        *("Moved to Lisbon last spring", "vegetarian since 2019", "big fan of the Patriots", "don't ever suggest pork"),
        *(
            "please keep it short",
            "scratch that, Tuesday",
            "we deploy every Thursday",
            "call me Bea",
            "got a new puppy!",
        ),
        *("Wohne seit Mai in Graz", "bin Vegetarierin", "meine Frau heißt Lena", "antworte bitte auf Deutsch"),
        *("J'habite à Lyon", "ma fille a trois ans", "réponds-moi en français", "allergique aux noix"),
        *("Vivo en Sevilla", "Compré un coche", "mi hermano se llama Luis", "Odio el cilantro", "Programo en Rust"),
        *("Moro em Braga", "Comprei uma casa", "Sou enfermeira", "não gosto de futebol", "Trabalho na Porto Editora"),
        *("29 years old, still renting", "super into bread lately", "part-time in the shop, mon-wed"),
        *(
            "J'étudie la biologie",
            "J'écoute du jazz",
            "appelez-moi Jo",
            "Tenemos tres gatos",
            "hace un año que no bebo",
        ),
        *("Somos do Porto", "faz um ano que não fumo", "hincha de Boca", "Doy clases de piano"),
        *("東京に住んでいます", "猫を二匹飼ってる", "ピーナッツアレルギーです"),
        *(
            "Abito a Torino da due anni",
            "Ik woon in Gent",
            "Mieszkam w Krakowie",
            "Asun Turussa",
            "Bor i Malmö sen maj",
        ),
        *("Я живу в Киеве", "저는 부산에 살아요", "我住在上海", "أسكن في القاهرة", "Μένω στην Αθήνα", "Ankaralıyım"),
    ],
)
def test_durable_statements_pass_the_gate_in_every_language(text: str) -> None:
    assert may_contain_facts(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "lol",
            "ok thanks",
            "nice one!",
            "👍👍",
            "the build is green again",
            "what time is it there?",
            "https://a.example/b",
        ),
        *(
            "is that the same error as before?",
            "yes, exactly",
            "haha that's great",
            "```x = 1```",
            "",
            "<@81234567> thanks!",
        ),
        *("danke, super", "das ist ja toll", "ja genau", "merci, c'est bon", "gracias, muy bien", "obrigado, tudo bem"),
        *("ありがとうございます", "了解です", "おはよう！", "すごいね"),
        *("the demos are up", "those memos", "the cosmos is big"),
    ],
)
def test_chatter_does_not(text: str) -> None:
    assert not may_contain_facts(text)


@pytest.mark.parametrize(
    "text", ["do you remember the name?", "I can't remember", "I actually like it", "nothing forgotten", "merci", "草"]
)
def test_not_everything_with_such_a_word_is_urgent(text: str) -> None:
    assert not is_urgent(text)


def test_a_long_text_passes_without_being_searched() -> None:
    assert may_contain_facts("the build is green " * 1_000)


@pytest.mark.parametrize(
    "text", ["nein, 35", "quatsch, in Bonn", "quise decir Málaga", "quis dizer Joana", "間違えた、ホンダです"]
)
def test_a_correction_in_any_language_that_is_read_is_urgent(text: str):
    assert is_urgent(text)


@pytest.mark.parametrize(
    "text", ["vertrag leider keine milch", "jfais de la batterie", "Respóndeme corto y sin rodeos"]
)
def test_statements_in_the_spelling_of_chats_pass(text: str):
    assert may_contain_facts(text)
