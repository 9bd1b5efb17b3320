"""Long-term memory for pydantic-ai: `Agent(model, capabilities=[LongTermMemory(memory, user="ann")])`.

User and place come from the program or the run's dependencies, never from the model.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, cast
from uuid import uuid4

from recollect.adapters.turns import AnyMemory, asynchronous, run_on
from recollect.core.clock import Clock, now
from recollect.core.errors import MissingExtra, RecollectError
from recollect.core.types import Message, Place
from recollect.faces.assistant.model_turn import CACHE_SETTINGS, user_content
from recollect.faces.assistant.request import ChatRequest, agent_request
from recollect.faces.assistant.tools import offers_memory
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.faces.tool.schema import schema, skill_for_model
from recollect.inputs import UserId, place_of, user_id
from recollect.policy.viewer import require_in_own_dm

try:
    from pydantic_ai import AgentRunResult, RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        TextContent,
        UserContent,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import AbstractToolset, FunctionToolset
    from pydantic_core import to_json
except ImportError as missing:
    raise MissingExtra("memory for pydantic-ai", "llm") from missing

log = logging.getLogger("recollect")

UserOption = UserId | Callable[[RunContext[AgentDepsT]], UserId]
PlaceOption = Place | Callable[[RunContext[AgentDepsT]], Place] | None


def memory_toolset(
    memory: AnyMemory, *, user: UserOption[AgentDepsT], place: PlaceOption[AgentDepsT] = None
) -> FunctionToolset[AgentDepsT]:
    """The `memory` tool with its instructions, for `Agent(model, toolsets=[memory_toolset(memory, user="ann")])`."""
    return _toolset(memory, user, place, skill_for_model())


def _toolset(
    memory: AnyMemory, user: UserOption[AgentDepsT], place: PlaceOption[AgentDepsT], instructions: str | None
) -> FunctionToolset[AgentDepsT]:
    inner = asynchronous(memory)

    async def use(ctx: RunContext[AgentDepsT], **arguments: Any) -> str:
        user_id, user_place = _identity(ctx, user, place)
        where = None if place is None else user_place  # a DM on whichever platform the user is
        tool = MemoryTool(inner, user=user_id, place=where)
        return (await run_on(memory, tool.call(arguments))).text

    definition = schema("openai")["function"]
    tool = Tool[AgentDepsT].from_schema(
        use, definition["name"], definition["description"], definition["parameters"], takes_ctx=True
    )
    return FunctionToolset([tool], id="recollect", instructions=instructions)


@dataclass
class LongTermMemory(AbstractCapability[AgentDepsT]):
    """Long-term memory for an agent: what is known goes before the user's message, the rules of memory into the
    instructions, the model gets the `memory` tool, and after the run the message and the reply are added to memory.

    The model gets the request that the assistant of recollect would send, within the agent's own; the messages of the
    run stay as they are. When memory can't be reached, the agent replies without it.
    """

    memory: AnyMemory
    _: KW_ONLY
    user: UserOption[AgentDepsT]
    """The user, or a function of the run that returns it."""
    place: PlaceOption[AgentDepsT] = None
    """The place, or a function of the run that returns it; by default the user's DM."""
    name: str = "assistant"
    """The author of the replies."""
    clock: Clock = now
    id: str | None = "long_term_memory"
    _message: Message | None = field(default=None, init=False, repr=False)
    _request: ChatRequest | None = field(default=None, init=False, repr=False)
    _content: list[UserContent] | None = field(default=None, init=False, repr=False)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # an open memory can't be written into a specification

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "LongTermMemory[AgentDepsT]":
        """A copy with this run's message and request, so that concurrent runs don't mix."""
        user_id, user_place = _identity(ctx, self.user, self.place)
        copy = replace(self)
        message = Message(f"{ctx.run_id or uuid4()}-message", user_id, user_place, _text(ctx.prompt), self.clock())
        copy._message = message if message.text else None
        copy._request = await run_on(self.memory, agent_request(asynchronous(self.memory), message))
        return copy

    def get_instructions(self) -> str | None:
        """Those of the run; as plain text they count as what stays the same, which the provider may cache."""
        return None if self._request is None else self._request.instructions

    def get_toolset(self) -> AbstractToolset[AgentDepsT]:
        """The tool, where durable memory is switched on; the guidance for it is in the request."""
        toolset = _toolset(self.memory, self.user, self.place, None)
        return toolset.filtered(lambda _ctx, _tool: offers_memory(asynchronous(self.memory).settings))

    def get_model_settings(self) -> ModelSettings:
        return cast("ModelSettings", CACHE_SETTINGS)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put what is known before the user's message in what is sent, and only there."""
        if self._message is None or self._request is None:
            return request_context
        if self._content is None:  # the same at every step of a run, which suits the provider's prompt cache
            has_history = any(isinstance(message, ModelResponse) for message in ctx.messages)
            self._content = _turn(self._request, ctx.prompt, ("history",) if has_history else ())
        return replace(request_context, messages=_with_content(request_context.messages, ctx.prompt, self._content))

    async def after_run(
        self,
        ctx: RunContext[AgentDepsT],  # noqa: ARG002 - the signature is the library's
        *,
        result: AgentRunResult[Any],
    ) -> AgentRunResult[Any]:
        message, reply_text = self._message, _output_text(result.output)
        if message is not None:
            await self._add(message)
        if message is not None and reply_text:
            reply_id = message.id.removesuffix("-message") + "-reply"
            reply = Message(
                reply_id, self.name, message.place, reply_text, self.clock(), self.name, bot=True, reply_to=message.id
            )
            await self._add(reply)
        return result

    async def _add(self, message: Message) -> None:
        try:
            await run_on(self.memory, asynchronous(self.memory).add(message))
        except RecollectError as error:
            log.warning("message %s could not be stored: %s", message.id, error)


def _identity(
    ctx: RunContext[AgentDepsT], user: UserOption[AgentDepsT], place: PlaceOption[AgentDepsT]
) -> tuple[str, Place]:
    name = user_id(user(ctx) if callable(user) else user)
    user_place = place_of(place(ctx) if callable(place) else place) or Place(dm=name)
    require_in_own_dm(name, user_place)
    return name, user_place


def _text(prompt: str | Sequence[UserContent] | None) -> str:
    """The user's text, without images and files."""
    if prompt is None or isinstance(prompt, str):
        return (prompt or "").strip()
    pieces = (part.content if isinstance(part, TextContent) else part for part in prompt)
    return "\n".join(piece for piece in pieces if isinstance(piece, str)).strip()


def _output_text(output: object) -> str:
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _turn(
    request: ChatRequest, prompt: str | Sequence[UserContent] | None, excluded: tuple[str, ...]
) -> list[UserContent]:
    """The user turn with memory in it; of a message with images and files, its parts stay as they are."""
    own_parts = () if isinstance(prompt, str) or prompt is None else tuple(prompt)
    excluded = (*excluded, "message") if own_parts else excluded
    sections = tuple(section for section in request.prompt.sections if section.name not in excluded)
    return [*user_content(replace(request, prompt=replace(request.prompt, sections=sections))), *own_parts]


def _with_content(
    messages: Sequence[ModelMessage], prompt: str | Sequence[UserContent] | None, content: list[UserContent]
) -> list[ModelMessage]:
    """The messages with this content in the place of the run's prompt; the run's own messages are not changed."""
    for index in reversed(range(len(messages))):
        message = messages[index]
        parts = message.parts if isinstance(message, ModelRequest) else ()
        for position, part in enumerate(parts):
            if isinstance(part, UserPromptPart) and part.content == prompt:
                changed = [*parts[:position], replace(part, content=content), *parts[position + 1 :]]
                return [*messages[:index], replace(message, parts=changed), *messages[index + 1 :]]
    return list(messages)
