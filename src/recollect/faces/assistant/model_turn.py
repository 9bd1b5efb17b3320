"""Talking to a language model for one turn: what it says, piece by piece, and the tools it calls meanwhile."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.faces.assistant.tools import AssistantTools
from recollect.faces.assistant.window import tokens
from recollect.faces.tool.schema import schema

if TYPE_CHECKING:  # importing it takes a second or two: done when first needed
    from pydantic_ai import Agent

log = logging.getLogger("recollect.assistant")

CALLS = 12
"""Requests to the model that one turn may take, tool calls included."""
TIMEOUT = 180.0
_FILES = "Files named in the prompt, and notes of the workspace such as MEMORY.md or memory/2026-01-31.md."


class ChatModel(Protocol):
    """A model that can hold a conversation: a plug-in of `models` that has a client of pydantic-ai."""

    @property
    def name(self) -> str: ...

    async def client(self) -> Any: ...

    def explained(self, error: Exception) -> ModelError:
        """What went wrong, in words without the conversation; raises what is not the model's fault."""
        ...


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came of a turn: the whole reply, and what it added to the conversation."""

    text: str
    messages: Sequence[Any]

    def as_turn(self, asked: str) -> tuple[list[Any], int]:
        """What is kept of it, and about how many tokens that takes: the message as it was said, not the prompt
        around it, which is made anew each time.
        """
        from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, UserPromptPart

        kept = [ModelRequest(parts=[UserPromptPart(asked)]), *self.messages[1:]]
        return kept, tokens(ModelMessagesTypeAdapter.dump_json(kept).decode())

    @property
    def words(self) -> str:
        """All that was said in it by the assistant and its tools, calls included."""
        parts = [part for message in self.messages[1:] for part in message.parts]
        found = (getattr(part, "content", None) or getattr(part, "args", None) for part in parts)
        return "\n".join(str(each) for each in found if each)


class Responder:
    """A conversation partner over any model; it keeps nothing between turns."""

    def __init__(self, speaker: ChatModel, instructions: str) -> None:
        self._speaker = speaker
        self._instructions = instructions
        self._agent: asyncio.Task[Agent[AssistantTools, str]] | None = None

    async def speak(
        self,
        prompt: str,
        earlier: Sequence[Any],
        toolbox: AssistantTools,
        show: Callable[[str], None],
        *,
        extra: str = "",
    ) -> ModelReply:
        """Answer a prompt after what was said earlier; raises ModelError."""
        try:
            async with asyncio.timeout(TIMEOUT):
                return await self._spoken(prompt, earlier, toolbox, show, extra)
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {TIMEOUT:.0f} s") from error
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - a library of libraries: its errors are told apart below
            raise self._speaker.explained(error) from None

    async def _spoken(
        self, prompt: str, earlier: Sequence[Any], toolbox: AssistantTools, show: Callable[[str], None], extra: str
    ) -> ModelReply:
        from pydantic_ai import AgentRunResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
        from pydantic_ai.usage import UsageLimits

        agent = await self._made()
        run = agent.run_stream_events(
            prompt,
            message_history=list(earlier),
            deps=toolbox,
            instructions=extra or None,
            usage_limits=UsageLimits(request_limit=CALLS),
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

    async def _made(self) -> "Agent[AssistantTools, str]":
        if self._agent is None or (self._agent.done() and self._agent.exception()):
            self._agent = asyncio.create_task(self._make(), name="recollect-agent")
        return await asyncio.shield(self._agent)

    async def _make(self) -> "Agent[AssistantTools, str]":
        client = await self._speaker.client()
        from pydantic_ai import Agent, RunContext, Tool

        async def memory(ctx: RunContext[AssistantTools], **arguments: Any) -> str:
            return await ctx.deps.remember(arguments)

        async def read_file(ctx: RunContext[AssistantTools], path: str) -> str:
            return await ctx.deps.read_file(path)

        async def write_file(ctx: RunContext[AssistantTools], path: str, text: str, append: bool = False) -> str:
            return await ctx.deps.write_file(path, text, append)

        told = schema("openai")["function"]
        tools = [
            Tool.from_schema(memory, told["name"], told["description"], told["parameters"], takes_ctx=True),
            Tool(read_file, takes_ctx=True, description=f"Read a file. {_FILES}"),
            Tool(write_file, takes_ctx=True, description=f"Write a note, or append to one. {_FILES}"),
        ]
        return Agent(client, deps_type=AssistantTools, instructions=self._instructions, tools=tools, retries=2)
