"""Forgetting and undoing in plain words, without a model: what was asked for is done, no more, and undone as one."""

import pytest

from recollect.faces.assistant.assistant import Assistant
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.outcome_text import SLASH
from tests.faces.assistant.test_alone import alone
from tests.faces.assistant.test_assistant import Talk
from tests.scenes import DM, Stage, opened


async def told(talk: Talk, *lines: str) -> list[str]:
    return [await talk.ask(line, place=DM) for line in lines]


async def known(stage: Stage) -> list[str]:
    return [memo.text for memo in (await stage.memory.show(user="ann", place=DM)).memos]


@pytest.mark.parametrize(
    ("said", "forget", "asked", "forgotten"),
    [
        ("I'm 34 and I'm a nurse in Leeds", "forget that I'm 34", "how old am I?", "34"),
        ("I'm 34 and I'm a nurse in Leeds", "forget my age", "how old am I?", "34"),
        ("I'm 34 and I'm a nurse in Leeds", "forget my job", "what's my job?", "nurse"),
        ("Ich bin 34 Jahre alt und wohne in Graz", "vergiss mein Alter", "wie alt bin ich?", "34"),
        ("Tengo 34 años", "olvida mi edad", "¿cuántos años tengo?", "34"),
        ("J'ai 34 ans", "oublie mon âge", "quel âge j'ai ?", "34"),
        ("Tenho 34 anos", "esquece a minha idade", "quantos anos tenho?", "34"),
        ("私は34歳です", "私の年齢を忘れて", "私について何を知っていますか?", "34"),
    ],
)
async def test_what_is_named_in_the_first_person_is_forgotten_with_its_words(
    said: str, forget: str, asked: str, forgotten: str
) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        answer, _ = await told(talk, said, forget)
        assert forgotten in answer, "or nothing is tested"
        assert not [text for text in await known(stage) if forgotten in text]
        assert forgotten not in (await told(talk, asked))[0]
        prompt = await stage.memory.context("hello there", user="ann", place=DM)
        assert forgotten not in prompt.text


async def test_to_forget_ones_age_leaves_others_alone() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(
            talk, "My daughter Mia is 7 and loves horses.", "Mia turned 7 in May, she's at the right age for school"
        )
        assert (await told(talk, "forget my age"))[0] == 'Nothing matches "my age"'
        assert "7" in (await told(talk, "how old is my daughter?"))[0]


@pytest.mark.parametrize(
    ("said", "words", "asked", "undo"),
    [
        ("I'm getting divorced", "forget what I just said", "am I getting divorced?", "undo that"),
        ("I'm getting divorced", "forget that", "am I getting divorced?", "undo that"),
        ("I'm getting divorced", "delete my last message", "am I getting divorced?", "undo"),
        ("I'm getting divorced", "scratch that", "am I getting divorced?", "undo that"),
        ("I work at Acme", "forget what I just said", "where do I work?", "undo that"),
        (
            "Ich lasse mich scheiden",
            "vergiss, was ich gerade gesagt habe",
            "lasse ich mich scheiden?",
            "Mach das rückgängig",
        ),
        ("Vivo en Madrid", "olvida eso", "¿dónde vivo?", "deshaz eso"),
        ("J'habite à Lyon", "oublie ce que je viens de dire", "où est-ce que j'habite ?", "annule ça"),
        ("Moro em Lisboa", "apaga a minha última mensagem", "onde moro?", "desfaz isso"),
        ("東京に住んでいます", "今言ったことを忘れて", "私について何を知っていますか?", "元に戻して"),
    ],
)
async def test_what_was_said_last_is_forgotten_with_what_was_learned_from_it_and_comes_back(
    said: str, words: str, asked: str, undo: str
) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, said)
        before, shown = await known(stage), (await told(talk, asked))[0]
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        _, forgot = await told(talk, said, words)
        assert said in forgot, "it says what it forgot"
        assert await known(stage) == []
        prompt = await stage.memory.context("hello", user="ann", place=DM)
        assert said not in prompt.text
        await told(talk, undo)
        assert await known(stage) == before
        assert (await told(talk, asked))[0] == shown


async def test_what_was_said_before_is_not_forgotten_in_the_place_of_what_is_forgotten_already() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, "I like tea", "I'm getting divorced", "thanks")
        answers = await told(talk, "forget that", "forget that", "scratch that")
        assert answers[1:] == ["I have forgotten that already; nothing was changed."] * 2
        assert await known(stage) == ["Likes tea"]


async def test_withdrawing_a_message_restores_the_replaced_memo() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, "I live in Lisbon", "I moved to Porto")
        after = await known(stage)
        assert "Lives in Lisbon" not in after
        await told(talk, "forget what I just said")
        assert await known(stage) == ["Lives in Lisbon"]
        await told(talk, "undo that")
        assert await known(stage) == after


async def test_forget_that_means_the_last_answer_or_memory() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(
            talk, "I'm 34", "I like tea", "I like coffee", "I'm getting divorced", "how old am I?", "forget that"
        )
        assert await known(stage) == ["Likes coffee", "Likes tea"]
        assert (await told(talk, "what do I drink?", "forget that"))[1] == (
            "Nothing was changed yet; which one do you mean?\n1. Likes coffee\n2. Likes tea"
        )
        await told(talk, "am I getting divorced?", "forget that")
        assert "divorced" not in (await told(talk, "what did we talk about?"))[0]
        await told(talk, "remember that I'm allergic to nuts", "forget that")
        assert await known(stage) == ["Likes coffee", "Likes tea"]


@pytest.mark.parametrize(
    "nothing", ["forget about my horse", "forget my drinks", "!memory forget horse", "what do I drink?"]
)
async def test_undo_after_what_changed_nothing_names_the_last_change_and_leaves_it(nothing: str) -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, "I like tea", "I like coffee")
        _, answer = await told(talk, nothing, "undo that")
        assert answer == (
            "Your last message changed nothing, so there is nothing to take back. "
            "The last change: noted “Likes coffee”. “Undo the last change” takes that back."
        )
        assert await known(stage) == ["Likes coffee", "Likes tea"]
        await told(talk, "undo the last change")
        assert await known(stage) == ["Likes tea"]
        await told(talk, "undo")
        assert await known(stage) == [], "undo after undo goes on"


async def test_undo_after_nothing_is_told_in_the_language_of_the_request_and_per_person() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, "Ich mag Tee", "vergiss mein Pferd")
        assert (await told(talk, "mach das rückgängig"))[0].startswith("Deine letzte Nachricht hat nichts geändert")
        assert await known(stage) == ["Mag Tee"]


async def test_one_request_is_undone_as_one_whatever_it_forgot() -> None:
    async with opened(model="local", run_worker=True) as stage:
        talk = alone(stage)
        await told(talk, "I like tea", "I like coffee", "I went to the opera", "the opera was great")
        before, talked = await known(stage), (await told(talk, "what did we talk about?"))[0]
        await told(talk, "forget everything about my drinks")
        assert await known(stage) == []
        await told(talk, "undo that")
        assert await known(stage) == before
        assert (await told(talk, "what did we talk about?"))[0] == talked
        await told(talk, "forget the opera")
        assert "opera" not in (await told(talk, "what did we talk about?"))[0]
        await told(talk, "!memory undo")
        assert (await told(talk, "what did we talk about?"))[0] == talked
        await told(talk, "!memory redo")
        assert "opera" not in (await told(talk, "what did we talk about?"))[0]


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("I can't stand coriander", "Noted: can't stand coriander."),
        ("I got a dog", "Noted: got a dog."),
        ("I'm learning Spanish", "Noted: learning Spanish."),
        ("My wedding is on 3 May 2027", "Noted: wedding is on 3 May 2027."),
        ("Ich wohne in Graz", "Notiert: wohnt in Graz."),
        ("Meine Tochter Mia ist 7", "Notiert: Tochter Mia ist 7."),
    ],
)
async def test_what_was_noted_begins_with_a_capital_only_if_it_was_said_with_one(said: str, noted: str) -> None:
    async with opened(model="local", run_worker=True) as stage:
        assert await told(alone(stage), said) == [noted]


async def test_why_names_the_built_in_patterns_as_the_origin() -> None:
    async with opened(model="local", run_worker=True) as stage:
        _, explained = await told(alone(stage), "I live in Lisbon", "!memory why Lisbon")
    assert "added by the built-in patterns, without a model" in explained


async def test_an_answer_names_commands_as_they_are_typed_where_it_is_shown() -> None:
    async with opened(model="local", run_worker=True) as stage:
        commands = ChatCommands(stage.memory, clock=stage.clock, prefix=SLASH)
        assistant = Assistant(stage.memory, name="Rec", commands=commands, clock=stage.clock, explains_offline=False)
        talk = Talk(stage, None, assistant, None)  # type: ignore[arg-type]
        answers = await told(
            talk, "!memory show", "I like tea", "I like coffee", "forget my drinks", "forget tea", "help"
        )
        answers += await told(
            talk,
            "!memory edit 1 Likes mocha",
            "!memory undo",
            "!memory pause",
            "I like rum",
            "!memory erase",
            "!memory pin",
        )
    assert "!memory" not in " ".join(answers)
    assert '"/forget all my drinks"' in answers[3]
    assert "- /memory help – this list" in answers[5]
