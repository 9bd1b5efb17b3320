"""Against the real OpenAI Agents SDK; run by `make test-adapters`."""

import pytest

pytest.importorskip("agents", reason="make test-adapters installs it")

from agents import Agent, Model, ModelResponse, Runner, Usage
from agents.memory import Session
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from recollect import AsyncMemory, Memory, Place
from recollect.adapters.openai_agents import RecollectSession, remembering


class Scripted(Model):
    def __init__(self, *replies: str):
        self.replies, self.seen = list(replies), []

    async def get_response(self, system_instructions, input, *args, **kwargs):
        self.seen.append((system_instructions, input))
        text = ResponseOutputText(text=self.replies.pop(0), type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def test_a_session_keeps_what_was_said_and_the_instructions_tell_what_is_known():
    async with AsyncMemory("sqlite://", embedder="null", model="local") as memory:
        await memory.remember("Allergic to nuts", user="ann")
        session = RecollectSession("chat-1", memory, user="ann")
        assert isinstance(session, Session)
        llm = Scripted("No nuts.", "Lisbon.")
        agent = Agent("helper", instructions=remembering(memory, user="ann", instructions="Be brief."), model=llm)
        await Runner.run(agent, "What should I eat?", session=session)
        result = await Runner.run(agent, "Where do I live?", session=session)
        assert result.final_output == "Lisbon."
        assert llm.seen[0][0].startswith("Be brief.")
        assert "Allergic to nuts" in llm.seen[0][0]
        assert [item["content"] for item in llm.seen[1][1]] == ["What should I eat?", "No nuts.", "Where do I live?"]
        assert await RecollectSession("chat-2", memory, user="ann").get_items() == []
        assert await RecollectSession("chat-1", memory, user="ben").get_items() == []
        assert await session.get_items(limit=1) == [{"role": "assistant", "content": "Lisbon."}]
        assert (await session.pop_item())["content"] == "Lisbon."
        assert len(await session.get_items()) == 3
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None


async def test_a_blocking_memory_works_too_and_items_that_nobody_said_are_left_out():
    with Memory("sqlite://", embedder="null", model="local") as memory:
        session = RecollectSession("s", memory, user=7)
        call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
        await session.add_items([{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}, call])
        assert await session.get_items() == [{"role": "user", "content": "Hi"}]
        with pytest.raises(ValueError):
            RecollectSession("s", memory, user="ann", place=Place(dm="ben"))
