"""The loopback model server, asked through the providers' own libraries."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import openai
import pytest
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from recollect.testing.model_server import Calls, CutOff, Garbage, ModelServer, Overlong, Says, Slow, Status, WrongShape
from tests.waiting import eventually

KEY = "sk-" + "not-a-real-key"
HELLO: list[Any] = [{"role": "user", "content": "Hi there."}]
PROTOCOLS = ["anthropic", "chat", "responses"]


@asynccontextmanager
async def claude(server: ModelServer, timeout: float = 10) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(api_key=KEY, base_url=server.root, max_retries=0, timeout=timeout) as client:
        yield client


@asynccontextmanager
async def gpt(server: ModelServer, timeout: float = 10) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key=KEY, base_url=server.url, max_retries=0, timeout=timeout) as client:
        yield client


async def ask(protocol: str, server: ModelServer, timeout: float = 10) -> tuple[str, int, int]:
    """Text and tokens of one answer."""
    if protocol == "anthropic":
        async with claude(server, timeout) as client:
            message = await client.messages.create(model="some-model", max_tokens=9, messages=HELLO)
            said = "".join(block.text for block in message.content if block.type == "text")
            return said, message.usage.input_tokens, message.usage.output_tokens
    async with gpt(server, timeout) as client:
        if protocol == "chat":
            chat = await client.chat.completions.create(model="some-model", messages=HELLO)
            assert chat.usage
            return chat.choices[0].message.content or "", chat.usage.prompt_tokens, chat.usage.completion_tokens
        answer = await client.responses.create(model="some-model", input=HELLO)
        assert answer.usage
        return answer.output_text, answer.usage.input_tokens, answer.usage.output_tokens


async def stream(protocol: str, server: ModelServer) -> list[str]:
    """The pieces of a streamed answer."""
    if protocol == "anthropic":
        async with (
            claude(server) as client,
            client.messages.stream(model="some-model", max_tokens=9, messages=HELLO) as events,
        ):
            return [piece async for piece in events.text_stream]
    async with gpt(server) as client:
        if protocol == "chat":
            chunks = await client.chat.completions.create(model="some-model", messages=HELLO, stream=True)
            return [c.choices[0].delta.content async for c in chunks if c.choices and c.choices[0].delta.content]
        got = await client.responses.create(model="some-model", input=HELLO, stream=True)
        return [event.delta async for event in got if event.type == "response.output_text.delta"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_it_says_what_it_is_told_and_counts_tokens(protocol: str):
    async with ModelServer(Says("Good morning.", input=12, output=3)) as server:
        assert await ask(protocol, server) == ("Good morning.", 12, 3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_requests_are_recorded_without_the_api_key(protocol: str):
    async with ModelServer() as server:
        await ask(protocol, server)
        (request,) = server.requests
    assert (request.model, request.text, request.tools) == ("some-model", "Hi there.", [])
    assert request.headers["authorization"] == "***"
    assert KEY not in repr(dict(request.headers))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_streamed_answer_comes_in_pieces(protocol: str):
    async with ModelServer(Says("One two three four five six.")) as server:
        pieces = await stream(protocol, server)
    assert len(pieces) > 1
    assert "".join(pieces) == "One two three four five six."


async def test_a_tool_is_called_in_each_protocol():
    asked = {"query": "where do I live"}
    tool: Any = {"name": "search", "description": "x", "input_schema": {"type": "object"}}
    async with ModelServer(Calls("search", asked, text="Let me look.")) as server:
        async with claude(server) as client:
            message = await client.messages.create(model="m", max_tokens=9, messages=HELLO, tools=[tool])
            assert message.stop_reason == "tool_use"
            assert [(block.name, block.input) for block in message.content if block.type == "tool_use"] == [
                ("search", asked)
            ]
            async with client.messages.stream(model="m", max_tokens=9, messages=HELLO, tools=[tool]) as events:
                last = (await events.get_final_message()).content[-1]
                assert last.type == "tool_use"
                assert last.input == asked
        async with gpt(server) as client:
            chat = await client.chat.completions.create(model="m", messages=HELLO)
            (call,) = chat.choices[0].message.tool_calls or []
            assert call.type == "function"
            assert json.loads(call.function.arguments) == asked
            answer = await client.responses.create(model="m", input=HELLO)
            assert [item.type for item in answer.output] == ["message", "function_call"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_agent_calls_its_tool_and_answers_also_when_streamed(protocol: str):
    homes: list[str] = []

    def home_of(name: str) -> str:
        homes.append(name)
        return "Lisbon"

    agent = Agent(tools=[home_of])
    script = [Calls("home_of", {"name": "Ada"}), Says("Ada lives in Lisbon.")]
    async with ModelServer([*script, *script]) as server, claude(server) as first, gpt(server) as second:
        model = {
            "anthropic": AnthropicModel("claude-haiku-4-5", provider=AnthropicProvider(anthropic_client=first)),
            "chat": OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=second)),
            "responses": OpenAIResponsesModel("gpt-4o", provider=OpenAIProvider(openai_client=second)),
        }[protocol]
        whole = await agent.run("Where does Ada live?", model=model)
        async with agent.run_stream("Where does Ada live?", model=model) as streamed:
            pieces = [piece async for piece in streamed.stream_text(delta=True, debounce_by=None)]
    assert whole.output == "".join(pieces) == "Ada lives in Lisbon."
    assert homes == ["Ada", "Ada"]
    assert whole.usage.output_tokens == streamed.usage.output_tokens > 0
    assert [tool.get("name") or tool["function"]["name"] for tool in server.requests[0].tools] == ["home_of"]


async def test_the_models_are_listed_for_both_libraries():
    async with ModelServer(models=["small", "large"]) as server, gpt(server) as first, claude(server) as second:
        assert [model.id async for model in first.models.list()] == ["small", "large"]
        assert [model.id async for model in second.models.list()] == ["small", "large"]
        assert server.requests == []


async def test_a_script_runs_in_order_and_then_all_is_well():
    async with ModelServer([Says("first"), Status(500), Says("third")]) as server:
        assert (await ask("chat", server))[0] == "first"
        with pytest.raises(openai.InternalServerError):
            await ask("chat", server)
        assert [(await ask("chat", server))[0] for _ in range(3)] == ["third", "ok", "ok"]
        server.always(Says("later"))
        assert (await ask("anthropic", server))[0] == "later"


async def test_an_answer_may_depend_on_the_request():
    async with ModelServer(lambda request: Says(request.text.upper())) as server:
        assert (await ask("responses", server))[0] == "HI THERE."


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_busy_server_says_when_to_come_back(protocol: str):
    library = anthropic if protocol == "anthropic" else openai
    async with ModelServer(Status(429, "slow down", retry_after=7)) as server:
        with pytest.raises(library.RateLimitError, match="slow down") as raised:
            await ask(protocol, server)
    assert raised.value.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("after", [0, 20, 120])
async def test_a_connection_is_cut_in_the_middle_of_the_body(protocol: str, after: int):
    library = anthropic if protocol == "anthropic" else openai
    async with ModelServer(CutOff(after)) as server:
        with pytest.raises(library.APIConnectionError):
            await ask(protocol, server)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_garbage_is_no_json(protocol: str):
    async with ModelServer(Garbage()) as server:
        with pytest.raises((ValueError, anthropic.APIError, openai.APIError)):
            await ask(protocol, server)


async def test_json_of_another_shape_arrives_as_it_is():
    async with ModelServer(WrongShape({"result": 1})) as server, gpt(server) as client:
        answer = await client.chat.completions.with_raw_response.create(model="m", messages=HELLO)
        assert json.loads(answer.text) == {"result": 1}


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_overlong_answer_arrives_in_full(protocol: str):
    async with ModelServer(Overlong(1_000_000)) as server:
        assert len((await ask(protocol, server))[0]) == 1_000_000


async def test_a_slow_answer_waits_for_its_event():
    go = asyncio.Event()
    async with ModelServer(Slow(go, Says("at last"))) as server:
        asked = asyncio.create_task(ask("anthropic", server))
        await eventually(lambda: bool(server.requests))
        assert not asked.done()
        go.set()
        assert (await asked)[0] == "at last"


async def test_a_server_that_hangs_is_given_up_by_its_client_and_can_be_stopped():
    async with ModelServer(Slow(asyncio.Event())) as server:
        with pytest.raises(openai.APITimeoutError):
            await ask("chat", server, timeout=0.05)
    assert not server._talks


async def test_many_requests_at_once_are_all_answered():
    async with ModelServer(lambda request: Says(request.text)) as server, gpt(server) as client:

        async def echo(number: int) -> str:
            turn: Any = [{"role": "user", "content": f"number {number}"}]
            chat = await client.chat.completions.create(model="m", messages=turn)
            return chat.choices[0].message.content or ""

        heard = await asyncio.gather(*(echo(number) for number in range(100)))
    assert heard == [f"number {number}" for number in range(100)]
    assert len(server.requests) == 100


async def test_a_stopped_server_refuses_and_comes_back_on_the_same_port():
    async with ModelServer() as server:
        url = server.url
        await server.stop()
        with pytest.raises(openai.APIConnectionError):
            await ask("chat", server)
        await server.start()
        assert server.url == url
        assert (await ask("chat", server))[0] == "ok"


async def test_an_unknown_path_is_not_found():
    async with ModelServer() as server, gpt(server) as client:
        with pytest.raises(openai.NotFoundError, match="there is no POST /v1/embeddings"):
            await client.embeddings.create(model="m", input="x")
