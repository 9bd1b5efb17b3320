"""One turn of a language model: its streamed reply, and the tools that it calls."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ChatModel
from recollect.faces.assistant.tools import AssistantTools
from recollect.faces.assistant.window import tokens
from recollect.faces.tool.schema import schema

if TYPE_CHECKING:  # importing it takes a second or two: done when first needed
    from pydantic_ai import Agent

log = logging.getLogger("recollect.assistant")

MAX_MODEL_REQUESTS = 12
"""Requests per turn, including those after tool calls."""
TURN_TIMEOUT_SECONDS = 180.0
_FILES_HINT = "Files named in the prompt, and notes of the workspace such as MEMORY.md or memory/2026-01-31.md."


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The result of a turn: the whole reply, and its messages."""

    text: str
    messages: Sequence[Any]

    def as_turn(self, question: str) -> tuple[list[Any], int]:
        """The messages to keep in the window, and an estimate of their tokens.

        The user's message is kept as it was written, without the prompt around it, which is made again each time.
        """
        from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, UserPromptPart

        messages = [ModelRequest(parts=[UserPromptPart(question)]), *self.messages[1:]]
        return messages, tokens(ModelMessagesTypeAdapter.dump_json(messages).decode())

    @property
    def spoken_text(self) -> str:
        """All text of the assistant and its tools, including the calls."""
        parts = [part for message in self.messages[1:] for part in message.parts]
        texts = (getattr(part, "content", None) or getattr(part, "args", None) for part in parts)
        return "\n".join(str(text) for text in texts if text)


class Responder:
    """Answers prompts with any chat model; stateless between turns."""

    def __init__(self, model: ChatModel, instructions: str) -> None:
        self._model = model
        self._instructions = instructions
        self._agent: asyncio.Task[Agent[AssistantTools, str]] | None = None

    async def respond(
        self,
        prompt: str,
        history: Sequence[Any],
        tools: AssistantTools,
        show: Callable[[str], None],
        *,
        extra: str = "",
    ) -> ModelReply:
        """Answer a prompt that follows the history; raises ModelError."""
        try:
            async with asyncio.timeout(TURN_TIMEOUT_SECONDS):
                return await self._run(prompt, history, tools, show, extra)
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {TURN_TIMEOUT_SECONDS:.0f} s") from error
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - the model's adapter tells a library's many errors apart
            raise self._model.explain_error(error) from None

    async def _run(
        self, prompt: str, history: Sequence[Any], tools: AssistantTools, show: Callable[[str], None], extra: str
    ) -> ModelReply:
        from pydantic_ai import AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
        from pydantic_ai.usage import UsageLimits

        agent = await self._ready_agent()
        run = agent.run_stream_events(
            prompt,
            message_history=list(history),
            deps=tools,
            instructions=extra or None,
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
                        return ModelReply(result.output, result.new_messages())
                    case _:
                        pass
        raise ModelUnavailable("the answer broke off")

    async def _ready_agent(self) -> "Agent[AssistantTools, str]":
        if self._agent is None or (self._agent.done() and self._agent.exception()):
            self._agent = asyncio.create_task(self._build_agent(), name="recollect-agent")
        return await asyncio.shield(self._agent)

    async def _build_agent(self) -> "Agent[AssistantTools, str]":
        client = await self._model.client()
        from pydantic_ai import Agent, RunContext, Tool

        async def memory(ctx: RunContext[AssistantTools], **arguments: Any) -> str:
            return await ctx.deps.remember(arguments)

        async def read_file(ctx: RunContext[AssistantTools], path: str) -> str:
            return await ctx.deps.read_file(path)

        async def write_file(ctx: RunContext[AssistantTools], path: str, text: str, append: bool = False) -> str:
            return await ctx.deps.write_file(path, text, append)

        definition = schema("openai")["function"]
        agent_tools = [
            Tool.from_schema(
                memory, definition["name"], definition["description"], definition["parameters"], takes_ctx=True
            ),
            Tool(read_file, takes_ctx=True, description=f"Read a file. {_FILES_HINT}"),
            Tool(write_file, takes_ctx=True, description=f"Write a note, or append to one. {_FILES_HINT}"),
        ]
        return Agent(client, deps_type=AssistantTools, instructions=self._instructions, tools=agent_tools, retries=2)
