"""Prompts as sent: kept where the operator asks for it, without secrets, and gone with what they quote."""

from recollect.admin import Admin
from recollect.core.types import Message, Place
from recollect.faces.http.app import create
from recollect.faces.http.auth import Tokens
from recollect.recall.sent_prompts import SentPrompt
from recollect.testing.model_server import Says
from tests.faces.assistant.test_assistant import Talk, talking
from tests.faces.http.visiting import text_of, visiting
from tests.scenes import DEV, DM

ANSWERS = [Says("I see.")] * 20
TOKENS = Tokens("the-operators-token-0123456789", "a-readers-token-0123456789", "the-metrics-token-0123456789")


async def kept(talk: Talk) -> list[SentPrompt]:
    await talk.assistant.close()
    return await Admin(talk.stage.memory, talk.stage.clock).sent_prompts()


async def said(talk: Talk, text: str, user: str, place: Place) -> Message:
    message = talk.stage.message(text, user, place)
    await talk.stage.memory.add(message)
    talk.stage.clock.advance(minutes=1)
    return message


async def test_no_prompt_is_kept_unless_the_operator_asks_for_it():
    async with talking(ANSWERS) as talk:
        await talk.ask("hello there")
        assert await kept(talk) == []


async def test_the_last_prompts_are_on_the_page_as_they_were_sent_without_secrets():
    async with talking(ANSWERS, keep_prompts=2) as talk:
        await talk.stage.memory.remember("Lives in Lisbon", user="discord:ann", place=DEV)
        for text in ("first question", "second question", "my password is Tango77-hunter, where do I live?"):
            await talk.ask(text)
        prompts = await kept(talk)
        assert len(prompts) == 2
        last = prompts[0]
        assert (last.user, last.place.session, last.place.audience) == ("discord:ann", DEV.session, DEV.audience)
        sent = str(talk.server.requests[-1].body)
        assert all(line in sent for part in last.parts if part.remembered for line in [part.text.splitlines()[-1]])
        assert "Lives in Lisbon" in last.quoted
        assert "Tango77" not in last.quoted
        async with visiting(create(talk.stage.memory, TOKENS, clock=talk.stage.clock)) as visitor:
            listed = await visitor.see("/prompts")
            assert f"/prompts?id={last.id}" in listed
            page = text_of(await visitor.see("/prompts", id=last.id))
            assert "Lives in Lisbon" in page
            assert "claude-haiku" in page
            assert "Tango77" not in page


async def test_a_prompt_is_hidden_while_something_in_it_is_forgotten():
    async with talking(ANSWERS, keep_prompts=5) as talk:
        memory = talk.stage.memory
        await memory.remember("Lives in Lisbon", user="discord:ann", place=DEV)
        await talk.ask("where do I live?")
        await memory.forget("Lisbon", user="discord:ann", place=DEV)
        (hidden,) = await kept(talk)
        assert (hidden.is_hidden, hidden.parts) == (True, ())
        await memory.undo(user="discord:ann", place=DEV)
        (shown,) = await kept(talk)
        assert "Lives in Lisbon" in shown.quoted


async def test_a_prompt_goes_with_a_message_that_it_may_quote_and_others_stay():
    async with talking(ANSWERS, keep_prompts=5) as talk:
        private = Place("discord", dm="bob")
        await talk.ask("a word in private", "bob", private)
        bens = await said(talk, "My cousin paints barns green", "ben", DEV)
        await talk.ask("what is new here?")
        assert any("barns" in prompt.quoted for prompt in await kept(talk))
        await talk.stage.memory.message_deleted("discord", bens.id)
        remaining = await kept(talk)
        assert [prompt.user for prompt in remaining] == ["discord:bob"]


async def test_all_prompts_go_when_anyone_is_erased():
    async with talking(ANSWERS, keep_prompts=5) as talk:
        await said(talk, "My cousin paints barns green", "ben", DEV)
        await talk.ask("what is new here?")
        await talk.ask("and here?", "ann", DM)
        assert len(await kept(talk)) == 2
        receipt = await talk.stage.memory.erase(user="discord:ben")
        assert await kept(talk) == []
        assert receipt.clean
