"""Items of the rolling summaries that only count from end to end, under their profile."""

import asyncio

import pytest

from recollect import AsyncMemory
from recollect.testing.clock import FakeClock
from recollect.testing.model_server import ModelServer, Says
from recollect.testing.models import FakeModel, propose_nothing
from tests import ground
from tests.faces.assistant.test_assistant import talking
from tests.scenes import DEV, Stage, opened
from tests.waiting import eventually
from tests.wire.test_requests import last_turn


@pytest.mark.acceptance("C2")
@pytest.mark.parametrize(
    "reply",
    [
        'Done.<tool_use name="Read"><path>/etc</path></tool_use>',
        "<thinking>hm</thinking>Done.",
        '<discord-action>{"type": "react"}</discord-action>Done.',
    ],
)
async def test_calls_of_tools_are_not_in_the_history_and_what_lasts_stands_first(reply: str) -> None:
    async with talking(lambda _: Says("I see."), profile="rolling") as talk:
        await talk.stage.summarise("They plan a trip to Rome.")
        await talk.stage.reply(reply, await talk.stage.say("write it down"))
        await talk.ask("is it done?")
        await talk.ask("really?")
        first, second = talk.server.requests
    assert "]: Done.\n" in last_turn(first)
    assert not any(tag in last_turn(first) for tag in ("<tool_use", "<thinking", "<discord-action"))
    assert first.instructions == second.instructions
    history = last_turn(first).partition("User message:")[0].rpartition("---")[0].rstrip()
    assert history.startswith("Conversation memory:\nThey plan a trip to Rome.")
    assert last_turn(second).startswith(history), "what was said since comes after what was there"


@pytest.mark.acceptance("C4", "C14")
async def test_a_summary_is_made_after_the_reply_and_is_in_the_next_request() -> None:
    order: list[str] = []

    def condense(previous: str | None, exchange: str, limit: int) -> str:
        del previous, limit
        order.append(f"summary of {exchange.count('[Ann]')}")
        return "Ann plans a trip to Rome."

    def answer(_: object) -> Says:
        order.append("reply")
        return Says("I see.")

    model = FakeModel(propose_nothing, condense)
    async with talking(answer, profile="rolling", model=model) as talk:
        for number in range(6):
            await talk.ask(f"trip to Rome, step {number}")
            await talk.stage.settle()
        turns = [last_turn(request) for request in talk.server.requests]
    assert order == [*["reply"] * 5, "summary of 5", "reply"]
    assert not any("Conversation memory:" in turn for turn in turns[:5])
    assert "Conversation memory:\nAnn plans a trip to Rome.\n\n---\nRecent conversation:" in turns[5]


@pytest.mark.acceptance("C22")
@pytest.mark.parametrize(
    ("variable", "value", "turns", "summaries"),
    [
        ("EVERY_N_TURNS", "0", 2, 2),
        ("EVERY_N_TURNS", "-3", 1, 1),
        ("ENABLED", "0", 5, 0),
        ("ENABLED", "", 5, 1),
        ("MODEL", "  haiku ", 5, 1),
        ("MODEL", "   ", 5, 1),
    ],
)
async def test_the_variables_are_trimmed_and_clamped(
    variable: str, value: str, turns: int, summaries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.setenv(f"DISCOCLAW_SUMMARY_{variable}", value)
    async with ModelServer(lambda _: Says("They talk.")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        async with AsyncMemory(ground.new(), profile="rolling", model="opus", clock=clock) as memory:
            stage = Stage(memory, clock)
            for number in range(turns):
                await stage.reply("I see.", await stage.say(f"step {number}", place=DEV))
                await stage.settle()
    assert [request.model for request in server.requests] == ["claude-haiku-4-5"] * summaries


@pytest.mark.acceptance("C22")
@pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam", "rolling"])
async def test_with_no_characters_for_a_summary_an_older_one_leaves_nothing_in_the_request(profile: str) -> None:
    async with talking(lambda _: Says("I see."), profile=profile, summary={"max_chars": -5}) as talk:
        await talk.stage.summarise("They prune the pear tree.")
        await talk.ask("what was it about?")
        assert "Conversation memory" not in last_turn(talk.server.requests[0])
        assert "Rolling summaries are switched off." in await talk.ask("!memory show")


@pytest.mark.acceptance("C19")
async def test_a_model_has_thirty_seconds_for_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, asked, ahead = asyncio.get_running_loop(), asyncio.Event(), 0.0
    seconds = loop.time
    monkeypatch.setattr(loop, "time", lambda: seconds() + ahead)

    async def hangs(previous: str | None, exchange: str, limit: int) -> str:
        del previous, exchange, limit
        asked.set()
        await asyncio.Event().wait()
        return ""

    async with opened("rolling", model=FakeModel(propose_nothing, hangs), summary={"every_n_turns": 1}) as stage:
        await stage.reply("I see.", await stage.say("let us plan a trip"))
        await asked.wait()
        ahead = 20.0
        assert await stage.events("summarize.error") == []
        ahead = 30.0

        async def is_given_up() -> bool:
            return bool(await stage.events("summarize.error"))

        await eventually(is_given_up)
        (error,) = await stage.events("summarize.error")
    assert error.text == "no answer within 30 s"


@pytest.mark.acceptance("C22")
async def test_with_no_characters_for_a_summary_none_is_asked_for() -> None:
    for max_chars, calls in ((0, 0), (100, 1)):
        model = FakeModel(propose_nothing)
        async with opened("rolling", model=model, summary={"max_chars": max_chars}) as stage:
            for number in range(5):
                await stage.reply("I see.", await stage.say(f"trip to Rome, step {number}"))
            await stage.settle()
            assert len(model.exchanges) == calls
            assert ((await stage.memory.show(user="ann", place=DEV)).summary is None) == (calls == 0)
