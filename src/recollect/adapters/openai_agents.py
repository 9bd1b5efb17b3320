"""Long-term memory for the OpenAI Agents SDK: a `Session`, and instructions that hold what is remembered.

    agent = Agent("helper", instructions=remembering(memory, user="ann", instructions="Be brief."))
    await Runner.run(agent, "Where do I live?", session=RecollectSession("chat-1", memory, user="ann"))

The session keeps what was said, by people and by the agent; calls of tools and their results are not kept.
"""

# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
# The framework is only in the environment of `make test-adapters`.

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, cast

from recollect.adapters.turns import Turns
from recollect.core.types import Message, Place
from recollect.inputs import UserId
from recollect.memory import AsyncMemory
from recollect.sync import Memory

try:
    from agents import Agent, RunContextWrapper, SessionSettings, TResponseInputItem
except ImportError as missing:
    raise ImportError("memory for the OpenAI Agents SDK needs its package: pip install openai-agents") from missing

MAX_MESSAGES = 1_000
"""Newest messages of the user that a session looks at."""


class RecollectSession:
    """The conversation of one user, by its `session_id`; several sessions of a user are told apart."""

    def __init__(
        self, session_id: str, memory: AsyncMemory | Memory, *, user: UserId, place: Place | None = None
    ) -> None:
        turns = Turns(memory, user, place)
        self.session_id, self.session_settings = session_id, SessionSettings()
        self._turns = Turns(memory, user, replace(turns.place, thread=session_id))

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        messages = await self._messages()
        chosen = messages if limit is None else messages[-limit:] if limit > 0 else []
        return [_item(message) for message in chosen]

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        texts = [part for item in items if (part := _item_text(item)) is not None]
        await self._turns.run(self._turns.add([(token_hex(8), text, is_reply) for text, is_reply in texts]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Delete the last message, and what rests on it."""
        messages = await self._messages()
        if not messages:
            return None
        await self._delete(messages[-1])
        return _item(messages[-1])

    async def clear_session(self) -> None:
        """Delete the messages of this session, and what rests on them."""
        for message in await self._messages():
            await self._delete(message)

    async def _delete(self, message: Message) -> None:
        await self._turns.run(self._turns.memory.message_deleted(message.place.platform, message.id))

    async def _messages(self) -> list[Message]:
        return await self._turns.run(self._read())

    async def _read(self) -> list[Message]:
        await self._turns.memory.open()
        recent = await self._turns.memory.timeline.recent(self._turns.place, MAX_MESSAGES)
        return [message for message in recent if message.place.thread == self.session_id]


def remembering(
    memory: AsyncMemory | Memory, *, user: UserId, instructions: str = "", place: Place | None = None
) -> Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]:
    """Instructions for an `Agent`: your own, and what is remembered and fits the message that it answers."""
    turns = Turns(memory, user, place)

    async def dynamic(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:  # noqa: ARG001 - the SDK's signature
        said = [part for item in context.turn_input if (part := _item_text(item)) is not None]
        question = next((text for text, is_reply in reversed(said) if not is_reply), "")
        known = await turns.run(turns.instructions(question))
        return "\n\n".join(part for part in (instructions, known) if part)

    return dynamic


def _item_text(item: TResponseInputItem) -> tuple[str, bool] | None:
    """The text of an item, and whether the agent said it; None for calls of tools, their results and the like."""
    fields = cast("Mapping[str, Any]", item)
    role = fields.get("role")
    if role not in ("user", "assistant"):
        return None
    content = fields.get("content")
    parts = cast("list[Mapping[str, Any]]", content) if isinstance(content, list) else []
    text = content if isinstance(content, str) else "\n".join(str(part["text"]) for part in parts if part.get("text"))
    return (text, role == "assistant") if text.strip() else None


def _item(message: Message) -> TResponseInputItem:
    item = {"role": "assistant" if message.bot else "user", "content": message.text}
    return cast("TResponseInputItem", item)
