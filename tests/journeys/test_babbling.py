"""A model answers, and what it says is of no use: it is asked once more, and then plain patterns learn instead."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from recollect.core.reasons import Reason
from recollect.faces.assistant.assistant import Assistant
from recollect.testing.model_server import ModelServer, Overlong, Request, Says, Slow, Status
from tests.scenes import DEV, Stage, opened

PROTOCOLS = pytest.mark.parametrize("model", ["anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"])
SAID = "I live in Lisbon"
LEARNED = {"evidence": SAID, "source": "m1", "text": "Lives in Lisbon.", "kind": "fact", "replaces": []}
GOOD = Says(json.dumps({"upserts": [LEARNED], "deprecations": []}))
LOOP = '{"upserts": [{"evidence": "I live", "source": "m1", "tags": ["lisbon", ' + '"city", ' * 200


def proposing(**fields: Any) -> Says:
    return Says(json.dumps({"upserts": [{**LEARNED, **fields}], "deprecations": []}))


QUOTE = "copied word for word"
BABBLE: dict[str, tuple[Any, str]] = {
    "prose": (Says("Sure! Ann told me where she lives."), "no JSON"),
    "empty": (Says(""), "the answer is empty"),
    "cut inside the first item": (Says('{"upserts": [{"evidence": "I live in Lis', "length"), "cut off"),
    "cut without saying so": (Says('{"upserts": [{"evidence": "I live", "tags": [], "text": "Liv'), "cut off"),
    "a loop": (Says(LOOP, "length"), "repeats itself"),
    "a loop in a text": (proposing(text="Lives in Lisbon and " * 7), "repeats itself"),
    "a loop in tags": (proposing(tags=["home", "city"] * 30), "repeats itself"),
    "a megabyte": (Overlong(), "far too long"),
    "another JSON": (Says('{"answer": "noted"}'), "no facts in the JSON"),
    "nothing but placeholders": (proposing(text="Lives…", evidence="…"), QUOTE),
    "no evidence": (Says(json.dumps({"upserts": [{"kind": "fact", "text": "Lives in Lisbon."}]})), QUOTE),
    "a made-up quote": (proposing(evidence="my home is Lisbon town"), QUOTE),
    "a made-up fact": (proposing(text="Lives in Madrid."), "a name was not said"),
    "the example": (proposing(evidence="I live in Oslo now", text="Lives in Oslo now."), QUOTE),
    "nonsense": (proposing(text="Assistant extract strict facts."), "too few of its words were said"),
    "items that are none": (Says('{"upserts": ["lives in Lisbon", 3], "deprecations": []}'), "no object"),
}
BABBLES = pytest.mark.parametrize(("babble", "error"), BABBLE.values(), ids=BABBLE)


@asynccontextmanager
async def learning(model: str, *answers: Any, **settings: Any) -> AsyncIterator[tuple[Stage, ModelServer]]:
    """Somebody talks while a model learns; after these answers the last one is repeated."""
    *first, last = answers
    off = {"summary": {"enabled": False}, "consolidation": {"enabled": False}}
    async with ModelServer([*first]) as server:
        server.always(last)
        how = {"model": model, "model_base_url": server.url, "run_worker": True, **off, **settings}
        async with opened(**how) as stage:
            yield stage, server


async def told_by(stage: Stage) -> list[tuple[str, str]]:
    """What is remembered, and who learned it."""
    added = {event.memo: event.actor for event in await stage.events("memo.added")}
    shown = await stage.memory.show(user="ann", place=DEV)
    return [(memo.text, added[memo.id]) for memo in shown.memos]


@PROTOCOLS
@BABBLES
async def test_a_model_that_babbles_twice_loses_nothing(model: str, babble: Any, error: str) -> None:
    async with learning(model, babble) as (stage, server):
        said = await stage.tell(SAID)
        assert await told_by(stage) == [("Lives in Lisbon", "local")]
        assert len(server.requests) == 2
        (degraded,) = await stage.events("extract.degraded")
        standing = await stage.memory.worker.status(5)
    assert error in degraded.detail
    assert (degraded.scope, degraded.data["message"]) == ("user:discord:ann", f"discord/{said.id}")
    assert degraded.reason is Reason.LEARNED_BY_FALLBACK
    assert standing.events["extract.degraded"][0] == 1
    assert "failed" not in standing.counts


@PROTOCOLS
@BABBLES
async def test_a_model_that_babbles_once_is_told_why_and_asked_once_more(model: str, babble: Any, error: str) -> None:
    async with learning(model, babble, GOOD) as (stage, server):
        await stage.tell(SAID)
        assert await told_by(stage) == [("Lives in Lisbon.", model)]
        assert await stage.events("extract.degraded") == []
        (call,) = await stage.events("extract.call")
        assert len(await stage.events("extract.error")) == 1
    first, second = server.requests
    assert second.text == first.text
    assert "could not be used" not in first.instructions
    assert second.instructions.startswith(first.instructions)
    _, told, objection = second.instructions.partition("Your last answer to this could not be used: ")
    assert told
    assert error in objection
    assert (call.data["requests"], call.data["input"] > 0) == (2, True)


@PROTOCOLS
@pytest.mark.parametrize("empty", ['{"upserts": [], "deprecations": []}', "[]", "{}", "```json\n{}\n```"])
async def test_an_answer_that_there_is_nothing_to_learn_is_no_babble(model: str, empty: str) -> None:
    async with learning(model, Says(empty)) as (stage, server):
        await stage.tell(SAID)
        assert await stage.known() == []
        assert len(server.requests) == 1
        assert await stage.events("extract.degraded") == await stage.events("extract.error") == []


@PROTOCOLS
async def test_a_refusal_by_the_guard_is_no_babble(model: str) -> None:
    """What the speaker said in jest is refused for good reason: asking again would only cost."""
    async with learning(model, GOOD) as (stage, server):
        await stage.tell("If I win the lottery, I live in Lisbon")
        assert await stage.known() == []
        assert len(server.requests) == 1
        assert await stage.events("extract.degraded") == []


@PROTOCOLS
async def test_a_memo_that_a_model_names_is_retired_only_by_words_that_end_it(model: str) -> None:
    def ends(evidence: str) -> Says:
        return Says(json.dumps({"upserts": [], "deprecations": [{"evidence": evidence, "id": "k1"}]}))

    async with learning(model, GOOD, ends("I sold the flat"), ends("what a day"), ends("I sold the flat")) as (
        stage,
        _,
    ):
        for text in (SAID, "so tired today", "what a day"):
            await stage.tell(text)
            assert await told_by(stage) == [("Lives in Lisbon.", model)]
        await stage.tell("I sold the flat and moved out")
        assert await told_by(stage) == []


@PROTOCOLS
@pytest.mark.parametrize(
    "refusal", [Status(400, "exceeds the context"), Says("I can't.", "refusal")], ids=["400", "no"]
)
async def test_a_request_that_a_model_does_not_take_is_learned_by_the_floor(model: str, refusal: Any) -> None:
    async with learning(model, refusal) as (stage, _):
        await stage.tell(SAID)
        assert await told_by(stage) == [("Lives in Lisbon", "local")]
        assert len(await stage.events("extract.degraded")) == 1


@PROTOCOLS
async def test_a_model_that_never_answers_is_slow_and_not_down(model: str) -> None:
    how = {"extraction": {"timeout": "200ms"}}
    async with learning(model, Slow(asyncio.Event()), **how) as (stage, _):
        await stage.tell(SAID)
        assert await told_by(stage) == [("Lives in Lisbon", "local")]
        (degraded,) = await stage.events("extract.degraded")
    assert degraded.detail == "no answer within 0 s"


@PROTOCOLS
async def test_of_an_answer_cut_off_twice_the_whole_facts_count(model: str) -> None:
    cut = Says(json.dumps({"upserts": [LEARNED]})[:-2] + ', {"kind": "fact", "text": "Li', "length")
    async with learning(model, cut) as (stage, server):
        await stage.tell(f"{SAID}. I play the cello")
        assert await told_by(stage) == [("Lives in Lisbon.", model)]
        assert len(server.requests) == 2
        (degraded,) = await stage.events("extract.degraded")
    assert degraded.reason is Reason.LEARNED_IN_PART


@PROTOCOLS
async def test_an_outage_between_the_two_waits_as_any_outage(model: str) -> None:
    async with learning(model, BABBLE["prose"][0], Status(529), GOOD) as (stage, server):
        await stage.say(SAID)
        assert not await stage.memory.worker.wait_idle(10)
        assert await stage.known() == []
        assert (await stage.memory.worker.status(1)).jobs[0].attempts <= 1
        assert len(server.requests) == 2
        assert await stage.events("extract.degraded") == []


async def test_without_a_model_nothing_is_learned_as_ever() -> None:
    async with opened(model="null", run_worker=True) as stage:
        await stage.tell(SAID)
        assert await stage.known() == []
        assert await stage.events("extract.degraded") == []


async def test_what_is_told_to_the_assistant_survives_a_model_that_can_only_chat() -> None:
    def chats(request: Request) -> Says:
        return Says("How nice!")

    async with learning("anthropic:claude-haiku-4-5", chats) as (stage, _):
        assistant = Assistant(stage.memory, clock=stage.clock)
        reply = await assistant.reply(stage.message(SAID))
        assert reply.text
        await stage.settle()
        assert await told_by(stage) == [("Lives in Lisbon", "local")]


SUMMARY = "Ann lives in Lisbon."
NO_SUMMARY = {
    "empty": Says(""),
    "blank": Says(" \n"),
    "JSON": Says('{"upserts": [], "deprecations": []}'),
    "JSON in a fence": Says('```json\n{"summary": "Ann"}\n```'),
    "JSON cut off": Says('[{"summary": "Ann lives in', "length"),
}


@PROTOCOLS
@pytest.mark.parametrize("babble", NO_SUMMARY.values(), ids=NO_SUMMARY)
async def test_a_good_summary_is_not_replaced_by_babble_and_what_was_said_comes_with_the_next(
    model: str, babble: Any
) -> None:
    answers = [Says(SUMMARY), babble, Says("Ann moves to Porto.")]
    how = {"summary": {"enabled": True, "every_n_turns": 1}, "extraction": {"enabled": False}}
    async with learning(model, *answers, **how) as (stage, server):
        for text in (SAID, "I move to Porto", "in May, I think"):
            await stage.reply("I see", await stage.say(text))
            await stage.settle()
            if text == "I move to Porto":
                shown = await stage.memory.show(user="ann", place=DEV)
                (error,) = await stage.events("summarize.error")
        after = await stage.memory.show(user="ann", place=DEV)
    assert shown.summary is not None
    assert (shown.summary.text, shown.summary.sequence) == (SUMMARY, 1)
    assert error.reason in (Reason.NO_SUMMARY, Reason.NO_PROSE)
    assert after.summary is not None
    assert after.summary.text == "Ann moves to Porto."
    last = server.requests[-1].text
    assert "I move to Porto" in last
    assert "in May, I think" in last
    assert SUMMARY in last
