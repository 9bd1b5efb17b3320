"""One turn of a language model: its streamed reply, and the tools that it calls."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ChatModel
from recollect.faces.assistant.request import ChatRequest
from recollect.faces.assistant.tools import AssistantTools, ToolDefinition

if TYPE_CHECKING:  # importing it takes a second or two: done when first needed
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import UserContent
    from pydantic_ai.settings import ModelSettings

MAX_MODEL_REQUESTS = 12
"""Requests per turn, including those after tool calls."""
TURN_TIMEOUT_SECONDS = 180.0
CACHE_SETTINGS = {"anthropic_cache_tool_definitions": True, "anthropic_cache_instructions": True}
"""Marks the end of what is the same in every request; other providers find it by themselves."""


class Responder:
    """Answers requests with any chat model; stateless between turns."""

    def __init__(self, model: ChatModel, tools: Sequence[ToolDefinition]) -> None:
        self._model = model
        self._tools = tools
        self._agent: asyncio.Task[Agent[AssistantTools, str]] | None = None

    async def respond(self, request: ChatRequest, tools: AssistantTools, show: Callable[[str], None]) -> str:
        """The model's reply; raises ModelError."""
        try:
            async with asyncio.timeout(TURN_TIMEOUT_SECONDS):
                return await self._run(request, tools, show)
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {TURN_TIMEOUT_SECONDS:.0f} s") from error
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - the model's adapter tells a library's many errors apart
            raise self._model.explain_error(error) from None

    async def _run(self, request: ChatRequest, tools: AssistantTools, show: Callable[[str], None]) -> str:
        from pydantic_ai import AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
        from pydantic_ai.usage import UsageLimits

        agent = await self._ready_agent()
        run = agent.run_stream_events(
            user_content(request),
            deps=tools,
            instructions=request.instructions,
            model_settings=cast("ModelSettings", {**CACHE_SETTINGS, **self._model.privacy_settings}),
            usage_limits=UsageLimits(request_limit=MAX_MODEL_REQUESTS),
        )
        async with run as events:
            async for event in events:
                match event:
                    case PartStartEvent(part=TextPart(content=piece)) if piece:
                        show(piece)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=piece)):
                        show(piece)
                    case AgentRunResultEvent(result=result):
                        return result.output
                    case _:
                        pass
        raise ModelUnavailable("the answer broke off")

    async def _ready_agent(self) -> "Agent[AssistantTools, str]":
        if self._agent is None or (self._agent.done() and self._agent.exception()):
            self._agent = asyncio.create_task(self._build_agent(), name="recollect-agent")
        return await asyncio.shield(self._agent)

    async def _build_agent(self) -> "Agent[AssistantTools, str]":
        client = await self._model.client()
        from pydantic_ai import Agent

        tools = [_tool(definition) for definition in self._tools]
        return Agent(client, deps_type=AssistantTools, tools=tools, retries=2)


def user_content(request: ChatRequest) -> "list[UserContent]":
    """The user turn, in blocks that end at cache marks."""
    from pydantic_ai.messages import CachePoint

    content: list[UserContent] = []
    for block in request.prompt.blocks():
        content.append(block["text"])
        if "cache_control" in block:
            content.append(CachePoint())
    return content


def _tool(definition: ToolDefinition) -> "Tool[AssistantTools]":
    from pydantic_ai import RunContext, Tool

    async def call(ctx: RunContext[AssistantTools], **arguments: Any) -> str:
        return await ctx.deps.call(definition.name, arguments)

    return Tool[AssistantTools].from_schema(
        call, definition.name, definition.description, dict(definition.parameters), takes_ctx=True
    )
