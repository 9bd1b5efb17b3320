"""`recollect chat` with a model: what it does is shown, it can be stopped, tried again, changed, and what it costs."""

import asyncio
from collections import deque
from pathlib import Path

import pytest

from recollect.testing.model_server import (
    Answer,
    Calls,
    CutOff,
    Garbage,
    ModelServer,
    Request,
    Says,
    Slow,
    Status,
    WrongShape,
)
from tests.journeys.test_chat import chatting, with_a_model

pytestmark = pytest.mark.usefixtures("folder")

BOTH = ("openai:gpt-5-mini", "anthropic:claude-haiku-4-5")
"""A model of either protocol."""
ESCAPE = "\x1b"
SEARCH = Calls("memory", {"action": "search", "query": "where do I live"})


@pytest.mark.slow
@pytest.mark.parametrize("model", BOTH)
async def test_tools_are_shown_replies_stopped_tried_again_and_counted(folder: Path, model: str) -> None:
    never, asked = asyncio.Event(), asyncio.Event()
    answers: deque[Answer] = deque([SEARCH, Says("In Lisbon.", input=1000, output=20), Slow(never), Says("Once upon.")])

    def answer(request: Request) -> Answer:
        asked.set()
        return answers.popleft() if answers else Says(f"{request.model} here.")

    async with ModelServer(answer) as server:
        terminal = await asyncio.to_thread(chatting, folder, **with_a_model(server, model=model))

        async def say(text: str) -> str:
            return await asyncio.to_thread(terminal.say, text)

        with terminal:
            await say("!memory remember I live in Lisbon")
            told = await say("where do I live?")
            assert told.index("· memory search: where do I live") < told.index("In Lisbon.")
            assert "The last reply: " in (cost := await say("/cost"))
            assert " out, about $" in cost
            assert "I live in Lisbon" in (brief := await say("/why"))
            assert "/why all shows" in brief
            assert "    why: " in await say("/why all")
            asked.clear()
            terminal.write("tell me a very long story\r")
            await asked.wait()
            terminal.write(ESCAPE)
            assert "(stopped; /retry has it answered again)" in await asyncio.to_thread(terminal.prompt)
            assert "Once upon." in await say("/retry")
            other = next(name for name in BOTH if name != model)  # of the other protocol
            assert f"{other} answers from now on" in await say(f"/model {other}")
            assert f"{other.partition(':')[2]} here." in await say("who are you?")
            assert f"Model: {other}" in await say("/model")
            assert "can't chat" in await say("/model local")
            assert "1. I live in Lisbon" in await say("/show")
            assert 'Changed to: "I live in Porto"' in await say("/edit 1 I live in Porto")
            assert "Said by you" in await say("/why 1")
            assert "Forgot 1 memory" in await say("/forget 1")
            assert "Traceback" not in terminal.raw
            assert "pydantic" not in terminal.raw  # the library has a banner


@pytest.mark.slow
@pytest.mark.parametrize("model", BOTH)
async def test_every_fault_is_told_in_words_without_an_address(folder: Path, model: str) -> None:
    faults: list[Answer] = [
        Status(429),
        Status(500),
        Status(400, "Unsupported parameter: max_tokens"),
        Status(404, "no such model"),
        CutOff(10),
        Garbage(),
        WrongShape(),
        Says("", stop="refusal"),
        Says(""),
    ]
    current: list[Answer] = []
    async with ModelServer(lambda _: current[0]) as server:
        terminal = await asyncio.to_thread(chatting, folder, **with_a_model(server, model=model))
        with terminal:
            for fault in faults:
                current[:] = [fault]
                told = " ".join((await asyncio.to_thread(terminal.say, "what do you see out there?")).split())
                assert "My model gave no answer" in told or "My model can't be reached" in told, (fault, told)
                said = told.rpartition("My model")[2]
                assert not any(word in said for word in ("127.0.0.1", "Traceback", "Error", "{", "http")), (fault, told)
            current[:] = [Says("All is well.")]
            assert "All is well." in await asyncio.to_thread(terminal.say, "/retry")


@pytest.mark.slow
async def test_what_goes_wrong_is_told_in_words_and_a_loop_is_stopped(folder: Path) -> None:
    answers: deque[Answer] = deque([Status(401), Says("I see it again and again. " * 200), *([SEARCH] * 40)])
    async with ModelServer(lambda _: answers.popleft()) as server:

        def talk() -> tuple[str, ...]:
            with chatting(folder, **with_a_model(server)) as terminal:
                said = tuple(terminal.say(text) for text in ("hello you", "what do you see?", "look it up"))
                assert str(server.url.split(":")[-1].split("/")[0]) not in terminal.raw.partition("›")[2]
                return said

        refused, repeats, loops = await asyncio.to_thread(talk)
    assert "My model gave no answer (its key was refused: recollect setup sets another)" in " ".join(refused.split())
    assert "it began to repeat itself and was stopped" in " ".join(repeats.split())
    assert "it kept using its tools without an answer and was stopped" in " ".join(loops.split())
    assert len(answers) > 20
