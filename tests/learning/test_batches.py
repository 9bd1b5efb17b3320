"""When a model is asked: messages pass a gate, wait in batches, and are acknowledged by the local extractor at once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect import Place
from recollect.core.errors import ModelUnavailable
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Usage
from recollect.core.types import Message
from recollect.learning import batches, budget
from recollect.testing.models import BlockingModel, FakeModel, proposal_for, propose_everything, propose_nothing
from tests.scenes import DEV, DM, GENERAL, Stage, opened
from tests.waiting import eventually

BATCH = {"extraction__trigger": "batch", "summary__enabled": False}
LONG = "I moved to Lisbon and " + "walked along the river " * 40  # about 240 tokens


def texts(model: FakeModel) -> list[list[str]]:
    """What the model read, call by call."""
    return [[message.text for message in extraction_input.messages] for extraction_input in model.inputs]


async def test_chatter_costs_no_call_and_the_rest_waits_for_one_call_per_speaker_and_place() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        for text in ("lol", "nice one!", "the build is green again", "what time is it there?", "👍", "ok thanks"):
            await stage.tell(text)
        stage.clock.advance(minutes=10)
        await stage.settle()
        assert model.inputs == []
        for text in ("I live in Porto", "I love climbing"):
            await stage.memory.add(stage.message(text))
            await stage.memory.add(stage.message(text, user="bob"))
            await stage.memory.add(stage.message(text, place=GENERAL))
        await stage.settle()
        assert model.inputs == []
        stage.clock.advance(minutes=4)
        await stage.settle()
        assert model.inputs == []
        stage.clock.advance(minutes=2)
        await stage.settle()
    assert texts(model) == [["I live in Porto", "I love climbing"]] * 3
    assert {(each.messages[0].author, each.messages[0].place.channel) for each in model.inputs} == {
        ("ann", "c-dev"),
        ("bob", "c-dev"),
        ("ann", "c-general"),
    }


async def test_a_batch_waits_for_silence_but_not_for_ever() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        for number in range(12):
            await stage.memory.add(stage.message(f"I have {number} cats"))
            await stage.settle()
            stage.clock.advance(minutes=2)
            await stage.settle()
        assert [len(each) for each in texts(model)] == [10]  # after 20 minutes, though never silent for 5


async def test_the_local_extractor_learns_before_the_model_is_called() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        message = await stage.tell("I live in Porto")
        (memo,) = (await stage.memory.show(user="ann", place=DEV)).memos
    assert (memo.text, memo.source.message) == ("Lives in Porto", message.id)
    assert texts(model) == [["I live in Porto"]]  # when the process ended


async def test_a_model_that_answers_nothing_learns_no_less_than_none() -> None:
    said = [
        f"My {pet} is called Miso{number}" for number, pet in enumerate(("cat", "dog", "parrot", "hamster", "horse"))
    ]
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        await asyncio.gather(*(stage.memory.add(stage.message(text), wait=True) for text in said))
        known = await stage.known(place=DEV)
    assert model.inputs
    assert {f"Miso{number}" for number in range(len(said))} <= {text.split()[-1] for text in known}


async def test_while_the_model_cannot_be_reached_what_is_said_is_acknowledged_all_the_same() -> None:
    def down(heard: ExtractionInput) -> ExtractionResult:
        raise ModelUnavailable("down")

    async with opened(model=FakeModel(down), **BATCH) as stage:
        first = stage.message("I live in Porto")
        await stage.memory.add(first)
        assert not (await stage.memory.wait_learned(first, 60)).done
        second = stage.message("I have two cats")
        await stage.memory.add(second)
        assert (await stage.memory.wait_learned(second, 60, closes_batch=False)).memos
        assert "Has two cats" in await stage.known(place=DEV)


async def test_a_large_batch_closes_at_once() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        for _ in range(8):
            await stage.memory.add(stage.message(LONG))
            await stage.settle()
        assert model.inputs == []
        await stage.memory.add(stage.message(LONG))
        await stage.settle()
        assert [len(each) for each in texts(model)] == [8, 1]  # one call reads about 2,000 tokens


@pytest.mark.parametrize(
    "text",
    [
        "remember that I prefer tea",
        "Actually I live in Braga, not Porto",
        "scratch that, we meet on Monday",
        "From now on answer me in German",
        "Merk dir bitte, dass ich Vegetarier bin",
        "Souviens-toi que j'habite à Lyon",
        "Recuerda que soy vegetariana",
        "Lembre-se que eu moro em Lisboa",
        "私は魚が苦手だと覚えておいて",
    ],
)
async def test_a_correction_and_a_request_to_remember_close_the_batch_at_once(text: str) -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        await stage.memory.add(stage.message("I live in Porto"))
        await stage.memory.add(stage.message(text))
        await stage.settle()
        assert texts(model) == [["I live in Porto", text]]


@pytest.mark.parametrize("how", ["in a DM", "by replying", "answered", "context"])
async def test_a_batch_closes_when_its_speaker_addresses_the_assistant_anywhere(how: str) -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        bot = await stage.say("Morning, all.", "bot", GENERAL, bot=True)
        await stage.memory.add(stage.message("I live in Porto"))
        await stage.memory.add(stage.message("I live in Braga", user="bob"))
        await stage.settle()
        assert model.inputs == []
        asked = stage.message("what is new?", place=DM if how == "in a DM" else GENERAL)
        asked = replace(asked, reply_to=bot.id) if how == "by replying" else asked
        await stage.memory.add(asked)
        if how == "answered":
            await stage.reply("Not much.", asked)
        if how == "context":
            await stage.memory.context(asked)
        await eventually(lambda: bool(model.inputs))
        await stage.settle()
        assert texts(model) == [["I live in Porto"]]


async def test_a_prompt_that_is_only_looked_at_closes_nothing() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        await stage.memory.add(stage.message("I live in Porto"))
        await stage.memory.context(stage.message("what is new?"), count_use=False)
        await stage.settle()
        assert model.inputs == []


async def test_a_conversation_with_the_assistant_is_a_batch_too() -> None:
    """The assistant reads its last messages in the history anyway; what is urgent closes it."""
    model = FakeModel(propose_nothing)
    said = [f"I have {number} cats" for number in range(5)]
    async with opened(model=model, **BATCH) as stage:
        for text in said:
            await stage.memory.add(stage.message(text, place=DM))
            await stage.settle()
        assert texts(model) == []
        stage.clock.advance(minutes=6)  # of silence
        await stage.settle()
        assert texts(model) == [said]
        stage.clock.advance(minutes=30)
        await stage.memory.add(stage.message("remember that I like tea", place=DM))
        await stage.settle()
        assert texts(model)[1:] == [["remember that I like tea"]]


async def test_a_batch_closes_when_someone_waits_or_the_conversation_ends() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, **BATCH) as stage:
        first = stage.message("I live in Porto")
        await stage.memory.add(first)
        assert (await stage.memory.wait_learned(first, 60)).done
        assert texts(model) == [["I live in Porto"]]
        await stage.memory.add(stage.message("I have two cats"))
        assert await stage.memory.flush(DEV) == 1
        await stage.settle()
        assert len(model.inputs) == 2
        await stage.memory.add(stage.message("I play chess"))
        await stage.memory.reset(user="ann", place=DEV)
        await stage.settle()
        assert len(model.inputs) == 3
        assert await stage.memory.flush(DEV) == 0
        await stage.memory.add(stage.message("I like tea"))
    assert texts(model)[-1] == ["I like tea"]  # the process ended


async def test_what_is_said_while_the_model_reads_waits_for_its_own_batch() -> None:
    model = BlockingModel()
    async with opened(model=model, **BATCH) as stage:
        await stage.memory.add(stage.message("I live in Porto"))
        await stage.memory.flush(DEV)
        await model.asked.wait()
        await stage.memory.add(stage.message("I have two cats"))
        model.answer.set()
        await stage.settle()
        assert texts(model) == [["I live in Porto"]]
        stage.clock.advance(minutes=6)
        await stage.settle()
        assert texts(model)[1:] == [["I have two cats"]]


async def test_the_model_confirms_without_a_change_and_revises_without_a_duplicate() -> None:
    def learns(heard: ExtractionInput) -> ExtractionResult:
        said = {"I live in Porto": "Lives in Porto", "I work at Acme as a plumber": "Is a plumber employed at Acme"}
        return ExtractionResult(tuple(proposal_for(message, said[message.text]) for message in heard.messages))

    async with opened(model=FakeModel(learns), **BATCH) as stage:
        for text in ("I live in Porto", "I work at Acme as a plumber"):
            await stage.memory.add(stage.message(text))
        await stage.settle()
        before = await stage.known(place=DEV)
        await stage.memory.flush(DEV)
        await stage.settle()
        assert sorted(await stage.known(place=DEV)) == ["Is a plumber employed at Acme", "Lives in Porto"]
        assert len(await stage.events("memo.added")) == 2
        assert len(await stage.events("memo.revised")) == 1
        (job,) = [memo for memo in (await stage.memory.show(user="ann", place=DEV)).memos if "plumber" in memo.text]
        assert job.source.evidence == "I work at Acme as a plumber"
        await stage.memory.undo(user="ann", place=DEV)
        assert sorted(await stage.known(place=DEV)) == sorted(before)


async def test_an_edited_and_a_deleted_message_of_a_batch_take_back_what_they_said() -> None:
    model = FakeModel(propose_everything)
    async with opened(model=model, **BATCH) as stage:
        said = [stage.message(text) for text in ("I live in Porto", "I have two cats", "I play chess")]
        for message in said:
            await stage.memory.add(message)
        await stage.settle()
        await stage.memory.message_deleted("discord", said[0].id)
        await stage.memory.message_edited("discord", said[1].id, "I have three dogs")
        await stage.settle()
        assert texts(model) == [["I have three dogs", "I play chess"]]
        stage.clock.advance(minutes=1)
        await stage.memory.message_deleted("discord", said[2].id)
        known = " ".join(await stage.known(place=DEV))
    assert "three dogs" in known
    assert not any(word in known for word in ("Porto", "cats", "chess"))


async def test_the_cap_on_facts_is_per_message_of_a_batch() -> None:
    def learns(heard: ExtractionInput) -> ExtractionResult:
        sentences = [(said, text) for said in heard.messages for text in said.text.split(". ")]
        proposals = (Proposal(text, "fact", text, said.id) for said, text in sentences)
        return ExtractionResult(tuple(proposals), usage=Usage(1, 10, 5))

    async with opened(model=FakeModel(learns), extraction__max_facts=2, **BATCH) as stage:
        await stage.memory.add(stage.message("I live in Porto. I own a boat. I play chess. I speak Polish"))
        await stage.memory.add(stage.message("I have two cats"))
        await stage.memory.flush(DEV)
        await stage.settle()
        (call,) = await stage.events("extract.call")
    assert call.text == "5 proposed, 3 taken"


async def spend(stage: Stage, text: str, **how: object) -> Message:
    message = stage.message(text, **how)  # type: ignore[arg-type]
    await stage.memory.add(message)
    await stage.memory.wait_learned(message, 60)
    return message


async def test_a_spent_budget_pauses_the_model_of_its_server_until_the_next_day(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = FakeModel(lambda heard: ExtractionResult(usage=Usage(1, 900, 200)))
    elsewhere = Place("discord", "g9", "c-9", public=True)
    limits = {"extraction__trigger": "batch", "extraction__daily_tokens": 2_000}
    async with opened(model=model, **limits) as stage:
        for text in ("I live in Porto", "I have two cats", "I play chess", "I like tea"):
            await spend(stage, text)
        assert len(model.inputs) == 2
        assert caplog.text.count(budget.PAUSED) == 1
        assert "Plays chess" in await stage.known(place=DEV)  # the local extractor goes on
        shown = await stage.memory.show(user="ann", place=DEV)
        assert [line for line in shown.off if "budget" in line]
        assert not (await stage.memory.show(user="ann", place=elsewhere)).off
        await spend(stage, "I speak Polish", place=elsewhere)
        assert len(model.inputs) == 3
        paused = await stage.memory.store.read(
            lambda tx: budget.TokenBudget(2_000).paused(tx, stage.clock())  # what the page and the API show
        )
        assert paused == ["discord:g1"]
        stage.clock.advance(days=1)
        await stage.settle()
        assert texts(model)[3:] == [["I play chess", "I like tea"]]
        assert not (await stage.memory.show(user="ann", place=DEV)).off


async def test_a_summary_waits_for_the_next_day_too() -> None:
    model = FakeModel(propose_nothing)
    async with opened(
        model=model, extraction__daily_tokens=100, extraction__trigger="batch", summary__every_n_turns=1
    ) as stage:
        for _ in range(3):
            asked = await stage.say("the build is green")
            await stage.reply("Good.", asked)
            await stage.settle()
        assert len(model.exchanges) == 1
        stage.clock.advance(days=1)
        await stage.settle()
        assert len(model.exchanges) == 2


async def test_other_triggers_are_left_alone_by_the_gate() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model, extraction__trigger="on_ingest") as stage:
        await stage.tell("the build is green again")
        assert texts(model) == [["the build is green again"]]


def test_a_batch_waits_for_minutes_not_hours() -> None:
    assert timedelta(minutes=2) <= batches.WINDOW <= timedelta(minutes=10)
