"""Long-term memory for pydantic-ai: `Agent(model, capabilities=[LongTermMemory(memory, user="ann")])`.

Whose memory it is, and who listens, is said by the program or found in the run's dependencies, never by the model.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any
from uuid import uuid4

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, MissingExtra, RecollectError
from recollect.core.types import Message, Place
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

Whose = str | Callable[[RunContext[AgentDepsT]], str]
Where = Place | Callable[[RunContext[AgentDepsT]], Place] | None


def memory_toolset(
    memory: AsyncMemory, *, user: Whose[AgentDepsT], place: Where[AgentDepsT] = None
) -> FunctionToolset[AgentDepsT]:
    """The `memory` tool alone, and how to use it: for `Agent(model, toolsets=[memory_toolset(memory, user="ann")])`."""

    async def use(ctx: RunContext[AgentDepsT], **arguments: Any) -> str:
        who, where = _identity(ctx, user, place)
        return (await MemoryTool(memory, user=who, place=where).call(arguments)).text

    told = schema("openai")["function"]
    tool = Tool[AgentDepsT].from_schema(use, told["name"], told["description"], told["parameters"], takes_ctx=True)
    return FunctionToolset([tool], id="recollect", instructions=skill(front_matter=False))


@dataclass
class LongTermMemory(AbstractCapability[AgentDepsT]):
    """Everything that memory does for an agent: what is known of the user goes into the instructions, the model gets
    the `memory` tool, and after the run the user's message and the reply are observed.

    A memory that can't be reached costs what it knows, never the reply.
    """

    memory: AsyncMemory
    _: KW_ONLY
    user: Whose[AgentDepsT]
    """Who speaks, or a function of the run that tells."""
    place: Where[AgentDepsT] = None
    """Where, or a function of the run that tells; by default the user's DM."""
    name: str = "assistant"
    """The author of the replies."""
    clock: Clock = now
    id: str | None = "long_term_memory"
    _asked: Message | None = field(default=None, init=False, repr=False)
    _told: str | None = field(default=None, init=False, repr=False)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        return None  # an open memory can't be written into a specification

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "LongTermMemory[AgentDepsT]":
        """A copy that knows what was asked, so that runs at the same time don't mix."""
        who, where = _identity(ctx, self.user, self.place)
        mine = replace(self)
        text = _text(ctx.prompt)
        if text:
            mine._asked = Message(f"{ctx.run_id or uuid4()}-message", who, where, text, self.clock())
        return mine

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
        asked, said = self._asked, _said(result.output)
        if asked is not None:
            await self._observe(asked)
        if asked is not None and said:
            name = asked.id.removesuffix("-message") + "-reply"
            reply = Message(name, self.name, asked.place, said, self.clock(), self.name, bot=True, reply_to=asked.id)
            await self._observe(reply)
        return result

    async def _instructions(self, ctx: RunContext[AgentDepsT]) -> str:
        """The same at every step of a run: made once, and good for the provider's prompt cache."""
        if self._told is None:
            prompt = await self._prompt()
            self._told = "" if prompt is None else _without_what_is_said(prompt, ctx)
        return self._told

    async def _prompt(self) -> Prompt | None:
        if self._asked is None:
            return None
        try:
            return await self.memory.context(self._asked)
        except RecollectError as error:
            log.warning("the reply goes without memory: %s", error)
            return None

    async def _observe(self, message: Message) -> None:
        try:
            await self.memory.add(message)
        except RecollectError as error:
            log.warning("message %s could not be kept: %s", message.id, error)


def _identity(ctx: RunContext[AgentDepsT], user: Whose[AgentDepsT], place: Where[AgentDepsT]) -> tuple[str, Place]:
    who = user(ctx) if callable(user) else user
    if not who or not who.strip():
        raise BadInput("memory needs to know who speaks: the run has no user")
    where = (place(ctx) if callable(place) else place) or Place(dm=who)
    if where.dm not in (None, who):
        raise BadInput(f"{who!r} can't speak in the DM of {where.dm!r}")
    return who, where


def _text(prompt: str | Sequence[UserContent] | None) -> str:
    """What the user wrote, without pictures and files."""
    if prompt is None or isinstance(prompt, str):
        return (prompt or "").strip()
    pieces = (part.content if isinstance(part, TextContent) else part for part in prompt)
    return "\n".join(piece for piece in pieces if isinstance(piece, str)).strip()


def _said(output: object) -> str:
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _without_what_is_said(prompt: Prompt, ctx: RunContext[Any]) -> str:
    """The prompt without the message itself, and without the conversation where the run has it already."""
    given = {"message", "history"} if any(isinstance(one, ModelResponse) for one in ctx.messages) else {"message"}
    return prompt.separator.join(section.text for section in prompt.sections if section.name not in given)
