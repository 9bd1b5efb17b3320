"""One turn of a language model: its streamed reply, and the tools that it calls."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ChatModel
from recollect.faces.assistant.request import ChatRequest
from recollect.faces.assistant.tools import AssistantTools, ToolDefinition

if TYPE_CHECKING:  # importing it takes a second or two: done when first needed
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import UserContent
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.usage import RunUsage

MAX_MODEL_REQUESTS = 12
"""Requests per turn, including those after tool calls."""
TURN_TIMEOUT_SECONDS = 180.0
CACHE_SETTINGS = {"anthropic_cache_tool_definitions": True, "anthropic_cache_instructions": True}
"""Cache mark at the end of what is the same in every request; other providers find it by themselves."""


_LOOP = re.compile(r"(.{12,400}?)\1{5,}$", re.DOTALL)
LOOP_CHARS, LOOP_STEP, MIN_LOOP_CHARS = 3_000, 200, 1_500
"""How much of a reply's end is looked at for repetition, how often, and from which length on it is a loop."""


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """Tokens and requests of one turn."""

    model: str
    requests: int
    input: int
    output: int


def total_of(turns: Sequence[TurnUsage]) -> TurnUsage | None:
    """What several turns of a model took together."""
    if not turns:
        return None
    counts = [sum(getattr(turn, name) for turn in turns) for name in ("requests", "input", "output")]
    return TurnUsage(turns[-1].model, *counts)


def price_of(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """The price in dollars; None for a model that no list has."""
    provider, _, name = model.partition(":")
    try:
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return float(calc_price(usage, name, provider_id=provider).total_price)
    except (ImportError, LookupError, ValueError):
        return None


class _LoopCheck:
    """Raises once a reply repeats itself over and over."""

    def __init__(self) -> None:
        self._end, self._unchecked = "", 0

    def feed(self, piece: str) -> None:
        self._end = (self._end + piece)[-LOOP_CHARS:]
        self._unchecked += len(piece)
        if self._unchecked >= LOOP_STEP:
            self._unchecked = 0
            if (loop := _LOOP.search(self._end)) is not None and len(loop[0]) >= MIN_LOOP_CHARS:
                raise ModelUnavailable("the model repeats itself", plain="it began to repeat itself and was stopped")


class Responder:
    """Answers requests with any chat model; stateless between turns."""

    def __init__(self, model: ChatModel, tools: Sequence[ToolDefinition]) -> None:
        self._model = model
        self._tools = tools
        self._agent: asyncio.Task[Agent[AssistantTools, str]] | None = None
        self.usage: TurnUsage | None = None
        """Usage of the last completed turn."""

    @property
    def name(self) -> str:
        return self._model.name

    async def respond(
        self,
        request: ChatRequest,
        tools: AssistantTools,
        show: Callable[[str], None],
        count: Callable[[TurnUsage], None] = lambda _: None,
    ) -> str:
        """The model's reply, and what it took to `count`; raises ModelError."""
        try:
            async with asyncio.timeout(TURN_TIMEOUT_SECONDS):
                return await self._run(request, tools, show, count)
        except TimeoutError as error:
            text = f"no answer within {TURN_TIMEOUT_SECONDS:.0f} s"
            raise ModelUnavailable(text, plain="it did not come to an end in time") from error
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - the model's adapter tells a library's many errors apart
            raise self._model.explain_error(error) from None

    async def _run(
        self,
        request: ChatRequest,
        tools: AssistantTools,
        show: Callable[[str], None],
        count: Callable[[TurnUsage], None],
    ) -> str:
        from pydantic_ai import AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
        from pydantic_ai.exceptions import UsageLimitExceeded
        from pydantic_ai.usage import RunUsage, UsageLimits

        agent, loop_check, usage = await self._ready_agent(), _LoopCheck(), RunUsage()
        run = agent.run_stream_events(
            user_content(request),
            deps=tools,
            instructions=request.instructions,
            model_settings=cast("ModelSettings", {**CACHE_SETTINGS, **self._model.privacy_settings}),
            usage_limits=UsageLimits(request_limit=MAX_MODEL_REQUESTS),
            usage=usage,
        )
        try:
            async with run as events:
                async for event in events:
                    match event:
                        case PartStartEvent(part=TextPart(content=piece)) if piece:
                            show(piece)
                            loop_check.feed(piece)
                        case PartDeltaEvent(delta=TextPartDelta(content_delta=piece)):
                            show(piece)
                            loop_check.feed(piece)
                        case AgentRunResultEvent(result=result):
                            self.usage = self._turn_usage(usage)
                            return result.output
                        case _:
                            pass
        except UsageLimitExceeded as error:
            text = f"{MAX_MODEL_REQUESTS} requests in one turn"
            raise ModelUnavailable(text, plain="it kept using its tools without an answer and was stopped") from error
        finally:
            if usage.requests:  # a turn that fails costs, too
                count(self._turn_usage(usage))
        # The stream has ended without a result, which pydantic-ai does not report.
        raise ModelUnavailable("the answer broke off")

    def _turn_usage(self, usage: "RunUsage") -> TurnUsage:
        return TurnUsage(self._model.name, usage.requests, usage.input_tokens, usage.output_tokens)

    async def _ready_agent(self) -> "Agent[AssistantTools, str]":
        if self._agent is None or (self._agent.done() and self._agent.exception()):
            # A task of its own: a cancelled first turn must not cancel the preparation for those that wait.
            self._agent = asyncio.create_task(self._build_agent(), name="recollect-agent")
        return await asyncio.shield(self._agent)

    async def _build_agent(self) -> "Agent[AssistantTools, str]":
        client = await self._model.client()
        import pydantic_ai
        from pydantic_ai import Agent

        from recollect.faces.assistant.verbatim_model import VerbatimModel

        pydantic_ai.BANNER_ENABLED = False  # its image would appear in the middle of a reply
        tools = [_tool(definition) for definition in self._tools]
        return Agent(VerbatimModel(client), deps_type=AssistantTools, tools=tools, retries=2)


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
