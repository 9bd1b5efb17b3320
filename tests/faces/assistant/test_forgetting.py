"""What was forgotten or deleted is in no later request, not even in the assistant's own earlier words."""

from typing import Any

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.types import Message, Place
from recollect.faces.assistant.assistant import Assistant
from recollect.testing.model_server import Calls, Request, Says
from recollect.testing.models import FakeModel, proposal_for
from tests.faces.assistant.test_alone import alone
from tests.faces.assistant.test_assistant import Talk, talking
from tests.scenes import DEV, DM, GENERAL, opened
from tests.wire.test_requests import section

HOME = Place(dm="me")
ASKED = "where do I live?"


def learning(hearing: ExtractionInput) -> ExtractionResult:
    """Learn what people state, not what they ask."""
    return ExtractionResult(
        tuple(proposal_for(one) for one in hearing.messages if "?" not in one.text and "!" not in one.text)
    )


def condensing(previous: str | None, exchange: str, limit: int) -> str:
    return f"{previous or ''}\n{exchange}".strip()[-limit:]


def answering(request: Request) -> Says:
    """Repeat what is asked about, as a model would that was told."""
    asked = str(request.body["messages"][-1]).rpartition("User message:")[2]
    if "where does Ann live" in asked:
        return Says("Ann lives in Lisbon.")
    return Says("You live in Lisbon, as you told me." if ASKED in asked else "All right.")


def learner() -> FakeModel:
    return FakeModel(learning, condensing)


def later(talk: Talk, number: int) -> str:
    """All that the model was given from this request on."""
    return str([request.body for request in talk.server.requests[number:]])


async def story(talk: Talk, place: Place = DEV, user: str = "ann") -> None:
    """Ann states, asks, and is told; so is Bob, and everything is learned and summarised."""
    await talk.ask("I live in Lisbon", user, place)
    await talk.stage.settle()
    assert "Lisbon" in await talk.ask(ASKED, user, place)
    if place.guild:
        assert "Lisbon" in await talk.ask("where does Ann live?", "bob", place)
    await talk.stage.settle()


async def ask_around(talk: Talk, user: str = "ann", places: tuple[Place, ...] = (DEV, GENERAL)) -> None:
    """Ann and Bob talk on, here and in another channel; none of it is about where she lives."""
    for place in places:
        await talk.ask("what is new in town?", user, place)
        if place.guild:
            await talk.ask("what do people do where Ann lives, in a word?", "bob", place)
    await talk.stage.settle()


def settings(**more: Any) -> dict[str, Any]:
    return {"model": learner(), "summary": {"every_n_turns": 1}, **more}


async def test_a_forgotten_fact_is_in_no_later_request_until_undo_brings_it_back() -> None:
    model = learner()
    async with talking(answering, **settings(model=model)) as talk:
        await story(talk)
        await talk.ask("!memory forget Lisbon")
        since, summarised = len(talk.server.requests), len(model.exchanges)
        await ask_around(talk)
        assert "Lisbon" not in later(talk, since)
        assert "Lisbon" not in str(model.exchanges[summarised:])
        assert "Lisbon" not in await talk.ask("!memory show")
        await talk.ask("!memory undo")
        since = len(talk.server.requests)
        await talk.ask("anything else?")
        assert "[Ann]: I live in Lisbon" in later(talk, since)
        assert "You live in Lisbon, as you told me." in later(talk, since)


async def test_a_deleted_fact_is_in_no_later_request() -> None:
    model = learner()
    async with talking(answering, **settings(model=model)) as talk:
        await story(talk)
        await talk.stage.memory.message_deleted("discord", "m1")
        since, summarised = len(talk.server.requests), len(model.exchanges)
        await ask_around(talk)
        assert "Lisbon" not in later(talk, since)
        assert "Lisbon" not in str(model.exchanges[summarised:])


async def test_another_process_that_never_saw_the_conversation_tells_nothing_of_it_either() -> None:
    async with talking(answering, **settings()) as talk:
        await story(talk)
        await talk.stage.memory.forget("Lisbon", user="ann", place=DEV)
        since = len(talk.server.requests)
        talk.assistant = Assistant(talk.stage.memory, talk.model, name="Rec", clock=talk.stage.clock)
        await ask_around(talk)
        assert "Lisbon" not in later(talk, since)


@pytest.mark.parametrize("place", [HOME, DM])
async def test_in_a_private_chat_it_is_the_same_however_it_was_forgotten(place: Place) -> None:
    user = place.dm or ""
    async with talking(answering, **settings()) as talk:
        await story(talk, place, user)
        await talk.stage.memory.forget("Lisbon", user=user, place=place)  # as from the page, or another process
        since = len(talk.server.requests)
        await ask_around(talk, user, (place,))
        assert "Lisbon" not in later(talk, since)
        await talk.stage.memory.undo(user=user, place=place)
        await talk.ask("and now?", user, place)
        assert "Lisbon" in later(talk, len(talk.server.requests) - 1)


async def test_what_the_model_itself_forgot_by_its_tool_is_not_in_the_next_turn() -> None:
    async with talking(answering, **settings()) as talk:
        await story(talk, DM)
        memo = (await talk.stage.memory.show(user="ann", place=DM)).memos[0]
        forgot = "I have forgotten that you live in Lisbon."
        talk.server.next(Calls("memory", {"action": "delete", "id": memo.id}), Says(forgot))
        assert await talk.ask("forget that I live in Lisbon!", place=DM) == forgot
        since = len(talk.server.requests)
        await talk.ask("what is new?", place=DM)
        assert "Lisbon" not in later(talk, since)


async def test_a_forgotten_fact_stated_again_is_in_the_prompt_again() -> None:
    async with talking(answering, **settings()) as talk:
        await story(talk)
        await talk.ask("!memory forget Lisbon")
        talk.stage.clock.advance(minutes=5)
        await talk.ask("I live in Lisbon, by the river")
        await talk.stage.settle()
        assert await talk.stage.known(place=DEV) == ["I live in Lisbon, by the river"]
        await talk.ask(ASKED)
        since = len(talk.server.requests)
        await talk.ask("anything else?")
        assert "[Ann]: I live in Lisbon, by the river" in later(talk, since)
        assert "You live in Lisbon, as you told me." in later(talk, since)


async def test_lines_that_merely_share_a_word_and_words_of_others_stay() -> None:
    async with talking(lambda _: Says("Lisbon is the capital of Portugal."), **settings()) as talk:
        await talk.ask("I live in Lisbon")
        await talk.stage.settle()
        await talk.ask("what is the capital of Portugal?", "bob")
        await talk.ask("I live in Lisbon as well", "bob")
        await talk.stage.settle()
        await talk.ask("!memory forget Lisbon")
        await talk.ask("what is new?")
        heard = later(talk, len(talk.server.requests) - 1)
    assert "[Bob]: I live in Lisbon as well" in heard
    assert "[Rec]: Lisbon is the capital of Portugal." in heard
    assert "[Ann]: I live in Lisbon" not in heard


async def test_what_another_said_and_was_told_of_themselves_in_the_same_words_stays() -> None:
    async with talking(answering, model=learner()) as talk:
        for user in ("ann", "bob"):
            await talk.ask("I live in Lisbon", user)
            await talk.ask(ASKED, user)
        await talk.stage.settle()
        await talk.stage.memory.forget("I live in Lisbon", user="ann", place=DEV)
        await talk.ask("what else is new?", "bob")
        history = section(talk.server.requests[-1], "Recent conversation:")
    said, told = "I live in Lisbon", "You live in Lisbon, as you told me."
    assert [line for line in history.splitlines() if said in line] == [f"[Bob]: {said}"]
    assert history.count(told) == 1
    assert history.index(told) > history.index(f"[Bob]: {said}")


async def test_the_short_term_entries_of_other_channels_do_not_repeat_it_even_to_those_who_never_met_her() -> None:
    async with talking(answering, **settings()) as talk:
        await talk.stage.tell("I live in Lisbon")
        await talk.ask("where does Ann live?", "bob")
        await talk.ask("what is new?", "cy", GENERAL)
        assert "Ann lives in Lisbon." in later(talk, len(talk.server.requests) - 1)
        await talk.stage.memory.forget("Lisbon", user="ann", place=DEV)
        await talk.ask("what else is new?", "dai", GENERAL)
        assert "Lisbon" not in later(talk, len(talk.server.requests) - 1)
        await talk.stage.memory.undo(user="ann", place=DEV)
        await talk.ask("what else is new then?", "eve", GENERAL)
        assert "Ann lives in Lisbon." in later(talk, len(talk.server.requests) - 1)


async def test_the_answer_to_a_deleted_message_goes_with_it_if_it_takes_up_its_words() -> None:
    async with talking(
        [Says("Zebra, what a code name!"), Says("I see.")], model=FakeModel(lambda _: ExtractionResult())
    ) as talk:
        await talk.ask("the project is called zebra")
        await talk.ask("the meeting is on monday")
        for number in ("m1", "m2"):
            await talk.stage.memory.message_deleted("discord", number)
        await talk.ask("what is new?")
        heard = later(talk, len(talk.server.requests) - 1)
    assert "ebra" not in heard
    assert "[Rec]: I see." in heard


async def test_a_search_over_messages_does_not_find_it() -> None:
    async with talking(answering, **settings()) as talk:
        await story(talk)

        async def found(user: str) -> list[str]:
            hits = await talk.stage.memory.search("lives in Lisbon", user=user, place=DEV, over="messages")
            return [hit.text for hit in hits if isinstance(hit.item, Message) and "Lisbon" in hit.text]

        assert len(await found("bob")) == 3
        await talk.ask("!memory forget Lisbon")
        assert await found("ann") == await found("bob") == []
        await talk.ask("!memory undo")
        assert len(await found("bob")) == 3


@pytest.mark.acceptance("W11")
async def test_lore_in_the_assistants_own_words_does_not_repeat_it() -> None:
    def answer(request: Request) -> Says:
        first = "so be it" in str(request.body["messages"][-1])
        return Says("Yes.\nmemory_line: Ann lives in Lisbon since May\n" if first else "All right.")

    async with talking(answer, **settings()) as talk:
        await talk.stage.tell("I live in Lisbon")
        await talk.ask("so be it", "bob")
        await talk.ask("what is new?", "cy", GENERAL)
        assert "Ann lives in Lisbon" in later(talk, len(talk.server.requests) - 1)
        await talk.stage.memory.forget("Lisbon", user="ann", place=DEV)
        await talk.ask("what else is new?", "cy", GENERAL)
        assert "Lisbon" not in later(talk, len(talk.server.requests) - 1)


async def test_what_a_model_learns_by_is_told_nothing_of_it() -> None:
    model = learner()
    async with talking(answering, **settings(model=model)) as talk:
        await story(talk)
        await talk.ask("!memory forget Lisbon")
        await talk.ask("I play chess", "bob")
        await talk.stage.settle()
        assert "Lisbon" not in str(model.inputs[-1].context)


async def test_without_a_model_a_message_is_not_quoted_once_a_part_of_it_was_forgotten() -> None:
    async with opened(model="local", run_worker=True, extraction__trigger="on_ingest") as stage:
        talk = alone(stage)
        await talk.ask("hi, I live in Porto and I am allergic to peanuts", place=DM)
        await stage.settle()
        assert "Porto" in await talk.ask(ASKED, place=DM)
        await talk.ask("forget that I live in Porto", place=DM)
        for question in (ASKED, "what did we talk about?", "when did I tell you where I live?"):
            assert "Porto" not in await talk.ask(question, place=DM)
        assert "peanuts" in await talk.ask("what am I allergic to?", place=DM)
