"""Real agents of pydantic-ai with memory: what the model is told, what it may do, and what is kept of a run."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelMessage, ModelResponse, RunContext, TextPart, ToolCallPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from recollect import AsyncMemory, Place
from recollect.adapters.pydantic_ai import LongTermMemory, memory_toolset
from recollect.core.errors import BadInput, StoreBusy
from recollect.core.types import Message
from recollect.faces.assistant.request import chat_request
from recollect.faces.tool.schema import schema, skill_for_model
from recollect.settings import PROFILES
from recollect.testing.model_server import Calls, ModelServer, Says
from tests.scenes import DEV, DM, Stage, opened
from tests.wire.test_requests import RULES, SKILL, assert_answers, section

SAVE = {"action": "save", "content": "Ann's cat is called Miso", "category": "fact"}


@dataclass
class Deps:
    """What an application knows about the request it serves."""

    user: str
    place: Place


class Listener:
    """A model that remembers what it was told, and answers what the test wants."""

    def __init__(self, *answers: ModelResponse | str) -> None:
        self.answers = list(answers)
        self.told: list[str] = []
        self.seen: list[list[ModelMessage]] = []
        self.tools: list[str] = []

    def model(self) -> FunctionModel:
        return FunctionModel(self._answer)

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.told.append(info.instructions or "")
        self.seen.append(list(messages))
        self.tools = [tool.name for tool in info.function_tools]
        answer = self.answers.pop(0) if self.answers else "Fine."
        return ModelResponse([TextPart(answer)]) if isinstance(answer, str) else answer


def calling(**arguments: Any) -> ModelResponse:
    return ModelResponse([ToolCallPart("memory", arguments)])


def whole(stage: Stage, **how: Any) -> LongTermMemory[Any]:
    return LongTermMemory(stage.memory, **{"user": "ann", "place": DM, "clock": stage.clock, **how})


async def journal(memory: AsyncMemory, place: Place = DM) -> list[Message]:
    return await memory.store.read(lambda tx: tx.messages.recent(place, 20))


async def test_the_toolset_gives_the_model_the_memory_tool_and_its_guidance():
    listener = Listener(calling(**SAVE), "Noted.")
    async with opened() as stage:
        agent = Agent(listener.model(), toolsets=[memory_toolset(stage.memory, user="ann")])
        done = await agent.run("my cat is called Miso")
        assert done.output == "Noted."
        assert await stage.known(place=Place(dm="ann")) == ["Ann's cat is called Miso"]
    assert listener.tools == ["memory"]
    assert skill_for_model() in listener.told[0]


async def test_the_model_sees_the_tools_own_schema():
    model = TestModel(call_tools=[])
    async with opened() as stage:
        await Agent(model, toolsets=[memory_toolset(stage.memory, user="ann")]).run("hello")
    assert model.last_model_request_parameters is not None
    (tool,) = model.last_model_request_parameters.function_tools
    told = schema("openai")["function"]
    assert (tool.name, tool.description) == (told["name"], told["description"])
    assert tool.parameters_json_schema == told["parameters"]


async def test_arguments_made_up_by_a_test_model_do_no_harm():
    async with opened() as stage:
        done = await Agent(TestModel(), toolsets=[memory_toolset(stage.memory, user="ann")]).run("hello")
        assert "memory" in done.output
        assert await stage.known() == []


async def test_what_is_known_comes_before_the_message_in_what_is_sent_and_only_there():
    listener = Listener()
    async with opened() as stage:
        await stage.remember("Lives in Berlin", place=DM)
        result = await Agent(listener.model(), capabilities=[whole(stage)]).run("where do I live?")
    (told,), (sent,) = listener.told, listener.seen
    assert "never instructions to you" in told
    assert "Berlin" not in told
    assert "where do I live?" not in told
    assert str(sent).count("where do I live?") == 1
    assert "Lives in Berlin" in str(sent).partition("where do I live?")[0]
    assert "Berlin" not in str(result.all_messages())


async def test_the_message_and_the_reply_are_observed_after_the_run():
    async with opened() as stage:
        agent = Agent(Listener("In Berlin.").model(), capabilities=[whole(stage, name="Rec")])
        await agent.run("where do I live?", run_id="r1")
        asked, reply = await journal(stage.memory)
    assert (asked.id, asked.author, asked.text, asked.bot) == ("r1-message", "ann", "where do I live?", False)
    assert (reply.id, reply.author, reply.text, reply.bot) == ("r1-reply", "Rec", "In Berlin.", True)
    assert reply.reply_to == asked.id


async def test_a_run_that_is_repeated_under_its_id_is_observed_once():
    async with opened() as stage:
        agent = Agent(Listener().model(), capabilities=[whole(stage)])
        await agent.run("hello", run_id="r1")
        await agent.run("hello", run_id="r1")
        assert [one.id for one in await journal(stage.memory)] == ["r1-message", "r1-reply"]


async def test_a_run_that_fails_leaves_nothing_behind():
    def broken(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ConnectionError("no model")

    async with opened() as stage:
        with pytest.raises(ConnectionError):
            await Agent(FunctionModel(broken), capabilities=[whole(stage)]).run("hello")
        assert await journal(stage.memory) == []


async def test_a_run_recalls_messages_of_the_previous_run():
    listener = Listener("Hello Ann.")
    async with opened() as stage:
        agent = Agent(listener.model(), capabilities=[whole(stage)])
        await agent.run("I have a cat called Miso")
        stage.clock.advance(minutes=1)
        await agent.run("what did I say?")
    assert "I have a cat called Miso" in str(listener.seen[1])


async def test_a_conversation_that_the_run_carries_is_not_told_twice():
    listener = Listener("Hello Ann.")
    async with opened() as stage:
        agent = Agent(listener.model(), capabilities=[whole(stage)])
        first = await agent.run("I have a cat called Miso")
        stage.clock.advance(minutes=1)
        await agent.run("what did I say?", message_history=first.all_messages())
    assert "Recent conversation" not in str(listener.seen[1])
    assert str(listener.seen[1]).count("I have a cat called Miso") == 1


async def test_the_instructions_stay_the_same_while_a_run_calls_tools():
    listener = Listener(calling(**SAVE), "Noted.")
    async with opened() as stage:
        await Agent(listener.model(), capabilities=[whole(stage)]).run("my cat is called Miso")
        assert await stage.known() == ["Ann's cat is called Miso"]
    first, second = listener.told
    assert first == second
    assert str(listener.seen[0]) == str(listener.seen[1][:1])


async def test_identity_comes_from_the_dependencies_of_each_run():
    listener = Listener(calling(**SAVE), "Noted.", "Hello Bob.")
    async with opened() as stage:
        who: Callable[[RunContext[Deps]], str] = lambda ctx: ctx.deps.user  # noqa: E731 - as people write it
        capability = LongTermMemory[Deps](stage.memory, user=who, place=lambda ctx: ctx.deps.place, clock=stage.clock)
        agent = Agent(listener.model(), deps_type=Deps, capabilities=[capability])
        await agent.run("my cat is called Miso", deps=Deps("ann", DM))
        await agent.run("hello", deps=Deps("bob", Place("discord", dm="bob")))
        assert await stage.known("ann") == ["Ann's cat is called Miso"]
        assert await stage.known("bob") == []
    assert "Miso" not in str(listener.seen[2])


@pytest.mark.parametrize("claim", [{"user": "bob"}, {"user_id": "bob"}, {"place": {"dm": "bob"}}])
async def test_no_argument_of_the_model_names_somebody_else(claim: dict[str, Any]):
    search = {"action": "search", "query": "salary", **claim}
    listener = Listener(calling(**search), calling(**SAVE, **claim), "Done.")
    async with opened() as stage:
        await stage.remember("Bob's salary is 100", user="bob", place=Place("discord", dm="bob"))
        await Agent(listener.model(), capabilities=[whole(stage)]).run("what does Bob earn?")
        assert await stage.known("bob") == ["Bob's salary is 100"]
    assert "salary is 100" not in str(listener.seen)


async def test_what_may_not_be_heard_in_a_channel_is_told_neither_by_instructions_nor_by_the_tool():
    listener = Listener(calling(action="search", query="salary"), "Done.")
    async with opened() as stage:
        await stage.learned("Earns a salary of 100", place=DM)
        await Agent(listener.model(), capabilities=[whole(stage, place=DEV)]).run("what is my salary?")
    assert "salary is 100" not in str(listener.seen) + str(listener.told)


@pytest.mark.parametrize("nobody", ["", "  ", lambda ctx: "", lambda ctx: None])
async def test_a_run_without_a_user_is_refused(nobody: Any):
    async with opened() as stage:
        with pytest.raises(BadInput, match="say who is meant: user="):
            await Agent(TestModel(), capabilities=[whole(stage, user=nobody)]).run("hello")


async def test_another_user_in_a_dm_is_refused():
    async with opened() as stage:
        with pytest.raises(BadInput, match="can't speak in the DM"):
            await Agent(TestModel(), capabilities=[whole(stage, user="bob", place=DM)]).run("hello")


async def test_runs_at_the_same_time_do_not_mix():
    def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart(str(messages))])

    users = [f"user{number}" for number in range(8)]
    async with opened() as stage:
        for user in users:
            await stage.remember(f"The password hint of {user} is blue", user=user, place=Place(dm=user))
        capability = LongTermMemory[str](stage.memory, user=lambda ctx: ctx.deps, clock=stage.clock)
        agent = Agent(FunctionModel(echo), deps_type=str, capabilities=[capability])
        runs = await asyncio.gather(*(agent.run("what is my hint?", deps=user) for user in users))
    for user, run in zip(users, runs, strict=True):
        assert f"hint of {user} is" in run.output
        assert not [other for other in users if other != user and f"hint of {other} is" in run.output]


async def test_a_streamed_run_is_observed_too():
    async with opened() as stage:
        agent = Agent(TestModel(call_tools=[], custom_output_text="In Berlin."), capabilities=[whole(stage)])
        async with agent.run_stream("where do I live?") as stream:
            assert await stream.get_output() == "In Berlin."
        assert [one.text for one in await journal(stage.memory)] == ["where do I live?", "In Berlin."]


async def test_the_words_of_a_message_with_a_picture_are_observed():
    async with opened() as stage:
        agent = Agent(TestModel(call_tools=[]), capabilities=[whole(stage)])
        await agent.run(["this is my cat", BinaryContent(b"...", media_type="image/png"), "she is called Miso"])
        await agent.run([BinaryContent(b"...", media_type="image/png")])
        asked, _ = await journal(stage.memory)
    assert asked.text == "this is my cat\nshe is called Miso"


class City(BaseModel):
    """Where somebody lives."""

    name: str


async def test_a_reply_with_a_structure_is_observed_as_json():
    async with opened() as stage:
        model = TestModel(call_tools=[], custom_output_args={"name": "Berlin"})
        done = await Agent(model, output_type=City, capabilities=[whole(stage)]).run("where do I live?")
        assert done.output == City(name="Berlin")
        assert [one.text for one in await journal(stage.memory)] == ["where do I live?", '{"name":"Berlin"}']


class Unreachable(AsyncMemory):
    """A memory whose store is locked by someone else."""

    def view(self, *args: Any, **kwargs: Any) -> Any:
        raise StoreBusy("locked")

    async def add(self, message: Message) -> bool:
        raise StoreBusy("locked")


async def test_a_memory_that_cannot_be_reached_never_costs_the_reply(caplog: pytest.LogCaptureFixture):
    async with opened() as stage:
        memory = Unreachable()
        memory.use(stage.memory.engine)
        done = await Agent(Listener("Fine.").model(), capabilities=[LongTermMemory(memory, user="ann")]).run("hi")
    assert done.output == "Fine."
    assert "replying without memory" in caplog.text
    assert caplog.text.count("could not be stored") == 2


async def test_a_capability_of_one_run_takes_the_place_of_the_agents():
    listener = Listener()
    async with opened() as stage:
        await stage.remember("Lives in Berlin", place=DM)
        agent = Agent(listener.model(), capabilities=[whole(stage)])
        await agent.run("where do I live?", capabilities=[whole(stage, user="bob", place=Place(dm="bob"))])
    assert "Berlin" not in str(listener.seen[0])
    assert listener.tools == ["memory"]


async def test_a_picture_stays_where_it_is_in_the_message():
    listener = Listener()
    picture = BinaryContent(b"...", media_type="image/png")
    async with opened() as stage:
        await stage.remember("Owns a cat called Miso", place=DM)
        await Agent(listener.model(), capabilities=[whole(stage)]).run(["my cat", picture, "is she well?"])
    content = listener.seen[0][0].parts[0].content
    assert isinstance(content, list)
    assert content[-3:] == ["my cat", picture, "is she well?"]
    assert "Owns a cat called Miso" in str(content[:-3])


def client(server: ModelServer, provider: str) -> AnthropicModel | OpenAIChatModel:
    if provider == "anthropic":
        return AnthropicModel("claude-haiku-4-5", provider=AnthropicProvider(api_key="none", base_url=server.root))
    return OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(api_key="none", base_url=server.url))


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
async def test_over_http_the_provider_gets_memory_and_its_calls_are_answered(provider: str):
    async with ModelServer([Calls("memory", SAVE), Says("Noted.")]) as server, opened() as stage:
        await stage.remember("Lives in Berlin", place=DM)
        agent = Agent(client(server, provider), capabilities=[whole(stage)])
        done = await agent.run("In Berlin I got a cat, Miso")
        first, second = server.requests
        assert "Lives in Berlin" in first.text
        assert [str(tool.get("name") or tool["function"]["name"]) for tool in first.tools] == ["memory"]
        assert "Remembered: " in str(second.body)
        assert done.output == "Noted."
        assert set(await stage.known()) == {"Lives in Berlin", "Ann's cat is called Miso"}
        assert [one.text for one in await journal(stage.memory)] == ["In Berlin I got a cat, Miso", "Noted."]


@pytest.mark.acceptance("W1", "W2", "W4", "W5", "W10")
@pytest.mark.parametrize("profile", PROFILES)
async def test_under_every_profile_an_agent_sends_what_the_assistant_would(profile: str):
    asked = [f"which bike suits errand {number}?" for number in range(3)]
    async with ModelServer(lambda _: Says("I see.")) as server, opened(profile) as stage:
        if stage.memory.settings.memos.enabled:
            await stage.remember("Owns a bike", place=DM)
        agent = Agent(client(server, "anthropic"), instructions="Be kind.", capabilities=[whole(stage, name="Rec")])
        for text in asked:
            await agent.run(text)
            stage.clock.advance(minutes=1)
        message = Message("m", "ann", DM, asked[-1], stage.clock())
        expected = await chat_request(stage.memory, message)
        settings = stage.memory.settings
    for number, request in enumerate(server.requests):
        assert [role for role, _ in request.turns] == ["user"]
        assert_answers(request, asked[number])
        history = section(request, "Recent conversation:")
        assert [text for text in asked if text in history] == asked[:number]
        assert (RULES in request.instructions) == (profile in ("unified", "dnam"))
        assert request.instructions.count(SKILL) == settings.memos.enabled
        assert [tool["name"] for tool in request.tools] == ["memory"] * settings.memos.enabled
        assert "Be kind." in request.instructions
        assert ("Owns a bike" in request.text) == settings.memos.enabled
    assert len({str(request.body["system"]) + str(request.body.get("tools")) for request in server.requests}) == 1
    assert "cache_control" in server.requests[0].body["system"][-1]
    durable = [part.text for part in expected.parts() if part.name == "durable"]
    assert [text for text in durable if text not in server.requests[-1].text] == []
