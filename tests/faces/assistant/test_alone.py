"""The assistant without a model: what it says to those who ask what is known of them, for help, or for nothing."""

import pytest

from recollect.faces.assistant.assistant import Assistant
from recollect.faces.assistant.offline import asks_about_self, asks_for_help
from tests.faces.assistant.test_assistant import Talk
from tests.scenes import DEV, DM, Stage, opened

ABOUT_SELF = [
    "what do you know about me?",
    "What do you remember about me?",
    "tell me about myself",
    "who am I?",
    "So, what have you learned about me so far?",
    "Could you please tell me everything you know about me!",
    "what did you learn about me",
    "do you know who I am?",
    "do you remember me?",
    "what do you remember?",
    "What’s in your memory?",
    "what information do you have about me?",
    "what else do you have on me?",
    "show me what you remember about me",
    "list everything you know about me",
    "describe me, please",
    "show my memories",
]
ABOUT_SOMETHING_ELSE = [
    "what do you know about me and tea?",
    "who am I meeting tomorrow?",
    "tell me about Lisbon",
    "what do you know about Bob?",
    "do you remember my cat?",
    "what do you think of me?",
    "what do you have?",
    "I know who I am",
    "what do you know about me? " + "x" * 300,
]


@pytest.mark.parametrize("text", ABOUT_SELF)
def test_many_ways_to_ask_what_is_known_of_oneself_are_understood(text: str) -> None:
    assert asks_about_self(text)


@pytest.mark.parametrize("text", ABOUT_SOMETHING_ELSE)
def test_a_question_about_something_else_is_another_question(text: str) -> None:
    assert not asks_about_self(text)


def test_a_call_for_help_is_nothing_more_than_that() -> None:
    assert all(map(asks_for_help, ("help", "Help!", "can you help me?", "what can you do?")))
    assert not any(map(asks_for_help, ("help me find my keys", "I need help")))


def alone(stage: Stage) -> Talk:
    return Talk(stage, None, Assistant(stage.memory, name="Rec", clock=stage.clock, explains_offline=False), None)  # type: ignore[arg-type]


async def test_all_that_is_known_and_may_be_told_here_is_listed_newest_first() -> None:
    async with opened() as stage:
        talk = alone(stage)
        await stage.learned("Lives in Lisbon", place=DM)
        await stage.learned("Plays the cello", place=DEV)
        await stage.learned("Bob has debts", user="bob", place=DEV)
        told = "Here is what I remember about you:\n- Plays the cello"
        assert await talk.ask("what do you know about me?", place=DM) == f"{told}\n- Lives in Lisbon"
        assert await talk.ask("what do you know about me?", place=DEV) == told
        nothing = await talk.ask("who am I?", user="eve", place=DEV)
    assert nothing == "I remember nothing about you that I could tell here."


async def test_of_very_much_the_newest_is_told_and_how_to_see_the_rest() -> None:
    async with opened() as stage:
        await stage.remember(*(f"Owns bike number {number}" for number in range(40)), place=DM)
        told = (await alone(stage).ask("tell me about myself", place=DM)).splitlines()
    assert told[1] == "- Owns bike number 39"
    assert told[-1] == 'and 10 items more; "!memory show" lists them all.'
    assert len(told) == 32


async def test_help_is_shown_and_not_kept() -> None:
    async with opened() as stage:
        assert (await alone(stage).ask("help")).startswith("Memory commands:\n- !memory show")
        assert await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 10)) == []


async def test_help_where_there_are_no_commands_says_what_can_be_said() -> None:
    async with opened(chat_commands={"enabled": False}) as stage:
        told = await alone(stage).ask("help")
    assert told.startswith("Tell me something about yourself")
    assert "!memory" not in told


async def test_who_paused_learning_or_switched_memory_off_is_not_told_that_they_are_listened_to() -> None:
    async with opened() as stage:
        talk = alone(stage)
        assert await talk.ask("I like tea") == "I am listening."
        await talk.ask("!memory pause")
        assert await talk.ask("I like tea") == (
            'Learning is paused: nothing that you say is learned as a fact until "!memory resume".'
        )
        assert await talk.ask("I like tea", user="bob") == "I am listening."
        await talk.ask("!memory resume")
        assert await talk.ask("I like tea") == "I am listening."
    async with opened(enabled=False) as stage:
        assert await alone(stage).ask("I like tea") == "My memory is switched off, so nothing is kept."
