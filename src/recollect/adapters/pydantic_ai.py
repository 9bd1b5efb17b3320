"""Long-term memory for pydantic-ai: `Agent(model, capabilities=[LongTermMemory(memory, user="ann")])`.

User and place come from the program or the run's dependencies, never from the model.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any
from uuid import uuid4

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, MissingExtra, RecollectError
from recollect.core.types import Message, Place, person_key
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.faces.tool.schema import schema, skill
from recollect.memory import AsyncMemory
from recollect.prompting.assemble import Prompt

try:
    from pydantic_ai import AgentRunResult, RunContext, Tool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, TextContent, UserContent
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_core import to_json
except ImportError as missing:
    raise MissingExtra("memory for pydantic-ai", "llm") from missing

log = logging.getLogger("recollect")

UserOption = str | Callable[[RunContext[AgentDepsT]], str]
PlaceOption = Place | Callable[[RunContext[AgentDepsT]], Place] | None


def memory_toolset(
    memory: AsyncMemory, *, user: UserOption[AgentDepsT], place: PlaceOption[AgentDepsT] = None
) -> FunctionToolset[AgentDepsT]:
    """The `memory` tool with its instructions, for `Agent(model, toolsets=[memory_toolset(memory, user="ann")])`."""

    async def use(ctx: RunContext[AgentDepsT], **arguments: Any) -> str:
        user_id, user_place = _identity(ctx, user, place)
        where = None if place is None else user_place  # a DM on whichever platform the user is
        return (await MemoryTool(memory, user=user_id, place=where).call(arguments)).text

    definition = schema("openai")["function"]
    tool = Tool[AgentDepsT].from_schema(
        use, definition["name"], definition["description"], definition["parameters"], takes_ctx=True
    )
    return FunctionToolset([tool], id="recollect", instructions=skill(front_matter=False))


@dataclass
class LongTermMemory(AbstractCapability[AgentDepsT]):
    """Long-term memory for an agent: what is known about the user goes into the instructions, the model gets the
    `memory` tool, and after the run the user's message and the reply are added to memory.

    When memory can't be reached, the agent replies without it.
    """

    memory: AsyncMemory
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
    _cached_instructions: str | None = field(default=None, init=False, repr=False)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # an open memory can't be written into a specification

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "LongTermMemory[AgentDepsT]":
        """A copy with this run's message, so that concurrent runs don't mix."""
        user_id, user_place = _identity(ctx, self.user, self.place)
        copy = replace(self)
        text = _text(ctx.prompt)
        if text:
            copy._message = Message(f"{ctx.run_id or uuid4()}-message", user_id, user_place, text, self.clock())
        return copy

    def get_instructions(self) -> Callable[[RunContext[AgentDepsT]], Any]:
        return self._instructions

    def get_toolset(self) -> FunctionToolset[AgentDepsT]:
        return memory_toolset(self.memory, user=self.user, place=self.place)

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

    async def _instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        """The same at every step of a run, which suits the provider's prompt cache."""
        if self._cached_instructions is None:
            prompt = await self._prompt()
            self._cached_instructions = "" if prompt is None else _memory_sections(prompt, ctx)
        return self._cached_instructions

    async def _prompt(self) -> Prompt | None:
        if self._message is None:
            return None
        try:
            return await self.memory.context(self._message)
        except RecollectError as error:
            log.warning("the reply goes without memory: %s", error)
            return None

    async def _add(self, message: Message) -> None:
        try:
            await self.memory.add(message)
        except RecollectError as error:
            log.warning("message %s could not be stored: %s", message.id, error)


def _identity(
    ctx: RunContext[AgentDepsT], user: UserOption[AgentDepsT], place: PlaceOption[AgentDepsT]
) -> tuple[str, Place]:
    user_id = user(ctx) if callable(user) else user
    if not user_id or not user_id.strip():
        raise BadInput("the run has no user: memory needs to know whose it is")
    user_place = (place(ctx) if callable(place) else place) or Place(dm=user_id)
    if user_place.person not in (None, person_key(user_place.platform, user_id)):
        raise BadInput(f"{user_id!r} can't speak in the DM of {user_place.dm!r}")
    return user_id, user_place


def _text(prompt: str | Sequence[UserContent] | None) -> str:
    """The user's text, without images and files."""
    if prompt is None or isinstance(prompt, str):
        return (prompt or "").strip()
    pieces = (part.content if isinstance(part, TextContent) else part for part in prompt)
    return "\n".join(piece for piece in pieces if isinstance(piece, str)).strip()


def _output_text(output: object) -> str:
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _memory_sections(prompt: Prompt, ctx: RunContext[Any]) -> str:
    """The prompt without the message itself, and without the history if the run has it already."""
    has_history = any(isinstance(message, ModelResponse) for message in ctx.messages)
    excluded = {"message", "history"} if has_history else {"message"}
    return prompt.separator.join(section.text for section in prompt.sections if section.name not in excluded)
