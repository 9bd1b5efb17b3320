"""`recollect chat` with a model: what it does is shown, it can be stopped, tried again, changed, and what it costs."""

import asyncio
from collections import deque
from pathlib import Path

import pytest

from recollect.testing.model_server import Answer, Calls, ModelServer, Request, Says, Slow, Status
from tests.journeys.test_chat import chatting, with_a_model

pytestmark = pytest.mark.usefixtures("folder")

ESCAPE = "\x1b"
SEARCH = Calls("memory", {"action": "search", "query": "where do I live"})


@pytest.mark.slow
async def test_tools_are_shown_replies_stopped_tried_again_and_counted(folder: Path) -> None:
    never, asked = asyncio.Event(), asyncio.Event()
    answers: deque[Answer] = deque([SEARCH, Says("In Lisbon.", input=1000, output=20), Slow(never), Says("Once upon.")])

    def answer(request: Request) -> Answer:
        asked.set()
        return answers.popleft() if answers else Says(f"{request.model} here.")

    async with ModelServer(answer) as server:
        terminal = await asyncio.to_thread(chatting, folder, **with_a_model(server))

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
            assert "openai:gpt-5-nano answers from now on" in await say("/model openai:gpt-5-nano")
            assert "gpt-5-nano here." in await say("who are you?")
            assert "Model: openai:gpt-5-nano" in await say("/model")
            assert "can't chat" in await say("/model local")
            assert "1. I live in Lisbon" in await say("/show")
            assert 'Changed to: "I live in Porto"' in await say("/edit 1 I live in Porto")
            assert "Said by you" in await say("/why 1")
            assert "Forgot 1 memory" in await say("/forget 1")
            assert "Traceback" not in terminal.raw
            assert "pydantic" not in terminal.raw  # the library has a banner


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
